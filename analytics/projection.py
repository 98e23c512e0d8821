"""From steps to metrics: the same row whenever it is made."""

from __future__ import annotations

from typing import Any

from analytics.models import StepMetric
from execution.models import Step

SAME = (
    "node_id", "edge_id", "action_type", "mode", "confidence", "rung", "score", "verified", "retries", "ocr_ms",
    "ui_ms", "analyze_ms", "resolve_ms", "act_ms", "verify_ms", "total_ms", "started_at",
)  # fmt: skip
FLAGS = ("success", "cache_hit", "degraded")


def project(step_id: int) -> StepMetric:
    """Make, or make again, the metric of a step."""
    step = Step.objects.select_related("execution__version__workflow").get(pk=step_id)
    values = {name: getattr(step, name) for name in SAME} | {name: int(getattr(step, name)) for name in FLAGS}
    values |= {"workflow_id": step.execution.workflow_id, "version": step.execution.version.number}
    metric, _created = StepMetric.objects.update_or_create(
        execution_id=step.execution.execution_id, step=step.index, defaults=values
    )
    return metric


def on_step_recorded(sender: Any, step_id: int, **kwargs: Any) -> None:
    project(step_id)
