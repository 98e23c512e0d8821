"""GET /health: is the product up? Without login, without secrets, without asking anything slow (S5.7)."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.db import DatabaseError, connection
from django.db.migrations.executor import MigrationExecutor
from django.db.models import Min
from django.http import HttpRequest, JsonResponse
from django.utils import timezone
from django.views.decorators.http import require_safe
from django_tasks_db.models import DBTaskResult

from execution.choices import ExecutionState
from execution.models import ClockLook, Execution, Robot
from execution.record import nudges
from execution.record.patience import loops_waiting
from gpu import last_known_status

MIGRATIONS_VALID_S = 60.0
_migrations: tuple[float, int] | None = None


@login_not_required
@require_safe
def health(request: HttpRequest) -> JsonResponse:
    """503 when the database does not answer, takes nothing or lacks migrations: then this process serves nobody.

    A missing run loop or worker, and a Redis that is away, are said and are no failure of it.
    """
    report: dict[str, Any] = {
        "database": "ok",
        "pending_migrations": 0,
        "run_loops": [],
        "runs_at_work": 0,
        "tasks_waiting_s": 0,
        "clock_looked_s": None,
        **helpers(None),
    }
    try:
        report["pending_migrations"] = pending_migrations()
        report["run_loops"] = run_loops()
        report["runs_at_work"] = Execution.objects.filter(state=ExecutionState.RUNNING).count()
        report["tasks_waiting_s"] = tasks_waiting_s()
        report["clock_looked_s"] = clock_looked_s()
        report |= helpers(last_known_status())
        report["database"] = "ok" if is_writable() else "read only"
    except DatabaseError as error:
        report["database"] = type(error).__name__
    report["run_loops_waiting"] = loops_waiting()  # from files: they say so while the database does not answer
    report["redis"] = nudges.state()
    report["run_loops_alive"] = sum(loop["alive"] for loop in report["run_loops"])
    ok = report["database"] == "ok" and not report["pending_migrations"]
    answer = {"status": "ok" if ok else "failing", **report}
    return JsonResponse(answer, status=200 if ok else 503, headers={"Cache-Control": "no-store"})


def is_writable() -> bool:
    """Whether a database that is a file may be written to: reading it still works where nothing can be kept."""
    file = Path(connection.settings_dict["NAME"])
    return connection.vendor != "sqlite" or not file.exists() or os.access(file, os.W_OK)


def pending_migrations() -> int:
    """How many migrations are not applied; reading them all takes 30 ms, so the answer stands for a minute."""
    global _migrations
    if _migrations is None or _migrations[1] or time.monotonic() - _migrations[0] > MIGRATIONS_VALID_S:
        executor = MigrationExecutor(connection)
        plan = executor.migration_plan(executor.loader.graph.leaf_nodes())
        _migrations = (time.monotonic(), len(plan))
    return _migrations[1]


def run_loops() -> list[dict[str, Any]]:
    """The run loops that did not sign off, with the age of their last sign of life; desktops stay unnamed here."""
    now = timezone.now()
    return [
        {"alive": robot.is_alive, "last_heartbeat_s": round(max(0.0, (now - robot.heartbeat_at).total_seconds()), 1)}
        for robot in Robot.objects.filter(stopped_at=None)
    ]


def tasks_waiting_s() -> float:
    """For how long the oldest task waits that nobody has begun: where it grows no worker is alive, or all are busy.

    Of tasks that are rows of the database; what another queue holds its own tools tell.
    """
    oldest = DBTaskResult.objects.ready().aggregate(at=Min("enqueued_at"))["at"]
    return round(max(0.0, (timezone.now() - oldest).total_seconds()), 1) if oldest else 0


def clock_looked_s() -> float | None:
    """How long ago a worker last looked at the clock for lists; None where none ever did."""
    last = ClockLook.last()
    return None if last is None else round(max(0.0, (timezone.now() - last).total_seconds()), 1)


def helpers(status: Mapping[str, Any] | None) -> dict[str, Any]:
    """What the owner of the GPU last told of it and of Ollama; neither is asked here, and nobody is named."""
    if not (settings.RPA_OLLAMA_URL and settings.RPA_VLM_MODEL):
        ollama = "not configured"
    elif status is None:
        ollama = "not asked yet"
    else:
        ollama = status["vlm_state"]
    if status is None:
        return {"gpu": "not asked yet", "gpu_degraded": False, "gpu_owner": "none", "ollama": ollama}
    return {
        "gpu": "present" if status["vram"] else "none",
        "gpu_degraded": status["degraded"],
        "gpu_owner": _owner(status),
        "ollama": ollama,
    }


def _owner(status: Mapping[str, Any]) -> str:
    """Whether a process owns the GPU now: none, alive, silent (no sign of life for seconds) or died."""
    if status["owner_died"]:
        return "died"
    if not status["owner"]:
        return "none"
    return "alive" if status["fresh"] else "silent"
