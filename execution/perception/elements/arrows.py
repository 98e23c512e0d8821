"""The arrow at the end of a control that opens a list, however close its value comes to it."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np

from execution.types import Box

_NARROWEST = 5  # pixels
_FLAT = 1.2  # width by height: letters that come to a point are higher


def ends_in_arrow(pixels: np.ndarray, inner: Box, fill: np.ndarray, lines: Sequence[Box]) -> bool:
    """Whether the last thing in a control of that `inner` box comes to a point below its middle, and is not of a line.

    `pixels` is BGR; `lines` are where its texts are read.
    """
    end = Box(max(inner.x, inner.right - inner.h), inner.y, min(inner.w, inner.h), inner.h)
    apart = np.abs(pixels[end.y : end.bottom, end.x : end.right].astype(np.int16) - fill).max(axis=2)
    ink = (2 * apart > apart.max(initial=0)).astype(np.uint8)
    _count, labels, stats, _ = cv2.connectedComponentsWithStats(ink, connectivity=8)
    wide = [
        n for n in range(1, len(stats)) if stats[n][cv2.CC_STAT_WIDTH] >= _NARROWEST
    ]  # but for the corners of a ring
    if not wide:
        return False
    last = max(wide, key=lambda n: int(stats[n][cv2.CC_STAT_LEFT] + stats[n][cv2.CC_STAT_WIDTH]))
    x, y, w, h = (int(v) for v in stats[last][:4])
    if y <= 0 or y + h >= end.h or abs(2 * y + h - end.h) > end.h / 3 or w < _FLAT * h or 2 * w > end.h:
        return False
    middle = Box(end.x + x, end.y + y, w, h).center
    return not any(line.contains(middle) for line in lines) and _points_down(labels[y : y + h, x : x + w] == last)


def _points_down(mask: np.ndarray) -> bool:
    """Whether it is narrower in each row than in the one above, from all of its width to its middle."""
    across = np.arange(mask.shape[1]) - (mask.shape[1] - 1) / 2
    reach = np.array([np.abs(across[row]).max(initial=0.0) for row in mask])
    lean = np.array([across[row].mean() for row in mask])
    is_even = bool((np.abs(lean) <= 1).all())
    return is_even and bool((np.diff(reach) <= 0).all()) and reach[-1] <= reach[0] / 2
