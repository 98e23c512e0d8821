"""Where the pointer is put after an act: on what was acted on it may hold open a tip, which lies over the screen."""

from __future__ import annotations

from itertools import product

from execution.types import ElementRole, Point, ScreenState

_GRID = 12  # places tried each way
_ROOM = 6  # pixels around it in which nothing stands


def resting_place(state: ScreenState, near: Point) -> Point | None:
    """The nearest place in the window on which nothing stands that could answer a pointer; None where there is none,
    or nobody knows what stands where."""
    if state.degraded or not state.text_method:
        return None
    sight = state.front
    things = (*(e.box for e in state.elements if e.role is not ElementRole.GROUP), *(t.box for t in state.texts))
    taken = [box.grown(_ROOM, state.frame.size) for box in things]
    steps = [(2 * i + 1) / (2 * _GRID) for i in range(_GRID)]
    places = [Point(sight.x + int(x * sight.w), sight.y + int(y * sight.h)) for x, y in product(steps, steps)]
    free = [place for place in places if not any(box.contains(place) for box in taken)]
    return min(free, key=lambda p: (p.x - near.x) ** 2 + (p.y - near.y) ** 2, default=None)
