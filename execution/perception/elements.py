"""What on a screen can probably be acted on, without trained weights: framed rectangles and lines of text.

Roles are guesses for people and for later rungs; nothing is clicked on the strength of a role.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol

import cv2
import numpy as np

from execution.types import Box, Element, ElementRole, Size, TextLine

_EDGE = 14  # grey levels between a border and what it borders: themes draw them faint
_SHORTEST = (11, 9)  # pixels a border must run straight, across and down, to count
_BRIDGED = 2  # pixels: rounded corners leave the sides apart
_SMALLEST = Size(10, 10)
_TALLEST = 80  # higher frames are panes and windows, not controls
_CHECKBOX = 26
_DRAWN = 0.7  # of each side: corners may be round, a focus ring may cover a part
_LETTER = 0.6  # of a frame covered by a line of text
_MOST = 400


class ElementDetector(Protocol):
    def detect(self, pixels: np.ndarray, texts: Sequence[TextLine]) -> tuple[Element, ...]:
        """The elements of a BGR picture whose lines of text are `texts`."""


class FrameDetector:
    """Finds controls by their borders and takes what is read inside them for their text."""

    def detect(self, pixels: np.ndarray, texts: Sequence[TextLine]) -> tuple[Element, ...]:
        """Framed controls, and as `text` every line that is in none; in reading order."""
        frames = [box for box in _frames(pixels) if box.h <= _TALLEST]
        elements, inside = [], set()
        for box in frames:
            if any(line.box.intersection(box).area > _LETTER * box.area for line in texts):
                continue  # letters have straight strokes too
            held = [i for i, line in enumerate(texts) if box.contains(line.box.center)]
            inside.update(held)
            elements.append(_control(box, [texts[i] for i in held]))
        elements += [
            Element(box=line.box, role=ElementRole.TEXT, text=line.text, confidence=line.confidence)
            for i, line in enumerate(texts)
            if i not in inside
        ]
        return tuple(sorted(elements, key=lambda e: (e.box.y, e.box.x))[:_MOST])


def _control(box: Box, lines: Sequence[TextLine]) -> Element:
    text = " ".join(line.text for line in lines)
    if len(lines) > 1:
        return Element(box=box, role=ElementRole.GROUP, text=text, confidence=0.4)
    if max(box.w, box.h) <= _CHECKBOX and not text:
        return Element(
            box=box, role=ElementRole.CHECKBOX if abs(box.w - box.h) <= 3 else ElementRole.ICON, confidence=0.4
        )
    if not text:
        return Element(box=box, role=ElementRole.FIELD if box.w >= 3 * box.h else ElementRole.ICON, confidence=0.4)
    first, last = lines[0].box, lines[-1].box
    left, right = first.x - box.x, box.right - last.right
    centred = abs(left - right) <= max(8, box.w // 8)
    return Element(
        box=box,
        role=ElementRole.BUTTON if centred else ElementRole.FIELD,
        text=text,
        confidence=0.6 if centred else 0.5,
    )


def _frames(pixels: np.ndarray) -> Iterator[Box]:
    """Boxes of closed rectangular borders, the outer one of a double border."""
    lines = _border_lines(pixels)
    contours, _ = cv2.findContours(lines, cv2.RETR_LIST, cv2.CHAIN_APPROX_SIMPLE)
    boxes = {Box(*cv2.boundingRect(contour)) for contour in contours}
    fitting = sorted((b for b in boxes if _is_frame(b, lines)), key=lambda b: -b.area)
    taken: list[Box] = []
    for box in fitting:
        if not any(box.iou(other) > 0.6 for other in taken):
            taken.append(box)
            yield Box(box.x + _BRIDGED, box.y + _BRIDGED, box.w - 2 * _BRIDGED, box.h - 2 * _BRIDGED)


def _border_lines(pixels: np.ndarray) -> np.ndarray:
    """255 where a straight level or upright edge runs."""
    grey = cv2.cvtColor(pixels, cv2.COLOR_BGR2GRAY)
    across = (cv2.absdiff(grey[1:], grey[:-1]) > _EDGE).astype(np.uint8) * 255
    down = (cv2.absdiff(grey[:, 1:], grey[:, :-1]) > _EDGE).astype(np.uint8) * 255
    level = cv2.morphologyEx(across, cv2.MORPH_OPEN, np.ones((1, _SHORTEST[0]), np.uint8))
    upright = cv2.morphologyEx(down, cv2.MORPH_OPEN, np.ones((_SHORTEST[1], 1), np.uint8))
    lines = np.zeros(grey.shape, np.uint8)
    lines[1:] = level
    lines[:, 1:] = np.maximum(lines[:, 1:], upright)
    return cv2.dilate(lines, np.ones((2 * _BRIDGED + 1,) * 2, np.uint8))


def _is_frame(box: Box, lines: np.ndarray) -> bool:
    """True where all four sides of the box are drawn."""
    if box.w < _SMALLEST.width + 2 * _BRIDGED or not _SMALLEST.height + 2 * _BRIDGED <= box.h <= _TALLEST:
        return False
    top, bottom = lines[box.y : box.y + 6, box.x : box.right], lines[box.bottom - 6 : box.bottom, box.x : box.right]
    left, right = lines[box.y : box.bottom, box.x : box.x + 6], lines[box.y : box.bottom, box.right - 6 : box.right]
    drawn = [top.any(axis=0).mean(), bottom.any(axis=0).mean(), left.any(axis=1).mean(), right.any(axis=1).mean()]
    return bool(min(drawn) > _DRAWN)
