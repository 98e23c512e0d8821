"""Boxes and points on a screen: what was meant by a click, and where in a box to click."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise

from execution.perception.ocr.base import in_reading_order
from execution.types import Box, Element, ElementRole, Point, ScreenState, Size, TextLine

_UNKNOWN = Size(48, 32)  # around a click on nothing that is known
_LOWEST_UNKNOWN = 10  # pixels
_LARGEST_CONTROL = 0.9  # of the screen's width
_SAME_LEVEL = 0.6  # of the height
_MOST_ROWS, _WRAPPED = 3, 1.7  # rows of one label, and heights of a line from one to the next
_SAME_BOX = 0.5  # of the joint area
_MUCH_SMALLER = 0.7  # of the area
_ROW = 0.5  # of the height
_SAME_THING = 0.3  # of the smaller box
_PASSIVE = frozenset({ElementRole.GROUP, ElementRole.TEXT})


def target_box(state: ScreenState, point: Point) -> Box:
    """The box of what a click at `point` was meant for: a control, a line of text, or a small box around the point.

    Never something that holds several things that could be meant: the place in a table or a panel is where its own
    pixels are.
    """
    size = state.frame.size
    controls = [
        e.box
        for e in state.elements
        if e.role not in _PASSIVE
        and e.box.contains(point)
        and e.box.w <= _LARGEST_CONTROL * size.width
        and not holds_several(e.box, state)
    ]
    if controls:
        return min(controls, key=lambda b: b.area)
    lines = [line.box for line in state.texts if line.box.grown(4, size).contains(point)]
    if lines:
        return min(lines, key=lambda b: b.area).grown(2, size)
    return _around(point, state)


def _around(point: Point, state: ScreenState) -> Box:
    """A small box around the point, no higher than its row."""
    near = [t.box for t in state.texts if abs(t.box.center.x - point.x) < _UNKNOWN.width // 2 + t.box.w // 2]
    level = [b for b in near if b.y <= point.y < b.bottom]
    over = [b.bottom for b in near if b not in level and b.center.y < point.y]
    under = [b.y for b in near if b not in level and b.center.y >= point.y]
    half = _UNKNOWN.height // 2
    top = max([point.y - half, *(min(edge, point.y - _LOWEST_UNKNOWN // 2) for edge in over)])
    bottom = min([point.y + half, *(max(edge, point.y + _LOWEST_UNKNOWN // 2) for edge in under)])
    box = Box(point.x - _UNKNOWN.width // 2, top, _UNKNOWN.width, bottom - top)
    return box.intersection(Box(0, 0, *state.frame.size))


def holds_several(box: Box, state: ScreenState) -> bool:
    """True for what holds rows of text or controls that could be meant themselves: a table, a list, a panel.

    The rows of one label that is wrapped in its control, and what stands in a field of several rows, are one thing.
    """
    lines = [t.box for t in state.texts if box.holds(t.box)]
    inner = [
        e
        for e in state.elements
        if box.holds(e.box)
        and e.role not in _PASSIVE
        and e.box.area < _MUCH_SMALLER * box.area
        and e.box.intersection(box).area > 0.9 * e.box.area
    ]
    if _are_several(inner, lines):
        return True
    rows = _rows(lines)
    if len(rows) < 2:
        return False
    own = max(state.elements, key=lambda e: e.box.iou(box), default=None)
    if own is None or own.role in _PASSIVE or own.box.iou(box) <= _SAME_BOX:
        return True
    if own.role == ElementRole.FIELD:
        return any(len(row) > 1 for row in rows)
    steps = [below[0].center.y - above[0].center.y for above, below in pairwise(rows)]
    return len(rows) > _MOST_ROWS or max(steps) > _WRAPPED * max(b.h for row in rows for b in row)


def _are_several(controls: Sequence[Element], lines: Sequence[Box]) -> bool:
    """True for several controls apart from each other, or one and a text of some length beside it."""
    worded = [e for e in controls if any(e.box.holds(line) for line in lines)]
    free = [line for line in lines if not any(e.box.holds(line) for e in controls)]
    apart = [e for e in worded if not any(o is not e and o.box.holds(e.box) for o in worded)]
    return len(apart) > 1 or (len(apart) == 1 and bool(free))


def _rows(lines: Sequence[Box]) -> list[list[Box]]:
    """The lines that are level, from top to bottom."""
    rows: list[list[Box]] = []
    for line in sorted(lines, key=lambda b: (b.center.y, b.x)):
        if rows and line.center.y - rows[-1][0].center.y < _SAME_LEVEL * min(line.h, rows[-1][0].h):
            rows[-1].append(line)
        else:
            rows.append([line])
    return rows


def same_thing(one: Box, other: Box) -> bool:
    """True for boxes that overlap so much that they are of one control."""
    return one.intersection(other).area > _SAME_THING * max(1, min(one.area, other.area))


def same_box(one: Box, other: Box) -> bool:
    """True for boxes that overlap by half of what they cover together: a row is not the button in it."""
    return one.iou(other) >= _SAME_BOX


def reading_order(boxes: Iterable[Box]) -> list[Box]:
    """From top to bottom, what is level from left to right."""
    ordered: list[Box] = []
    row: list[Box] = []
    for box in sorted(boxes, key=lambda b: (b.center.y, b.x)):
        if row and box.center.y - row[0].center.y > _ROW * max(4, min(box.h, row[0].h)):
            ordered += sorted(row)
            row = []
        row.append(box)
    return ordered + sorted(row)


def text_lines_in(box: Box, state: ScreenState) -> tuple[TextLine, ...]:
    """The lines whose middle lies in the box, in reading order."""
    return in_reading_order(line for line in state.texts if box.holds(line.box))


def point_in(box: Box, click: tuple[float, float]) -> Point:
    """The place to click in a box; never outside it."""
    x = box.x + min(max(0, box.w - 1), max(0, int(click[0] * box.w)))
    y = box.y + min(max(0, box.h - 1), max(0, int(click[1] * box.h)))
    return Point(x, y)


def ends_it(box: Box, own: Box) -> bool:
    """Whether it is the arrow, or the small button, at the end of a field: what names the field stands beside both."""
    gap = box.x - own.right
    return box.w <= own.h and abs(gap) <= box.w and own.y <= box.center.y < own.bottom
