"""What is drawn and is no text: ink beside the texts, and what lies between two level lines."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np

from execution.types import Box

_EDGE = 60  # of the gradient, up to 255
_STROKES = 5  # pixels: parts of one small picture are no farther apart
LARGEST_PICTURE = 120  # pixels
_SMALLEST = 7  # pixels
_LEAST_INK = 0.2  # of its box
_LEVEL = 18  # levels between a line and its ground
_LONG = 140  # pixels of a line that parts rows
_MOST_BANDS = 30
_ALIGNED = 12  # pixels between the ends of two lines that belong together
_LOWEST, _HIGHEST = 16, 260  # pixels of what lies between them


def gradient(grey: np.ndarray) -> np.ndarray:
    """How strongly the grey changes at every pixel: uint8 of the same shape."""
    soft = cv2.GaussianBlur(grey, (3, 3), 0)
    across, down = cv2.Sobel(soft, cv2.CV_32F, 1, 0), cv2.Sobel(soft, cv2.CV_32F, 0, 1)
    return np.asarray(np.minimum(cv2.magnitude(across, down), 255)).astype(np.uint8)


def ink_beside(edges: np.ndarray, words: Sequence[Box]) -> list[Box]:
    """The boxes of what is drawn and is no word; `edges` is a `gradient`."""
    marked = (edges > _EDGE).astype(np.uint8)
    for box in words:
        marked[max(0, box.y - 1) : box.bottom + 2, max(0, box.x - 1) : box.right + 2] = 0
    parts = _parts(cv2.morphologyEx(marked, cv2.MORPH_CLOSE, np.ones((_STROKES, _STROKES), np.uint8)))
    w, h, area = parts.T[2:]
    kept = (np.minimum(w, h) >= _SMALLEST) & (np.maximum(w, h) <= LARGEST_PICTURE) & (area > _LEAST_INK * w * h)
    return [Box(*row) for row in parts[kept, :4].tolist()]


def bands(grey: np.ndarray) -> list[Box]:
    """What lies between two long level lines of one width: a row, or a field without a frame."""
    marked = (cv2.absdiff(grey[1:], grey[:-1]) > _LEVEL).astype(np.uint8)
    parts = _parts(cv2.morphologyEx(marked, cv2.MORPH_OPEN, np.ones((1, _LONG), np.uint8)))
    lines = sorted((y + h / 2, x, x + w) for x, y, w, h, _ in parts.tolist() if h <= 4)
    found = list[Box]()
    for number, (y, left, right) in enumerate(lines):
        for below, other_left, other_right in lines[number + 1 :]:
            if below - y > _HIGHEST:
                break
            if below - y < 5 or abs(left - other_left) > _ALIGNED or abs(right - other_right) > _ALIGNED:
                continue
            top, x = int(y + 1), max(left, other_left)
            if below - y >= _LOWEST:
                found.append(Box(x, top, min(right, other_right) - x, int(below - top)))
            break
    return found[:_MOST_BANDS]


def _parts(marked: np.ndarray) -> np.ndarray:
    """What hangs together of the marked pixels: left, top, width, height and how many pixels, (parts, 5)."""
    return np.asarray(cv2.connectedComponentsWithStats(marked)[2][1:])
