"""How long a person takes for what a workflow does: as somebody states it, else as it took while it was taught."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from execution.models import LessonStep

LONGEST_S = 20.0  # a teacher who stops to think, or is asked, would not do so at work


@dataclass(frozen=True, slots=True)
class ByHand:
    seconds: float
    stated: bool  # by a person, and not as it was timed


def by_hand(stated: Mapping[str, float | None]) -> dict[str, ByHand]:
    """Of those workflows of which it is known: as a person `stated` it, else as it was timed on teaching."""
    found = {workflow_id: ByHand(seconds, False) for workflow_id, seconds in _taught(stated.keys()).items()}
    return found | {
        workflow_id: ByHand(seconds, True) for workflow_id, seconds in stated.items() if seconds is not None
    }


def _taught(workflow_ids: Collection[str]) -> dict[str, float]:
    """From one act of the teacher to the next; of an action that was taught twice, as it was taught last."""
    steps = LessonStep.objects.kept().filter(lesson__workflow__workflow_id__in=workflow_ids)
    rows = steps.order_by("lesson_id", "index").values_list(
        "lesson__workflow__workflow_id", "lesson_id", "edge_id", "at", "took_ms"
    )
    latest: dict[str, dict[Any, float]] = defaultdict(dict)
    before: tuple[int, datetime] | None = None
    for workflow_id, lesson_id, edge, at, took_ms in rows:
        gap = (at - before[1]).total_seconds() if before and before[0] == lesson_id else took_ms / 1000
        before = lesson_id, at
        if edge is not None:
            latest[workflow_id][edge] = min(LONGEST_S, max(0.0, gap))
    return {workflow_id: sum(edges.values()) for workflow_id, edges in latest.items() if sum(edges.values())}
