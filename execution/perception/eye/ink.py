"""A crop of a control made ready for the eye: its ink alone, at one size, whatever its ground, frame and colours."""

from __future__ import annotations

import cv2
import numpy as np

SIDE = 64  # pixels of the eye's input
FITTED = 48  # of them for the longer side of the ink
LEAST_SIDE = 5  # pixels: a smaller crop shows nothing
_EVEN = 7.0  # standard deviation of grey levels along a ring that is ground
_DEEPEST = 0.34  # of the shorter side: where a frame is looked through
_LEAST_INK, _INK_SHARE = 14.0, 0.25  # grey levels from the ground; of the strongest ink


def prepared(crop: np.ndarray) -> np.ndarray | None:
    """The ink of a crop (grey or BGR, uint8): float32 of shape (2, SIDE, SIDE), ink from -1 to 1 and its edges, 0 to 1.

    None where nothing is drawn. Light on dark and dark on light come out alike.
    """
    grey = crop if crop.ndim == 2 else cv2.cvtColor(np.ascontiguousarray(crop), cv2.COLOR_BGR2GRAY)
    if min(grey.shape) < LEAST_SIDE:
        return None
    ink = _inside(grey.astype(np.float32))
    if ink is None:
        return None
    high, wide = ink.shape
    scale = FITTED / max(high, wide)
    size = (max(1, round(wide * scale)), max(1, round(high * scale)))
    fitted = cv2.resize(ink, size, interpolation=cv2.INTER_AREA if scale < 1 else cv2.INTER_CUBIC)
    canvas = np.zeros((SIDE, SIDE), np.float32)
    top, left = (SIDE - size[1]) // 2, (SIDE - size[0]) // 2
    canvas[top : top + size[1], left : left + size[0]] = fitted
    canvas /= max(float(np.abs(canvas).max()), 1e-6)
    if float(canvas.sum()) < 0:
        canvas = -canvas
    across, down = cv2.Sobel(canvas, cv2.CV_32F, 1, 0, scale=0.25), cv2.Sobel(canvas, cv2.CV_32F, 0, 1, scale=0.25)
    return np.stack([np.clip(canvas, -1.0, 1.0), np.minimum(cv2.magnitude(across, down), 1.0)])


def _inside(grey: np.ndarray) -> np.ndarray | None:
    """What is drawn within the frame, as the difference from its ground, cut to the ink; None where nothing is."""
    high, wide = grey.shape
    found = None
    for inset in range(int(_DEEPEST * min(high, wide)) + 1):
        part = grey[inset : high - inset, inset : wide - inset]
        if min(part.shape) < 3:
            break
        ring = np.concatenate([part[0], part[-1], part[1:-1, 0], part[1:-1, -1]])
        if float(ring.std()) > _EVEN:
            continue
        ink = part - float(np.median(ring))
        strength = np.abs(ink)
        drawn = strength > max(_LEAST_INK, _INK_SHARE * float(strength.max()))
        rows, columns = np.flatnonzero(drawn.any(axis=1)), np.flatnonzero(drawn.any(axis=0))
        if not len(rows):
            break  # plain ground from here on
        found = ink[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]
        if not _is_framed(drawn[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]):
            break
    if found is None:
        found = grey - float(np.median(grey))
        if float(np.abs(found).max()) < _LEAST_INK:
            return None
    return found


def _is_framed(drawn: np.ndarray) -> bool:
    """True where a line or an area goes all around: a button's frame or ground, not yet what is on it."""
    if min(drawn.shape) < 9:
        return False
    third = max(1, min(drawn.shape) // 8)
    sides = (
        drawn[:third].any(axis=0),
        drawn[-third:].any(axis=0),
        drawn[:, :third].any(axis=1),
        drawn[:, -third:].any(axis=1),
    )
    return all(float(side.mean()) > 0.9 for side in sides)
