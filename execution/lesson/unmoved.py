"""Whether a place is still what was asked about it: a click that was held is done late, on what shows by then (S6.11).

While a person thinks a line can come in above, or another record be opened at the same place. What changes by itself
(a clock, a count) may; anything else that is written anywhere is a reason to be asked anew, which costs one click.
"""

from __future__ import annotations

from collections.abc import Sequence

from execution.language.volatile import lasting
from execution.lesson.understanding import Understood
from execution.perception.changes import find_changes, union
from execution.turn.unchanged import MARGIN_PX, other_window
from execution.types import ScreenState, TextLine


def reads_the_same(then: ScreenState, now: ScreenState) -> bool:
    """Whether each line of one is on the other, at its place; both as they were read, nothing of them hidden."""
    if then is now:
        return True
    if then.frame.size != now.frame.size:
        return False
    return _all_in(then.texts, now.texts) and _all_in(now.texts, then.texts)


def means_the_same(found: Understood, anew: Understood) -> bool:
    """Whether a click there would be understood as before."""
    then, there = (one.box for one in (found, anew))
    return (then, found.alike, found.role, found.text) == (there, anew.alike, anew.role, anew.text)


def looks_the_same(found: Understood, then: ScreenState, now: ScreenState) -> bool:
    """Whether the place and its row are the same pixels in the same window, up to a blinking caret."""
    if other_window(then.window, now.window):
        return False
    row = union([found.box, *(box for answer in found.answers if answer.row for box in answer.boxes)])
    row = row.grown(MARGIN_PX, then.frame.size)
    changes = find_changes(then.frame.crop(row), now.frame.crop(row))
    return then.frame.size == now.frame.size and changes is not None and changes.is_caret_only


def _all_in(some: Sequence[TextLine], others: Sequence[TextLine]) -> bool:
    return all(any(_is_same(line, other) for other in others) for line in some if lasting(line.text).strip())


def _is_same(line: TextLine, other: TextLine) -> bool:
    one, two = line.box, other.box
    near = abs(one.center.y - two.center.y) <= one.h / 2 and abs(one.x - two.x) <= one.h
    return near and lasting(line.text) == lasting(other.text)
