"""Where a screen changes colour: the outlines of what lies on its surfaces, and of the surfaces those enclose.

A screen is drawn in flat colours, so that one pass over the differences between neighbouring pixels gives both.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import cv2
import numpy as np

from execution.types import Box

_STEP = 3  # levels in one channel between neighbours; gradients of a theme stay below, its faintest borders do not
_SQUARE, _FULL = (9, 60), 0.9  # pixels; of its box, that a square with round corners has
_SMALLEST = 6  # pixels: what is smaller is a part of a letter


class Outlines(NamedTuple):
    """`things` stand out from their ground, `grounds` are enclosed by an outline; each (n, 4) boxes and (n,) areas.

    An area is that inside the outline, in pixels: a rectangle's is that of its box, a disc's pi/4 of it.
    """

    things: np.ndarray
    thing_areas: np.ndarray
    grounds: np.ndarray
    ground_areas: np.ndarray

    def squares(self) -> list[Box]:
        """What has the outline of a square that could be a box to tick."""
        boxes = np.concatenate((self.things, self.grounds))
        areas = np.concatenate((self.thing_areas, self.ground_areas))
        w, h = boxes[:, 2], boxes[:, 3]
        square = (np.abs(w - h) <= 2) & (h >= _SQUARE[0]) & (h <= _SQUARE[1]) & (areas > _FULL * w * h)
        return [Box(*box) for box in boxes[square].tolist()]


def edges_of(pixels: np.ndarray) -> np.ndarray:
    """255 where a pixel differs from the one to its right or below it."""
    edges = np.zeros(pixels.shape[:2], np.uint8)
    if min(edges.shape) < 2:
        return edges
    level = (_STEP,) * 3
    edges[:, :-1] = cv2.bitwise_not(cv2.inRange(cv2.absdiff(pixels[:, 1:], pixels[:, :-1]), (0, 0, 0), level))
    below = cv2.bitwise_not(cv2.inRange(cv2.absdiff(pixels[1:], pixels[:-1]), (0, 0, 0), level))
    cv2.bitwise_or(edges[:-1], below, dst=edges[:-1])
    return edges


def outlines_of(edges: np.ndarray) -> Outlines:
    """The outlines of a picture of edges."""
    contours, tree = cv2.findContours(edges, cv2.RETR_CCOMP, cv2.CHAIN_APPROX_SIMPLE)
    if not contours:
        none = np.zeros((0, 4), np.int32), np.zeros(0, np.float32)
        return Outlines(*none, *none)
    enclosed = tree[0, :, 3] >= 0
    boxes = _boxes([np.asarray(c) for c in contours])
    kept = (boxes[:, 2] >= _SMALLEST) & (boxes[:, 3] >= 2) | (boxes[:, 3] >= _SMALLEST) & (boxes[:, 2] >= 2)
    areas = np.zeros(len(boxes), np.float32)
    for index in np.flatnonzero(kept).tolist():
        areas[index] = cv2.contourArea(contours[index])
    things, grounds = kept & ~enclosed, kept & enclosed
    return Outlines(boxes[things], areas[things], boxes[grounds], areas[grounds])


def _boxes(contours: Sequence[np.ndarray]) -> np.ndarray:
    """The boxes inside the outlines: an edge is marked on the pixel before it, to the left and above."""
    points = np.concatenate(contours)[:, 0]
    starts = np.concatenate(([0], np.cumsum([len(c) for c in contours])[:-1]))
    low, high = np.minimum.reduceat(points, starts), np.maximum.reduceat(points, starts)
    return np.concatenate((low + 1, high - low), axis=1)
