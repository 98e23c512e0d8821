"""The captions of radio buttons that the reader joined to one line, each with its mark.

Where a caption begins is told by the marks, which are drawn alike and level, and by how wide it is written: words go
with the mark before them only where no other division of the line comes near to what is drawn.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations, pairwise

import numpy as np

from execution.types import Box, ElementRole, ScreenState, TextLine

_SIGNS = frozenset("Oo0○◯●◉©®@Q")  # as which readers take a mark
_MOST_WORDS, _MOST_MARKS = 16, 6
_FITS, _BETTER = 0.25, 2.0  # of the width of a caption; by how much the next best division must be worse
_REACH = 2.4  # heights of a line: how far left of it its first mark begins
_INK = 40  # levels


def captions_in(line: TextLine, state: ScreenState) -> list[tuple[Box, str]]:
    """Mark and caption of each radio button of the line, from left to right; nothing where that cannot be told."""
    marks = _marks_of(line, state)
    if not 2 <= len(marks) <= _MOST_MARKS:
        return []
    read = line.text.split()
    signs = sum(word in _SIGNS for word in read)
    words = [word for word in read if word not in _SIGNS] if signs in (len(marks) - 1, len(marks)) else read
    widths = [_inked(line, left, right, state) for left, right in _between(marks, line)]
    if not len(marks) <= len(words) <= _MOST_WORDS or not all(widths):
        return []
    ranked = sorted((_misfit(groups, widths), groups) for groups in _divisions(words, len(marks)))
    best, groups = ranked[0]
    if best > _FITS or (len(ranked) > 1 and ranked[1][0] < _BETTER * best + _FITS / 2):
        return []
    return [(mark, " ".join(group)) for mark, group in zip(marks, groups, strict=True)]


def _marks_of(line: TextLine, state: ScreenState) -> list[Box]:
    """The radio buttons in the row of a line, from left to right."""
    row = Box(line.box.x - round(_REACH * line.box.h), line.box.y - 2, 0, line.box.h + 4)
    row = Box(row.x, row.y, line.box.right - row.x, row.h)
    return sorted(e.box for e in state.elements if e.role is ElementRole.RADIO and row.contains(e.box.center))


def _between(marks: Sequence[Box], line: TextLine) -> Iterator[tuple[int, int]]:
    for mark, following in zip(marks, [*(m.x for m in marks[1:]), line.box.right], strict=True):
        yield mark.right, following


def _inked(line: TextLine, left: int, right: int, state: ScreenState) -> int:
    """How wide the letters between two marks are written."""
    if right - left < 2:
        return 0
    part = state.frame.crop(Box(left + 1, line.box.y, right - left - 2, line.box.h)).astype(np.int16)
    ground = np.median(part.reshape(-1, 3), axis=0)
    inked = np.flatnonzero((np.abs(part - ground).max(axis=2) > _INK).any(axis=0))
    return int(inked[-1] - inked[0] + 1) if inked.size else 0


def _divisions(words: Sequence[str], count: int) -> Iterator[tuple[tuple[str, ...], ...]]:
    """Every way to divide the words into so many captions that follow one another."""
    for cuts in combinations(range(1, len(words)), count - 1):
        edges = (0, *cuts, len(words))
        yield tuple(tuple(words[a:b]) for a, b in pairwise(edges))


def _misfit(groups: Sequence[Sequence[str]], widths: Sequence[int]) -> float:
    """How far the widest mistake is off, as a share of its caption, where all letters are about as wide."""
    letters = [len(" ".join(group)) for group in groups]
    each = sum(widths) / sum(letters)
    return max(
        abs(width - each * count) / max(width, each * count) for width, count in zip(widths, letters, strict=True)
    )
