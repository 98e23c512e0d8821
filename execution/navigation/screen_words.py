"""The texts of one screen, made ready once, so that many taught texts can be looked for quickly."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from rapidfuzz import fuzz, process
from rapidfuzz.distance import Levenshtein

from execution.navigation.words import SEEN, Place, Words, find, similarity, words
from execution.types import Box, TextLine
from workflows import text as templates

_ROW_GAP = 3.0  # pieces of a row at most so many line heights apart may be one text that the reader split


@dataclass(frozen=True, slots=True, kw_only=True)
class Sighting:
    """Where a text was seen: the line it is (or is part of), how well, and whether it is the whole line."""

    line: TextLine
    box: Box
    score: float
    whole: bool


class ScreenWords:
    """Looks for texts among the lines of one screen."""

    def __init__(self, lines: Sequence[TextLine]) -> None:
        self.lines = tuple(line for line in lines if words(line.text).key)
        self._words = tuple(words(line.text) for line in self.lines)
        self._keys = [w.key for w in self._words]
        self._rows = tuple(_rows(self.lines))
        self._row_words = tuple(words(row.text) for row in self._rows)
        self._row_keys = [w.key for w in self._row_words]
        self._known: dict[tuple[str, bool], float] = {}

    def seen(self, text: str, *, strict: bool = False) -> float:
        """How surely `text` is on the screen, as a line, inside one, or split over pieces of a row; 0 if it is not."""
        asked = (text, strict)
        if asked not in self._known:
            self._known[asked] = self._look_for(words(text), strict=strict)
        return self._known[asked]

    def whole_lines(self, text: str, *, minimum: float, strict: bool = False) -> Iterator[Sighting]:
        """The lines that are `text`."""
        needle = words(text)
        for index, score in self._like(needle, minimum=minimum, strict=strict):
            line = self.lines[index]
            yield Sighting(line=line, box=line.box, score=score, whole=True)

    def inside_lines(self, text: str, *, minimum: float, strict: bool = False) -> Iterator[Sighting]:
        """The lines that hold `text` among other words, with the part of the box that it takes."""
        needle = words(text)
        for index in _holding(needle, self._keys, minimum):
            hay, line = self._words[index], self.lines[index]
            place = find(needle, hay, minimum=minimum, strict=strict)
            if place and (place.start, place.end) != (hay.spans[0][0], hay.spans[-1][1]):
                box = part_of(line.box, place, len(hay.text))
                yield Sighting(line=line, box=box, score=place.score, whole=False)

    def _look_for(self, needle: Words, *, strict: bool) -> float:
        if not needle.key:
            return 0.0
        best = max((score for _, score in self._like(needle, minimum=SEEN, strict=strict)), default=0.0)
        if best < 1.0:
            best = max(best, self._held(needle, self._keys, self._words, strict=strict))
        if best < SEEN:
            best = max(best, self._held(needle, self._row_keys, self._row_words, strict=strict))
        return best

    def _held(self, needle: Words, keys: list[str], texts: Sequence[Words], *, strict: bool) -> float:
        best = 0.0
        for index in _holding(needle, keys, SEEN):
            if texts[index].negated and not needle.negated:
                continue  # "saved" is not what "could not be saved" says
            place = find(needle, texts[index], strict=strict)
            best = max(best, place.score if place else 0.0)
        return best

    def _like(self, needle: Words, *, minimum: float, strict: bool) -> Iterator[tuple[int, float]]:
        scorer, cutoff = Levenshtein.normalized_similarity, minimum
        for _, _, index in process.extract(needle.key, self._keys, scorer=scorer, score_cutoff=cutoff, limit=None):
            score = similarity(needle, self._words[index], strict=strict)
            if score >= minimum:
                yield index, score


def _holding(needle: Words, keys: list[str], minimum: float) -> list[int]:
    """The keys that may hold the needle: a quick sieve, generous enough to lose none that `find` would take."""
    if not needle.key:
        return []
    cutoff = 100 * (minimum - 0.1)
    hits = process.extract(needle.key, keys, scorer=fuzz.partial_ratio, score_cutoff=cutoff, limit=None)
    return sorted(index for key, _, index in hits if len(key) >= len(needle.key) * minimum)


def part_of(box: Box, place: Place, length: int) -> Box:
    """The part of a line's box that some of its characters take, as if all were equally wide."""
    left = box.x + round(box.w * place.start / length)
    right = box.x + round(box.w * place.end / length)
    return Box(left, box.y, max(1, right - left), box.h)


def _rows(lines: Sequence[TextLine]) -> Iterator[TextLine]:
    """Neighbouring pieces of a row joined to one text, where there are several."""
    left = sorted(lines, key=lambda line: line.box.center.y)
    while left:
        first = left[0]
        row = [line for line in left if abs(line.box.center.y - first.box.center.y) < 0.5 * first.box.h] or [first]
        left = [line for line in left if line not in row]
        for pieces in _runs(sorted(row, key=lambda line: line.box.x)):
            if len(pieces) > 1:
                yield _joined(pieces)


def _runs(row: Sequence[TextLine]) -> Iterator[list[TextLine]]:
    """A row cut where the gap between two pieces is wide."""
    pieces: list[TextLine] = []
    for line in row:
        if pieces and line.box.x - pieces[-1].box.right > _ROW_GAP * line.box.h:
            yield pieces
            pieces = []
        pieces.append(line)
    yield pieces


def _joined(pieces: Sequence[TextLine]) -> TextLine:
    left, top = min(p.box.x for p in pieces), min(p.box.y for p in pieces)
    right, bottom = max(p.box.right for p in pieces), max(p.box.bottom for p in pieces)
    box = Box(left, top, right - left, bottom - top)
    return TextLine(text=" ".join(p.text for p in pieces), box=box, confidence=min(p.confidence for p in pieces))


@dataclass(frozen=True, slots=True)
class Wanted:
    """A taught text with its variables put in; `exact` because it names what a run is about (a patient, an amount).

    `problem` says why it cannot be looked for at all.
    """

    text: str
    exact: bool = False
    problem: str = ""


def wanted(template: str, variables: Mapping[str, str]) -> Wanted:
    """What a taught text asks for in this run."""
    if not templates.names(template):
        return Wanted(template)
    missing = sorted(templates.names(template) - set(variables))
    if missing:
        return Wanted(template, exact=True, problem=f"the variable {missing[0]} has no value")
    return Wanted(templates.fill(template, variables), exact=True)
