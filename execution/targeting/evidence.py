"""What is kept of a target when it is taught, so that it can be found again."""

from __future__ import annotations

import hashlib
import re
from collections import Counter

from execution.navigation.words import words
from execution.perception.pictures import PictureSink
from execution.targeting.boxes import target_box, text_lines_in
from execution.targeting.correction import resolve_correction
from execution.types import Box, Frame, Point, ScreenState, Size
from workflows.graph import NeighbourSpec, TargetSpec

__all__ = ["resolve_correction", "target_box", "teach_target"]

_CONTEXT_MARGIN = 48
_MOST_NEIGHBOURS = 6
_MOST_IN_ROW = 3
_FARTHEST = 400  # pixels, outside its own row
_REPEATED = 3  # times on one screen
_TITLE_BAR = 32  # pixels around the window's own area
_VOLATILE = re.compile(r"^\W*(\d{1,2}[:h]\d{2}.*|[\d\s.,:/%-]+)$")  # clocks, dates, counters are other ones next time


def teach_target(
    frame: Frame, box: Box, *, label: str, state: ScreenState, click: Point | None, store: PictureSink
) -> TargetSpec:
    """The evidence for what is inside `box`; `click` is where it was clicked, its middle if that is not known.

    Raises ValueError for a box that is not on the frame.
    """
    box = box.intersection(Box(0, 0, *frame.size))
    if not box.area:
        raise ValueError(f"The target '{label}' has a box that is not on the screen.")
    window = state.window
    around = box.grown(_CONTEXT_MARGIN, frame.size)
    picture = store.put(frame.crop(box).copy())
    return TargetSpec(
        target_id="t_" + hashlib.blake2b(f"{label}|{tuple(box)}|{picture}".encode(), digest_size=6).hexdigest(),
        label=label,
        text=" ".join(line.text for line in text_lines_in(box, state)),
        role=_role(box, state),
        picture=picture,
        context=store.put(frame.crop(around).copy()),
        context_box=around.normalised(frame.size),
        box=box.normalised(frame.size),
        window_box=_in_window(box, window.box) if window and window.box else None,
        window_title=window.title if window else "",
        screen_size=(frame.size.width, frame.size.height),
        click=_fraction(click, box),
        neighbours=_neighbours(box, state),
    )


def _neighbours(box: Box, state: ScreenState) -> tuple[NeighbourSpec, ...]:
    """The texts around the box that tell it from others of its kind, and are likely to stand there next time too.

    Those of its own row first, however far: a list is told apart by them. Texts that stand on the screen again and
    again, the target's own among them, tell nothing.
    """
    counts = Counter(words(line.text).key for line in state.texts)
    own_row, others = [], []
    for line in state.texts:
        key = words(line.text).key
        if len(key) < 2 or counts[key] >= _REPEATED or _VOLATILE.match(line.text):
            continue
        if box.contains(line.box.center) or not _same_window(box, line.box, state):
            continue
        dx, dy = line.box.center.x - box.center.x, line.box.center.y - box.center.y
        neighbour = (abs(dx) + 2 * abs(dy), NeighbourSpec(text=line.text, dx=dx, dy=dy))
        if abs(dy) <= box.h // 2:
            own_row.append(neighbour)
        elif max(abs(dx), abs(dy)) <= _FARTHEST:
            others.append(neighbour)
    nearest = sorted(own_row, key=_distance)[:_MOST_IN_ROW]
    nearest += sorted(others, key=_distance)[: _MOST_NEIGHBOURS - len(nearest)]
    return tuple(neighbour for _, neighbour in sorted(nearest, key=_distance))


def _distance(pair: tuple[int, NeighbourSpec]) -> int:
    return pair[0]


def _same_window(box: Box, line: Box, state: ScreenState) -> bool:
    """False for a text of another window than the target's, where the window is known."""
    window = state.window.box if state.window else None
    if window is None or not window.contains(box.center):
        return True
    return window.grown(_TITLE_BAR, state.frame.size).contains(line.center)


def _role(box: Box, state: ScreenState) -> str:
    best = max(state.elements, key=lambda e: e.box.iou(box), default=None)
    return best.role if best and best.box.iou(box) > 0.5 else ""


def _in_window(box: Box, window: Box) -> tuple[float, float, float, float] | None:
    if not window.area:
        return None
    return Box(box.x - window.x, box.y - window.y, box.w, box.h).normalised(Size(window.w, window.h))


def _fraction(click: Point | None, box: Box) -> tuple[float, float]:
    if click is None or not box.contains(click):
        return (0.5, 0.5)
    return ((click.x - box.x + 0.5) / box.w, (click.y - box.y + 0.5) / box.h)
