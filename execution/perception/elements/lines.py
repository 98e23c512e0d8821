"""Lines of text without the small picture that a reader took for their beginning."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from execution.perception.elements.layout import union
from execution.types import Box, TextLine

_WORD_GAP = 0.24  # of a line's height: words stand further apart
_PICTURE_GAP = 0.16  # the same for a picture and the word after it
_NARROWEST, _WIDEST = 0.5, 1.75  # of a line's height: the width of such a picture
_TAKEN_FOR = frozenset("QO0oD©®@□☐CGBE&%#=+-–—xX×vV^>»<›‹≡…*•°iIl1!?:|/\\~()[]{}日口田回凸品自目☆★●○◎")


_LETTER_GAP, _PIECE_GAP = 0.5, 0.3  # of a line's height: between letters read one by one, between parts of a word


def joined(texts: Sequence[TextLine]) -> list[TextLine]:
    """The lines, those put together that a reader has cut within a word."""
    whole: list[TextLine] = []
    for line in sorted(texts, key=lambda t: t.box.x):
        place = next((i for i in range(len(whole) - 1, -1, -1) if _continues(whole[i], line)), None)
        if place is None:
            whole.append(line)
            continue
        before = whole[place]
        box = union((before.box, line.box))
        between = "" if min(len(before.text), len(line.text)) == 1 or before.box.right > line.box.x else " "
        confidence = min(before.confidence, line.confidence)
        whole[place] = TextLine(text=before.text + between + line.text, box=box, confidence=confidence)
    return whole


def _continues(before: TextLine, line: TextLine) -> bool:
    one, other = before.box, line.box
    height = max(one.h, other.h)
    if abs(one.center.y - other.center.y) > 0.3 * height:
        return False
    share = _LETTER_GAP if min(len(before.text), len(line.text)) == 1 else _PIECE_GAP
    return -0.3 * height <= other.x - one.right <= share * min(one.h, other.h)


def without_pictures(edges: np.ndarray, texts: Sequence[TextLine]) -> list[TextLine]:
    """The lines, each cut to where its words begin if a small picture stands before them."""
    return [_cut(edges, line) for line in texts]


def _cut(edges: np.ndarray, line: TextLine) -> TextLine:
    box = line.box
    columns = (edges[box.y : box.bottom, box.x : box.right] > 0).any(axis=0)
    places = np.flatnonzero(columns)
    if len(places) < 2:
        return line
    breaks = np.flatnonzero(np.diff(places) > max(2, _PICTURE_GAP * box.h))
    if not len(breaks):
        return line
    end, begin = int(places[breaks[0]]), int(places[breaks[0] + 1])
    first = box.x + int(places[0])
    width = box.x + end - first
    if not _NARROWEST * box.h <= width <= _WIDEST * box.h:
        return line
    words = 1 + int((np.diff(places) > max(3, _WORD_GAP * box.h)).sum())
    tokens = line.text.split()
    if words > len(tokens) and len(tokens[0]) >= 2 and _unlike(edges, box, first, box.x + begin):
        text = line.text
    elif len(tokens) >= 2 and len(tokens[0]) == 1 and tokens[0] in _TAKEN_FOR and begin - end > 0.2 * box.h:
        text = line.text.split(maxsplit=1)[1]
        if text[0].islower():
            return line  # a word whose first letter stands apart
    else:
        return line
    start = box.x + begin
    return replace(line, text=text, box=Box(start, box.y, box.right - start, box.h))


def _unlike(edges: np.ndarray, box: Box, start: int, after: int) -> bool:
    """True where what stands before the words is about square: as high as it is wide."""
    part = edges[box.y : box.bottom, start : after - 1] > 0
    rows, columns = np.flatnonzero(part.any(axis=1)), np.flatnonzero(part.any(axis=0))
    if not len(rows):
        return False
    height, width = int(rows[-1] - rows[0]) + 1, int(columns[-1] - columns[0]) + 1
    return 0.6 * height <= width <= 1.7 * height
