"""Choosing an option by its text: in a list or a group of radio buttons as it stands, or in what a control opens.

A list is looked through as a whole, by scrolling, before anything in it is clicked: an option that is there twice is
nobody's.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from execution.desktop.capture import looks
from execution.perception.changes import Changes, find_changes, union
from execution.targeting.boxes import text_lines_in
from execution.turn.movements import Movements
from execution.turn.scrolling import shift
from execution.turn.wheel import once_moved
from execution.types import Box, Element, ElementRole, Point, ScreenState, TextLine
from execution.verification.chosen import (
    group_area,
    is_one_line,
    option_key,
    options_named,
    radio_of,
    radios_in,
    reads,
    shown,
)
from execution.verification.cut import is_cut
from execution.verification.marks import is_on
from sentences.said import say

OPENS_S = 3.0  # a list may be so long in coming: a second click would close it, or choose what lies there by then
MOST = 60  # turns of the wheel through one list, each way
_BACK = 10  # clicks of the wheel, to the top of a list
_STEP = 1  # clicks of the wheel: less than a page of a short list
_MOST_TOLD = 8
_INDENT = 2.5  # heights of a row: items of a list may be indented so far
_CUT = 2  # pixels from the edge of a list: what begins there is cut by it
_FRAME = 6  # pixels: the frame around a combo box is hardly higher than its field
_NEAR = 12  # pixels between a control and what it opens
_RING, _BORDER = 8, 4  # pixels around a control in which its focus is drawn, and of its border within
_SAME = 0.8  # of what two boxes cover together
_FOCUSED = frozenset({ElementRole.FIELD, ElementRole.BUTTON})


def choose(hands: Movements, option: str, box: Box, state: ScreenState) -> str:
    """Why it was not chosen, "" if it was clicked. `box` is the control's. Raises Stopped."""
    mark, count = radio_of(option, group_area(box, state), state)
    if count > 1:
        return say("turn.option_often", option=option, n=count)
    if mark is not None:
        if is_on(mark, state) is None:
            return say("turn.state_unknown")
        hands.click(mark.center)
        return ""
    if marks := radios_in(box, state):  # nothing of them opens
        known = [caption for _mark, caption in marks if caption][:_MOST_TOLD]
        return say("turn.option_absent", option=option, known=known)
    if _is_list(box, state):
        return _pick(hands, option, box, state)
    opened = _opened(hands, box, state)
    if opened is None:
        return say("turn.list_not_opened")
    area, state = opened
    if problem := _pick(hands, option, area, state):
        hands.press(("escape",))
        hands.still()
        return problem
    return ""


def _is_list(box: Box, state: ScreenState) -> bool:
    """Whether it shows rows. What stands beside the value of a combo box, whatever it was read as, makes it no list:
    the wheel would turn what is chosen."""
    lines = text_lines_in(box, state)
    alone = replace(state, texts=tuple(lines[:1]))
    return not is_one_line(box, state) and (len(_levels(lines)) > 1 or not is_one_line(box, alone))


def _opened(hands: Movements, box: Box, before: ScreenState) -> tuple[Box, ScreenState] | None:
    """Open the list of a control: by a click on it, or else on its arrow. Where the list is, and the screen then."""
    for point in (box.center, _arrow(box, before)):
        hands.click(point)
        for _look in looks(OPENS_S):
            after = hands.still()
            if area := popup(box, before, after):
                return area, after
    return None


def _arrow(box: Box, state: ScreenState) -> Point:
    """The button at the right end of a combo box, beside what can be typed in or as a part of it."""
    end = Box(box.right - box.h, box.y, 2 * box.h, box.h)
    level = [e for e in state.elements if end.contains(e.box.center) or e.box.contains(box.center)]
    roles = (ElementRole.BUTTON, ElementRole.ICON)
    found = [e.box for e in level if e.role in roles and end.contains(e.box.center) and e.box.w <= 2 * box.h]
    if len(found) == 1:
        return found[0].center
    around = [e.box for e in level if e.role is ElementRole.GROUP and abs(e.box.h - box.h) <= _FRAME]
    right = max((frame.right for frame in around if 0 <= frame.right - box.right <= 2 * box.h), default=box.right)
    return Point(right - max(4, box.h // 3), box.center.y)


def popup(box: Box, before: ScreenState, after: ScreenState, *, rows: int = 1) -> Box | None:
    """What came at the control, with so many rows of text in it: below or above it, or over it."""
    changes = find_changes(before.frame.pixels, after.frame.pixels)
    if changes is None:
        return None
    changes = changes.outside(_rings(box, before, after, changes))
    control = box.grown(_NEAR, after.frame.size)
    parts = [part for part in changes.regions if not (control.intersection(part).area >= 0.9 * part.area)]
    joined = [part for part in parts if part.grown(_NEAR, after.frame.size).intersection(control).area]
    for _again in parts:  # what touches what touches it belongs to it
        joined += [p for p in parts if p not in joined and any(_touch(p, other, after) for other in joined)]
    if not joined:
        return None
    area = union(joined)
    stay = _others_that_stay(box, before, after)
    fresh = [
        line
        for line in text_lines_in(area, after)
        if changes.touches(line.box) and not any(other.contains(line.box.center) for other in stay)
    ]
    return area if len(_levels(fresh)) >= rows else None


def _rings(box: Box, before: ScreenState, after: ScreenState, changes: Changes) -> list[Box]:
    """The other controls that say what they said: what changed there is where the focus was, and how it is drawn."""
    others = [e for e in before.elements if e.role in _FOCUSED and not e.box.intersection(box).area]
    size = before.frame.size

    def stays(one: Element) -> bool:
        if changes.within(one.box.grown(-_BORDER, size)).is_caret_only:
            return True
        now = (e for e in after.elements if e.role is one.role and e.box.iou(one.box) > _SAME)
        said = shown(one.box, before)
        return bool(said) and any(reads(shown(e.box, after), said) for e in now)

    return [one.box.grown(_RING, size) for one in others if stays(one)]


def _others_that_stay(box: Box, before: ScreenState, after: ScreenState) -> list[Box]:
    """The other controls that are where they were: a list that is open over one covers it, and what changed in one is
    no row of a list."""
    others = [e for e in before.elements if e.role in _FOCUSED and not e.box.intersection(box).area]
    return [one.box for one in others if any(e.role is one.role and e.box.iou(one.box) > _SAME for e in after.elements)]


def _levels(lines: Sequence[TextLine]) -> list[int]:
    """Where the rows stand that the lines make, each by the middle of its first line."""
    levels: list[int] = []
    for line in sorted(lines, key=lambda line: line.box.center.y):
        if not levels or line.box.center.y - levels[-1] > line.box.h / 2:
            levels.append(line.box.center.y)
    return levels


def _touch(one: Box, other: Box, state: ScreenState) -> bool:
    return one.grown(_NEAR, state.frame.size).intersection(other).area > 0


def _pick(hands: Movements, option: str, area: Box, state: ScreenState) -> str:
    """Look the whole list through, then click the one option that reads so."""
    state = _to_top(hands, area, state)
    read, turns, below = _noted(area, state, top=True), 0, 0
    while turns < MOST:
        later = _turned(hands, area, _STEP, state)
        moved = shift(state, later, _said_in(area, state))
        if moved == 0:
            break
        joined = _joined(read, _noted(area, later, below + moved)) if moved is not None else None
        if moved is None or joined is None:
            return say("turn.list_not_read")
        read, state, turns, below = joined, later, turns + 1, below + moved
    read = _joined(read, _noted(area, state, below, top=not turns, bottom=True)) or read
    count = sum(option_key(option) in row.keys for row in read)
    if count > 1:
        return say("turn.option_often", option=option, n=count)
    for turn in range(turns + 1 if count else 0):
        ends = {"top": turn == turns, "bottom": turn == 0}  # of what is cut at an edge nobody knows what it says
        rows = _whole(option, area, state, **ends)
        if len(rows) == 1:
            why = hands.click_seen(rows[0].box, state)
            if not why:
                return ""
            later = hands.still()  # it is drawn otherwise by now, as the pointer lies on it
            rows = _whole(option, area, later, **ends)
            return hands.click_seen(rows[0].box, later) if len(rows) == 1 else why
        state = _turned(hands, area, -_STEP, state)
    known = [line.text for line in _rows(area, state, top=True, bottom=True)][:_MOST_TOLD]
    return say("turn.option_absent", option=option, known=known)


def _whole(option: str, area: Box, state: ScreenState, *, top: bool, bottom: bool) -> list[TextLine]:
    """The rows that read so, of those that are in sight as a whole."""
    rows = [row for row in _rows(area, state, top=top, bottom=bottom) if not is_cut(row, area)]
    return options_named(option, rows)


def _to_top(hands: Movements, area: Box, state: ScreenState) -> ScreenState:
    page = _keys(area, state)
    for _turn in range(MOST):
        later = _turned(hands, area, -_BACK, state)
        if (now := _keys(area, later)) == page:
            return later
        page, state = now, later
    return state


def _turned(hands: Movements, area: Box, dy: int, state: ScreenState) -> ScreenState:
    page = _keys(area, state)
    hands.scroll(area.center, dy)
    return once_moved(hands.still, lambda later: _keys(area, later) != page)


def _keys(area: Box, state: ScreenState, *, top: bool = False, bottom: bool = False) -> list[str]:
    """What can be read of the list now, from top to bottom."""
    lines = sorted(_rows(area, state, top=top, bottom=bottom), key=lambda line: (line.box.y, line.box.x))
    return [key for line in lines if (key := option_key(line.text))]


def _rows(area: Box, state: ScreenState, *, top: bool = False, bottom: bool = False) -> list[TextLine]:
    """The rows of a list: lines that begin below each other; what is drawn on its scroll bar does not.

    A row at the edge may be cut by it, unless the list begins, or ends, there (`top`, `bottom`).
    """
    lines = [
        line
        for line in text_lines_in(area, state)
        if (top or line.box.y > area.y + _CUT) and (bottom or line.box.bottom < area.bottom - _CUT)
    ]
    if not lines:
        return []
    left = sorted(line.box.x for line in lines)[len(lines) // 2]
    return [line for line in lines if abs(line.box.x - left) <= _INDENT * line.box.h]


def _said_in(area: Box, state: ScreenState) -> Box:
    """The part of a list in which its rows say something: its scroll bar moves otherwise than they do."""
    rows = [line.box for line in _rows(area, state, top=True, bottom=True)]
    if not rows:
        return area
    said = union(rows)
    return Box(said.x, area.y, said.w, area.h)


class _Row(NamedTuple):
    """A row of a list, by where its middle is below the top of the first page, and all that it was read as."""

    middle: int
    height: int
    keys: frozenset[str]


def _noted(area: Box, state: ScreenState, below: int = 0, *, top: bool = False, bottom: bool = False) -> list[_Row]:
    """The rows of a page that is so many pixels `below` the first."""
    lines = _rows(area, state, top=top, bottom=bottom)
    return [_Row(line.box.center.y + below, line.box.h, frozenset({option_key(line.text)})) for line in lines]


def _joined(rows: Sequence[_Row], page: Sequence[_Row]) -> list[_Row] | None:
    """The rows with those of a page, each once; None where those of both are not read alike, half of them at least.

    How far it was scrolled is told by what is drawn: of the few rows that two pages share one may be read otherwise.
    """
    joined, met, alike = list(rows), 0, 0
    for new in page:
        old = next((n for n, row in enumerate(rows) if abs(row.middle - new.middle) <= new.height / 2), None)
        if old is None:
            joined.append(new)
            continue
        met, alike = met + 1, alike + bool(rows[old].keys & new.keys)
        joined[old] = rows[old]._replace(keys=rows[old].keys | new.keys)
    return joined if met and 2 * alike >= met else None
