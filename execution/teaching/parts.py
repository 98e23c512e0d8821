"""The words of a line that stand in a box, and those beside it: a reader takes for one line what is several things."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from execution.perception.ocr.base import in_reading_order
from execution.perception.scene.lines import spans_of, words_of
from execution.types import Box, Frame, ScreenState, TextLine

_MARGIN = 2  # pixels: a reader's box may be so much wider than the ink


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
    words = words_of(line, frame)
    spans = spans_of(words, line.text)
    sides = [(box.contains(word.box.center), word.box.center.x < box.x) for word in words]
    for (is_inside, _), run in groupby(range(len(words)), key=sides.__getitem__):
        at = list(run)
        first, last = words[at[0]].box, words[at[-1]].box
        part = line.text[spans[at[0]][0] : spans[at[-1]][1]]
        yield TextLine(text=part, box=first._replace(w=last.right - first.x), confidence=line.confidence), is_inside
