"""From steps to metrics: the same row whenever it is made (S7.5)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from django.db.models import Exists, OuterRef, QuerySet

from analytics.models import StepMetric
from execution.models import Step

SAME = (
    "node_id", "edge_id", "action_type", "mode", "confidence", "rung", "score", "verified", "retries", "ocr_ms",
    "ui_ms", "analyze_ms", "resolve_ms", "act_ms", "verify_ms", "waited_ms", "total_ms", "started_at",
)  # fmt: skip
FLAGS = ("success", "cache_hit", "degraded")
OWN = ("workflow_id", "version", *SAME, *FLAGS)
BATCH = 500  # a transaction each: a run loop that writes meanwhile waits for one batch, not for all


def project(step_id: int) -> StepMetric:
    """Make, or make again, the metric of a step."""
    step = _steps().get(pk=step_id)
    values = values_of(step)
    metric, _created = StepMetric.objects.update_or_create(
        execution_id=values.pop("execution_id"), step=values.pop("step"), defaults=values
    )
    return metric


def rebuild() -> tuple[int, int]:
    """All metrics again from the recorded steps; gives how many were made and how many had lost their step."""
    made = 0
    for batch in _pages(_steps().closed()):
        StepMetric.objects.bulk_create(
            [StepMetric(**values_of(step)) for step in batch],
            update_conflicts=True,
            unique_fields=["execution_id", "step"],
            update_fields=list(OWN),
        )
        made += len(batch)
    return made, _drop_stale()


def values_of(step: Step) -> dict[str, Any]:
    """The columns of a step's metric."""
    same = {name: getattr(step, name) for name in SAME}
    flags = {name: int(getattr(step, name)) for name in FLAGS}
    version = step.execution.version
    return {
        "workflow_id": version.workflow.workflow_id,
        "version": version.number,
        "execution_id": step.execution.execution_id,
        "step": step.index,
        **same,
        **flags,
    }


def _steps() -> Any:
    wide = ("recognition", "suggestion", "screen", "verification")  # what was on the screen is not asked here
    return Step.objects.select_related("execution__version__workflow").defer(
        *wide, "execution__version__graph", "execution__variables"
    )


def _drop_stale() -> int:
    """Rows whose step is gone, with its run."""
    known = Step.objects.closed().filter(execution__execution_id=OuterRef("execution_id"), index=OuterRef("step"))
    dropped = 0
    for page in _pages(StepMetric.objects.only("pk")):
        here = StepMetric.objects.filter(pk__gte=page[0].pk, pk__lte=page[-1].pk)
        dropped += here.exclude(Exists(known)).delete()[0]
    return dropped


def _pages(rows: QuerySet[Any]) -> Iterator[list[Any]]:
    """All rows, page by page. A cursor left open would keep SQLite's other writers out until the end."""
    last = 0
    while page := list(rows.filter(pk__gt=last).order_by("pk")[:BATCH]):
        yield page
        last = page[-1].pk
