"""Rectangles on a screen: what has a border, or a fill of its own."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from execution.perception.elements.grid import Grid
from execution.perception.elements.outlines import Outlines
from execution.types import Box, Size, TextLine

SMALLEST = 8  # pixels: a check box at 100 % is 12 to 16
_CUT = 0.3  # of a square on the shorter side, that round ends may lack: a disc or a pill lacks 0.215
_RING = 7  # pixels between a control and the ring around it, or two borders of one control
_RING_FROM, _BORDER = 4, 2  # pixels from the outermost to the innermost box: from here it is a ring; a border alone
_STEP = 4  # levels: what is taken for another colour; a disabled control fades to that
_SAMPLES = np.linspace(0.2, 0.8, 7)  # along a side, away from round corners
_MIDDLE = np.linspace(0.42, 0.58, 7)  # the same for what may be a disc
_SMALL = 48  # pixels: what is no larger may be one
_WHOLE, _BAR = 0.93, 1.9  # fullness and width by height of what no letter is
_MOST = 1500
_BEVEL = 60  # levels between the lit and the shaded sides of a control


@dataclass(slots=True)
class BorderedBox:
    """A rectangle, its outer `box` and the `inner` one that its border leaves; colours are BGR.

    `outside` is what lies beyond its left, upper, right and lower side, `border` its outermost pixels there,
    `beyond` those next to them: two borders that meet are one surface, and the frame lies within it.
    `fullness` is the share of the box within its outline (a disc has 0.785), `ring` what surrounds it, or None.
    """

    box: Box
    inner: Box
    fullness: float
    fill: np.ndarray
    border: np.ndarray
    beyond: np.ndarray
    outside: np.ndarray
    ring: Box | None = None

    @property
    def filled(self) -> bool:
        """True where the fill is not what lies around it."""
        return self.differing >= 3

    @property
    def differing(self) -> int:
        """Beyond how many sides there is another colour than the fill."""
        return int((_apart(self.fill, self.outside) > _STEP).sum())

    @property
    def bordered(self) -> bool:
        """True where the outermost pixels are neither fill nor surroundings, nor the soft edge between the two."""
        return any(self._stands_out(colours) for colours in (self.border, self.beyond))

    def _stands_out(self, colours: np.ndarray) -> bool:
        way, here = self.outside - self.fill, colours - self.fill
        length = np.maximum((way**2).sum(axis=1), 1.0)
        part = ((here * way).sum(axis=1) / length).clip(0.0, 1.0)
        beside = np.abs(here - part[:, None] * way).max(axis=1)
        return bool((beside > _STEP).sum() >= 3)


class Letters:
    """Lines of text as they were read, to tell letters from frames: letters have outlines and enclose grounds too."""

    def __init__(self, size: Size, texts: Sequence[TextLine]) -> None:
        self._grid = Grid(size, [t.box for t in texts])
        self._lone = np.array([len(t.text) < 2 for t in texts], bool)

    def hold(self, boxes: np.ndarray, fullness: np.ndarray, *, leading: bool) -> np.ndarray:
        """For each of the (n, 4) boxes, True where it is a part of a line; a long bar is none.

        With `leading`, what stands at the beginning of a line and could be a check box is none: a reader takes that for
        a part of the line.
        """
        owner = self._grid.around_centres(boxes)
        if not len(self._lone) or not len(boxes):
            return np.zeros(len(boxes), bool)
        x, w, h = boxes[:, 0], boxes[:, 2], boxes[:, 3]
        left, _, width, height = (self._grid.boxes[owner, i] for i in range(4))
        part = (owner >= 0) & (h < 1.1 * height) & ((w < 0.7 * width) | (w < 1.3 * h))
        part &= (fullness < _WHOLE) | (w < _BAR * h)
        if not leading:
            return np.asarray(part & ~self._lone[owner])
        first = (x <= left + 6) & (h >= 9) & (h > 0.5 * height) & (w >= 0.9 * h - 1) & (w <= 2.6 * h)
        return np.asarray(part & ~(first & (w < 0.5 * width)))


def frames_of(pixels: np.ndarray, outlines: Outlines, letters: Letters) -> list[BorderedBox]:
    """The frames, from small to large; a border of several lines makes one frame."""
    boxes = np.concatenate((outlines.things, outlines.grounds))
    areas = np.concatenate((outlines.thing_areas, outlines.ground_areas))
    short, long = np.minimum(boxes[:, 2], boxes[:, 3]), np.maximum(boxes[:, 2], boxes[:, 3])
    full = areas / np.maximum(short * long, 1)
    kept = (short >= SMALLEST) & (full >= 1 - _CUT * short / np.maximum(long, 1))
    kept &= ~letters.hold(boxes, full, leading=True)
    grounds = (np.arange(len(kept)) >= len(outlines.things))[kept]
    boxes, full = boxes[kept], full[kept]
    order = np.argsort(-(boxes[:, 2] * boxes[:, 3]), kind="stable")[:_MOST]
    families = list(_families([Box(*b) for b in boxes[order].tolist()], full[order].tolist(), grounds[order].tolist()))
    return _coloured(pixels, families)[::-1]


@dataclass(slots=True)
class _Family:
    """Boxes around one centre, from large to small."""

    boxes: list[Box]
    fullness: list[float]

    def control(self) -> int:
        """The place of the box of the control itself: beyond may be the ring that shows the focus."""
        inner = self.boxes[-1]
        if _margin(self.boxes[0], inner) < _RING_FROM:
            return 0
        return next(i for i, box in enumerate(self.boxes) if _margin(box, inner) <= _BORDER)


def _families(boxes: Sequence[Box], fullness: Sequence[float], grounds: Sequence[bool]) -> Iterable[_Family]:
    """Boxes that share a centre, put together; `boxes` come from large to small.

    What is a ground alone has its border in common with others: that is a pixel of it at least.
    """
    near: dict[tuple[int, int], list[_Family]] = {}
    for box, full, ground in zip(boxes, fullness, grounds, strict=True):
        centre = (2 * box.x + box.w) >> 4, (2 * box.y + box.h) >> 4
        around = ((centre[0] + i, centre[1] + j) for i in (-1, 0, 1) for j in (-1, 0, 1))
        family = next((f for key in around for f in near.get(key, ()) if _wraps(f.boxes[-1], box)), None)
        if family is not None:
            family.boxes.append(box)
            family.fullness.append(full)
            continue
        outer = [Box(box.x - 1, box.y - 1, box.w + 2, box.h + 2)] if ground else []
        near.setdefault(centre, []).append(_Family([*outer, box], [full] * (len(outer) + 1)))
    return [family for group in near.values() for family in group]


def _margin(outer: Box, inner: Box) -> int:
    return min(inner.x - outer.x, inner.y - outer.y)


def _wraps(outer: Box, inner: Box) -> bool:
    margins = inner.x - outer.x, inner.y - outer.y, outer.right - inner.right, outer.bottom - inner.bottom
    return min(margins) >= -1 and max(margins) <= _RING and max(margins) - min(margins) <= 2 and inner.w * 1.6 > outer.w


def _coloured(pixels: np.ndarray, families: Sequence[_Family]) -> list[BorderedBox]:
    if not families:
        return []
    bevelled = _bevelled(pixels, families)
    places = [0 if raised else f.control() for f, raised in zip(families, bevelled, strict=True)]
    boxes = [f.boxes[place] for f, place in zip(families, places, strict=True)]
    outer, inner = np.array(boxes), np.array([f.boxes[-1] for f in families])
    fill = np.median(along(pixels, inner, inset=1).reshape(len(families), -1, 3), axis=1)
    border = np.median(along(pixels, outer, inset=0), axis=2)
    beyond = np.median(along(pixels, outer, inset=-1), axis=2)
    outside = np.median(along(pixels, outer, inset=-3), axis=2)
    rings = [f.boxes[0] if place else None for f, place in zip(families, places, strict=True)]
    return [
        BorderedBox(boxes[i], f.boxes[-1], f.fullness[places[i]], fill[i], border[i], beyond[i], outside[i], rings[i])
        for i, f in enumerate(families)
    ]


def _bevelled(pixels: np.ndarray, families: Sequence[_Family]) -> np.ndarray:
    """Which are lit from above, as old tool kits draw them: light at the left and on top, dark below and at the right.

    What lies around the inner box is then the side of the control, and no ring.
    """
    sides = np.median(along(pixels, np.array([f.boxes[0] for f in families]), inset=0), axis=2).mean(axis=2)
    left, top, right, bottom = (sides[:, i] for i in range(4))
    lit, shaded = (left + top) / 2, (right + bottom) / 2
    even = (np.abs(left - top) < _BEVEL / 2) & (np.abs(right - bottom) < _BEVEL / 2)
    return np.asarray(even & (np.abs(lit - shaded) > _BEVEL))


def along(pixels: np.ndarray, boxes: np.ndarray, *, inset: int) -> np.ndarray:
    """Colours along the four sides (left, upper, right, lower) of boxes; (n, 4, samples, 3).

    Low boxes are looked at in the middle of their left and right ends, which may be round, and small ones, which may be
    discs, in the middle of all sides.
    """
    x, y, w, h = (boxes[:, i, None] for i in range(4))
    across = x + (w * np.where(np.maximum(w, h) <= _SMALL, _MIDDLE, _SAMPLES)).astype(int)
    down = y + (h * np.where(h <= _SMALL, _MIDDLE, _SAMPLES)).astype(int)
    same = np.ones_like(across)
    columns = np.stack((same * (x + inset), across, same * (x + w - 1 - inset), across), axis=1)
    rows = np.stack((down, same * (y + inset), down, same * (y + h - 1 - inset)), axis=1)
    height, width = pixels.shape[:2]
    return pixels[rows.clip(0, height - 1), columns.clip(0, width - 1)]


def _apart(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """The largest difference in a channel."""
    return np.abs(one - other).max(axis=-1)


@dataclass(frozen=True, slots=True)
class Continued:
    """Which sides of a frame run on beyond its corners, as those of a cell in a grid do.

    `up` and `down` are both upright sides; the others name the level side and the direction.
    """

    up: bool
    down: bool
    top_left: bool
    top_right: bool
    bottom_left: bool
    bottom_right: bool

    @property
    def upright(self) -> bool:
        return self.up or self.down


_BEYOND = np.arange(3, 8)  # pixels from the corner: nearer may be its rounding
_BEYOND_CELL = np.arange(1, 8)  # the same for the sides of cells, which are not round: fields stand a few pixels apart
_ACROSS = np.arange(-2, 2)


def continued(edges: np.ndarray, frames: Sequence[BorderedBox]) -> list[Continued]:
    """How the sides of each frame run on, by the edges of the picture."""
    if not frames:
        return []
    boxes = np.array([f.box for f in frames])
    left, top = boxes[:, :1], boxes[:, 1:2]
    right, bottom = left + boxes[:, 2:3], top + boxes[:, 3:]
    above, below, before, after = top - _BEYOND_CELL, bottom + _BEYOND_CELL, left - _BEYOND, right + _BEYOND
    flags = (
        _upright(edges, left, above) & _upright(edges, right, above),
        _upright(edges, left, below) & _upright(edges, right, below),
        _level(edges, before, top),
        _level(edges, after, top),
        _level(edges, before, bottom),
        _level(edges, after, bottom),
    )
    return [Continued(*(bool(flag) for flag in row)) for row in zip(*flags, strict=True)]


def _upright(edges: np.ndarray, x: np.ndarray, rows: np.ndarray) -> np.ndarray:
    return _lined(edges, rows[:, :, None] + 0 * _ACROSS, x[:, :, None] + _ACROSS)


def _level(edges: np.ndarray, columns: np.ndarray, y: np.ndarray) -> np.ndarray:
    return _lined(edges, y[:, :, None] + _ACROSS, columns[:, :, None] + 0 * _ACROSS)


def _lined(edges: np.ndarray, rows: np.ndarray, columns: np.ndarray) -> np.ndarray:
    """True where an edge lies at every place along, somewhere across."""
    height, width = edges.shape
    inside = (rows >= 0) & (rows < height) & (columns >= 0) & (columns < width)
    marked = edges[rows.clip(0, height - 1), columns.clip(0, width - 1)] > 0
    return np.asarray((marked & inside).any(axis=2).all(axis=1))
