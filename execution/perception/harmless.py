"""Whether what changed on a screen matters: a blinking text cursor, a clock and masked regions do not (S2.6)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from execution.perception.changes import Changes
from execution.perception.clocks import read_clock
from execution.perception.ocr.caret import EVEN, SHORTEST, STANDS_OUT, without_caret
from execution.types import Box, Size, TextLine

CARET, CLOCK, MASK = "caret", "clock", "mask"
_CARET = Size(3, 64)
_MOST_REGIONS = 8
_BESIDE = 8  # heights of the bar to its left and right: the letters that it is compared with

# What tells a cursor from a typed "|", measured on 360 fonts at 9 to 24 px: two cursors in three are known, behind more
# than a short word nearly all; of 2000 typed bars one is taken for a cursor, as it is by the reader.
_BORDER = 0.92  # of the rows; another cursor takes 0.9 of them
_ABOVE = 2  # pixels past the highest letter; a "|" and a tall letter end on the same row, or nearly
_FAINTER = 16  # levels than the letters' strongest ink; thin letters are smoothed, a cursor is drawn solid
_TWO_WIDE = 26  # pixels high from which a cursor may be two pixels wide: at 200 %


@dataclass(frozen=True, slots=True, kw_only=True)
class Harmless:
    """Why the changes do not matter, the weightiest reason; `clocks` are the lines that have to be read again.

    `masked`: something in a masked region differs, which what is known of the screen does not tell.
    """

    reason: str
    clocks: tuple[TextLine, ...] = ()
    masked: bool = False


def judge(
    before: np.ndarray, after: np.ndarray, changes: Changes, lines: Sequence[TextLine], masks: Sequence[Box]
) -> Harmless | None:
    """The verdict on two pictures of one size that differ by `changes`; None where a change matters, or may.

    `lines` are what was read on the first one.
    """
    masked = any(changes.touches(mask) for mask in masks)
    rest = changes.outside(masks).regions if masked else changes.regions
    if len(rest) > _MOST_REGIONS:
        return None
    clocks: dict[TextLine, None] = {}
    caret = False
    for region in rest:
        if clock := next((line for line in lines if _holds(line, region) and read_clock(line.text)), None):
            clocks[clock] = None
        elif is_caret(before, after, region):
            caret = True
        else:
            return None
    return Harmless(reason=CLOCK if clocks else CARET if caret else MASK, clocks=tuple(clocks), masked=masked)


def _holds(line: TextLine, region: Box) -> bool:
    by = max(3, line.box.h // 3)
    around = Box(line.box.x - by, line.box.y - by, line.box.w + 2 * by, line.box.h + 2 * by)
    return region.intersection(around) == region


def is_caret(before: np.ndarray, after: np.ndarray, region: Box) -> bool:
    """Whether a text cursor has appeared in `region`, or gone: no letter, as its height beside the letters says.

    A bar that stands alone may be a typed "l" and is none. Nor is one that touches a letter: whoever reads the line
    cannot tell it from the letter, and reads another line than without it.
    """
    if region.w > _CARET.width or not SHORTEST <= region.h <= _CARET.height:
        return False
    if region.w > 1 and region.h < _TWO_WIDE:
        return False
    if _is_drawn(before, after, region):
        clean, drawn = before, after
    elif _is_drawn(after, before, region):
        clean, drawn = after, before
    else:
        return False
    line = _line_around(clean, region, int(np.median(_levels(clean, region))))
    bare, had = (p[line.y : line.bottom, line.x : line.right] for p in (clean, drawn))
    across = slice(region.x - line.x, region.right - line.x)
    return np.array_equal(without_caret(had)[:, across], bare[:, across])


def _is_drawn(clean: np.ndarray, drawn: np.ndarray, region: Box) -> bool:
    """Whether `drawn` has a cursor in `region`, beside the letters of `clean`."""
    ground = int(np.median(_levels(clean, region)))
    line = _line_around(clean, region, ground)
    others = without_caret(clean[line.y : line.bottom, line.x : line.right])  # the cursor may have been elsewhere
    ink = np.abs(_levels(others, Box(0, 0, line.w, line.h)) - ground)
    letters = ink > STANDS_OUT
    letters[letters.mean(axis=1) > _BORDER] = False  # the frame of a field
    rows, columns = np.flatnonzero(letters.any(axis=1)), np.count_nonzero(letters.any(axis=0))
    if columns < region.h or region.y - line.y > int(rows[0]) - _ABOVE or region.bottom - line.y - 1 <= int(rows[-1]):
        return False
    bar = np.abs(_levels(drawn, region) - ground)
    return int(np.ptp(bar)) <= EVEN and int(bar.min()) >= int(ink[letters].max()) - _FAINTER


def _line_around(picture: np.ndarray, region: Box, ground: int) -> Box:
    """The region with its neighbours on the line, up to the frame of the field, or the window, that they are in."""
    reach = _BESIDE * region.h
    whole = Box(0, 0, picture.shape[1], picture.shape[0])
    around = Box(region.x - reach, region.y - 1, region.w + 2 * reach, region.h + 2).intersection(whole)
    ink = np.abs(_levels(picture, around) - ground) > STANDS_OUT
    borders = np.flatnonzero(ink.mean(axis=0) > _BORDER) + around.x
    left = max((int(x) + 1 for x in borders if x < region.x), default=around.x)
    right = min((int(x) for x in borders if x >= region.right), default=around.right)
    return Box(left, around.y, right - left, around.h)


def _levels(picture: np.ndarray, box: Box) -> np.ndarray:
    return np.asarray(picture[box.y : box.bottom, box.x : box.right].max(axis=2).astype(np.int16))
