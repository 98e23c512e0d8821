"""Set-of-marks: a copy of a picture on which elements have numbers, for a person or a model to point at (S2.9)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import cv2
import numpy as np

from execution.perception.elements.outlines import edges_of
from execution.perception.pixels import check_bgr
from execution.types import Box, Element, ElementRole, Size

# What a step acts on comes first; texts and groups have no number, for nothing is done to them.
RANKS = {
    ElementRole.BUTTON: 0,
    ElementRole.FIELD: 0,
    ElementRole.CHECKBOX: 0,
    ElementRole.RADIO: 0,
    ElementRole.TAB: 1,
    ElementRole.MENU_ITEM: 1,
    ElementRole.LINK: 1,
    ElementRole.ICON: 2,
}
MOST = 120

# BGR, dark enough for white figures; neighbours in the order differ.
_COLOURS = ((170, 40, 20), (20, 20, 190), (20, 110, 20), (140, 20, 130), (20, 80, 160), (120, 100, 0))
_FONT = cv2.FONT_HERSHEY_SIMPLEX
_WHITE = (255, 255, 255)
_STANDARD = 1080  # rows of a picture at which a label has its standard size
_ROW = 0.5  # of the lower of two elements: how far they share their height to stand in one row
# What a place costs, in pixels of writing covered: to be within the element, or a label's size further away, and for
# each pixel of the element's own writing or of another element that is covered.
_WITHIN, _AWAY, _OVER_OWN, _OVER_OTHERS = 14.0, 90.0, 8.0, 0.2
_RINGS = 3  # how many labels away from its element a label may stand


class Mark(NamedTuple):
    """`place` is where the number stands, in pixels of the picture."""

    number: int
    element: Element
    place: Box


@dataclass(frozen=True, slots=True, eq=False)
class Marked:
    """`picture` is BGR, of the size of the one it was made from; `marks` are in the order of their numbers, from 1."""

    picture: np.ndarray
    marks: tuple[Mark, ...]

    def element(self, number: int) -> Element:
        """The element of that number; KeyError where there is none."""
        if not 1 <= number <= len(self.marks):
            raise KeyError(f"There is no mark {number}: the picture has marks 1 to {len(self.marks)}.")
        return self.marks[number - 1].element


class SomEngine:
    """Numbers elements in reading order and draws the numbers so that they cover as little as possible."""

    def __init__(self, *, most: int = MOST) -> None:
        if most < 1:
            raise ValueError(f"At least one mark is needed, not {most}.")
        self._most = most

    def mark(self, pixels: np.ndarray, elements: Iterable[Element]) -> Marked:
        """A marked copy of a BGR picture.

        Of more elements than may be marked, those to be acted on come first; one whose number has no room without
        lying over another number has no mark.
        """
        check_bgr(pixels)
        size = Size(pixels.shape[1], pixels.shape[0])
        chosen = in_reading_order(_chosen(elements, size, self._most))
        label = _Label.fitting(len(chosen), size)
        placed = _Places(pixels, chosen, label).place()
        picture = pixels.copy()
        kept = [(element, place) for element, place in zip(chosen, placed, strict=True) if place is not None]
        for number, (element, _) in enumerate(kept, 1):
            _outline(picture, element.box, _COLOURS[number % len(_COLOURS)])
        for number, (_, place) in enumerate(kept, 1):
            label.draw(picture, place, str(number), _COLOURS[number % len(_COLOURS)])
        return Marked(picture, tuple(Mark(number, *each) for number, each in enumerate(kept, 1)))


def in_reading_order(elements: Iterable[Element]) -> list[Element]:
    """Row by row from the top, each from left to right; elements that share half their height are one row."""
    left = sorted(elements, key=lambda e: (e.box.y, e.box.x, e.box.w, e.box.h, e.role))
    ordered: list[Element] = []
    while left:
        first = left[0].box
        row = [e for e in left if _share(first, e.box) >= _ROW]
        ordered += sorted(row, key=lambda e: (e.box.x, e.box.y))
        left = [e for e in left if _share(first, e.box) < _ROW]
    return ordered


def _share(one: Box, other: Box) -> float:
    """Of the lower one's height, what both have in common."""
    common = min(one.bottom, other.bottom) - max(one.y, other.y)
    return common / max(1, min(one.h, other.h))


def _chosen(elements: Iterable[Element], size: Size, most: int) -> list[Element]:
    whole = Box(0, 0, *size)
    fitting = [e for e in elements if e.role in RANKS and e.box.intersection(whole).area]
    fitting.sort(key=lambda e: (RANKS[e.role], -e.confidence, e.box.y, e.box.x, e.box.w, e.box.h))
    return fitting[:most]


def _outline(picture: np.ndarray, box: Box, colour: tuple[int, int, int]) -> None:
    """A coloured frame around the box, with a white one outside: one of the two shows on any ground."""
    cv2.rectangle(picture, (box.x - 2, box.y - 2), (box.right + 1, box.bottom + 1), _WHITE, 1)
    cv2.rectangle(picture, (box.x - 1, box.y - 1), (box.right, box.bottom), colour, 1)


class _Label(NamedTuple):
    """The patch that a number is written on: pixels, and the scale of the font."""

    width: int
    height: int
    scale: float
    thickness: int

    @classmethod
    def fitting(cls, count: int, size: Size) -> _Label:
        """Wide enough for the highest number, larger on pictures of fine pixels."""
        scale = 0.42 * min(2.0, max(1.0, size.height / _STANDARD))
        thickness = 1 if scale < 0.6 else 2
        (width, height), _ = cv2.getTextSize("8" * len(str(max(count, 1))), _FONT, scale, thickness)
        return cls(int(width) + 6, int(height) + 6, scale, thickness)

    def draw(self, picture: np.ndarray, place: Box, number: str, colour: tuple[int, int, int]) -> None:
        cv2.rectangle(picture, (place.x, place.y), (place.right - 1, place.bottom - 1), _WHITE, -1)
        cv2.rectangle(picture, (place.x + 1, place.y + 1), (place.right - 2, place.bottom - 2), colour, -1)
        (width, height), _ = cv2.getTextSize(number, _FONT, self.scale, self.thickness)
        at = place.x + (place.w - int(width)) // 2, place.y + (place.h + int(height)) // 2
        cv2.putText(picture, number, at, _FONT, self.scale, _WHITE, self.thickness, cv2.LINE_AA)


class _Places:
    """Finds a place for the label of each element: near it, over as little as possible, over no other label."""

    def __init__(self, pixels: np.ndarray, elements: Sequence[Element], label: _Label) -> None:
        self._size = Size(pixels.shape[1], pixels.shape[0])
        self._elements = elements
        self._label = label
        self._drawn = cv2.integral((edges_of(pixels) > 0).astype(np.uint8))
        self._elements_over = cv2.integral(_coverage(self._size, elements))
        self._taken = np.zeros(pixels.shape[:2], bool)

    def place(self) -> list[Box | None]:
        return [self._best(element.box) for element in self._elements]

    def _best(self, box: Box) -> Box | None:
        whole = Box(0, 0, *self._size)
        best: tuple[float, Box] | None = None
        for far, place in self._around(box):
            if place.intersection(whole) != place or self._taken[place.y : place.bottom, place.x : place.right].any():
                continue
            own = place.intersection(box)
            others = _sum(self._elements_over, place) - own.area
            cost = far + _sum(self._drawn, place) + _OVER_OWN * _sum(self._drawn, own) + _OVER_OTHERS * others
            if best is None or cost < best[0]:
                best = cost, place
        if best is None:
            return None
        place = best[1]
        self._taken[place.y : place.bottom, place.x : place.right] = True
        return place

    def _around(self, box: Box) -> Iterator[tuple[float, Box]]:
        """Places for the label with what being there costs: at the corners, within, then further away."""
        w, h = self._label.width, self._label.height
        left, top, right, bottom = box.x - w - 2, box.y - h - 2, box.right + 2, box.bottom + 2
        end = box.right + 2 - w
        beside = (box.x - 2, top), (left, box.y - 2), (end, top), (right, box.y - 2), (box.x - 2, bottom), (end, bottom)
        for order, (x, y) in enumerate(beside):
            yield 2.0 * order, Box(x, y, w, h)
        for x in (box.right - w, box.x):
            for y in (box.y, box.bottom - h):
                yield _WITHIN, Box(x, y, w, h)
        for ring in range(1, _RINGS + 1):
            for x, y in (
                (box.x + ring * w, top), (left - ring * w, box.y), (right + ring * w, box.y),
                (box.x, top - ring * h), (box.x + ring * w, bottom), (box.x, bottom + ring * h),
            ):  # fmt: skip
                yield _AWAY * ring, Box(x, y, w, h)


def _coverage(size: Size, elements: Iterable[Element]) -> np.ndarray:
    """How many elements lie over each pixel."""
    counts = np.zeros((size.height, size.width), np.uint8)
    for element in elements:
        box = element.box
        counts[max(0, box.y) : max(0, box.bottom), max(0, box.x) : max(0, box.right)] += 1
    return counts


def _sum(sums: np.ndarray, place: Box) -> float:
    """What an integral picture has within a box."""
    below = sums[place.bottom, place.right] - sums[place.bottom, place.x]
    return float(below - sums[place.y, place.right] + sums[place.y, place.x])
