from __future__ import annotations

import os
import time
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
import time_machine
from django.db import OperationalError, connection
from django.test import Client
from django.utils import timezone
from django_tasks.base import TaskResultStatus
from django_tasks_db.models import DBTaskResult

from execution.models import Robot
from execution.record import nudges
from gpu.machine.ownership import Ownership
from gpu.machine.status import gpu_folder
from rpa_site import health as module
from tests.factories import make_execution
from tests.gpu.rows import tell
from workflows.models import WorkflowVersion

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _nothing_remembered(settings: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(module, "_migrations", None)
    settings.DATA_DIR = tmp_path
    yield
    module._migrations = None


def ask() -> tuple[int, dict[str, Any]]:
    response = Client().get("/health")
    return response.status_code, response.json()


def make_robot(name: str, *, age_s: float = 0, **fields: Any) -> Robot:
    beaten = timezone.now() - timedelta(seconds=age_s)
    return Robot.objects.create(name=name, desktop=name, host="desk-7", pid=1, heartbeat_at=beaten, **fields)


def test_it_answers_without_login_and_says_that_no_run_loop_is_there() -> None:
    """S5.7: a missing run loop is said, and is no failure."""
    assert ask() == (
        200,
        {
            "status": "ok",
            "database": "ok",
            "pending_migrations": 0,
            "run_loops": [],
            "run_loops_waiting": [],
            "run_loops_alive": 0,
            "runs_at_work": 0,
            "tasks_waiting_s": 0,
            "clock_looked_s": None,
            "redis": "not configured",
            "gpu": "not asked yet",
            "gpu_degraded": False,
            "gpu_owner": "none",
            "ollama": "not configured",
        },
    )


def test_it_tells_each_run_loops_last_sign_of_life(settings: Any) -> None:
    """S5.7"""
    with time_machine.travel(timezone.now(), tick=False):
        make_robot("alive", age_s=1)
        make_robot("silent", age_s=settings.RPA_LEASE_S + 30)
        make_robot("signed off", stopped_at=timezone.now())
        status, said = ask()
    assert status == 200
    assert said["run_loops_alive"] == 1
    ages = sorted((loop["alive"], loop["last_heartbeat_s"]) for loop in said["run_loops"])
    assert ages == [(False, settings.RPA_LEASE_S + 30), (True, 1)]


def test_it_tells_how_many_runs_are_at_work() -> None:
    """The demo application is opened again once none is."""
    make_execution(state="running", desktop="one:1")
    make_execution(state="queued", version=WorkflowVersion.objects.get())
    assert ask()[1]["runs_at_work"] == 1


def test_pending_migrations_are_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    """S5.7"""
    monkeypatch.setattr(module.MigrationExecutor, "migration_plan", lambda self, targets: ["0002", "0003"])
    status, said = ask()
    assert (status, said["status"], said["pending_migrations"]) == (503, "failing", 2)


def test_migrations_that_were_applied_are_seen_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """A failure is never remembered: who migrates and asks again is told so."""
    with monkeypatch.context() as before:
        before.setattr(module.MigrationExecutor, "migration_plan", lambda self, targets: ["0002"])
        assert ask()[0] == 503
    assert ask()[0] == 200


def test_a_database_that_does_not_answer_is_a_failure_without_details(monkeypatch: pytest.MonkeyPatch) -> None:
    """S5.7: no path, no host, no password of the database in the answer."""

    def away() -> int:
        raise OperationalError("could not connect to server postgres://user:secret@db")

    monkeypatch.setattr(module, "pending_migrations", away)
    status, said = ask()
    assert (status, said["database"]) == (503, "OperationalError")
    assert "secret" not in str(said)


@pytest.mark.security
def test_it_names_nobody_and_nothing(settings: Any) -> None:
    """S5.7: it is open to all, so it names no desktop, host, model, path or version."""
    settings.RPA_OLLAMA_URL, settings.RPA_VLM_MODEL = "http://gpu.example:11434", "qwen2.5vl:7b"
    make_robot("desk-7:99")
    tell(owner="run loop of desk-7:99", degraded=True, degraded_reason="Ollama at http://gpu.example:11434 is away")
    text = Client().get("/health").content.decode()
    assert all(word not in text for word in ("desk-7", ":99", "gpu.example", "qwen", str(settings.DATA_DIR), "5.2"))


def test_gpu_and_ollama_are_told_as_they_were_last_known_and_are_not_asked(settings: Any) -> None:
    """S5.7"""
    settings.RPA_OLLAMA_URL, settings.RPA_VLM_MODEL = "http://127.0.0.1:9", "qwen2.5vl:7b"
    assert ask()[1]["ollama"] == "not asked yet"
    tell(vlm_state="error", degraded=True, degraded_reason="Ollama at http://127.0.0.1:9 cannot be reached")
    said = ask()[1]
    assert (said["gpu"], said["gpu_degraded"], said["ollama"]) == ("present", True, "error")


@pytest.mark.parametrize(
    ("told", "held", "owner"),
    [
        ({}, True, "alive"),
        ({"age_s": 11.0}, True, "silent"),
        ({}, False, "died"),
        ({"owner": "", "owner_pid": None}, False, "none"),
    ],
)
def test_whether_a_process_owns_the_gpu_is_said(told: dict[str, Any], held: bool, owner: str) -> None:
    """S5.7"""
    lock = Ownership(gpu_folder())
    if held:
        assert lock.hold("run loop")
    tell(**told)
    assert ask()[1]["gpu_owner"] == owner
    lock.release()


@pytest.mark.timing
def test_it_answers_in_less_than_50_ms() -> None:
    """S5.7: the median of many, once the process has looked at its migrations."""
    for number in range(5):
        make_robot(f"r{number}")
    client, times = Client(), []
    client.get("/health")
    for _ in range(21):
        began = time.perf_counter()
        client.get("/health")
        times.append(time.perf_counter() - began)
    assert sorted(times)[10] < 0.05


def test_it_costs_five_queries(django_assert_num_queries: Any) -> None:
    """Of the run loops, of the runs, of the tasks, of the clock, and of the GPU."""
    ask()
    tell()
    with django_assert_num_queries(5):
        ask()


def test_how_long_tasks_wait_for_a_worker_is_said(settings: Any) -> None:
    """One that is being done waits no more; without a worker it is no failure of the web process."""
    for status, minutes in ((TaskResultStatus.READY, 3), (TaskResultStatus.RUNNING, 9), (TaskResultStatus.FAILED, 8)):
        with time_machine.travel(timezone.now() - timedelta(minutes=minutes)):
            DBTaskResult.objects.create(args_kwargs={}, status=status, run_after=timezone.now(), backend_name="default")
    status, said = ask()
    assert status == 200
    assert 180 <= said["tasks_waiting_s"] < 200


@pytest.mark.parametrize(("away", "told"), [(None, "not asked yet"), (True, "away"), (False, "ok")])
def test_how_redis_is_is_said_and_not_asked(
    settings: Any, monkeypatch: pytest.MonkeyPatch, away: bool | None, told: str
) -> None:
    """Nobody needs it: what is new is seen a moment later without it."""
    settings.REDIS_URL = "redis://127.0.0.1:1"
    monkeypatch.setattr(nudges, "_is_away", away)
    status, said = ask()
    assert (status, said["redis"]) == (200, told)


def test_it_can_only_be_read() -> None:
    assert Client().post("/health").status_code == 405


@pytest.mark.skipif("connection.vendor != 'sqlite'", reason="elsewhere the database is no file of this machine's")
def test_a_database_that_can_only_be_read_is_failing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """S5.7, S9.4: reading it still works, and nothing can be kept."""
    file = tmp_path / "surehand.sqlite3"
    file.touch()
    monkeypatch.setitem(connection.settings_dict, "NAME", str(file))
    assert ask()[1]["database"] == "ok"
    monkeypatch.setattr(module.os, "access", lambda path, mode: not (path == file and mode == os.W_OK))
    status, said = ask()
    assert (status, said["status"], said["database"]) == (503, "failing", "read only")
