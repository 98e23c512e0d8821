"""What people said of steps afterwards: the last one that they called wrong."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Exists, OuterRef, Q

from execution.choices import PERFORMED, Feedback
from execution.models import StepMark


@dataclass(frozen=True, slots=True, kw_only=True)
class LastWrong:
    """A step that people call wrong: when it was done, and its address."""

    at: datetime
    number: int
    execution_id: str
    step: int


def last_wrong(**of: Any) -> LastWrong | None:
    """The newest action done whose newest word is that it was wrong, whenever that was; `of` narrows it to steps."""
    same = StepMark.objects.filter(step=OuterRef("step"))
    newer = same.filter(
        Q(marked_at__gt=OuterRef("marked_at")) | Q(marked_at=OuterRef("marked_at"), pk__gt=OuterRef("pk"))
    )
    marks = StepMark.objects.filter(
        ~Exists(newer),
        feedback=Feedback.INCORRECT,
        step__outcome__in=PERFORMED,
        **{f"step__{k}": v for k, v in of.items()},
    )
    found = marks.order_by("-step__started_at").values_list(
        "step__started_at", "step__execution_id", "step__execution__execution_id", "step__index"
    )
    return next((LastWrong(at=at, number=n, execution_id=key, step=step) for at, n, key, step in found[:1]), None)
