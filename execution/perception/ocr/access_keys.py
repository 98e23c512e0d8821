"""The stroke below a letter that tells its access key, taken away: "File" with its F underlined was read as "Eile"."""

from __future__ import annotations

import cv2
import numpy as np

_FLAT = 0.12  # of the letters' height, but one pixel at least
_NARROWEST = 4  # pixels
_WIDEST = 1.5  # of the letters' height: a link is underlined as a whole
_SOLID = 0.9
_BELOW = 0.3  # of the letters' height, from where they stand to the stroke, but two pixels at least
_UNDER = 0.5  # of the stroke has a letter above it; above an underscore there is none
_LETTER = 5  # pixels, its least height


def without_access_keys(crop: np.ndarray, ground: np.ndarray, ink: int) -> np.ndarray:
    """The crop (BGR) of one text on one `ground` with such strokes painted over; `ink` is how far they are from it."""
    dark = (np.abs(crop.astype(np.int16) - ground.astype(np.int16)).max(axis=2) > ink).astype(np.uint8)
    count, _labels, stats, _centres = cv2.connectedComponentsWithStats(dark, connectivity=8)
    x, y, w, h, area = (stats[1:, i] for i in range(5))
    letters = (h >= _LETTER) & (h < len(crop)) & (w < crop.shape[1])
    if count < 3 or not letters.any():
        return crop
    high = float(np.median(h[letters]))
    stand = float(np.median((y + h)[letters]))
    strokes = (h <= max(1, round(_FLAT * high))) & (w >= _NARROWEST) & (w <= _WIDEST * high) & (area >= _SOLID * w * h)
    strokes &= (y > stand) & (y - stand <= max(2, _BELOW * high))
    found = [i for i in np.flatnonzero(strokes) if _has_letter(dark[: y[i], x[i] : x[i] + w[i]], high)]
    if not found:
        return crop
    cleared = crop.copy()
    for i in found:
        cleared[y[i] : y[i] + h[i], x[i] : x[i] + w[i]] = ground
    return cleared


def _has_letter(above: np.ndarray, high: float) -> bool:
    return float(above[-round(1.2 * high) :].any(axis=0).mean()) >= _UNDER
