"""Screens at which runs stood still and a person said which they are: what a look of a screen is tried on, too (S6.17).

Of one that nobody said anything of nobody knows whether an answer is right.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from execution.choices import EventKind, Verb
from execution.models import Execution, ExecutionEvent
from execution.perception.pictures import PictureSource
from execution.record.pauses import PAUSED_AT, Pause, pauses
from execution.types import Box, Frame, ScreenState, Size, TextLine, Window
from workflows.exceptions import PictureError
from workflows.models import Workflow

MOST_RUNS = 100  # the newest


@dataclass(frozen=True, slots=True, kw_only=True)
class Stood:
    """`said` is the node that a person picked there, `after` the step before it."""

    execution: Execution
    pause: Pause
    said: str
    after: int


def stood_in(workflow: Workflow) -> Iterator[Stood]:
    stood = ExecutionEvent.objects.filter(PAUSED_AT, execution__version__workflow=workflow).values("execution")
    for execution in Execution.objects.filter(pk__in=stood).order_by("-pk")[:MOST_RUNS]:
        for pause in pauses(execution):
            if pause.picture and (said := _said(execution, pause)):
                yield Stood(execution=execution, pause=pause, said=said, after=_after(execution, pause))


def state_at(pause: Pause, pictures: PictureSource) -> ScreenState | None:
    """The screen as it was read then; None where its picture is not kept any more."""
    try:
        pixels = pictures.load(pause.picture)
    except PictureError:
        return None
    size = Size(pixels.shape[1], pixels.shape[0])
    kept, title = pause.perception, str(pause.detail.get("window") or "")
    lines = zip(kept.get("detected_text") or (), kept.get("text_boxes") or (), strict=False)
    return ScreenState(
        frame=Frame(pixels=pixels, taken_at=pause.at, digest=pause.picture),
        window=Window(title=title) if title else None,
        texts=tuple(TextLine(text=text, box=Box.from_normalised(tuple(box), size)) for text, box in lines),
        text_method="kept",
    )


def _said(execution: Execution, pause: Pause) -> str:
    """What whoever had it go on picked: the first that asked for that after it stood still."""
    asked = execution.events.filter(kind=EventKind.WISH, seq__gt=pause.seq, payload__verb=Verb.RESUME)
    wish = asked.order_by("seq").values_list("payload__detail__node_id", "at").first()
    if wish is None or (pause.until is not None and wish[1] > pause.until):
        return ""
    return str(wish[0] or "")


def _after(execution: Execution, pause: Pause) -> int:
    told = execution.events.filter(kind=EventKind.STEP, seq__lt=pause.seq).order_by("seq")
    return int(told.values_list("payload__index", flat=True).last() or 0)
