"""Whose record is on the screen: "the patient shown is {{patient}}", yes, no, or cannot tell (S9.6).

The value must stand at its label: after it on its line, right of it on its row, or below it; without a label it may
stand anywhere, alone or in a line that says more. What stands there must be that value and nothing more of it: another
name, another digit or a longer name is no (`whole_values`). A text that is cut off or badly read is no yes. Notes name
neither the value nor what stands in its place: they are kept in logs.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise

from execution.language.fuzzy import SAME, Occurrence, find_all, words
from execution.language.screen_texts import wanted
from execution.language.whole_values import compare, has_words, stands_in
from execution.perception.changes import union
from execution.types import Answer, Box, ElementRole, TextLine
from execution.verification.facts import IDENTITY, Fact, combined
from execution.verification.reading import ScreenReading
from sentences.said import say
from workflows.graph import IdentitySpec

_SURE = 0.6  # a reader's confidence below this is no reading of a name
_ROW_REACH = 25.0  # line heights: forms put the value so far right of its label, not farther
_JOIN = 1.5  # line heights: pieces of one value stand no farther apart
_BELOW = 3.2  # line heights from the middle of the label to the middle of the value below it
_HEADS = 3  # texts on the row of a label that is the head of a column
_TOUCHING = 0.5  # line heights: pieces so near are words of one text that the reader split
_LABEL_OF_NUMBER = re.compile(r"\s*(?:n°|#)?\s?\d")


def check(spec: IdentitySpec, reading: ScreenReading, variables: Mapping[str, str]) -> Fact:
    """Whether the value stands at its label in the focused window, or anywhere in it where no label is given."""
    value, label = wanted(spec.value, variables), wanted(spec.label, variables)
    if problem := value.problem or label.problem:
        return _fact(Answer.CANNOT_TELL, say("verification.identity_uncheckable", why=problem))
    if not has_words(value.text):
        return _fact(Answer.CANNOT_TELL, say("verification.identity_empty"))
    if not reading.was_read:
        return _fact(Answer.CANNOT_TELL, say("verification.identity_not_read"))
    lines = in_window(reading)
    named = {"what": spec.value, "label": spec.label}
    if not spec.label:
        return _anywhere(value.text, lines, reading, named)
    places = [place for place in _at_label(label.text, lines, reading) if place.lines]
    if not places:
        return _fact(Answer.CANNOT_TELL, say("verification.identity_nothing_at_label", **named))
    answers = [_at_place(value.text, place, reading) for place in _deciding(places)]
    if Answer.YES in answers and Answer.NO in answers:
        return _fact(Answer.CANNOT_TELL, say("verification.identity_two_labels", **named))
    answer = combined(answers)
    code = {
        Answer.YES: "verification.identity_stands",
        Answer.NO: "verification.identity_another",
        Answer.CANNOT_TELL: "verification.identity_unsure",
    }[answer]
    return _fact(answer, say(code, **named))


def _fact(answer: Answer, note: str) -> Fact:
    return Fact(sign=IDENTITY, answer=answer, note=note, proof=answer is Answer.YES)


def _anywhere(value: str, lines: Sequence[TextLine], reading: ScreenReading, named: Mapping[str, str]) -> Fact:
    """Without a label the value must stand in a line, or in a row of pieces, as all of it or as a whole part."""
    answer = stands_among(value, lines, reading)
    if answer is Answer.YES:
        return _fact(Answer.YES, say("verification.identity_seen", **named))
    if answer is Answer.CANNOT_TELL:
        return _fact(Answer.CANNOT_TELL, say("verification.identity_like_it", **named))
    return _fact(Answer.NO, say("verification.identity_not_seen", **named))


def stands_among(value: str, lines: Sequence[TextLine], reading: ScreenReading) -> Answer:
    """Whether the value stands in one of these lines, or in a row of pieces, as all of it or as a whole part."""
    answers = {answer for _run, answer in answers_among(value, lines, reading)}
    return next((one for one in (Answer.YES, Answer.CANNOT_TELL) if one in answers), Answer.NO)


def answers_among(
    value: str, lines: Sequence[TextLine], reading: ScreenReading
) -> Iterator[tuple[tuple[TextLine, ...], Answer]]:
    """The same of each line and row of pieces."""
    return ((run, _is_value(value, run, reading, stands_in)) for run in _runs(lines))


class Place:
    """What stands at one sighting of the label: alternatives, of which the first that is the value decides.

    `rows` is how many lines stand below it where it is the head of a column, None where it is not.
    """

    def __init__(self, alternatives: Sequence[tuple[TextLine, ...]], *, at: Box, rows: int | None = None) -> None:
        self.alternatives, self.at, self.rows = tuple(alternatives), at, rows

    @property
    def lines(self) -> bool:
        return bool(self.alternatives)

    @property
    def heads_several(self) -> bool:
        return self.rows is not None and self.rows > 1


def places_at(label: str, lines: Sequence[TextLine], reading: ScreenReading, *, side: str = "") -> Sequence[Place]:
    """Each sighting of the label with what stands there, if anything; none of those that head a column of several.

    Where it is told on which `side` of the label the value stands ("right", "below"), it is looked for there alone.
    """
    places = list(_at_label(label, lines, reading, side))
    return [place for place in _deciding(places) if not place.heads_several]


def _deciding(places: Sequence[Place]) -> Sequence[Place]:
    """A label that heads a column of a list says nothing where another one stands at a single value."""
    single = [place for place in places if place.rows is None]
    return single or places


def _at_label(label: str, lines: Sequence[TextLine], reading: ScreenReading, side: str = "") -> Iterator[Place]:
    for line in lines:
        whole = words(line.text)
        for hit in find_all(label, whole, minimum=SAME):
            if not _begins_something(whole.text, hit):
                continue
            rest = whole.text[hit.end :].lstrip(" :=.-–\t").rstrip()
            if not rest:
                yield _on_side(line, lines, side) if side else _beside(line, lines)
            # "Patients" and "Patient list" are other texts that begin like it
            elif side != "below" and _separated(whole.text, hit.end):
                yield Place(_behind(line, whole.text, hit.end, rest, lines), at=line.box)


def _begins_something(text: str, hit: Occurrence) -> bool:
    """Whether a label stands there, and no word within a text: at the beginning, or behind a separator."""
    before = text[: hit.start]
    return not before.strip(" .-*•") or bool(re.search(r"(?:[,;:|()\[\]·•/]\s*|\s[-–—]\s+|\s{2,})$", before))


def _behind(line: TextLine, text: str, end: int, rest: str, lines: Sequence[TextLine]) -> list[tuple[TextLine, ...]]:
    """What follows a label on its line, alone and with the pieces right of it."""
    left = line.box.x + round(end / len(text) * line.box.w)
    cut = Box(left, line.box.y, line.box.right - left, line.box.h)
    own = TextLine(text=rest, box=cut, confidence=line.confidence, beside=("", line.beside[1]))
    further = _right_of(own, lines, reach=_JOIN)
    alone = [(own,)] if not further or not _touches(own, further[0]) else []
    return [*alone, *([(own, *further)] if further else [])]


def _touches(line: TextLine, other: TextLine) -> bool:
    """Whether two pieces are so near that the reader split one text there."""
    return other.box.x - line.box.right < _TOUCHING * min(line.box.h, other.box.h)


def _separated(text: str, end: int) -> bool:
    """Whether the label ends there with a colon or the like, so that what follows is its value; a number follows so."""
    return bool(re.match(r"\s*[:=]|\s+[-–]\s|\s{2,}", text[end:]) or _LABEL_OF_NUMBER.match(text[end:]))


def _on_side(label: TextLine, lines: Sequence[TextLine], side: str) -> Place:
    run = _right_of(label, lines, reach=_ROW_REACH) if side == "right" else _under(label, lines)
    apart = (n for n, (before, after) in enumerate(pairwise(run), 1) if not _touches(before, after))
    run = run[: next(apart, len(run))]  # what stands in the next cell is another value
    return Place([run] if run else [], at=label.box)


def _beside(label: TextLine, lines: Sequence[TextLine]) -> Place:
    """What stands right of a label that has its line for itself, or below it."""
    right = _right_of(label, lines, reach=_ROW_REACH)
    below = _under(label, lines)
    row = [o for o in lines if o is not label and _level(o.box, label.box)]
    heads = len(row) + 1 >= _HEADS and bool(below) and not label.text.rstrip().endswith(":")
    column = _column(label, lines)
    found = [right] if right and not heads else []
    if below and not (found and label.text.rstrip().endswith(":")):
        found.append(below)
    return Place(found, at=label.box, rows=column if heads or (column > 1 and not right) else None)


def _right_of(line: TextLine, lines: Sequence[TextLine], *, reach: float) -> tuple[TextLine, ...]:
    """The run of pieces right of a line on its row, none if the first is farther than `reach` line heights."""
    row = sorted((o for o in lines if o.box.x >= line.box.right - 2 and _level(o.box, line.box)), key=lambda o: o.box.x)
    run: list[TextLine] = []
    for other in row:
        gap = other.box.x - (run[-1] if run else line).box.right
        if gap > (_JOIN if run else reach) * max(line.box.h, other.box.h):
            break
        run.append(other)
    return tuple(run)


def _under(line: TextLine, lines: Sequence[TextLine]) -> tuple[TextLine, ...]:
    """The run of pieces on the row directly below a line that begins where it does."""
    near = [
        o
        for o in lines
        if 0 < o.box.center.y - line.box.center.y <= _BELOW * max(line.box.h, o.box.h)
        and o.box.y >= line.box.bottom - 0.3 * line.box.h
        and -1.0 * line.box.h <= o.box.x - line.box.x <= 2.0 * line.box.h
    ]
    first = min(near, key=lambda o: (o.box.center.y, o.box.x), default=None)
    return (first, *_right_of(first, lines, reach=_JOIN)) if first else ()


def _column(label: TextLine, lines: Sequence[TextLine]) -> int:
    """How many lines stand one below the other at the label's left edge, directly below it."""
    count, last = 0, label
    for line in sorted(lines, key=lambda o: o.box.y):
        step = line.box.center.y - last.box.center.y
        near = abs(line.box.x - label.box.x) <= 0.6 * label.box.h and step <= 4 * max(label.box.h, line.box.h)
        if near and line.box.y >= last.box.bottom - 2:
            count, last = count + 1, line
    return count


def _level(one: Box, other: Box) -> bool:
    return abs(one.center.y - other.center.y) < 0.5 * max(one.h, other.h)


def _runs(lines: Sequence[TextLine]) -> Iterator[tuple[TextLine, ...]]:
    """The lines, and the rows of pieces that they begin; none begins or ends between two pieces of one text."""
    touched = {id(o) for line in lines for o in _right_of(line, lines, reach=_JOIN)[:1] if _touches(line, o)}
    for line in lines:
        if id(line) in touched:
            continue
        run = (line, *_right_of(line, lines, reach=_JOIN))
        for last in range(1, len(run) + 1):
            if last == len(run) or not _touches(run[last - 1], run[last]):
                yield run[:last]


def _at_place(value: str, place: Place, reading: ScreenReading) -> Answer:
    """Nobody can tell whose record is meant where the label heads a list of several."""
    if place.heads_several:
        return Answer.CANNOT_TELL
    return _judge(value, place.alternatives, reading)


def _judge(value: str, runs: Sequence[tuple[TextLine, ...]], reading: ScreenReading) -> Answer:
    """Whether one of the runs is the value: yes only where it is read surely and whole."""
    answers = [_is_value(value, run, reading, compare) for run in runs]
    if Answer.YES in answers:
        return Answer.YES
    return Answer.CANNOT_TELL if Answer.CANNOT_TELL in answers else Answer.NO


def _is_value(
    value: str, run: tuple[TextLine, ...], reading: ScreenReading, by: Callable[[str, str], Answer]
) -> Answer:
    shown = " ".join(line.text for line in run)
    answer = by(value, shown)
    if answer is not Answer.YES:
        return answer
    is_whole = is_sure(run, _SURE) and not cut_off(run, reading)
    return Answer.YES if is_whole else Answer.CANNOT_TELL


def is_sure(run: Sequence[TextLine], least: float) -> bool:
    """Whether the texts were read with that confidence, and nothing beside them may be a letter of theirs."""
    return all(line.confidence >= least and not any(line.beside) for line in run)


def cut_off(run: tuple[TextLine, ...], reading: ScreenReading) -> bool:
    """Whether the text goes to the very edge of its field or window, so that more of it may be out of sight."""
    box, height = union([line.box for line in run]), run[0].box.h
    state = reading.state
    if box.right >= state.front.right - 2:
        return True
    fields = [e.box for e in state.elements if e.role is ElementRole.FIELD and e.box.contains(box.center)]
    return any(box.right > field.right - 0.35 * height for field in fields)


def in_window(reading: ScreenReading) -> tuple[TextLine, ...]:
    """The lines of the focused window; all of them where its box is not known."""
    return tuple(line for line in reading.lines if reading.state.front.contains(line.box.center))
