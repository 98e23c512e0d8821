"""The arrow at the end of a control that opens a list, however close its value comes to it."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np

from execution.types import Box

_NARROWEST = 5  # pixels
_FLAT = 1.2  # width by height: letters that come to a point are higher


def arrow_at_end(pixels: np.ndarray, inner: Box, fill: np.ndarray, lines: Sequence[Box] = ()) -> Box | None:
    """Where the last thing in a control of that `inner` box is, if it comes to a point below its middle and is not of a
    line; `pixels` is BGR, `lines` are where its texts are read."""
    end = Box(max(inner.x, inner.right - inner.h), inner.y, min(inner.w, inner.h), inner.h)
    apart = np.abs(pixels[end.y : end.bottom, end.x : end.right].astype(np.int16) - fill).max(axis=2)
    ink = (2 * apart > apart.max(initial=0)).astype(np.uint8)
    _count, labels, stats, _ = cv2.connectedComponentsWithStats(ink, connectivity=8)
    # not the corners that a ring leaves of itself
    wide = [n for n in range(1, len(stats)) if stats[n][cv2.CC_STAT_WIDTH] >= _NARROWEST]
    if not wide:
        return None
    last = max(wide, key=lambda n: int(stats[n][cv2.CC_STAT_LEFT] + stats[n][cv2.CC_STAT_WIDTH]))
    x, y, w, h = (int(v) for v in stats[last][:4])
    if y <= 0 or y + h >= end.h or abs(2 * y + h - end.h) > end.h / 3 or w < _FLAT * h or 2 * w > end.h:
        return None
    found = Box(end.x + x, end.y + y, w, h)
    of_a_line = any(line.contains(found.center) for line in lines)
    return found if not of_a_line and _points_down(labels[y : y + h, x : x + w] == last) else None


def _points_down(mask: np.ndarray) -> bool:
    """Whether it is never wider than in the row above, from all of its width to its middle."""
    across = np.arange(mask.shape[1]) - (mask.shape[1] - 1) / 2
    reach = np.array([np.abs(across[row]).max(initial=0.0) for row in mask])
    lean = np.array([across[row].mean() for row in mask])
    top = int(reach.argmax())  # the ends of a stroke are round
    narrows = bool((np.diff(reach[top:]) <= 0).all()) and reach[-1] <= reach[top] / 2
    return top <= 1 and narrows and bool((np.abs(lean) <= 1).all())
