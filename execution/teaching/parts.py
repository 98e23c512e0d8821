"""The words of a line that stand in a box, and those beside it: a reader takes for one line what is several things."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import groupby, pairwise

import numpy as np

from execution.language.joining import part_of
from execution.perception.ocr.base import in_reading_order
from execution.types import Box, Frame, ScreenState, TextLine

_WORD = re.compile(r"\S+")
_MARGIN = 2  # pixels: a reader's box may be so much wider than the ink
_INK = 40  # of 255, from the ground


def text_in(box: Box, state: ScreenState) -> tuple[TextLine, ...]:
    """What is written in the box, in reading order; of a line that goes on outside of it the words inside."""
    found = (part for line in state.texts for part, is_inside in parts_of(line, box, state.frame) if is_inside)
    return in_reading_order(found)


def text_beside(box: Box, state: ScreenState) -> list[TextLine]:
    """What is written outside of the box; of a line that goes through it what is left and what is right of it."""
    return [part for line in state.texts for part, is_inside in parts_of(line, box, state.frame) if not is_inside]


def parts_of(line: TextLine, box: Box, frame: Frame) -> Iterator[tuple[TextLine, bool]]:
    """The line cut at the edges of the box, between words: each part with whether it is inside."""
    level = box.y <= line.box.center.y < box.bottom
    if not level or not line.box.intersection(box).area:
        yield line, False
        return
    if line.box.x >= box.x - _MARGIN and line.box.right <= box.right + _MARGIN:
        yield line, True
        return
    words = [match.span() for match in _WORD.finditer(line.text)]
    places = _places(line, words, frame)
    sides = [(box.contains(place.center), place.center.x < box.x) for place in places]
    for (is_inside, _), run in groupby(range(len(words)), key=sides.__getitem__):
        at = list(run)
        first, last = places[at[0]], places[at[-1]]
        part = line.text[words[at[0]][0] : words[at[-1]][1]]
        yield TextLine(text=part, box=first._replace(w=last.right - first.x), confidence=line.confidence), is_inside


def _places(line: TextLine, words: Sequence[tuple[int, int]], frame: Frame) -> list[Box]:
    """Where each word stands: between the widest gaps of the ink, or by the widths of letters where there are fewer."""
    runs = _inked(line.box, frame)
    gaps = sorted(range(1, len(runs)), key=lambda i: runs[i - 1][1] - runs[i][0])[: len(words) - 1]
    if not runs or len(gaps) < len(words) - 1:
        return [part_of(line.box, span, line.text) for span in words]
    edges = [0, *sorted(gaps), len(runs)]
    parts = [(runs[a][0], runs[b - 1][1]) for a, b in pairwise(edges)]
    return [Box(line.box.x + left, line.box.y, max(1, right - left), line.box.h) for left, right in parts]


def _inked(box: Box, frame: Frame) -> list[tuple[int, int]]:
    """The columns of a line that hold ink, from the left: those that are not of one colour, as ground and frame are."""
    high = Box(box.x, box.y - 1, box.w, box.h + 2).intersection(Box(0, 0, *frame.size))
    columns = np.ptp(frame.crop(high), axis=0).max(axis=1) > _INK
    edges = np.flatnonzero(np.diff(np.concatenate(([0], columns.astype(int), [0]))))
    return [(int(a), int(b)) for a, b in zip(edges[::2], edges[1::2], strict=True)]
