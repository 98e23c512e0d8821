"""The texts of one screen as verification reads them: where each stands, and what the words around make of it."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from rapidfuzz import fuzz, process

from execution.language.denials import denied, put_off, same_wording
from execution.language.fuzzy import SEEN, Words, find, words
from execution.perception.changes import union
from execution.types import Box, ScreenState, TextLine

_ROW_GAP = 3.0  # line heights: pieces of a row nearer than this may be one text that the reader split
_LINE_GAP = 0.9  # line heights: lines of one paragraph stand no farther apart
_SENTENCE = 4  # steps from line to line: a message of more lines is read no further
_CANDIDATES = 4
_PART = 95.0
_WRAPS = 3  # a label or message of more lines than this is not looked for as one text


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """A place where a text stands. `doubt` says why it does not count there: "" if it does."""

    box: Box
    text: str
    score: float
    doubt: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class _Piece:
    """A run of lines read as one text."""

    lines: tuple[TextLine, ...]
    words: Words
    ends: tuple[int, ...]  # where in the text each line ends


class ScreenReading:
    """Looks for texts on one screen; nothing is found on a screen that was not read."""

    def __init__(self, state: ScreenState) -> None:
        self.state = state
        self.was_read = bool(state.text_method)
        # a lone question mark is the button that helps, it asks nothing
        self.lines = tuple(line for line in state.texts if any(c.isalnum() for c in line.text))
        self._known: dict[tuple[str, bool], tuple[Seen, ...]] = {}
        self._parts: dict[TextLine, tuple[TextLine, ...]] = {}
        self._keys = [words(line.text).key for line in self.lines]

    def sightings(self, text: str, *, strict: bool = False) -> tuple[Seen, ...]:
        """Every place where `text` stands, those that do not count as well."""
        asked = (text, strict)
        if asked not in self._known:
            self._known[asked] = tuple(self._look_for(words(text), strict=strict))
        return self._known[asked]

    def seen(self, text: str, *, strict: bool = False) -> tuple[Seen, ...]:
        """The places where `text` stands and counts."""
        return tuple(s for s in self.sightings(text, strict=strict) if not s.doubt)

    def holds(self, line: TextLine) -> bool:
        """Whether the line stands here as well, by itself or in another one; quick, for all lines of a screen."""
        needle = words(line.text)
        for scorer, cutoff in ((fuzz.ratio, 100 * SEEN), (fuzz.partial_ratio, _PART)):
            hits = process.extract(needle.key, self._keys, scorer=scorer, score_cutoff=cutoff, limit=_CANDIDATES)
            for key, _, index in hits:
                if len(key) < SEEN * len(needle.key):
                    continue
                other = words(self.lines[index].text)
                place = find(needle, other)
                if place and same_wording(needle, words(other.text[place.start : place.end])):
                    return not (other.negated and not needle.negated)
        return False

    def _look_for(self, needle: Words, *, strict: bool) -> Iterator[Seen]:
        if not needle.key:
            return
        taken: list[Box] = []
        for piece in self._holding(needle):
            place = find(needle, piece.words, strict=strict)
            if place is None:
                continue
            text = piece.words.text[place.start : place.end]
            if not strict and not same_wording(needle, words(text)):
                continue
            lines = _covered(piece, place.start, place.end)
            box = union([line.box for line in lines])
            if any(box.intersection(other).area > 0.5 * min(box.area, other.area) for other in taken):
                continue  # single lines come first: what a run of lines adds is what spans several
            taken.append(box)
            yield Seen(box=box, text=text, score=place.score, doubt=self._doubt(needle.text, lines))

    def _holding(self, needle: Words) -> list[_Piece]:
        """The pieces that may hold the needle: a quick sieve, generous enough to lose none that `find` would take."""
        keys = [piece.words.key for piece in self._pieces]
        hits = process.extract(needle.key, keys, scorer=fuzz.partial_ratio, score_cutoff=100 * (SEEN - 0.1), limit=None)
        found = sorted(index for key, _, index in hits if len(key) >= SEEN * len(needle.key))
        return [self._pieces[index] for index in found]

    def _doubt(self, needle: str, lines: Sequence[TextLine]) -> str:
        around = self.sentence(lines)
        if denied(needle, around):
            return "denied"
        return "put off" if put_off(needle, around) else ""

    def sentence(self, lines: Sequence[TextLine]) -> str:
        """The text of these lines, with what stands close by on their rows and continues their sentence."""
        told = list(lines)
        last = told
        for _ in range(_SENTENCE):
            last = [o for line in last for o in self._beside(line) if o not in told]
            told += dict.fromkeys(last)
        return " ".join(line.text for line in sorted(told, key=lambda line: (line.box.center.y, line.box.x)))

    def _beside(self, line: TextLine) -> tuple[TextLine, ...]:
        """The lines that are a part of one sentence with this one."""
        if line not in self._parts:
            self._parts[line] = tuple(o for o in self._rows_near(line) if o is not line and _continues(o, line))
        return self._parts[line]

    def _rows_near(self, line: TextLine) -> tuple[TextLine, ...]:
        """The lines on its own row and the next ones."""
        reach = 2.5 * line.box.h
        first = bisect_left(self._heights, line.box.y - reach)
        return self._by_height[first : bisect_right(self._heights, line.box.bottom + reach)]

    @cached_property
    def _by_height(self) -> tuple[TextLine, ...]:
        return tuple(sorted(self.lines, key=lambda line: line.box.y))

    @cached_property
    def _heights(self) -> list[int]:
        return [line.box.y for line in self._by_height]

    @cached_property
    def _pieces(self) -> list[_Piece]:
        singles = [(line,) for line in self.lines]
        return [_piece(lines) for lines in (*singles, *_rows(self.lines), *self._paragraphs())]

    def _paragraphs(self) -> Iterator[tuple[TextLine, ...]]:
        """Each line with the one or two that stand directly below it."""
        for line in self.lines:
            run = [line]
            while len(run) < _WRAPS:
                below = next((other for other in self._rows_near(run[-1]) if _below(run[-1], other)), None)
                if below is None:
                    break
                run.append(below)
                yield tuple(run)


def _piece(lines: tuple[TextLine, ...]) -> _Piece:
    texts = [words(line.text).text for line in lines]
    ends, end = [], -1
    for text in texts:
        end += len(text) + 1
        ends.append(end)
    return _Piece(lines, words(" ".join(texts)), tuple(ends))


def _covered(piece: _Piece, start: int, end: int) -> tuple[TextLine, ...]:
    """The lines that characters `start` to `end` of the piece lie in."""
    begins = (0, *(e + 1 for e in piece.ends[:-1]))
    return tuple(
        line for line, first, last in zip(piece.lines, begins, piece.ends, strict=True) if first < end and start < last
    )


def _rows(lines: Sequence[TextLine]) -> Iterator[tuple[TextLine, ...]]:
    """Neighbouring lines of a row, where there are several."""
    row: list[TextLine] = []
    for line in sorted(lines, key=lambda line: 2 * line.box.y + line.box.h):
        if row and line.box.center.y - row[0].box.center.y >= 0.5 * row[0].box.h:
            yield from _runs(row)
            row = []
        row.append(line)
    yield from _runs(row)


def _runs(row: Sequence[TextLine]) -> Iterator[tuple[TextLine, ...]]:
    """The row cut where the gap between two lines is wide."""
    run: list[TextLine] = []
    for line in sorted(row, key=lambda line: line.box.x):
        if run and line.box.x - run[-1].box.right > _ROW_GAP * line.box.h:
            if len(run) > 1:
                yield tuple(run)
            run = []
        run.append(line)
    if len(run) > 1:
        yield tuple(run)


def _below(upper: TextLine, lower: TextLine) -> bool:
    """Whether `lower` is the next line of the paragraph of `upper`: aligned with it, as tall, close beneath."""
    a, b = upper.box, lower.box
    tall = max(a.h, b.h)
    step = b.y - a.y + 0.5 * (b.h - a.h)
    if not 0.6 * tall < step < (1 + _LINE_GAP) * tall or min(a.h, b.h) < 0.65 * tall:
        return False
    return abs(a.x - b.x) < tall or abs(a.x - b.x + 0.5 * (a.w - b.w)) < tall


def _continues(line: TextLine, other: TextLine) -> bool:
    """Whether two lines are parts of one sentence."""
    a, b = line.box, other.box
    if abs(a.y - b.y + 0.5 * (a.h - b.h)) < 0.4 * max(a.h, b.h):
        return max(a.x, b.x) - min(a.right, b.right) < max(a.h, b.h)
    upper, lower = (line, other) if a.y < b.y else (other, line)
    open_end = upper.text.rstrip()[-1:] not in ".!?:"
    return open_end and lower.text.lstrip()[:1].islower() and _below(upper, lower)
