"""Where the lines of text are: the detector's map of text-like pixels turned into boxes.

Text on a screen is level, so boxes are upright rectangles.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

import cv2
import numpy as np

from execution.perception.changes import union
from execution.types import Box, Size

# Measured on drawn pages: at three quarters of the size text of 9 px is read as well as at full size, and detection
# takes half the time; below 960 nothing is won.
_SCALE = 0.75
_SMALLEST_SIDE = 960
_STEP = 32  # the network halves its input five times

_TEXT_PIXEL = 0.3
_TEXT_BOX = 0.5
_GROW = 1.6  # the map marks the core of a line; this ratio of area to outline gives its full height back
_SMALLEST = 3


def detection_scale(screen: Size) -> float:
    """How much a picture of that screen, or a part of it, is shrunk before lines are looked for."""
    longest = max(screen)
    return min(1.0, max(_SMALLEST_SIDE, _SCALE * longest) / longest)


def find_lines(pixels: np.ndarray, run: Callable[[np.ndarray], np.ndarray], *, scale: float) -> list[Box]:
    """Boxes of the lines of text in `pixels`."""
    height, width = pixels.shape[:2]
    w, h = max(1, round(width * scale)), max(1, round(height * scale))
    shrunk = cv2.resize(pixels, (w, h), interpolation=cv2.INTER_LINEAR) if scale != 1.0 else pixels
    padded = cv2.copyMakeBorder(shrunk, 0, -h % _STEP, 0, -w % _STEP, cv2.BORDER_REPLICATE)
    heat = run(cv2.dnn.blobFromImage(padded, 1 / 127.5, mean=(127.5, 127.5, 127.5)))[0, 0]
    mask = cv2.dilate((heat > _TEXT_PIXEL).astype(np.uint8), np.ones((2, 2), np.uint8))
    count, labels, stats, _ = cv2.connectedComponentsWithStats(mask, connectivity=8)
    boxes = []
    for index in range(1, count):
        x, y, bw, bh, _area = stats[index]
        if min(bw, bh) < _SMALLEST:
            continue
        part = slice(y, y + bh), slice(x, x + bw)
        if heat[part][labels[part] == index].mean() >= _TEXT_BOX:
            boxes.append(_grown(x, y, bw, bh, width / w, height / h, Size(width, height)))
    return joined_in_rows(box for box in boxes if box.w > _SMALLEST and box.h > _SMALLEST)


def joined_in_rows(boxes: Iterable[Box]) -> list[Box]:
    """Boxes that continue one another on a row made one: whether two words are one text is told by their gap later.

    The detector itself parts the same line now here, now there, depending on what else is in the picture.
    """
    lines: list[Box] = []
    for box in sorted(boxes):
        index = next((i for i, line in enumerate(lines) if _continues(line, box)), None)
        if index is None:
            lines.append(box)
        else:
            lines[index] = union([lines[index], box])
    return lines


def _continues(line: Box, box: Box) -> bool:
    low, high = sorted((line.h, box.h))
    level = abs(line.center.y - box.center.y) <= 0.25 * low
    return level and low >= 0.6 * high and box.x - line.right <= 0.5 * low


def _grown(x: int, y: int, w: int, h: int, fx: float, fy: float, size: Size) -> Box:
    by = _GROW * w * h / (2 * (w + h))
    left, top = max(0, round((x - by) * fx)), max(0, round((y - by) * fy))
    right, bottom = min(size.width, round((x + w + by) * fx)), min(size.height, round((y + h + by) * fy))
    return Box(left, top, right - left, bottom - top)
