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
    return replace(state, texts=tuple(cell for line, words in read for cell in _cut(line, words, starts)))


def _is_left_of(one: Box, other: Box) -> bool:
    return one.right <= other.x and abs(one.center.y - other.center.y) < 0.5 * min(one.h, other.h)


def _behind_gaps(words: Sequence[PlacedWord], height: int) -> Iterator[PlacedWord]:
    return (after for before, after in pairwise(words) if after.box.x - before.box.right > GAP * height)


def _cut(line: TextLine, words: Sequence[PlacedWord], starts: Sequence[Box]) -> Iterator[TextLine]:
    height = line.box.h
    columns = [box.x for box in starts if abs(box.center.y - line.box.center.y) <= _NEAR * height]
    behind = set(map(id, _behind_gaps(words, height)))
    cuts = [
        n
        for n, word in enumerate(words)
        if n and (id(word) in behind or any(abs(word.box.x - x) <= _ALIGNED for x in columns))
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
