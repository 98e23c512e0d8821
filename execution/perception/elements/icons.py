"""Icons: small pictures that are neither text nor framed."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np

from execution.perception.elements.found import Found
from execution.perception.elements.grid import Grid
from execution.perception.elements.scene import Scene
from execution.types import Box, Element, ElementRole

_SMALLEST, _LARGEST = 9, 72  # pixels: 12 at 100 % to 32 at 200 %
_NARROWEST = 6  # pixels: a clip, a sign to unfold something
_JOIN = 2  # pixels by which the strokes of one icon stand apart, halved
_LONGEST = 2.2


def icons_of(scene: Scene, taken: Sequence[Box]) -> list[Found]:
    """Small pictures outside of the boxes that are taken, and of all lines of text."""
    things = scene.outlines.things
    if not len(things):
        return []
    small = things[(things[:, 2] <= _LARGEST) & (things[:, 3] <= _LARGEST)]
    covered = Grid(scene.size, [*taken, *(t.box for t in scene.texts)])
    free = small[covered.around_centres(small) < 0]
    found = []
    for box in _joined(free, scene):
        if _is_word(free, box):
            continue
        short, long = min(box.w, box.h), max(box.w, box.h)
        if short >= _NARROWEST and _SMALLEST <= long <= min(_LARGEST, _LONGEST * short):
            found.append(Found(Element(box=box, role=ElementRole.ICON, confidence=0.5)))
    return found


def _is_word(things: np.ndarray, box: Box) -> bool:
    """True for things of one height side by side: digits that were not read."""
    x, y = things[:, 0], things[:, 1]
    parts = things[(x >= box.x) & (x < box.right) & (y >= box.y) & (y < box.bottom)]
    if not 2 <= len(parts) <= 6 or parts[:, 3].min() < 0.8 * box.h:
        return False
    parts = parts[np.argsort(parts[:, 0])]
    return bool((parts[1:, 0] >= parts[:-1, 0] + parts[:-1, 2] - 1).all() and (parts[:, 2] < 0.95 * parts[:, 3]).all())


def _joined(boxes: np.ndarray, scene: Scene) -> list[Box]:
    """Boxes a stroke's width apart are one picture."""
    if not len(boxes):
        return []
    mask = np.zeros(scene.pixels.shape[:2], np.uint8)
    for x, y, w, h in boxes.tolist():
        mask[max(0, y - _JOIN) : y + h + _JOIN, max(0, x - _JOIN) : x + w + _JOIN] = 255
    contours, _ = cv2.findContours(mask, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)
    return [Box(x + _JOIN, y + _JOIN, w - 2 * _JOIN, h - 2 * _JOIN) for x, y, w, h in map(cv2.boundingRect, contours)]
