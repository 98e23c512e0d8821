"""The text cursor in a field: what shows beyond doubt that the field has the focus.

A ring or a border of another colour does not: a required field, a wrong value, a frame around a group look the same.
"""

from __future__ import annotations

import cv2
import numpy as np

from execution.types import Box

_WIDEST, _LOWEST, _HIGHEST = 3, 9, 60  # pixels: 1 or 2 wide at 100 %, as high as its line
_STANDS_OUT = 60  # levels between it and the ground
_AFTER_TEXT = 0.5  # of its height: it stands no farther behind the last letter
_AT_START = 1.2  # of its height: in an empty field it stands no farther from the left
_TOUCHED = 0.25  # of its height: a letter that ends right beside it touches it in a few rows
_LIKE_IT = ("|", "¦", "[", "]")
_STROKES = frozenset("1IlitfrjJTLF!")  # what is written with one stem, alone in a field
_MOST = 400  # strokes of one field
_SIDE = 8  # of its height: letters so near are compared with it


def has_cursor(pixels: np.ndarray, inner: Box, *, text: str) -> bool:
    """Whether a text cursor stands in the field with that `inner` box, at the end of its text or where one begins.

    It is higher than the letters beside it at both ends. `text` is what was read in the field: where that is anything,
    a bar alone is a letter.
    """
    crop = pixels[max(0, inner.y) : inner.bottom, max(0, inner.x) : inner.right]
    if crop.shape[0] < _LOWEST or crop.shape[1] < _LOWEST or text.rstrip().endswith(_LIKE_IT):
        return False
    if text.strip() in _STROKES:
        return False  # its stem is the bar
    ground = np.median(crop[::3, ::3].reshape(-1, 3), axis=0)
    ink = (np.abs(crop.astype(np.int16) - ground.astype(np.int16)).max(axis=2) > _STANDS_OUT).astype(np.uint8)
    strokes = cv2.morphologyEx(ink, cv2.MORPH_OPEN, np.ones((_LOWEST, 1), np.uint8))
    count, _, stats, _ = cv2.connectedComponentsWithStats(strokes, connectivity=8)
    bars = [Box(*(int(v) for v in row[:4])) for row in stats[1 : min(count, _MOST)] if row[4] == row[2] * row[3]]
    found = [b for b in bars if b.w <= _WIDEST and b.h <= _HIGHEST and _is_cursor(b, ink > 0, read=bool(text.strip()))]
    return len(found) == 1


def _is_cursor(bar: Box, ink: np.ndarray, *, read: bool) -> bool:
    if bar.y < 1 or bar.bottom > len(ink) - 1:
        return False  # a line from border to border parts the field
    level = ink[bar.y : bar.bottom]
    left, right = level[:, max(0, bar.x - _SIDE * bar.h) : bar.x], level[:, bar.right : bar.right + _SIDE * bar.h]
    if any(side.size and side.mean() > _TOUCHED for side in (left[:, -1:], right[:, :1])):
        return False  # the stem of a letter
    if not left.any() and not right.any():
        return not read and bar.x <= _AT_START * bar.h
    beside = level[:, max(0, bar.x - bar.h) : bar.right + bar.h]
    below = np.delete(beside[-1], range(min(bar.x, bar.h), min(bar.x, bar.h) + bar.w))
    if left[0].any() or right[0].any() or below.any():  # letters farther away may reach below the line
        return False
    if left.any():
        last = int(np.flatnonzero(left.any(axis=0))[-1])
        return not right.any() and left.shape[1] - 1 - last <= _AFTER_TEXT * bar.h
    return bar.x <= _AT_START * bar.h
