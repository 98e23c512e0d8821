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

# What tells a cursor from a typed "|", measured on 360 fonts at 9 to 24 px: of 27 000 typed bars none is
# taken for a cursor, and two cursors in three are known, behind more than a short word nearly all.
_BORDER = 0.92  # of the rows; another cursor takes 0.9 of them
_ABOVE = 2  # pixels past the highest letter; a "|" and a tall letter end on the same row, or nearly
_FAINTER = 5  # levels than the letters' strongest ink; thin letters are smoothed, a cursor is drawn solid
_TWO_WIDE = 26  # pixels high from which a cursor may be two pixels wide: at 200 %


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """Why the changes do not matter, the weightiest reason; `clocks` are the lines that have to be read again.

    `masked`: something in a masked region differs, which what is known of the screen does not tell.
    """

    reason: str
    clocks: tuple[TextLine, ...] = ()
    masked: bool = False


def judge(
    before: np.ndarray, after: np.ndarray, changes: Changes, lines: Sequence[TextLine], masks: Sequence[Box]
) -> Verdict | None:
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
    return Verdict(reason=CLOCK if clocks else CARET if caret else MASK, clocks=tuple(clocks), masked=masked)


def _holds(line: TextLine, region: Box) -> bool:
    by = max(3, line.box.h // 3)
    around = Box(line.box.x - by, line.box.y - by, line.box.w + 2 * by, line.box.h + 2 * by)
    return region.intersection(around) == region


def is_caret(before: np.ndarray, after: np.ndarray, region: Box) -> bool:
    """Whether a text cursor has appeared in `region`, or gone: no letter, as its height beside the letters says.

    A bar that stands alone may be a typed "l" and is none. One that goes, and touches a letter, may have been read with
    it: what is known of the line is not to be trusted then.
    """
    if region.w > _CARET.width or not SHORTEST <= region.h <= _CARET.height:
        return False
    if region.w > 1 and region.h < _TWO_WIDE:
        return False
    across = _between_borders(before, region)
    one, other = (p[across.y : across.bottom, across.x : across.right] for p in (before, after))
    bar = (
        slice(region.y - across.y, region.bottom - across.y),
        slice(region.x - across.x, region.right - across.x),
    )
    appears = int(_strength(other)[bar].max()) > int(_strength(one)[bar].max())
    clean, drawn = (one, other) if appears else (other, one)
    if not appears and not np.array_equal(without_caret(drawn)[bar], clean[bar]):
        return False
    return _is_bar(drawn[bar], _strength(drawn)[bar], clean, top=bar[0].start, bottom=bar[0].stop)


def _is_bar(pixels: np.ndarray, strength: np.ndarray, clean: np.ndarray, *, top: int, bottom: int) -> bool:
    """Whether pixels that were drawn over `clean`, from row `top` to `bottom`, are a cursor beside its letters."""
    ink = _strength(without_caret(clean))
    letters = ink > STANDS_OUT
    letters[letters.mean(axis=1) > 0.9] = False  # the frame of a field
    rows, columns = np.flatnonzero(letters.any(axis=1)), np.count_nonzero(letters.any(axis=0))
    if columns < bottom - top or top > int(rows[0]) - _ABOVE or bottom - 1 <= int(rows[-1]):
        return False
    solid = int(np.ptp(pixels.max(axis=2))) <= EVEN
    return solid and int(strength.min()) >= int(ink[letters].max()) - _FAINTER


def _between_borders(picture: np.ndarray, region: Box) -> Box:
    """The region with its neighbours on the line, up to the frame of the field, or the window, that they are in."""
    reach = _BESIDE * region.h
    whole = Box(0, 0, picture.shape[1], picture.shape[0])
    around = Box(region.x - reach, region.y - 1, region.w + 2 * reach, region.h + 2).intersection(whole)
    part = picture[around.y : around.bottom, around.x : around.right].max(axis=2).astype(np.int16)
    beside = part[:, max(0, region.x - around.x - 2 * region.h) : region.right - around.x + 2 * region.h]
    ink = np.abs(part - int(np.median(beside))) > STANDS_OUT
    borders = np.flatnonzero(ink.mean(axis=0) > _BORDER) + around.x
    left = max((int(x) + 1 for x in borders if x < region.x), default=around.x)
    right = min((int(x) for x in borders if x >= region.right), default=around.right)
    return Box(left, around.y, right - left, around.h)


def _strength(picture: np.ndarray) -> np.ndarray:
    """How far each pixel is from the ground of the picture, 0 to 255."""
    grey = picture.max(axis=2).astype(np.int16)
    return np.asarray(np.abs(grey - int(np.median(grey))))
