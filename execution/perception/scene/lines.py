"""The lines of a screen with the places of their words."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np

from execution.language.joining import part_of
from execution.language.letters import alone
from execution.perception.elements.layout import union
from execution.perception.scene.thing import PlacedWord, letters_in
from execution.types import Box, Frame, TextLine

_WORD = re.compile(r"\S+")
_ARROWS = frozenset("<>«»‹›≤≥←→↑↓+×")
_INK = 40  # of 255, from the ground
_PICTURE_HEIGHT, _PICTURE_WIDTH = 24, 0.6  # pixels, and of that: a letter so large is as likely a picture


@dataclass(frozen=True, eq=False)
class Line:
    """A line as it was read, as words."""

    words: tuple[PlacedWord, ...]
    box: Box
    text: str
    sure: float

    @cached_property
    def key(self) -> str:
        """Its letters and digits, without case and accents."""
        return alone(self.text)


def lines_of(texts: Sequence[TextLine], frame: Frame) -> tuple[list[Line], list[Box]]:
    """The lines, and the boxes of those that are one large letter: these are pictures that were read."""
    lines, pictures = list[Line](), list[Box]()
    for read in texts:
        words = words_of(read, frame)
        if not words:
            continue
        if len(words) == 1 and _is_picture(words[0]):
            pictures.append(read.box)
            continue
        words, signs = _without_signs(words)
        pictures += signs
        said = " ".join(word.text for word in words)
        lines.append(Line(words, union(word.box for word in words), said, read.confidence))
    return lines, pictures


def words_of(line: TextLine, frame: Frame) -> tuple[PlacedWord, ...]:
    """The words of a line, each once: as its reader placed them, else by the gaps in the ink."""
    x, y, _, h = line.box
    if line.words:
        return tuple(PlacedWord(w.text, Box(x + w.left, y, max(1, w.right - w.left), h)) for w in line.words)
    spans = [match.span() for match in _WORD.finditer(line.text)]
    places = _by_ink(line, len(spans), frame) or [part_of(line.box, span, line.text) for span in spans]
    return tuple(PlacedWord(line.text[a:b], box) for (a, b), box in zip(spans, places, strict=True))


def spans_of(words: Sequence[PlacedWord], text: str) -> list[tuple[int, int]]:
    """Which letters of a line's text each of its words is."""
    spans, at = list[tuple[int, int]](), 0
    for word in words:
        at = text.index(word.text, at)
        spans.append((at, at := at + len(word.text)))
    return spans


def _by_ink(line: TextLine, count: int, frame: Frame) -> list[Box]:
    """Where so many words stand between the widest gaps of the ink; nothing where there are fewer gaps."""
    runs = _inked(line.box, frame) if count else []
    gaps = sorted(range(1, len(runs)), key=lambda i: runs[i - 1][1] - runs[i][0])[: count - 1]
    if not runs or len(gaps) < count - 1:
        return []
    edges = [0, *sorted(gaps), len(runs)]
    parts = [(runs[a][0], runs[b - 1][1]) for a, b in pairwise(edges)]
    return [Box(line.box.x + left, line.box.y, max(1, right - left), line.box.h) for left, right in parts]


def _inked(box: Box, frame: Frame) -> list[tuple[int, int]]:
    """The columns of a line that hold ink, from the left: those that are not of one colour, as ground and frame are."""
    shown = frame.crop(Box(box.x, box.y - 1, box.w, box.h + 2))
    if not shown.size:
        return []
    columns = np.ptp(shown, axis=0).max(axis=1) > _INK
    edges = np.flatnonzero(np.diff(np.concatenate(([0], columns.astype(int), [0]))))
    return [(int(a), int(b)) for a, b in zip(edges[::2], edges[1::2], strict=True)]


def _without_signs(words: tuple[PlacedWord, ...]) -> tuple[tuple[PlacedWord, ...], list[Box]]:
    """The words of a line without a lone sign at its ends, and the boxes of these: an arrow to the next page."""
    signs = list[Box]()
    while len(words) > 1 and _is_sign(words[-1]):
        signs.append(words[-1].box)
        words = words[:-1]
    while len(words) > 1 and _is_sign(words[0]):
        signs.append(words[0].box)
        words = words[1:]
    return words, signs


def _is_sign(word: PlacedWord) -> bool:
    return len(word.text) == 1 and word.text in _ARROWS


def _is_picture(word: PlacedWord) -> bool:
    is_large = word.box.h >= _PICTURE_HEIGHT and word.box.w >= _PICTURE_WIDTH * word.box.h
    return is_large and letters_in(word.text) <= 1
