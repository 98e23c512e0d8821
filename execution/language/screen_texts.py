"""The texts of one screen, made ready once, so that many taught texts can be looked for quickly."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from rapidfuzz import fuzz, process
from rapidfuzz.distance import Levenshtein

from execution.language.fuzzy import SEEN, Occurrence, Words, find_all, may_hold, similarity, words
from execution.language.joining import Joined, joined_rows, joined_stacks, part_of
from execution.language.shortcuts import keys_from
from execution.lately import Lately
from execution.types import Box, ScreenState, TextLine
from sentences.said import say
from workflows import text as templates

LINE, PART, JOINED, WRAPPED = "line", "part", "joined", "wrapped"

_ALONE = 0.8  # of a line's height: a text that the reader split has no other text so near beside it
_SENTENCE_ENDS = (".", "!", "?", ":", ";")


@dataclass(frozen=True, slots=True, kw_only=True)
class Sighting:
    """Where a text was seen: the line it is (or is part of), how well, and whether it is all that stands there.

    `how` is one of LINE, PART (of a line), JOINED (pieces of a row) and WRAPPED (lines one under another); for the last
    two `line` is what the pieces read together.
    """

    line: TextLine
    box: Box
    score: float
    whole: bool
    how: str = LINE


class ScreenWords:
    """Looks for texts among the lines of one screen; what is costly is made on first use, and each answer kept."""

    def __init__(self, lines: Sequence[TextLine]) -> None:
        self.read = tuple(lines)
        self._known: dict[tuple[str, bool], float] = {}
        self._sightings: dict[tuple[str, bool], tuple[Sighting, ...]] = {}

    @classmethod
    def of(cls, lines: tuple[TextLine, ...]) -> ScreenWords:
        """Those of a screen, made ready once for all who ask of the same lines."""
        return _lately.of(lines, make=lambda: cls(lines))

    @classmethod
    def in_front(cls, state: ScreenState) -> ScreenWords:
        """Those of the window that has the focus; of all of the screen where nobody knows where that lies."""
        front = state.front
        return _lately.of(
            state.texts, front, make=lambda: cls([t for t in state.texts if front.contains(t.box.center)])
        )

    @cached_property
    def lines(self) -> tuple[TextLine, ...]:
        """The lines that say anything."""
        parts = (part for line in self.read for part in _told_apart(line))
        return tuple(part for part in parts if words(part.text).key)

    @cached_property
    def _words(self) -> tuple[Words, ...]:
        return tuple(words(line.text) for line in self.lines)

    @cached_property
    def _keys(self) -> list[str]:
        return [w.key for w in self._words]

    @cached_property
    def _lengths(self) -> list[int]:
        return [len(w.text) for w in self._words]

    @cached_property
    def _rows(self) -> list[Joined]:
        return joined_rows(self.lines, self._words)

    @cached_property
    def _row_keys(self) -> list[str]:
        return [row.key for row in self._rows]

    @cached_property
    def _stacks(self) -> list[Joined]:
        return joined_stacks(self.lines, self._words)

    @cached_property
    def _stack_keys(self) -> list[str]:
        return [stack.key for stack in self._stacks]

    @cached_property
    def _before(self) -> dict[int, set[int]]:
        """The lines that each line may go on: the one above it in a wrapped text, the one left of it in a row."""
        before: dict[int, set[int]] = {}
        for stack in self._stacks:
            for above, line in zip(stack.lines, stack.lines[1:], strict=False):
                before.setdefault(line, set()).add(above)
        for row in self._rows:
            for left, line in zip(row.lines, row.lines[1:], strict=False):
                if self.lines[line].box.x - self.lines[left].box.right <= self.lines[line].box.h:
                    before.setdefault(line, set()).add(left)
        return before

    def seen(self, text: str, *, strict: bool = False) -> float:
        """How surely `text` is on the screen, as a line, inside one, split over a row or wrapped; 0 if it is not."""
        asked = (text, strict)
        if asked not in self._known:
            self._known[asked] = self._look_for(words(text), strict=strict)
        return self._known[asked]

    def sightings(self, text: str, *, strict: bool = False) -> list[Sighting]:
        """Every place where `text` is: whole lines first, then parts of lines, joined pieces of a row, wrapped ones.

        The one entry for whoever looks for a target. Each box covers exactly the text's part. Of those of one way the
        best come first, from `SEEN` up; the caller says how good is good enough. `strict` (a name, a number that a run
        is about) takes no other letter or digit, and nothing within a word.
        """
        asked = (text, strict)
        if asked not in self._sightings:
            self._sightings[asked] = tuple(self._every_sighting(text, strict=strict))
        return list(self._sightings[asked])

    def whole_lines(self, text: str, *, minimum: float, strict: bool = False) -> Iterator[Sighting]:
        """The lines that are `text`."""
        needle = words(text)
        for index, score in self._like(needle, minimum=minimum, strict=strict):
            line = self.lines[index]
            yield Sighting(line=line, box=line.box, score=score, whole=True)

    def inside_lines(self, text: str, *, minimum: float, strict: bool = False) -> Iterator[Sighting]:
        """The lines that hold `text` among other words, with the part of the box that it takes, as often as it does."""
        needle = words(text)
        for index in _holding(needle, self._keys, minimum):
            hay, line = self._words[index], self.lines[index]
            for place in find_all(needle, hay, minimum=minimum, strict=strict, glued=True):
                if (place.start, place.end) != (hay.spans[0][0], hay.spans[-1][1]):
                    box = part_of(line.box, (place.start, place.end), hay.text)
                    yield Sighting(line=line, box=box, score=place.score, whole=False, how=PART)

    # --- every place of a text --------------------------------------------------------------------------------------
    def _every_sighting(self, text: str, *, strict: bool) -> Iterator[Sighting]:
        needle = words(text)
        if not needle.key:
            return
        lines = list(self.whole_lines(text, minimum=SEEN, strict=strict))
        parts = list(self.inside_lines(text, minimum=SEEN, strict=strict))
        rows = self._joined_sightings(needle, self._rows, self._row_keys, JOINED, strict=strict)
        stacks = self._joined_sightings(needle, self._stacks, self._stack_keys, WRAPPED, strict=strict)
        for kind in (lines, parts, rows, stacks):
            yield from sorted(kind, key=lambda s: (-s.score, s.box.y, s.box.x))

    def _joined_sightings(
        self, needle: Words, texts: Sequence[Joined], keys: list[str], how: str, *, strict: bool
    ) -> list[Sighting]:
        """Where the needle lies over several pieces; of a wrapped text only where it takes whole lines, so that the
        middle of its box is in it."""
        found: dict[Box, Sighting] = {}
        for joined, place in self._places(needle, texts, keys, strict=strict):
            pieces = joined.pieces(place, self._lengths)
            complete = all(self._is_all(line, first, last) for line, first, last in pieces)
            if len(pieces) < 2 or (how == WRAPPED and not complete):
                continue
            boxes = [part_of(self.lines[i].box, (a, b), self._words[i].text) for i, a, b in pieces]
            line = TextLine(
                text=joined.text[place.start : place.end],
                box=around(boxes),
                confidence=min(self.lines[i].confidence for i, _, _ in pieces),
            )
            whole = complete and (how == WRAPPED or self._stands_alone(joined, [i for i, _, _ in pieces]))
            seen = Sighting(line=line, box=line.box, score=place.score, whole=whole, how=how)
            if line.box not in found or found[line.box].score < seen.score:
                found[line.box] = seen
        return list(found.values())

    def _places(
        self, needle: Words, texts: Sequence[Joined], keys: list[str], *, strict: bool
    ) -> Iterator[tuple[Joined, Occurrence]]:
        for index in _holding(needle, keys, SEEN):
            joined = texts[index]
            for place in find_all(needle, joined.text, strict=strict, glued=True, across=joined.begins):
                if not (strict or joined.digits_meet(place)) or joined.keeps_words(place, needle):
                    yield joined, place

    def _is_all(self, line: int, first: int, last: int) -> bool:
        spans = self._words[line].spans
        return first <= spans[0][0] and last >= spans[-1][1]

    def _stands_alone(self, row: Joined, pieces: Sequence[int]) -> bool:
        """True if no other piece of the row stands as near as words of one text do."""
        at = [row.lines.index(piece) for piece in pieces]
        for inner, outer in ((at[0], at[0] - 1), (at[-1], at[-1] + 1)):
            if 0 <= outer < len(row.lines):
                left, right = sorted((self.lines[row.lines[inner]].box, self.lines[row.lines[outer]].box))
                if right.x - left.right < _ALONE * left.h:
                    return False
        return True

    # --- how surely a text is there ---------------------------------------------------------------------------------
    def _look_for(self, needle: Words, *, strict: bool) -> float:
        if not needle.key:
            return 0.0
        hits = self._like(needle, minimum=SEEN, strict=strict)
        best = max((score for index, score in hits if not self._is_denied(index, needle)), default=0.0)
        if best < 1.0:
            best = max(best, self._held(needle, strict=strict))
        for texts, keys in ((self._rows, self._row_keys), (self._stacks, self._stack_keys)):
            if best < SEEN:
                best = max(best, self._held_jointly(needle, texts, keys, strict=strict))
        return best

    def _held(self, needle: Words, *, strict: bool) -> float:
        best = 0.0
        for index in _holding(needle, self._keys, SEEN):
            if not needle.negated and (self._words[index].negated or self._is_denied(index, needle)):
                continue  # "saved" is not what "could not be saved" says
            places = find_all(needle, self._words[index], strict=strict, glued=True)
            best = max(best, max((p.score for p in places), default=0.0))
        return best

    def _held_jointly(self, needle: Words, texts: Sequence[Joined], keys: list[str], *, strict: bool) -> float:
        best = 0.0
        for joined, place in self._places(needle, texts, keys, strict=strict):
            if best < place.score and (needle.negated or not words(joined.text).negated):
                best = place.score
        return best

    def _is_denied(self, index: int, needle: Words) -> bool:
        """True for a line that goes on what denies it: "saved to disk" below "The file could not be"."""
        if needle.negated or not self._words[index].plain[0][:1].isalpha() or not _begins_small(self.lines[index].text):
            return False
        return any(
            self._words[i].negated and not self.lines[i].text.rstrip().endswith(_SENTENCE_ENDS)
            for i in self._before.get(index, ())
        )

    def _like(self, needle: Words, *, minimum: float, strict: bool) -> Iterator[tuple[int, float]]:
        scorer, cutoff = Levenshtein.normalized_similarity, minimum
        for _, _, index in process.extract(needle.key, self._keys, scorer=scorer, score_cutoff=cutoff, limit=None):
            if not may_hold(self._keys[index], needle):
                continue
            score = similarity(needle, self._words[index], strict=strict)
            if score >= minimum:
                yield index, score


_lately = Lately[ScreenWords](16)


def _holding(needle: Words, keys: list[str], minimum: float) -> list[int]:
    """The keys that may hold the needle: a quick sieve, generous enough to lose none that `find` would take."""
    if not needle.key:
        return []
    least, cutoff = len(needle.key) * minimum, 100 * (minimum - 0.1)
    fitting = {index: key for index, key in enumerate(keys) if len(key) >= least and may_hold(key, needle)}
    hits = process.extract(needle.key, fitting, scorer=fuzz.partial_ratio, score_cutoff=cutoff, limit=None)
    return sorted(index for _, _, index in hits)


def _told_apart(line: TextLine) -> tuple[TextLine, ...]:
    """A menu's entry and its keys, which a reader took together where little room is between them."""
    entry, keys = line.text[: (begin := keys_from(line.text))].rstrip(), line.text[begin:]
    if not entry or not keys.strip():
        return (line,)
    start = begin + len(keys) - len(keys.lstrip())
    spans = ((entry, (0, len(entry))), (keys.strip(), (start, len(line.text.rstrip()))))
    return tuple(
        TextLine(text=text, box=part_of(line.box, span, line.text), confidence=line.confidence) for text, span in spans
    )


def _begins_small(text: str) -> bool:
    return next((c.islower() for c in text if c.isalpha()), False)


def around(boxes: Iterable[Box]) -> Box:
    """The smallest box around all of them."""
    every = list(boxes)
    x, y = min(b.x for b in every), min(b.y for b in every)
    return Box(x, y, max(b.right for b in every) - x, max(b.bottom for b in every) - y)


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
        return Wanted(template, exact=True, problem=say("wording.no_value", name=missing[0]))
    return Wanted(templates.fill(template, variables), exact=True)
