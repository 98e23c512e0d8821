"""What stands in cells of their own: a reader takes a row of a table for one line where its cells stand close."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from execution.lately import Lately
from execution.perception.scene.lines import spans_of, words_of
from execution.perception.scene.thing import PlacedWord
from execution.types import Box, ScreenState, TextLine

GAP = 0.6  # line heights: no blank between words is wider
_ALIGNED = 3  # pixels
_NEAR = 3.0  # line heights to the rows above and below


def in_cells(state: ScreenState) -> ScreenState:
    """The state with its lines cut where another cell begins: behind a gap, or where one begins in the next rows."""
    return _lately.of(state, make=lambda: _in_cells(state))


def _in_cells(state: ScreenState) -> ScreenState:
    read = [(line, words_of(line, state.frame)) for line in state.texts]
    starts = [word.box for line, words in read for word in _behind_gaps(words, line.box.h)]
    starts += [words[0].box for line, words in read if words and any(_is_left_of(o.box, line.box) for o, _w in read)]
    fresh = starts
    while fresh := [box for line, words in read for box in _next_in_column(line, words, fresh) if box not in starts]:
        starts += fresh
    return replace(state, texts=tuple(cell for line, words in read for cell in _cut(line, words, starts)))


def _is_left_of(one: Box, other: Box) -> bool:
    return one.right <= other.x and abs(one.center.y - other.center.y) < 0.5 * min(one.h, other.h)


def _behind_gaps(words: Sequence[PlacedWord], height: int) -> Iterator[PlacedWord]:
    return (after for before, after in pairwise(words) if after.box.x - before.box.right > GAP * height)


def _next_in_column(line: TextLine, words: Sequence[PlacedWord], starts: Sequence[Box]) -> Iterator[Box]:
    """The cell that begins where one does in the next rows, behind the widest blank of its line: from row to row."""
    blanks = [after.box.x - before.box.right for before, after in pairwise(words)]
    for word, blank in zip(words[1:], blanks, strict=True):
        if blank == max(blanks) and any(_begins_at(word.box, box, line.box.h) for box in starts):
            yield word.box


def _begins_at(word: Box, start: Box, height: int) -> bool:
    return abs(word.x - start.x) <= _ALIGNED and abs(word.center.y - start.center.y) <= _NEAR * height


def _cut(line: TextLine, words: Sequence[PlacedWord], starts: Sequence[Box]) -> Iterator[TextLine]:
    height = line.box.h
    behind = set(map(id, _behind_gaps(words, height)))
    cuts = [
        n
        for n, word in enumerate(words)
        if n and (id(word) in behind or any(_begins_at(word.box, box, height) for box in starts))
    ]
    if not cuts:
        yield line
        return
    spans = spans_of(words, line.text)
    for first, last in pairwise([0, *cuts, len(words)]):
        box = words[first].box._replace(w=words[last - 1].box.right - words[first].box.x)
        beside = ("" if first else line.beside[0], line.beside[1] if last == len(words) else "")
        text = line.text[spans[first][0] : spans[last - 1][1]]
        yield TextLine(text=text, box=box, confidence=line.confidence, beside=beside)


_lately = Lately[ScreenState](2)  # each holds its picture
