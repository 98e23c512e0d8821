"""Whether what was typed stands where it belongs: as it was typed, written otherwise, cut by its field, or as dots.

What was typed may be a secret: no note quotes it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import cv2
import numpy as np

from execution.language.fuzzy import words
from execution.language.letters import Shown, alone, shown_in
from execution.language.written_forms import same_value
from execution.types import Answer, Box, Element, ElementRole, ScreenState, TextLine
from execution.verification.change import Change, in_field
from execution.verification.chosen import control_box, value_lines
from execution.verification.facts import TYPED, Fact
from execution.verification.reading import Seen
from sentences.said import say

_TELLING = 3  # characters: shorter texts appear by chance
# A wrong letter is another text, unless it is one in a long one, where the reader slips sooner than the hand.
_LONG, _NEARLY = 30, 0.97
_CUT_TELLING = 6  # of a text that its field cuts, so much must be seen
_FILLS = 0.8  # of its field's width: a text that is cut fills it
_FEWEST_DOTS = 3
_FRAMED = frozenset({ElementRole.FIELD, ElementRole.BUTTON})  # a short field with a text in it looks like a button
_UNMOVED = 4  # pixels: the unit at the end of a field stays where it is, what was not emptied moves
_DOT_ALIKE = 2  # pixels by which the dots of a masked field may differ in size and place


def typed_fact(typed: str, change: Change, *, at: Box | None = None) -> Fact | None:
    """The fact that the typed text can be read, None where nothing can be said of it.

    `at` is the field it was typed into, where that is known: seen elsewhere it proves nothing.
    """
    if not typed.strip() or not (change.now.was_read and change.then.was_read):
        return None
    lines = [line.strip() for line in typed.splitlines() if len(words(line).key) >= _TELLING]
    if not lines:
        short = typed.strip()
        return _fact(say("verification.typed_in_field"), proof=True) if _short(short, change, at) else None
    if all(_newly(line, change, at) for line in lines):
        return _fact(say("verification.typed_seen"), proof=True)
    if len(lines) == 1 and (note := _otherwise(lines[0], change, at)):
        return _fact(note, proof=True)
    if all(_exactly(line, change) for line in lines):
        return _fact(say("verification.typed_before"))
    return Fact(sign=TYPED, answer=Answer.CANNOT_TELL, note=say("verification.typed_not_seen"))


def filled_fact(typed: str, change: Change, *, at: Box) -> Fact | None:
    """What a field that was emptied first holds now; None where that says nothing.

    The text alone is what was wanted, also where it stood there before. With what stood there before it, or where a
    field to be emptied holds anything, which may be no more than a hint, nobody can tell.
    """
    if not change.now.was_read:
        return None
    held, was = (_key(" ".join(_held(screen.lines, at))) for screen in (change.now, change.then))
    wanted = _key(typed)
    if not wanted:
        if typed.strip():
            return None
        if held:
            return Fact(sign=TYPED, answer=Answer.CANNOT_TELL, note=say("verification.typed_not_emptied"))
        return _fact(say("verification.typed_emptied"), proof=True)
    if held == wanted:
        return _fact(say("verification.typed_alone"), proof=True)
    if was and was != wanted and held in (was + wanted, wanted + was):
        return Fact(sign=TYPED, answer=Answer.CANNOT_TELL, note=say("verification.typed_with_more"))
    return None


def _key(text: str) -> str:
    return words(text).key.replace(" ", "")


def _held(lines: Iterable[TextLine], field: Box) -> list[str]:
    """The texts in a field, in reading order."""
    inside = sorted((line.box.y, line.box.x, line.text) for line in lines if field.contains(line.box.center))
    return [text for _y, _x, text in inside]


def misplaced_fact(typed: str, change: Change, *, at: Box | None) -> Fact | None:
    """The fact that the typed text came somewhere else than in its field `at`; None where that cannot be said."""
    there = typed_fact(typed, change, at=at) if at else None
    if there is None or there.proof:
        return None
    anywhere = typed_fact(typed, change)
    if anywhere is None or not anywhere.proof:
        return None
    return Fact(sign=TYPED, answer=Answer.NO, note=say("verification.typed_elsewhere"))


def altered_fact(typed: str, change: Change, *, at: Box | None, cleared: bool) -> Fact | None:
    """The fact that its field shows the typed text in other letters, or more than it; None where nothing says so.

    A date or a number that its field writes otherwise is what it was; what stands there on another screen is its own.
    """
    lines = [line for line in typed.splitlines() if line.strip()]
    if at is None or len(lines) != 1 or len(words(typed).key) >= _LONG or not (change.now.was_read and change.stands):
        return None
    field = control_box(at, change.after)
    if not any(e.role in _FRAMED and e.box == field for e in change.after.elements):
        return None
    for run in _runs(value_lines(field, change.after)):
        text = " ".join(line.text for line in run)
        if same_value(typed, text):
            return None
        found = shown_in(typed, text)
        if found and not found.same:
            return Fact(sign=TYPED, answer=Answer.CANNOT_TELL, note=say("verification.typed_other_letters"))
        if found:
            was = value_lines(field, change.before)
            if found.is_all or (_is_unit(typed, found, run, was) if cleared else _stood(found, was)):
                return None
            return Fact(sign=TYPED, answer=Answer.CANNOT_TELL, note=say("verification.typed_and_more"))
    return None


def _stood(found: Shown, was: Sequence[TextLine]) -> bool:
    """Whether what stands beside the typed text stood in the field before."""
    there = alone("".join(line.text for line in was))
    return found.before in there and found.behind in there


def _is_unit(typed: str, found: Shown, run: Sequence[TextLine], was: Sequence[TextLine]) -> bool:
    """Whether what stands behind a text whose field was to be emptied is the field's own: it stood there, unmoved."""
    unmoved = bool(was) and abs(run[-1].box.right - was[-1].box.right) <= _UNMOVED
    is_new = shown_in(typed, " ".join(line.text for line in was)) is None
    return unmoved and is_new and not found.before and _stood(found, was)


def _runs(lines: Sequence[TextLine]) -> Iterator[list[TextLine]]:
    """The texts of a field: pieces of a row that stand as the words of one are one."""
    run: list[TextLine] = []
    for line in lines:
        if run and not (run[-1].box.y < line.box.center.y < run[-1].box.bottom and _gap(run[-1], line) < line.box.h):
            yield run
            run = []
        run.append(line)
    if run:
        yield run


def _gap(left: TextLine, right: TextLine) -> int:
    return right.box.x - left.box.right


def _fact(note: str, *, proof: bool = False) -> Fact:
    return Fact(sign=TYPED, answer=Answer.YES, note=note, proof=proof)


def _newly(line: str, change: Change, at: Box | None) -> bool:
    """Whether the line stands where it did not, and, if it stood elsewhere before, in a field."""
    then = change.then.sightings(line)
    for seen in _exactly(line, change):
        if at and not _inside(seen.box, at):
            continue
        if not then:
            return True
        here_before = any(seen.box.intersection(old.box).area for old in then)
        if not here_before and in_field(seen.box, change.after) and change.touches(seen.box):
            return True
    return False


def _exactly(line: str, change: Change) -> list[Seen]:
    least = _NEARLY if len(words(line).key) >= _LONG else 1.0
    return [seen for seen in change.now.sightings(line) if seen.score >= least]


def _short(text: str, change: Change, at: Box | None) -> bool:
    """A text of one or two letters counts only as all that stands in a field."""
    for line in change.now.lines:
        if line.text.strip().casefold() == text.casefold() and (not at or _inside(line.box, at)):
            old = [o for o in change.then.lines if o.box.intersection(line.box).area]
            if in_field(line.box, change.after) and all(o.text.strip() != line.text.strip() for o in old):
                return True
    return False


def _otherwise(line: str, change: Change, at: Box | None) -> str:
    """How the typed line stands in a field otherwise than it was typed, "" if it does not."""
    for field in _fields(change, at):
        shown = [new for new in change.now.lines if _inside(new.box, field.box)]
        before = " ".join(old.text for old in change.then.lines if _inside(old.box, field.box))
        for new in shown:
            if same_value(line, new.text) and not same_value(line, before):
                return say("verification.typed_otherwise")
            if _is_cut(line, new, field.box) and words(new.text).key not in words(before).key:
                return say("verification.typed_end")
        if _masked(line, field.box, change, read=shown):
            return say("verification.typed_dots")
    return ""


def _fields(change: Change, at: Box | None) -> Iterator[Element]:
    """The fields that changed."""
    for element in change.after.elements:
        here = at is None or _inside(at, element.box) or _inside(element.box, at)
        if element.role in _FRAMED and here and change.touches(element.box):
            yield element


def _is_cut(typed: str, line: TextLine, field: Box) -> bool:
    """Whether the line is the end of what was typed and fills its field: the beginning is out of sight.

    The beginning alone is no sign: whoever stopped half-way would have typed as much.
    """
    key, shown = words(typed).key, words(line.text).key
    whole = len(shown) >= _CUT_TELLING and len(shown) < len(key) and line.box.w >= _FILLS * field.w
    # the first letter in sight may be cut through
    return whole and (key.endswith(shown) or (len(shown) > 2 * _CUT_TELLING and key.endswith(shown[1:])))


def _masked(typed: str, field: Box, change: Change, *, read: list[TextLine]) -> bool:
    """Whether the field shows one dot for each letter, and did not before."""
    if any(c.isalpha() and c not in "oO" for line in read for c in line.text) or len(typed) < _FEWEST_DOTS:
        return False
    return _dots(change.after, field) == len(typed) != _dots(change.before, field)


def _dots(state: ScreenState, field: Box) -> int:
    """How many like marks stand in the field at like distances, 0 if anything else stands there."""
    inner = Box(field.x + 3, field.y + 3, field.w - 6, field.h - 6)
    crop = state.frame.crop(inner)
    if not crop.size:
        return 0
    grey = cv2.cvtColor(np.ascontiguousarray(crop), cv2.COLOR_BGR2GRAY).astype(np.int16)
    ink = (np.abs(grey - int(np.median(grey))) > 60).astype(np.uint8)
    count, _labels, stats, centres = cv2.connectedComponentsWithStats(ink, connectivity=8)
    marks = sorted(
        (float(centres[i][0]), float(centres[i][1]), int(stats[i][2]), int(stats[i][3]))
        for i in range(1, count)
        if stats[i][3] < 0.9 * inner.h and not (stats[i][2] <= 3 and stats[i][3] > 2 * stats[i][2])  # no caret
    )
    if len(marks) < _FEWEST_DOTS:
        return 0
    rows = np.array(marks)
    sizes = rows[:, 2:]
    median = np.median(sizes, axis=0)
    alike = np.abs(sizes - median).max(axis=1) <= _DOT_ALIKE
    level = np.abs(rows[:, 1] - np.median(rows[:, 1])) <= _DOT_ALIKE
    dots = rows[alike & level]
    steps = np.diff(dots[:, 0])
    even = len(dots) >= _FEWEST_DOTS and float(np.ptp(steps)) <= _DOT_ALIKE
    return len(dots) if even else 0


def _inside(box: Box, outer: Box) -> bool:
    return box.intersection(outer).area >= 0.6 * box.area
