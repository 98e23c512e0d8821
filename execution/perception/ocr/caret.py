"""The text cursor is no letter: a bar next to a word would be read as "l" or "|".

A letter stands on the line's baseline or reaches its top; a cursor reaches past the other letters at both ends.
"""

from __future__ import annotations

import numpy as np

from execution.perception.ocr.segments import long_strokes

WIDEST = 2  # pixels; GTK and Qt draw 1, at 200 % scale 2
SHORTEST = 8
STANDS_OUT = 60  # grey levels between the bar and the ground
EVEN = 24  # grey levels within the bar
NEAR = 3  # lengths of the bar to its left and right: the letters that it is compared with
MOST = 6  # bars of one line that are looked at
CLEARLY_PAST = 2  # pixels past the other letters, above and below: then it may touch one
CORNER = 6  # pixels beside a bar: so far from it a rounded frame has its top and bottom
BESIDE = 0.15  # of the bar's length may have ink beside it: a letter that touches it


def without_caret(crop: np.ndarray) -> np.ndarray:
    """The line's pixels (BGR) with cursors, and borders like them, painted over by the ground."""
    grey = crop.max(axis=2).astype(np.int16)
    ground = int(np.median(grey))
    ink = np.abs(grey - ground) > STANDS_OUT
    level = long_strokes(ink)  # of the frame of the field that it stands in, which its line may be found with
    ink &= ~level
    cleaned = crop
    for first, last in _thin_bars(ink):
        top, bottom = _run(ink[:, first : last + 1].all(axis=1))
        if bottom - top < SHORTEST or np.ptp(grey[top:bottom, first : last + 1]) > EVEN:
            continue
        if level[:, max(0, first - CORNER) : first].any() != level[:, last + 1 : last + 1 + CORNER].any():
            continue  # the side of a frame, whose top and bottom are at one side of it
        reach = NEAR * (bottom - top)
        sides = ink[:, max(0, first - reach) : first], ink[:, last + 1 : last + 1 + reach]
        left, right = (_letters(part, top, bottom) for part in sides)
        if bottom - top == len(crop) and left.any() and right.any():
            continue  # a border between two texts, which keeps them apart
        letters = np.hstack((left, right))
        rows = _own_rows(np.asarray(letters.any(axis=1)), top, bottom)
        is_past = bool(rows.size) and top < rows[0] and bottom - 1 > rows[-1]
        is_level = bool(rows.size) and bottom - 1 == rows[-1] and _ends_with_descenders(letters, rows, top, bottom)
        if rows.size and not (is_past or is_level):
            continue
        if not rows.size and any(part[top:bottom].any() for part in sides):
            continue  # in an empty field nobody knows whether it is a letter
        past = min(rows[0] - top, bottom - 1 - rows[-1]) if rows.size else 0
        if past < CLEARLY_PAST and not _alone(ink, first, last, top, bottom):
            continue
        if cleaned is crop:
            cleaned = crop.copy()
        beside = np.s_[top:bottom, max(0, first - 1) : last + 2]
        bar = np.s_[max(0, top - 1) : bottom + 1, first : last + 1]  # faint at its ends
        cleaned[bar][~level[bar]] = np.median(crop[beside][~ink[beside]], axis=0).astype(crop.dtype)
        ink[:, first : last + 1] = False
    return cleaned


def _letters(ink: np.ndarray, top: int, bottom: int) -> np.ndarray:
    """The ink without borders, which go from top to bottom, or beyond a bar at both its ends as the side of a frame."""
    longer = ink[max(0, top - 1) : bottom + 1].all(axis=0) if top > 0 and bottom < len(ink) else ink.all(axis=0)
    return ink[:, ~(ink.all(axis=0) | longer)]


def _own_rows(inked: np.ndarray, top: int, bottom: int) -> np.ndarray:
    """The rows with letters of the bar's own line: what reaches in from the lines above and below is none of them."""
    rows = np.flatnonzero(inked)
    if not rows.size:
        return rows
    groups = np.split(rows, np.flatnonzero(np.diff(rows) > 1) + 1)
    above = [g for g in groups if g[0] == 0 and g[-1] < top]
    below = [g for g in groups if g[-1] == len(inked) - 1 and g[0] >= bottom]
    others = [g for g in groups if not any(g is other for other in (*above, *below))]
    return np.concatenate(others) if others else rows[:0]


def _ends_with_descenders(letters: np.ndarray, rows: np.ndarray, top: int, bottom: int) -> bool:
    """Whether a bar that ends where a "p" does reaches clearly past the top of all letters, and past the line that most
    of them stand on: no letter does both."""
    inked = letters[rows[0] : rows[-1] + 1]
    inked = inked[:, inked.any(axis=0)]
    stands = rows[-1] - np.median(np.argmax(inked[::-1], axis=0))
    return bool(rows[0] - top >= CLEARLY_PAST and bottom - 1 - stands >= CLEARLY_PAST)


def _thin_bars(ink: np.ndarray) -> list[tuple[int, int]]:
    """Groups of at most WIDEST columns with a long run of ink, the longest first."""
    lengths = _longest_runs(ink)
    found = np.flatnonzero(lengths >= SHORTEST)
    if not found.size:
        return []
    groups = [(int(g[0]), int(g[-1])) for g in np.split(found, np.flatnonzero(np.diff(found) > 1) + 1)]
    thin = [g for g in groups if g[1] - g[0] < WIDEST]
    return sorted(thin, key=lambda g: -int(lengths[g[0]]))[:MOST]


def _longest_runs(ink: np.ndarray) -> np.ndarray:
    """For each column, the length of its longest unbroken run of ink."""
    run = np.zeros(ink.shape[1], np.int32)
    longest = run.copy()
    for row in ink:
        run = np.where(row, run + 1, 0)
        np.maximum(longest, run, out=longest)
    return longest


def _run(column: np.ndarray) -> tuple[int, int]:
    """The longest unbroken run of a column: its first row and the row after its last."""
    edges = np.flatnonzero(np.diff(np.concatenate(([0], column.astype(np.int8), [0]))))
    starts, ends = edges[::2], edges[1::2]
    longest = int(np.argmax(ends - starts)) if starts.size else 0
    return (int(starts[longest]), int(ends[longest])) if starts.size else (0, 0)


def _alone(ink: np.ndarray, first: int, last: int, top: int, bottom: int) -> bool:
    beside = [x for x in (first - 1, last + 1) if 0 <= x < ink.shape[1]]
    return all(ink[top:bottom, x].mean() <= BESIDE for x in beside)
