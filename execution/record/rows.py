"""A run as one row: of the runs page, of `/ws/runs/` and of the API's list."""

from __future__ import annotations

from typing import Any

from django.db.models import Prefetch

from execution.choices import ExecutionMode, ExecutionState, PauseReason
from execution.models import Execution, Prompt
from execution.models.execution import ExecutionQuerySet
from execution.record.payloads import prompt_payload
from sentences.said import in_words, worded


def with_rows() -> ExecutionQuerySet:
    """Runs with all that `run_row` reads, in two queries for any number of them; the graph and screens stay behind."""
    open_prompts = Prompt.objects.open().select_related("step").defer("step__screen")
    return (
        Execution.objects.select_related("version__workflow", "robot", "started_by")
        .defer("version__graph")
        .prefetch_related(Prefetch("prompts", queryset=open_prompts, to_attr="open_prompts"))
    )


def run_row(execution: Any) -> dict[str, Any]:
    """The row of a run that `with_rows` fetched; labels and sentences are in the active language."""
    prompt = next(iter(execution.open_prompts), None)
    return {
        **execution.progress(),
        "number": execution.pk,
        "workflow_name": execution.version.workflow.name,
        "version": execution.version.number,
        "mode_label": str(ExecutionMode(execution.mode).label),
        "state": execution.state,
        "state_label": str(ExecutionState(execution.state).label),
        "wish": execution.wish,
        "wish_mode": execution.wish_mode,
        "stopped_by": execution.stopped_by,
        "stopped_from": execution.stopped_from,
        "pause_reason": execution.pause_reason,
        "pause_reason_label": str(PauseReason(execution.pause_reason).label),
        "error": worded(execution.error),
        "degraded": execution.degraded,
        "priority": execution.priority,
        "desktop": execution.desktop,
        "robot": execution.robot.name if execution.robot else None,
        "started_by": execution.started_by.get_username() if execution.started_by else None,
        "created_at": execution.created_at.isoformat(),
        "started_at": execution.started_at.isoformat() if execution.started_at else None,
        "ended_at": execution.ended_at.isoformat() if execution.ended_at else None,
        "prompt": in_words(prompt_payload(prompt)) if prompt else None,
    }
