"""Whose record is on the screen: "the patient shown is {{patient}}", yes, no, or cannot tell (S9.6).

The value must stand at its label: after it on its line, right of it on its row, or below it. What stands there must be
that value and nothing more of it: another name, another digit or a longer name is no. A text that is cut off or badly
read is no yes. Notes name neither the value nor what stands in its place: they are kept in logs.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from django.utils.translation import gettext as _

from execution.navigation.screen_words import wanted
from execution.navigation.verification.facts import IDENTITY, Fact, combined
from execution.navigation.verification.reading import ScreenReading
from execution.navigation.words import SAME, find, folded, words
from execution.perception.changes import union
from execution.types import Answer, Box, ElementRole, TextLine
from workflows.graph import IdentitySpec

_SURE = 0.6  # a reader's confidence below this is no reading of a name
_ROW_REACH = 25.0  # line heights: forms put the value so far right of its label, not farther
_JOIN = 1.5  # line heights: pieces of one value stand no farther apart
_BELOW = 3.2  # line heights from the middle of the label to the middle of the value below it
_HEADS = 3  # texts on the row of a label that is the head of a column
_TITLES = frozenset(
    {"m", "mr", "mrs", "ms", "miss", "mme", "mlle", "dr", "pr", "prof", "monsieur", "madame", "mademoiselle"}
)
# What may follow a value on its line and does not belong to it.
_APART = frozenset({"ne", "nee", "ne(e)", "born", "dob", "ddn", "age", "aged", "sex", "sexe"})
_SEX = frozenset({"f", "h", "m"})
_PAIRS = str.maketrans({"o": "0", "i": "1", "l": "1", "|": "1"})
_BREAKS = re.compile(r"[(\[|·•]")


def check(spec: IdentitySpec, reading: ScreenReading, variables: Mapping[str, str]) -> Fact:
    """Whether the value stands at its label in the focused window, or anywhere in it where no label is given."""
    value, label = wanted(spec.value, variables), wanted(spec.label, variables)
    if problem := value.problem or label.problem:
        return _fact(Answer.CANNOT_TELL, _("who is shown cannot be checked: %(why)s") % {"why": problem})
    if not _tokens(value.text):
        return _fact(Answer.CANNOT_TELL, _("who is shown cannot be checked: the value is empty"))
    if not reading.was_read:
        return _fact(Answer.CANNOT_TELL, _("who is shown cannot be checked: the screen was not read"))
    lines = _in_window(reading)
    named = {"what": spec.value, "label": spec.label}
    if not spec.label:
        return _anywhere(value.text, lines, reading, named)
    places = [place for place in _at_label(label.text, lines, reading) if place.lines]
    if not places:
        return _fact(Answer.CANNOT_TELL, _("'%(label)s' is not seen with anything at it") % named)
    answers = [_at_place(value.text, place, reading) for place in _deciding(places)]
    if Answer.YES in answers and Answer.NO in answers:
        return _fact(Answer.CANNOT_TELL, _("%(what)s stands at one '%(label)s', another value at another") % named)
    answer = combined(answers)
    note = {
        Answer.YES: _("%(what)s stands at '%(label)s'"),
        Answer.NO: _("another value than %(what)s stands at '%(label)s'"),
        Answer.CANNOT_TELL: _("what stands at '%(label)s' cannot be read surely"),
    }[answer]
    return _fact(answer, note % named)


def _fact(answer: Answer, note: str) -> Fact:
    return Fact(sign=IDENTITY, answer=answer, note=note, proof=answer is Answer.YES)


def _anywhere(value: str, lines: Sequence[TextLine], reading: ScreenReading, named: Mapping[str, str]) -> Fact:
    """Without a label the value must be all that a line, or a row of pieces, says."""
    answers = [_judge(value, (run,), reading) for run in _runs(lines)]
    if Answer.YES in answers:
        return _fact(Answer.YES, _("%(what)s is seen") % named)
    if Answer.CANNOT_TELL in answers:
        return _fact(Answer.CANNOT_TELL, _("something like %(what)s is seen, but not surely") % named)
    return _fact(Answer.NO, _("%(what)s is not seen") % named)


class _Place:
    """What stands at one sighting of the label: alternatives, of which the first that is the value decides."""

    def __init__(self, alternatives: Sequence[tuple[TextLine, ...]], *, heads_column: bool, rows: int) -> None:
        self.alternatives = tuple(alternatives)
        self.heads_column, self.rows = heads_column, rows

    @property
    def lines(self) -> bool:
        return bool(self.alternatives)


def _deciding(places: Sequence[_Place]) -> Sequence[_Place]:
    """A label that heads a column of a list says nothing where another one stands at a single value."""
    single = [place for place in places if not place.heads_column]
    return single or places


def _at_label(label: str, lines: Sequence[TextLine], reading: ScreenReading) -> Iterator[_Place]:
    for line in lines:
        hit = find(label, line.text, minimum=SAME)
        whole = words(line.text)
        if hit is None or not whole.spans or hit.start != whole.spans[0][0]:
            continue
        rest = whole.text[hit.end :].lstrip(" :=.-–\t").rstrip()
        if rest:
            if not _separated(whole.text, hit.end):
                continue  # "Patients" or "Patient list": another text that begins like the label
            share = hit.end / max(1, len(whole.text))
            left = line.box.x + round(share * line.box.w)
            cut = Box(left, line.box.y, line.box.right - left, line.box.h)
            own = TextLine(text=rest, box=cut, confidence=line.confidence)
            further = _right_of(own, lines, reach=_JOIN)
            yield _Place([(own,), *([(own, *further)] if further else [])], heads_column=False, rows=1)
            continue
        yield _beside(line, lines)


def _separated(text: str, end: int) -> bool:
    """Whether the label ends there with a colon or the like, so that what follows is its value."""
    return bool(re.match(r"\s*[:=]|\s+[-–]\s|\s{2,}", text[end:]))


def _beside(label: TextLine, lines: Sequence[TextLine]) -> _Place:
    """What stands right of a label that has its line for itself, or below it."""
    right = _right_of(label, lines, reach=_ROW_REACH)
    below = _under(label, lines)
    row = [o for o in lines if o is not label and _level(o.box, label.box)]
    heads = len(row) + 1 >= _HEADS and bool(below) and not label.text.rstrip().endswith(":")
    column = _column(label, lines)
    found = [right] if right and not heads else []
    if below and not (found and label.text.rstrip().endswith(":")):
        found.append(below)
    return _Place(found, heads_column=heads or (column > 1 and not right), rows=column)


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
        near = abs(line.box.x - label.box.x) <= 0.6 * label.box.h and 0 < step <= 4 * max(label.box.h, line.box.h)
        if near and line.box.y >= last.box.bottom - 2:
            count, last = count + 1, line
    return count


def _level(one: Box, other: Box) -> bool:
    return abs(one.center.y - other.center.y) < 0.5 * max(one.h, other.h)


def _runs(lines: Sequence[TextLine]) -> Iterator[tuple[TextLine, ...]]:
    for line in lines:
        further = _right_of(line, lines, reach=_JOIN)
        yield (line,)
        for last in range(1, len(further) + 1):
            yield (line, *further[:last])


def _at_place(value: str, place: _Place, reading: ScreenReading) -> Answer:
    """Nobody can tell whose record is meant where the label heads a list of several."""
    if place.heads_column and place.rows > 1:
        return Answer.CANNOT_TELL
    return _judge(value, place.alternatives, reading)


def _judge(value: str, runs: Sequence[tuple[TextLine, ...]], reading: ScreenReading) -> Answer:
    """Whether one of the runs is the value: yes only where it is read surely and whole."""
    answers = [_is_value(value, run, reading) for run in runs]
    if Answer.YES in answers:
        return Answer.YES
    return Answer.CANNOT_TELL if Answer.CANNOT_TELL in answers else Answer.NO


def _is_value(value: str, run: tuple[TextLine, ...], reading: ScreenReading) -> Answer:
    shown = " ".join(line.text for line in run)
    answer = compare(value, shown)
    if answer is not Answer.YES:
        return answer
    unsure = min(line.confidence for line in run) < _SURE or _cut_off(run, reading)
    return Answer.CANNOT_TELL if unsure else Answer.YES


def compare(value: str, shown: str) -> Answer:
    """Whether `shown` is the value, in this order or with its words turned round; what may follow it is left out.

    Accents, case, spaces and hyphens are forgiven, and 0 for O and 1 for I and l, which a reader takes for each other.
    Cannot tell: rn for m, a text that ends in an ellipsis, and one more letter or, behind a number, one more word.
    """
    ours = _tokens(value)
    cut = re.search(r"(?:\.{2,}|…)\s*$", shown) is not None
    readings = [tokens for tokens in _readings(shown) if tokens]
    if any(_alike(ours, theirs) for theirs in readings):
        return Answer.CANNOT_TELL if cut else Answer.YES
    for theirs in readings:
        if _alike([_joined_m(t) for t in ours], [_joined_m(t) for t in theirs]):
            return Answer.CANNOT_TELL
        if cut and "".join(ours).startswith("".join(theirs)):
            return Answer.CANNOT_TELL
        more = theirs[len(ours) :]
        if _alike(ours, theirs[: len(ours)]) and more and (any(c.isdigit() for c in value) or len("".join(more)) == 1):
            return Answer.CANNOT_TELL
    return Answer.NO


def _alike(ours: Sequence[str], theirs: Sequence[str]) -> bool:
    """The same words in any order, or the same letters where the reader split or glued words."""
    return sorted(ours) == sorted(theirs) or "".join(ours) == "".join(theirs)


def _tokens(text: str) -> list[str]:
    plain = re.sub(r"[^\w']+", " ", folded(text)).replace("'", " ")
    return [token.translate(_PAIRS) for token in plain.split()]


def _readings(shown: str) -> Iterator[list[str]]:
    """The words that may be the value: all, those before a bracket, those without a title and what is told behind."""
    yield _tokens(shown)
    kept = _BREAKS.split(folded(shown))[0]
    yield _tokens(kept)
    raw = re.sub(r"[^\w'/.()]+", " ", kept).split()
    while len(raw) > 1 and raw[0].strip(".") in _TITLES:
        raw = raw[1:]
    yield _tokens(" ".join(raw))
    if raw and not any(c.isdigit() for c in raw[0]):
        yield _tokens(" ".join(raw[: _told_behind(raw)]))


def _told_behind(raw: Sequence[str]) -> int:
    """Where in these words the name ends and a date, an age, a sex or a birth name begins."""
    for index, word in enumerate(raw[1:], start=1):
        following = raw[index + 1][:1] if index + 1 < len(raw) else ""
        if word[0].isdigit() or word.strip(".") in _APART or (word in _SEX and following.isdigit()):
            return index
    return len(raw)


def _joined_m(token: str) -> str:
    return token.replace("rn", "m")


def _cut_off(run: tuple[TextLine, ...], reading: ScreenReading) -> bool:
    """Whether the text goes to the very edge of its field or window, so that more of it may be out of sight."""
    box, height = union([line.box for line in run]), run[0].box.h
    state = reading.state
    window = state.window.box if state.window and state.window.box else None
    edge = window.right if window else state.frame.size.width
    if box.right >= edge - 2:
        return True
    fields = [e.box for e in state.elements if e.role is ElementRole.FIELD and e.box.contains(box.center)]
    return any(box.right > field.right - 0.35 * height for field in fields)


def _in_window(reading: ScreenReading) -> tuple[TextLine, ...]:
    """The lines of the focused window; all of them where its box is not known."""
    window = reading.state.window
    if window is None or window.box is None:
        return reading.lines
    return tuple(line for line in reading.lines if window.box.contains(line.box.center))
