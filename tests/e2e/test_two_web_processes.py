"""Two web processes behind one address, on PostgreSQL and Redis: either answers for the other, and neither is missed.

All of it is real: the servers of the distribution, nginx with the site that `deploy/` has, daphne as the unit starts
it, a run loop, browsers' sockets over TCP that come back as `rpa_site/socket.js` does, and a Chromium.
"""

from __future__ import annotations

import asyncio
import json
import random
import statistics
import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field
from typing import Any

import httpx
import pytest
from playwright.sync_api import WebSocket, sync_playwright
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import WebSocketException

from tests.support import servers
from tests.support.browser import CHROMIUM
from tests.support.display import wait_until
from tests.support.many import Many, answers, many
from tests.support.streaming import Follower, answer_of

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]

BACK_WITHIN_S = 3.0
BROWSERS = 20
FIRST_DELAY_S, LONGEST_DELAY_S = 0.5, 15.0  # of socket.js
# The run that the run loop does, page after page through all that happens here, and two that others write.
PREPARE = """
import json
from execution.models import Robot
from tests.factories import make_execution
from tests.support.scripted import PAGES, publish_line, queue
robot = Robot.objects.create(name="bench:1", desktop="bench:1", host="bench", pid=1)
runs = [make_execution(state="running", desktop=f"bench:{n}", robot=robot).execution_id for n in range(2)]
print(json.dumps([queue(publish_line(*PAGES), mode="coaching").execution_id, *runs]))
"""


@pytest.fixture(scope="module")
def world() -> Iterator[Many]:
    with many(RPA_COACHING_TIMEOUT_S="3600") as one:
        one.runs = json.loads(one.manage("shell", "-v0", "-c", PREPARE))
        one.start_runloop("scripted:tests.support.scripted.six_pages")
        yield one


@pytest.fixture
def otto(world: Many) -> Iterator[httpx.Client]:
    with closing(world.client("otto")) as client:
        yield client


def question(client: httpx.Client, execution_id: str, edge: str) -> int:
    """Wait for the question about that edge; its number."""

    def asked() -> dict[str, Any] | None:
        answer = client.get(f"/api/executions/{execution_id}/prompt/")
        prompt = answer.json() if answer.status_code == 200 else None
        return prompt if prompt and prompt["state"] == "open" and prompt["step"]["edge_id"] == edge else None

    number: int = wait_until(asked, timeout=60, what=f"the question about {edge}")["prompt_id"]
    return number


def accept(client: httpx.Client, execution_id: str, prompt_id: int) -> None:
    said = {"prompt_id": prompt_id, "choice": "accept"}
    answer = client.post(f"/api/executions/{execution_id}/decide/", json=said)
    assert answer.status_code < 300, answer.text


@dataclass
class Browser(Follower):
    """A page that follows a run at the one address: it comes back as socket.js does, from where it was."""

    away_s: list[float] = field(default_factory=list)
    lost_at: float | None = None
    dice: random.Random = field(default_factory=lambda: random.Random(7))

    async def browse(self, world: Many, key: str, execution_id: str, last: int) -> None:
        delay = FIRST_DELAY_S
        while (self.cursor or 0) < last:
            try:
                async with watch(world.port, key, execution_id, self.cursor) as connection:
                    delay = FIRST_DELAY_S
                    await self.follow(connection, last)
            except (WebSocketException, OSError):
                self.lost_at = self.lost_at or time.monotonic()
                await asyncio.sleep(delay * self.dice.uniform(0.75, 1.25))  # as the page waits
                delay = min(delay * 2, LONGEST_DELAY_S)

    async def take(self, connection: ClientConnection) -> None:
        await super().take(connection)
        if self.lost_at is not None:
            self.away_s.append(time.monotonic() - self.lost_at)
            self.lost_at = None


def watch(port: int, key: str, execution_id: str, after: int | None) -> connect:
    at = f"127.0.0.1:{port}/ws/executions/{execution_id}/" + ("" if after is None else f"?after={after}")
    return connect(
        f"ws://{at}",
        origin=f"http://127.0.0.1:{port}",  # type: ignore[arg-type]
        additional_headers={"Cookie": f"sessionid={key}"},
        proxy=None,
        open_timeout=10,
    )


async def news(connection: ClientConnection, what: str) -> Any:
    """Wait until something that holds `what` is said."""
    async with asyncio.timeout(60):
        while True:
            message = json.loads(await connection.recv())
            if message["type"] == "events":
                await connection.send(json.dumps({"type": "ack", "seq": message["events"][-1]["seq"]}))
            if what in json.dumps(message):
                return message


async def test_a_coach_answers_at_one_what_was_asked_through_the_other(world: Many) -> None:
    one, other = world.webs
    run = world.runs[0]
    with closing(world.client("otto", one)) as asked, closing(world.client("otto", other)) as answering:
        async with watch(one, asked.cookies["sessionid"], run, 0) as connection:
            for edge in ("one_two", "two_three"):
                await news(connection, f'"edge_id": "{edge}"')
                prompt_id = await asyncio.to_thread(question, answering, run, edge)
                accept(answering, run, prompt_id)
                await news(connection, '"choice": "accept"')
        assert question(asked, run, "three_four")


async def followed(world: Many, events: int, pause_ms: float, trouble: Any) -> list[Browser]:
    """BROWSERS follow a run while another process writes it; `trouble` is called once a third of it has come."""
    browsers = [Browser(cursor=0, dice=random.Random(n)) for n in range(BROWSERS)]
    execution_id = world.runs.pop()
    with closing(world.client("vera")) as vera:
        key = vera.cookies["sessionid"]
    async with asyncio.timeout(120), asyncio.TaskGroup() as tasks:
        for browser in browsers:
            tasks.create_task(browser.browse(world, key, execution_id, events))
        writer = world.worker("write", execution_id, str(events), "500", str(pause_ms), "0")
        while (browsers[0].cursor or 0) < events // 3:
            await asyncio.sleep(0.02)
        await trouble(browsers)
        await asyncio.to_thread(answer_of, writer)
    assert [browser.seqs for browser in browsers] == [list(range(1, events + 1))] * BROWSERS
    assert {browser.snapshots for browser in browsers} == {0}
    return browsers


async def test_a_web_process_dies_and_every_browser_is_back_within_3_s_with_nothing_lost(world: Many) -> None:
    victim = world.webs[0]

    async def trouble(browsers: list[Browser]) -> None:
        await asyncio.to_thread(world.kill_web, victim)

    browsers = await followed(world, events=800, pause_ms=10, trouble=trouble)
    away = [seconds for browser in browsers for seconds in browser.away_s]
    assert 0 < len(away) < BROWSERS, "each of the two processes served some"
    assert max(away) <= BACK_WITHIN_S
    with closing(world.client("otto")) as client:  # a log-in, a page and a write while one is missing
        assert [client.get("/api/executions/").status_code for _ in range(10)] == [200] * 10
    world.start_web(victim)
    await asyncio.to_thread(world.wait_for_web, victim)


async def test_redis_dies_and_comes_back_and_only_latency_knows(world: Many) -> None:
    """No socket breaks, no process dies, no event is lost; it is said once, and nobody sees a traceback."""
    logs = [world.log(f"web-{port}") for port in world.webs]
    begun = [len(log.read_text()) for log in logs]
    marks: list[int] = []

    def said() -> list[str]:
        return [log.read_text()[length:] for log, length in zip(logs, begun, strict=True)]

    async def all_say(word: str) -> None:
        await asyncio.to_thread(wait_until, lambda: all(word in one for one in said()), what=word)

    async def trouble(browsers: list[Browser]) -> None:
        await asyncio.to_thread(world.redis.kill)
        await all_say("Redis is away")
        marks.append(len(browsers[0].seqs))
        while len(browsers[0].seqs) < marks[0] + 60:
            await asyncio.sleep(0.02)
        marks.append(len(browsers[0].seqs))
        await asyncio.to_thread(world.redis.start)
        await all_say("Redis is back")
        marks.append(len(browsers[0].seqs))

    browsers = await followed(world, events=400, pause_ms=20, trouble=trouble)
    assert [browser.away_s for browser in browsers] == [[]] * BROWSERS

    def delays(begin: int, end: int) -> list[float]:
        return [delay for browser in browsers for delay in browser.delays_ms[begin:end]]

    away, back, again = marks
    assert max(delays(0, 400)) < 3000
    assert statistics.median(delays(again + 60, 400)) < statistics.median(delays(away, back)), "it listens again"
    assert [(one.count("Redis is away"), one.count("Redis is back")) for one in said()] == [(1, 1)] * 2
    assert not any("Traceback" in one for one in said())
    assert [world.processes[name].poll() for name in ("runloop", *(f"web-{port}" for port in world.webs))] == [None] * 3


def test_a_question_is_asked_and_answered_while_redis_is_away(world: Many, otto: httpx.Client) -> None:
    """The run loop's own end: whoever writes does not wait for Redis."""
    run = world.runs[0]
    world.redis.kill()
    try:
        for edge in ("three_four", "four_five"):
            accept(otto, run, question(otto, run, edge))
        question(otto, run, "five_six")
    finally:
        world.redis.start()
    said = world.log("runloop").read_text()
    assert said.count("Redis is away") == 1, said
    assert "Traceback" not in said


@pytest.mark.parametrize("mode", ["fast", "immediate"])
def test_postgresql_is_restarted_and_everyone_is_back_by_themselves(world: Many, otto: httpx.Client, mode: str) -> None:
    """S9.4: the run loop waits for it, and says so once; its question stands, and no web process is gone."""
    run, log = world.runs[0], world.log("runloop")
    number, begun = question(otto, run, "five_six"), len(log.read_text())
    servers.restart_postgresql(world.env["DATABASE_URL"], mode=mode)
    for port in world.webs:
        world.wait_for_web(port)
    wait_until(lambda: "The database is there again" in log.read_text()[begun:], timeout=60, what="the run loop")
    assert question(otto, run, "five_six") == number
    assert "Traceback" not in log.read_text()[begun:]
    assert [world.processes[name].poll() for name in ("runloop", *(f"web-{port}" for port in world.webs))] == [None] * 3


@pytest.mark.browser
def test_a_page_is_live_again_within_3_s_and_its_question_is_answered(world: Many, otto: httpx.Client) -> None:
    run, line = world.runs[0], PageLine()
    question(otto, run, "five_six")
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"])
        try:
            context = chromium.new_context(base_url=f"http://127.0.0.1:{world.port}")
            context.add_cookies([{"name": "sessionid", "value": otto.cookies["sessionid"], "url": str(otto.base_url)}])
            page = context.new_page()
            page.on("websocket", lambda socket: run in socket.url and line.follow(socket))

            def live() -> bool:
                page.wait_for_timeout(20)
                return line.is_live

            page.goto(f"/runs/{run}")
            wait_until(live, what="the page's socket")
            for port in world.webs:  # one of them serves this page, then the other does
                world.kill_web(port)
                page.wait_for_timeout(500)
                wait_until(live, what="the page to be live again")
                world.start_web(port)
                wait_until(
                    lambda port=port: page.wait_for_timeout(50) or answers(port), timeout=120, what="the process"
                )
            assert line.away_s
            assert max(line.away_s) <= BACK_WITHIN_S
            page.locator("[data-key=accept]").click()
            page.get_by_text("completed", exact=True).first.wait_for()
        finally:
            chromium.close()
    assert otto.get(f"/api/executions/{run}/").json()["state"] == "completed"


class PageLine:
    """The page's sockets, one after the other: how long it was without one that said something."""

    def __init__(self) -> None:
        self.is_live = False
        self.away_s: list[float] = []
        self._lost_at: float | None = None

    def follow(self, socket: WebSocket) -> None:
        socket.on("framereceived", lambda _frame: self._heard())
        socket.on("close", lambda _socket: self._lost())

    def _heard(self) -> None:
        if self._lost_at is not None:
            self.away_s.append(time.monotonic() - self._lost_at)
        self.is_live, self._lost_at = True, None

    def _lost(self) -> None:
        self.is_live, self._lost_at = False, self._lost_at or time.monotonic()
