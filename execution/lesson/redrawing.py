"""The target of a step that was kept, drawn anew on the picture that it was taught on (S6.11)."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

import numpy as np

from execution.lesson.here import Here
from execution.lesson.understanding import taught, understand
from execution.models import LessonStep
from execution.types import Box, Frame, Point, Size, Window
from sentences.said import say, told_by
from workflows.exceptions import DomainError


class NotRedrawn(Exception):
    """Nothing was changed; its sentence says why."""


def redraw(here: Here, step: LessonStep, drawn: Sequence[float]) -> None:
    """`drawn` is the target on the step's own picture, as fractions of it: its box, or a point on it.

    Raises NotRedrawn.
    """
    edge = step.edge
    if edge is None or edge.target is None or not step.picture_before:
        raise NotRedrawn(say("lesson.no_picture_of_it"))
    try:
        pixels = here.draft.store.get(step.picture_before)
        size = Size(pixels.shape[1], pixels.shape[0])
        box = Box.from_normalised((drawn[0], drawn[1], drawn[2], drawn[3]), size) if len(drawn) == 4 else None
        point = box.center if box else Point(int(drawn[0] * size.width), int(drawn[1] * size.height))
        frame = Frame(pixels=np.ascontiguousarray(pixels), taken_at=datetime.now(UTC))
        title = str(edge.target.evidence.get("window_title") or "")
        state = here.analyzer.analyze(frame, Window(title=title) if title else None)
        found = understand(here.shown(state), point, known=here.known, box=box)
        spec = taught(found, here.shown(state), store=here.draft.store, known=here.known.but(edge.params), answer=None)
    except (ValueError, DomainError, OSError) as error:
        raise NotRedrawn(say("lesson.no_target", why=told_by(error))) from error
    here.draft.change_target(edge.target, spec)
    step.note(box=list(found.box.normalised(size)), counts={}, proof=None)
