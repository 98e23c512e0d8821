"""Where the lines of a list stand on the picture that one of them was taught on."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from statistics import median

import numpy as np

from execution.perception.scene.cells import in_cells
from execution.types import Box, ElementRole, ScreenState

_SAME_EDGE = 0.4  # of a height: edges or middles so near stand in one column
_OF_THE_LINES = 0.5  # so many have a part of one kind at one place


def area_of_list(members: Sequence[Box], state: ScreenState) -> Box:
    """The box around all that belongs to the lines of a list, of each of which one of `members` is known.

    A part of a line stands at the same place to its member as others do to theirs. Today's lines may be longer: to the
    right it goes on to the next thing that is none of them, or to the edge of the window.
    """
    rows = sorted(members, key=lambda box: box.center.y)
    window = state.front
    frames = [e.box for e in state.elements if e.role is ElementRole.GROUP]
    around = [frame for frame in frames if sum(frame.contains(member.center) for member in rows) == 1]
    things = [line.box for line in in_cells(state).texts]
    things += [e.box for e in state.elements if e.role is not ElementRole.GROUP]
    things = [box for box in things if window.contains(box.center)]  # the window behind has rows of its own
    parts = _parts([*things, *around], rows)
    hull = _to_its_end(_hull([*rows, *parts]), parts, things, _step(rows))
    beside = (box.x for box in things if box.x >= hull.right and hull.y <= box.center.y < hull.bottom)
    return hull._replace(w=min(beside, default=window.right) - hull.x)


def _parts(things: Iterable[Box], rows: Sequence[Box]) -> list[Box]:
    """Those that stand to their line as others of their kind do to theirs, in half of the lines or more."""
    step = _step(rows)
    middles = np.array([row.center.y for row in rows], float)
    near: list[tuple[Box, int, float]] = []
    for box in things:
        line = int(np.abs(middles - box.center.y).argmin())
        if abs(down := box.center.y - middles[line]) < max(step, rows[line].h):
            near.append((box, line, down))
    least = max(2, _OF_THE_LINES * len(rows))
    return [
        box
        for box, _line, down in near
        if len({n for other, n, by in near if abs(by - down) <= _SAME_EDGE * box.h and _in_column(box, other)}) >= least
    ]


def _to_its_end(hull: Box, parts: Sequence[Box], things: Iterable[Box], step: float) -> Box:
    """With the lines below of which the one was not seen by which the others are known."""
    for box in sorted(things, key=lambda box: box.y):
        is_next = hull.bottom <= box.center.y < hull.bottom + step
        if is_next and any(_in_column(box, part) for part in parts):
            hull = _hull([hull, box])
    return hull


def _step(rows: Sequence[Box]) -> float:
    return median(b.center.y - a.center.y for a, b in pairwise(rows)) if len(rows) > 1 else 0.0


def _in_column(one: Box, other: Box) -> bool:
    room = _SAME_EDGE * min(one.h, other.h)
    apart = one.x - other.x, one.right - other.right, one.center.x - other.center.x
    return min(map(abs, apart)) <= room


def _hull(boxes: Sequence[Box]) -> Box:
    x, y = min(b.x for b in boxes), min(b.y for b in boxes)
    return Box(x, y, max(b.right for b in boxes) - x, max(b.bottom for b in boxes) - y)
