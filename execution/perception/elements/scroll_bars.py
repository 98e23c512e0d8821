"""Scroll bars as classic tool kits draw them: an arrow at each end, and between them nothing but the thumb.

They are moved by the wheel, never by a click: their parts are no elements.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np

from execution.perception.elements.found import Found
from execution.perception.elements.scene import Scene
from execution.types import Box, ElementRole

_WIDEST = 30  # pixels: an arrow
_SHORTEST = 3.0  # of an arrow's side: the way between the two
_ALIGNED = 2  # pixels
_MOST_ENDS = (
    8  # edges along the middle of the bar: the ends of the thumb, each with its bevel and its shadow, its ridges
)
_AT_ARROW = 6  # pixels from an arrow that may be its own edge
_BESIDE, _DRAWN = 6, 0.85  # pixels from an arrow to the side of its thumb; of the thumb that this side is drawn along
_CLEAR = 0.75  # of the way that must be one colour or another
_PARTS = frozenset({ElementRole.ICON, ElementRole.BUTTON, ElementRole.CHECKBOX, ElementRole.FIELD, ElementRole.GROUP})


def without_scroll_bars(scene: Scene, found: Sequence[Found]) -> list[Found]:
    """Those that are no part of a scroll bar."""
    arrows = [f.element.box for f in found if _is_arrow(f)]
    bars = [bar for upright in (True, False) for bar in _bars(scene, arrows, upright=upright)]
    if not bars:
        return list(found)
    return [
        f for f in found if f.role not in _PARTS or f.element.text or not any(_within(f.element.box, b) for b in bars)
    ]


def _is_arrow(found: Found) -> bool:
    box = found.element.box
    small = max(box.w, box.h) <= _WIDEST and 0.4 <= box.w / box.h <= 2.5
    return (
        small and not found.element.text and found.role in (ElementRole.ICON, ElementRole.BUTTON, ElementRole.CHECKBOX)
    )


def _bars(scene: Scene, arrows: Sequence[Box], *, upright: bool) -> list[Box]:
    """The boxes of the bars that stand upright, or lie."""
    lanes: dict[int, list[Box]] = {}
    for box in arrows:
        middle = box.center.x if upright else box.center.y
        lanes.setdefault(middle >> 2, []).append(box)
    bars = []
    for lane in lanes.values():
        if len(lane) > 4:
            continue  # a column of icons
        for one, other in combinations(sorted(lane, key=lambda b: (b.y, b.x)), 2):
            same = abs(one.w - other.w) <= _ALIGNED and abs(one.h - other.h) <= _ALIGNED
            if same and _is_bar(scene, one, other, upright=upright):
                x, y = min(one.x, other.x), min(one.y, other.y)
                bars.append(Box(x, y, max(one.right, other.right) - x, max(one.bottom, other.bottom) - y))
    return bars


def _is_bar(scene: Scene, one: Box, other: Box, *, upright: bool) -> bool:
    """True where the way between two arrows shows a thumb, its two sides drawn, and else one colour."""
    edges = scene.edges if upright else scene.edges.T
    middle = one.center.x if upright else one.center.y
    start, end, side = (one.bottom, other.y, one.w) if upright else (one.right, other.x, one.h)
    if end - start < _SHORTEST * side:
        return False
    crossed = edges[start:end, middle - 1 : middle + 2].any(axis=1)
    places = np.flatnonzero(crossed)
    places = places[(places > _AT_ARROW) & (places < end - start - _AT_ARROW)]
    if len(places) < 2 or places[-1] - places[0] < side or float(1 - crossed.mean()) < _CLEAR:
        return False
    ends = 1 + int(np.count_nonzero(np.diff(places) > 2))
    thumb = slice(start + int(places[0]) + 1, start + int(places[-1]))
    reach = side // 2 + _BESIDE
    sides = edges[thumb, max(0, middle - reach) : middle], edges[thumb, middle : middle + reach]
    drawn = all(part.size and float((part > 0).mean(axis=0).max()) >= _DRAWN for part in sides)
    return ends <= _MOST_ENDS and drawn


def _within(box: Box, bar: Box) -> bool:
    return bar.contains(box.center) and min(box.w, box.h) <= min(bar.w, bar.h) + _WIDEST // 2
