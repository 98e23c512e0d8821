"""From what is stored to where it is now: fractions, frame pixels and input coordinates, each to each (S5.5).

Stored points and boxes are fractions (0 to 1) of a `whole`: a screen or a window. A whole is a box in pixels of the
present frame. Input coordinates are what the mouse is moved by: `Frame.origin` is where the frame begins in them and
`Frame.scale` how many pixels one of them has, so that a dense screen and a second monitor come out right.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from execution.desktop import points
from execution.desktop.points import checked
from execution.perception.ocr.formats import easyocr_lines, rapidocr_lines, tesseract_lines
from execution.types import Box, Frame, Point, ScreenState, Size
from workflows.graph import NormBox, NormPoint

__all__ = [
    "box_to_normalised",
    "box_to_pixels",
    "easyocr_lines",
    "frame_at",
    "from_input",
    "rapidocr_lines",
    "screen_of",
    "tesseract_lines",
    "to_input",
    "to_normalised",
    "to_pixels",
    "window_of",
]


def screen_of(frame: Frame) -> Box:
    """The whole frame, as what fractions of the screen refer to."""
    return Box(0, 0, *frame.size)


def window_of(state: ScreenState) -> Box | None:
    """The focused window as far as it is on the frame, None where none is known or none of it is there."""
    box = state.window.box if state.window else None
    inside = box.intersection(screen_of(state.frame)) if box else None
    return box if inside and inside.area else None


def to_pixels(point: NormPoint, *, whole: Box, size: Size) -> Point:
    """The pixel that holds a stored point: always in the whole and on a frame of that size.

    Raises ValueError for a whole of which nothing is on the frame, and for what is no number.
    """
    part = _on_frame(whole, size)
    x = _within(whole.x + math.floor(_fraction(point[0]) * whole.w), part.x, part.right)
    y = _within(whole.y + math.floor(_fraction(point[1]) * whole.h), part.y, part.bottom)
    return Point(x, y)


def to_normalised(point: Point, *, whole: Box) -> NormPoint:
    """A pixel's middle as fractions of the whole, within 0 to 1; `to_pixels` gives the same pixel back."""
    _not_empty(whole)
    return _clamped((point.x - whole.x + 0.5) / whole.w), _clamped((point.y - whole.y + 0.5) / whole.h)


def box_to_pixels(box: NormBox, *, whole: Box, size: Size) -> Box:
    """A stored box on the frame: at least one pixel, none of it outside the whole or the frame. Raises ValueError."""
    part = _on_frame(whole, size)
    left, right = _span(box[0], box[2], whole.x, whole.w, part.x, part.right)
    top, bottom = _span(box[1], box[3], whole.y, whole.h, part.y, part.bottom)
    return Box(left, top, right - left, bottom - top)


def box_to_normalised(box: Box, *, whole: Box) -> NormBox:
    """The part of a box that lies in the whole, as fractions of it; ValueError if none of it does."""
    _not_empty(whole)
    part = box.intersection(whole)
    if not part.area:
        raise ValueError(f"the box {tuple(box)} lies outside {tuple(whole)}")
    return Box(part.x - whole.x, part.y - whole.y, part.w, part.h).normalised(Size(whole.w, whole.h))


def to_input(point: Point, frame: Frame) -> Point:
    """Where the mouse must go for a pixel of the frame. Raises DesktopError for a point that is not on the frame."""
    return points.to_input(checked(point, size=frame.size), origin=frame.origin, scale=frame.scale)


def from_input(point: Point, frame: Frame) -> Point:
    """The pixel of the frame at an input coordinate. Raises DesktopError where the frame does not reach it."""
    x = math.floor((point.x - frame.origin.x + 0.5) * frame.scale)
    y = math.floor((point.y - frame.origin.y + 0.5) * frame.scale)
    return checked(Point(x, y), size=frame.size)


def frame_at(point: Point, frames: Sequence[Frame]) -> Frame | None:
    """The frame, of several monitors, that shows an input coordinate; None if none does."""
    for frame in frames:
        wide, high = frame.size.width / frame.scale, frame.size.height / frame.scale
        if 0 <= point.x - frame.origin.x < wide and 0 <= point.y - frame.origin.y < high:
            return frame
    return None


def _fraction(value: float) -> float:
    if not math.isfinite(value):
        raise ValueError(f"{value} is no fraction of a screen: write a number between 0 and 1")
    return _clamped(value)


def _clamped(value: float) -> float:
    return min(1.0, max(0.0, value))


def _within(value: int, first: int, end: int) -> int:
    return min(end - 1, max(first, value))


def _span(start: float, length: float, origin: int, whole: int, first: int, end: int) -> tuple[int, int]:
    low = _within(origin + round(_fraction(start) * whole), first, end)
    high = origin + round(_fraction(start + length) * whole)
    return low, min(end, max(low + 1, high))


def _not_empty(whole: Box) -> None:
    if whole.w <= 0 or whole.h <= 0:
        raise ValueError(f"{tuple(whole)} has no size, so nothing is a fraction of it")


def _on_frame(whole: Box, size: Size) -> Box:
    _not_empty(whole)
    part = whole.intersection(Box(0, 0, *size))
    if not part.area:
        raise ValueError(f"nothing of {tuple(whole)} is on the screen, which is {size.width} x {size.height} pixels")
    return part
