"""Boxes and points on a screen: what was meant by a click, and where in a box to click."""

from __future__ import annotations

from execution.perception.ocr.base import in_reading_order
from execution.types import Box, Point, ScreenState, Size, TextLine

_UNKNOWN = Size(48, 32)  # around a click on nothing that is known
_LARGEST_CONTROL = 0.9  # of the screen's width


def target_box(state: ScreenState, point: Point) -> Box:
    """The box of what a click at `point` was meant for: a control, a line of text, or a small box around the point."""
    size = state.frame.size
    controls = [
        e.box
        for e in state.elements
        if e.role not in ("group", "text") and e.box.contains(point) and e.box.w <= _LARGEST_CONTROL * size.width
    ]
    if controls:
        return min(controls, key=lambda b: b.area)
    lines = [line.box for line in state.texts if line.box.grown(4, size).contains(point)]
    if lines:
        return min(lines, key=lambda b: b.area).grown(2, size)
    left, top = point.x - _UNKNOWN.width // 2, point.y - _UNKNOWN.height // 2
    return Box(left, top, *_UNKNOWN).intersection(Box(0, 0, *size))


def text_lines_in(box: Box, state: ScreenState) -> tuple[TextLine, ...]:
    """The lines whose middle lies in the box, in reading order."""
    return in_reading_order(line for line in state.texts if box.contains(line.box.center))


def point_in(box: Box, click: tuple[float, float]) -> Point:
    """The place to click in a box; never outside it."""
    x = box.x + min(max(0, box.w - 1), max(0, int(click[0] * box.w)))
    y = box.y + min(max(0, box.h - 1), max(0, int(click[1] * box.h)))
    return Point(x, y)
