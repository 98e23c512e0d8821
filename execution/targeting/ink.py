"""Where something is drawn in a picture of a control, whatever its frame and its ground."""

from __future__ import annotations

import cv2
import numpy as np

from execution.types import Box

_LEAST_SIDE = 6  # pixels
_FRAME = 0.12  # of each side: what all buttons of a program share says nothing
_INK, _FAINT_INK = 24, 8  # grey levels from the ground; of what is faint, less
_INK_SHARE = 0.4  # of the strongest ink


def ink_box(grey: np.ndarray) -> Box:
    """Where something is drawn in a grey picture, its frame and the ground around it left out; all of it if nothing."""
    dy, dx = (max(1, round(_FRAME * side)) if side > 2 * _LEAST_SIDE else 0 for side in grey.shape)
    inner = grey[dy : grey.shape[0] - dy, dx : grey.shape[1] - dx]
    from_ground = cv2.absdiff(inner, np.full_like(inner, _middle_level(inner)))
    drawn = from_ground > max(_FAINT_INK, min(_INK, _INK_SHARE * float(from_ground.max(initial=0))))
    x, y, w, h = cv2.boundingRect(drawn.astype(np.uint8))
    return Box(dx + x, dy + y, w, h) if w and h else Box(dx, dy, inner.shape[1], inner.shape[0])


def _middle_level(grey: np.ndarray) -> int:
    """The median of grey levels, a half left out: there are few levels and many pixels."""
    up_to, last = np.cumsum(np.bincount(grey.ravel(), minlength=256)), grey.size - 1
    return int(np.searchsorted(up_to, (last // 2, last - last // 2), "right").sum()) // 2
