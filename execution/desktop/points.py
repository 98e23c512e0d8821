"""Frame pixels and input coordinates."""

from __future__ import annotations

from execution.desktop.base import DesktopError
from execution.types import Point, Size
from sentences.said import say


def checked(point: Point, *, size: Size) -> Point:
    """The point, if it lies on the desktop: a click past the edge would land on whatever is at the edge."""
    if not (0 <= point[0] < size.width and 0 <= point[1] < size.height):
        raise DesktopError(say("desktop.point_outside", x=point[0], y=point[1], w=size.width, h=size.height))
    return Point(*point)


def to_input(point: Point, *, origin: Point, scale: float) -> Point:
    """The input coordinate that holds a pixel's middle; rounding up would leave the monitor at its last pixel."""
    return Point(origin.x + int((point.x + 0.5) / scale), origin.y + int((point.y + 0.5) / scale))
