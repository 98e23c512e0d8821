"""The database is away for everybody: nothing dies, nothing is lost, and people are told (S9.1, S9.4)."""

from __future__ import annotations

import os
import sqlite3
import sys
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager

import httpx
import pytest

from tests.e2e.test_faults import start, wait_for
from tests.support.display import wait_until
from tests.support.product import Product, product

pytestmark = [pytest.mark.display, pytest.mark.timeout(600)]

AWAY_S = 10


def heeding_rights() -> tuple[str, ...]:
    """What keeps a process of root from writing to files that nobody may write to, as any other account."""
    return ("setpriv", "--bounding-set=-dac_override,-dac_read_search") if os.geteuid() == 0 else ()


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Product]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RPA_DATABASE_TIMEOUT_S", "1")
        with product(tmp_path_factory.mktemp("product"), prefix=heeding_rights()) as one:
            one.start_runloop()
            yield one


@pytest.fixture
def otto(world: Product) -> Iterator[httpx.Client]:
    with closing(world.client("otto")) as client:
        yield client


@contextmanager
def read_only(world: Product) -> Iterator[None]:
    """The database's files may be read and no more, as after a restore by another account."""
    files = list(world.data.glob("surehand.sqlite3*"))
    modes = {path: path.stat().st_mode for path in files}
    for path in files:
        path.chmod(0o444)
    try:
        yield
    finally:
        for path, mode in modes.items():
            if path.exists():
                path.chmod(mode)


@contextmanager
def locked(world: Product) -> Iterator[None]:
    """Another program has the database to itself: nobody else reads either."""
    with closing(sqlite3.connect(world.data / "surehand.sqlite3", isolation_level=None, timeout=20)) as other:
        other.execute("BEGIN EXCLUSIVE")
        yield
        other.execute("ROLLBACK")


def sequence(world: Product, execution_id: str) -> list[int]:
    rows = world.rows(
        "SELECT e.seq FROM execution_executionevent e JOIN execution_execution x ON x.id = e.execution_id "
        "WHERE x.execution_id = ? ORDER BY e.id",
        execution_id,
    )
    return [seq for (seq,) in rows]


def log_of_loop(world: Product) -> str:
    return world.log("runloop").read_text()


def times_told(world: Product) -> int:
    return log_of_loop(world).count("waits for it and goes on by itself")


def test_a_database_that_turns_read_only_is_told_of_and_waited_for(world: Product, otto: httpx.Client) -> None:
    """No answer is taken that cannot be kept; what the run loop has to say of its question is said afterwards."""
    world.open_editor()
    execution_id = start(otto, "coaching", "readonly.txt")
    wait_for(otto, execution_id, "coaching", timeout=240)  # it reads the taught screens first
    prompt = otto.get(f"/api/executions/{execution_id}/prompt/").json()
    (pid,) = world.rows("SELECT pid FROM execution_robot WHERE stopped_at IS NULL")[0]
    told = times_told(world)
    with read_only(world):
        said = {"prompt_id": prompt["prompt_id"], "choice": "accept"}
        answer = otto.post(f"/api/executions/{execution_id}/decide/", json=said)
        wish = otto.post(f"/api/executions/{execution_id}/control/", json={"verb": "pause"})
        page = otto.post("/logout")
        for refused in (answer, wish, page):
            assert (refused.status_code, refused.headers.get("Retry-After")) == (503, "5"), refused.text[:500]
        assert "cannot be written to" in page.text
        assert answer.json()["error"] == wish.json()["error"] == "database_read_only"
        assert "cannot be written to" in answer.json()["detail"]
        world.screen.run(["xdotool", "key", "ctrl+q"])  # what it asks about is gone: that is to be written down
        wait_until(lambda: times_told(world) > told, what="to be told")
        health = wait_until(waiting_loops(world), timeout=AWAY_S, what="the run loop to say that it waits")
    assert "cannot be written to: look at the rights" in health[0]["why"]
    assert "cannot be written to: look at the rights" in log_of_loop(world)
    assert os.path.exists(f"/proc/{pid}")
    changed = "SELECT 1 FROM execution_prompt WHERE id = ? AND state = 'open' AND changed <> ''"
    wait_until(lambda: world.rows(changed, prompt["prompt_id"]), timeout=60, what="the question to say that it changed")
    assert otto.post(f"/api/executions/{execution_id}/decide/", json={**said, "choice": "skip"}).status_code < 300
    wait_until(lambda: world.rows("SELECT 1 FROM execution_decision WHERE prompt_id = ?", prompt["prompt_id"]))
    stop = f"/api/executions/{execution_id}/control/"
    wait_until(lambda: otto.post(stop, json={"verb": "stop"}).status_code == 200, what="the stop")  # 409: it moved on
    wait_for(otto, execution_id, "stopped")
    seqs = sequence(world, execution_id)
    assert seqs == list(range(1, len(seqs) + 1))
    assert "Traceback" not in log_of_loop(world)


def test_a_run_loop_that_begins_on_a_read_only_database_waits_and_begins(world: Product) -> None:
    world.stop_runloops()
    told = times_told(world)
    with read_only(world):
        process = world.start("runloop", [sys.executable, "manage.py", "runloop", "--desktop", world.screen.display])
        wait_until(lambda: times_told(world) > told or process.poll() is not None, timeout=60, what="to be told")
        assert process.poll() is None, log_of_loop(world)[-2000:]
    alive = "SELECT 1 FROM execution_robot WHERE stopped_at IS NULL AND pid = ?"
    wait_until(lambda: world.rows(alive, process.pid), what="the run loop to begin")


def test_a_database_locked_against_readers_is_told_of_and_waited_for(world: Product, otto: httpx.Client) -> None:
    world.open_editor()
    execution_id = start(otto, "automatic", "locked.txt")
    wait_until(lambda: world.rows("SELECT 1 FROM execution_step"), timeout=60, what="the first step")
    with locked(world):
        began = time.monotonic()
        page = otto.get("/")
        answer = otto.get("/api/executions/")
        wish = otto.post(f"/api/executions/{execution_id}/control/", json={"verb": "pause"})
        health = wait_until(waiting_loops(world), timeout=AWAY_S, what="the run loop to say that it waits")
        admin = otto.get("/admin/")
        wait_until(lambda: time.monotonic() - began > AWAY_S, timeout=AWAY_S + 5, what="the end of the lock")
    for told in (page, answer, wish, admin):
        assert (told.status_code, told.headers["Retry-After"]) == (503, "5"), told.text[:500]
    assert "The database is busy" in page.text
    assert answer.json()["error"] == wish.json()["error"] == "database_busy"
    assert health[0]["why"] == "The database is locked by another program."
    assert "Traceback" not in log_of_loop(world)
    wait_for(otto, execution_id, "completed")
    assert (world.documents / "locked.txt").read_text().startswith("Marie Lefèvre\n")
    seqs = sequence(world, execution_id)
    assert seqs == list(range(1, len(seqs) + 1))
    log = log_of_loop(world)
    assert "The database is locked by another program. The run loop waits for it and goes on by itself." in log
    assert "The database is there again after" in log
    assert otto.get("/health").json()["run_loops_waiting"] == []
    assert "nothing was lost" in otto.get("/robots").text


def waiting_loops(world: Product):
    def told():
        answer = httpx.get(f"{world.url}/health", trust_env=False, timeout=20)
        assert answer.status_code == 503
        return answer.json()["run_loops_waiting"]

    return told
