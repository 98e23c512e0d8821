"""Texts that a reader gave in several pieces: side by side in a row, or wrapped over lines one under another."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from execution.language.fuzzy import Occurrence, Words, words
from execution.types import Box, TextLine

_ROW_GAP = 3.0  # pieces of a row at most so many line heights apart may be one text that the reader split
_TIGHT = 0.35  # of a line's height: no space is drawn so narrow, the reader cut within a word
_LEVEL = 0.5  # of a line's height, between the middles of the pieces of a row
_LINE_GAP = (-0.4, 0.9)  # of a line's height, from the bottom of one line of a wrapped text to the top of the next
_ALIGNED = 0.6  # of a line's height: left edges, or middles, of the lines of a wrapped text
_SAME_HEIGHT = 1.5
_MOST_LINES = 8  # of a wrapped text that is looked through as one
_NARROW = {
    **dict.fromkeys("iljI|!.,;:' ", 0.5),
    **dict.fromkeys('ftr()[]{}"-/\\', 0.7),
    **dict.fromkeys("mwMW@%", 1.5),
    **dict.fromkeys("ABCDEFGHJKLNOPQRSTUVXYZ&", 1.2),
}  # widths of letters in proportional fonts, of that of an "n"; DejaVu, Liberation and Roboto differ by a tenth


@dataclass(frozen=True, slots=True)
class Joined:
    """Pieces of text as one: `begins[i]` is where the text of the line with the index `lines[i]` begins in `text`.

    `tight[i]` is True where nothing but a cut within a word lies before that piece.
    """

    text: str
    key: str
    lines: tuple[int, ...]
    begins: tuple[int, ...]
    tight: tuple[bool, ...]

    def pieces(self, place: Occurrence, lengths: Sequence[int]) -> list[tuple[int, int, int]]:
        """The parts of the pieces that a place takes: index of the line, from which and to which character of it."""
        found = []
        for line, begin in zip(self.lines, self.begins, strict=True):
            first, last = max(place.start, begin), min(place.end, begin + lengths[line])
            if first < last:
                found.append((line, first - begin, last - begin))
        return found

    def digits_meet(self, place: Occurrence) -> bool:
        """True where a piece of the place ends with a digit and the next begins with one."""
        return any(
            place.start < begin < place.end
            and self.text[begin : begin + 1].isdigit()
            and self.text[:begin].rstrip()[-1:].isdigit()
            for begin in self.begins
        )

    def keeps_words(self, place: Occurrence, needle: Words) -> bool:
        """False where two pieces meet within a word of the needle though a space stands between them.

        "12" and "34" are not "1234", and two short names are not a longer one.
        """
        within = {len(words(needle.text[needle.spans[0][0] : end]).strict) for _, end in needle.spans}
        for begin, tight in zip(self.begins, self.tight, strict=True):
            if not tight and place.start < begin < place.end:
                before = words(self.text[place.start : begin])
                if len(before.strict) not in within and not self.text[:begin].rstrip().endswith("-"):
                    return False
        return True


def joined_rows(lines: Sequence[TextLine], ready: Sequence[Words]) -> list[Joined]:
    """Neighbouring pieces of a row as one text, where there are several."""
    found = []
    for row in _rows(lines):
        for run in _runs(lines, sorted(row, key=lambda i: lines[i].box.x)):
            if len(run) > 1:
                gaps = (b.x - a.right for a, b in pairwise(lines[i].box for i in run))
                tight = [gap < _TIGHT * lines[i].box.h for gap, i in zip(gaps, run[1:], strict=True)]
                found.append(_joined(ready, run, [" "] * len(tight), tight))
    return found


def joined_stacks(lines: Sequence[TextLine], ready: Sequence[Words]) -> list[Joined]:
    """Lines that may be one text wrapped: one under another, at the left or in the middle aligned."""
    found = []
    for chain in _chains(lines):
        for first in range(0, max(1, len(chain) - _MOST_LINES // 2), _MOST_LINES // 2):
            part = chain[first : first + _MOST_LINES]
            if len(part) > 1:
                found.append(_wrapped(ready, part))
    return found


def part_of(box: Box, place: tuple[int, int], text: str) -> Box:
    """The part of a line's box that its characters from place[0] to place[1] take, in a proportional font."""
    if place == (0, len(text)):
        return box
    widths = np.cumsum([0.0, *(_NARROW.get(c, 1.0) for c in text)])
    left = box.x + round(box.w * widths[place[0]] / widths[-1])
    right = box.x + round(box.w * widths[place[1]] / widths[-1])
    return Box(left, box.y, max(1, right - left), box.h)


def _joined(ready: Sequence[Words], run: Sequence[int], between: Sequence[str], tight: Sequence[bool]) -> Joined:
    text, begins = "", []
    for index, gap in zip(run, ["", *between], strict=True):
        text += gap
        begins.append(len(text))
        text += ready[index].text
    key = "".join(ready[i].key for i in run)
    return Joined(text=text, key=key, lines=tuple(run), begins=tuple(begins), tight=(True, *tight))


def _wrapped(ready: Sequence[Words], run: Sequence[int]) -> Joined:
    """A hyphen at the end of a line, before a small letter, divides a word."""
    text, begins, tight, key = "", list[int](), list[bool](), ""
    for index in run:
        word = ready[index].text
        hyphen = len(text) > 1 and text[-1] == "-" and text[-2].isalpha() and word[:1].islower()
        if hyphen:
            text, key = text[:-1], key.removesuffix("-")
        elif text:
            text += " "
        begins.append(len(text))
        tight.append(hyphen)
        text, key = text + word, key + ready[index].key
    return Joined(text=text, key=key, lines=tuple(run), begins=tuple(begins), tight=tuple(tight))


def _rows(lines: Sequence[TextLine]) -> Iterator[list[int]]:
    """Indices of lines whose middles are level."""
    row: list[int] = []
    for index in sorted(range(len(lines)), key=lambda i: (lines[i].box.center.y, lines[i].box.x)):
        if row and lines[index].box.center.y - lines[row[0]].box.center.y >= _LEVEL * max(2, lines[row[0]].box.h):
            yield row
            row = []
        row.append(index)
    if row:
        yield row


def _runs(lines: Sequence[TextLine], row: Sequence[int]) -> Iterator[list[int]]:
    """A row cut where the gap between two pieces is wide."""
    run: list[int] = []
    for index in row:
        box = lines[index].box
        if run and box.x - lines[run[-1]].box.right > _ROW_GAP * box.h:
            yield run
            run = []
        run.append(index)
    yield run


def _chains(lines: Sequence[TextLine]) -> Iterator[list[int]]:
    """Lines each with the one that goes on below it, as long as there is one."""
    below = _below(lines)
    continued = set(below.values())
    for first in range(len(lines)):
        if first in below and first not in continued:
            chain = [first]
            while chain[-1] in below:
                chain.append(below[chain[-1]])
            yield chain


def _below(lines: Sequence[TextLine]) -> dict[int, int]:
    """For each line the one that may go on its text: the nearest below it that is aligned and as high."""
    if not lines:
        return {}
    boxes = np.array([line.box for line in lines], np.float64)
    order = np.argsort(boxes[:, 1], kind="stable")
    x, y, w, h = boxes[order].T
    found: dict[int, int] = {}
    taken: set[int] = set()
    for at, index in enumerate(order.tolist()):
        bottom, high = y[at] + h[at], h[at]
        first, last = np.searchsorted(y, (bottom + _LINE_GAP[0] * high, bottom + _LINE_GAP[1] * high), "left")
        first = max(int(first), at + 1)
        if first >= last:
            continue
        part = slice(first, int(last))
        off = np.minimum(np.abs(x[part] - x[at]), np.abs(x[part] + w[part] / 2 - x[at] - w[at] / 2))
        alike = (np.maximum(h[part], high) <= _SAME_HEIGHT * np.minimum(h[part], high)) & (off <= _ALIGNED * high)
        alike &= y[part] + h[part] / 2 > bottom
        fits = np.flatnonzero(alike)
        if len(fits):
            nearest = int(order[first + fits[np.argmin(y[part][fits] + off[fits])]])
            if nearest not in taken:
                taken.add(nearest)
                found[index] = nearest
    return found
