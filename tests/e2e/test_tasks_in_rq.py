"""Tasks in RQ's queue on a real Redis: what the web asks for is done by a worker of its own, whatever dies in between.

The row is the truth. A worker that is killed, a Redis that forgets all it had or is away when somebody clicks, cost
time and nothing else; nothing is done twice.
"""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import sys
from collections.abc import Iterator
from contextlib import closing
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import httpx
import pytest

from rpa_site.reading import RQ
from tests.support import servers
from tests.support.display import wait_until
from tests.support.installations import NAME, put_installation
from tests.support.many import Many, answers
from tests.support.product import free_port

pytestmark = [
    pytest.mark.slow,
    pytest.mark.timeout(900),
    pytest.mark.skipif(find_spec("django_tasks_rq") is None, reason=f"RQ is not installed: {servers.MANY}"),
]

RUNS, STEPS = 100, 5_000  # some seconds of work
PREPARE = f"""
from django.utils import timezone
from execution.models import Step
from tests.factories import make_execution
now = timezone.now()
runs = [make_execution(state="completed", started_at=now, ended_at=now) for n in range({RUNS})]
same = {{"epoch": 0, "mode": runs[0].mode, "phase": "closed", "outcome": "succeeded", "edge_id": "a"}}
when = {{"started_at": now, "ended_at": now}}
steps = [Step(execution=runs[n % {RUNS}], index=n // {RUNS}, **same, **when) for n in range({STEPS})]
Step.objects.bulk_create(steps, batch_size=500)
"""


class Installation(Many):
    """One web process on SQLite, a Redis, and a worker that takes its tasks from there."""

    def start_worker(self) -> None:
        """Unless there is one."""
        if "worker" in self.processes:
            return
        self.start("worker", [sys.executable, "manage.py", "work"])

    def signal_worker(self, number: signal.Signals) -> None:
        os.killpg(self.processes["worker"].pid, number)
        if number == signal.SIGKILL:
            self.processes.pop("worker").wait(60)

    def rows(self, query: str, *values: Any) -> list[Any]:
        with closing(sqlite3.connect(self.data / NAME, timeout=20)) as database:
            found = database.execute(query, values).fetchall()
            database.commit()
        return found

    def job(self, kind: str) -> dict[str, Any]:
        """The newest one of a kind."""
        names = "state, done, of, place, task_id, lease_until"
        query = f"SELECT {names} FROM execution_job WHERE kind = ? ORDER BY id DESC LIMIT 1"
        (row,) = self.rows(query, kind)
        return {**dict(zip(names.split(", "), row, strict=True)), "place": json.loads(row[3])}

    def done(self, kind: str, within: float) -> dict[str, Any]:
        what = f"a job at its end ({self.log_tail('worker')})"
        return wait_until(lambda: self.job(kind)["state"] == "done" and self.job(kind), timeout=within, what=what)


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Installation]:
    with servers.redis() as redis:
        data: Path = tmp_path_factory.mktemp("rq") / "data"
        put_installation(data)
        told = {
            "REDIS_URL": redis.url,
            "RPA_TASKS_BACKEND": RQ,
            "RPA_DATA_DIR": str(data),
            "RPA_ENV_FILE": os.devnull,
            "DJANGO_SETTINGS_MODULE": "rpa_site.settings",
        }
        env = {name: value for name, value in os.environ.items() if name != "DATABASE_URL"}
        one = Installation(data=data, env={**env, **told}, redis=redis, port=free_port())
        one.manage("shell", "-v0", "-c", PREPARE)
        one.start_web(one.port)
        try:
            wait_until(
                lambda: answers(one.port), timeout=300, what=f"its web process ({one.log_tail(f'web-{one.port}')})"
            )
            yield one
        finally:
            one.stop()


@pytest.fixture
def ada(world: Installation) -> Iterator[httpx.Client]:
    """An admin's browser."""
    with closing(world.client("ada")) as client:
        yield client


def click(client: httpx.Client, place: str) -> None:
    assert client.post(place).status_code == 302


def queued(world: Installation) -> int:
    from redis import Redis

    with closing(Redis.from_url(world.redis.url)) as client:
        return int(client.llen("rq:queue:default"))


def test_what_was_asked_for_outlives_its_worker_and_nothing_is_done_twice(
    world: Installation, ada: httpx.Client
) -> None:
    for _click in range(3):
        click(ada, "/analytics/storage/figures")
    assert (len(world.rows("SELECT 1 FROM execution_job")), queued(world)) == (1, 1), "three clicks, one task"
    assert "nobody is at it" not in ada.get("/analytics/storage").text
    world.start_worker()
    wait_until(lambda: 0 < world.job("figures")["done"] < STEPS, timeout=240, what="the middle of it")
    world.signal_worker(signal.SIGKILL)
    left = world.job("figures")
    assert left["state"] == "running"
    assert 0 < left["place"]["made"] < STEPS
    kept = len(world.rows("SELECT 1 FROM step_metrics"))
    assert kept == left["place"]["made"], "a piece and how far it is, or neither"
    page = ada.get("/analytics/storage", headers={"HX-Request": "true"}).text
    assert f'value="{left["done"]}"' in page
    world.rows("UPDATE execution_job SET lease_until = '2026-01-01 00:00:00'")  # as if its five minutes were over
    assert "nobody is at it" in ada.get("/analytics/storage").text
    world.start_worker()
    came = world.done("figures", within=300)
    assert came["place"]["made"] == STEPS
    assert world.rows("SELECT count(*) FROM step_metrics") == [(STEPS,)]
    assert world.rows("SELECT sum(steps) FROM step_days") == [(STEPS,)]
    assert str(STEPS)[:2] in ada.get("/analytics/storage").text


def test_what_redis_forgot_is_found_by_its_row(world: Installation, ada: httpx.Client) -> None:
    world.start_worker()
    wait_until(lambda: "Listening" in world.log_tail("worker"), timeout=240, what="a worker")
    world.signal_worker(signal.SIGSTOP)
    click(ada, "/analytics/storage/prune")
    assert world.job("prune")["task_id"]
    world.redis.kill()
    world.redis.start()  # it keeps nothing
    assert queued(world) == 0
    assert world.job("prune")["state"] == "waiting"
    world.signal_worker(signal.SIGCONT)
    assert "pruned" in world.done("prune", within=240)["place"]


def test_a_redis_that_is_away_keeps_nobody_from_asking(world: Installation, ada: httpx.Client) -> None:
    world.start_worker()
    world.redis.kill()
    click(ada, "/learning/training/export")
    assert world.job("training")["task_id"] == "wanted"
    world.redis.start()
    name = world.done("training", within=300)["place"]["file"]
    (job_id,) = world.rows("SELECT job_id FROM execution_job WHERE kind = 'training'")[0]
    assert name == f"{job_id}.zip"
    assert ada.get(f"/learning/training/files/{job_id}").content[:2] == b"PK"
    assert not list(world.data.glob("exports/*")) or (world.data / "exports" / name).stat().st_mode & 0o077 == 0
