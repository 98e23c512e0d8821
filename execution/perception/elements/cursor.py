"""The text cursor in a field: what shows beyond doubt that the field has the focus.

A ring or a border of another colour does not: a required field, a wrong value, a frame around a group look the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import cv2
import numpy as np

from execution.types import Box, TextLine

_WIDEST, _LOWEST, _HIGHEST = 3, 9, 60  # pixels: 1 or 2 wide at 100 %, as high as its line
_STANDS_OUT = 60  # levels between it and the ground
_AFTER_TEXT = 0.5  # of its height: it stands no farther behind the last letter
_AT_START = 1.2  # of its height: in an empty field it stands no farther from the left
_TOUCHED = 0.25  # of its height: a letter that ends right beside it touches it in a few rows
_LIKE_IT = ("|", "¦", "[", "]")
_STROKES = frozenset("1IlitfrjJTLF!")  # what is written with one stem, alone in a field
FAINT = 3  # levels: a border of a theme has more
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


def without_parting(pixels: np.ndarray, texts: Sequence[TextLine]) -> np.ndarray:
    """The picture without the text cursors that reach from border to border, behind what is written: a field with one
    would be two, the first of them a button.

    What goes on beyond the border is a line of a table, and what has something close behind it parts a control.
    """
    bars = [bar for line in texts for bar in _parting(pixels, line)]
    if not bars:
        return pixels
    painted = pixels.copy()
    for bar in bars:
        painted[bar.y : bar.bottom, bar.x : bar.right] = pixels[bar.center.y, bar.right]
    return painted


def _parting(pixels: np.ndarray, line: TextLine) -> Iterator[Box]:
    box, high = line.box, line.box.h
    left, right = max(1, box.x + high // 4, box.right - high), min(pixels.shape[1] - 1, box.right + 2 * high)
    upper, lower = max(0, box.y + high // 4), min(len(pixels), box.bottom - high // 4)
    if lower - upper < _LOWEST // 2 or right - left < high or line.text.rstrip().endswith(_LIKE_IT):
        return
    strip = pixels[upper:lower, left:right].astype(np.int16)
    ground = np.median(strip.reshape(-1, 3), axis=0)
    inked = np.abs(strip - ground).max(axis=2) > _STANDS_OUT
    solid, drawn = inked.all(axis=0), np.flatnonzero(inked.any(axis=0))
    if not len(drawn) or not solid[drawn[-1]]:
        return
    first = last = int(drawn[-1])
    alike = np.abs(strip - strip[:, last : last + 1]).max(axis=(0, 2)) <= FAINT  # the side of a digit beside it is not
    while first > 0 and alike[first - 1]:
        first -= 1
    if not first or last - first >= _WIDEST or left + first > box.right + _AFTER_TEXT * high:
        return
    bar = _between_borders(pixels, Box(left + first, (upper + lower) // 2, last + 1 - first, 1), ground)
    if bar is not None and bar.h >= high // 2 and not _reaches(pixels, box, bar, ground):
        yield bar


def _reaches(pixels: np.ndarray, line: Box, bar: Box, ground: np.ndarray) -> bool:
    """Whether what is written right before a bar is as high as it: then it may be the stem of a letter."""
    left = max(line.x + line.h // 4, bar.x - bar.h)
    if left >= bar.x:
        return True
    before = np.abs(pixels[bar.y : bar.bottom, left : bar.x].astype(np.int16) - ground).max(axis=2) > _STANDS_OUT
    return bool(before[0].any() and before[-1].any())


def _between_borders(pixels: np.ndarray, seed: Box, ground: np.ndarray) -> Box | None:
    """All of the bar of which one row is known; None where no border is right above and below, or it goes on."""
    x, w = seed.x, seed.w
    top, end = max(0, seed.y - _HIGHEST), min(len(pixels), seed.y + _HIGHEST)
    off = np.abs(pixels[top:end, x - 1 : x + w + 1].astype(np.int16) - ground).max(axis=2) > FAINT
    here, on_bar = seed.y - top, off[:, 1:-1].all(axis=1) & ~off[:, -1]  # a letter may reach to its left side
    up, down = here + 1 - _unbroken(on_bar[here::-1]), here + _unbroken(on_bar[here:])
    for outward in (off[:up][::-1], off[down:]):
        border = next((row for row in range(min(_WIDEST, len(outward))) if outward[row].all()), None)
        if border is None:
            return None
        beyond = outward[border + _WIDEST :][:_WIDEST]
        if len(beyond) and (beyond[:, 1:-1].all(axis=1) & ~beyond[:, -1]).all():
            return None
    return Box(x, top + up, w, down - up) if _LOWEST <= down - up < _HIGHEST else None


def _unbroken(marked: np.ndarray) -> int:
    """How many are marked before the first that is not."""
    return len(marked) if marked.all() else int(np.argmin(marked))


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
