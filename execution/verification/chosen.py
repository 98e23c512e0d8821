"""What is chosen in a combo box, a list or a group of radio buttons, and whether a control stands as an act wants it.

An option is told by its text, to the letter: “Ward 1” is not “Ward 10”.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from execution.language.fuzzy import words
from execution.language.read_values import FRENCH, US, parsed_date
from execution.language.screen_texts import LINE, PART, ScreenWords
from execution.targeting.boxes import text_lines_in
from execution.types import Answer, Box, ElementRole, ScreenState, TextLine, Verification
from execution.verification.marks import is_on, mark_at
from sentences.said import say

_CONTROLS = frozenset({ElementRole.FIELD, ElementRole.BUTTON})
_RADIOS = frozenset({ElementRole.RADIO})
_HIGHEST = 2.6  # heights of a line: a control of one line is no higher
_OTHER_GROUND = 24  # levels: a chosen row has another ground than its list
_PITCH, _ALIGNED = 1.8, 6  # heights of a label from one radio button to the next; pixels
_PATTERNS = {FRENCH: "%d/%m/%Y", US: "%m/%d/%Y", "": "%Y-%m-%d"}


def control_box(place: Box, state: ScreenState) -> Box:
    """The frame around a place: its field or button; the place itself where none is seen."""
    around = [e.box for e in state.elements if e.role in _CONTROLS and e.box.contains(place.center)]
    return min(around, key=lambda box: box.area, default=place)


def is_one_line(box: Box, state: ScreenState) -> bool:
    lines = text_lines_in(box, state)
    return len(lines) < 2 and (not lines or box.h <= _HIGHEST * lines[0].box.h)


def shows_its_value(box: Box, caption: str, state: ScreenState) -> bool:
    """Whether it is a control of one line that shows what is chosen in it: no plain text, no button of that name."""
    framed = any(e.role in _CONTROLS and e.box == box for e in state.elements)
    return framed and is_one_line(box, state) and not (caption and reads(shown(box, state), caption))


def reads(text: str, option: str) -> bool:
    """Whether a text that was read is that option, and nothing more or less."""
    return words(text).key == words(option).key != ""


def shown(box: Box, state: ScreenState) -> str:
    """What stands in a control of one line."""
    return " ".join(line.text for line in text_lines_in(box, state))


def options_named(option: str, lines: Sequence[TextLine]) -> list[TextLine]:
    """The lines that are the option."""
    return [line for line in lines if reads(line.text, option)]


def radio_of(option: str, area: Box, state: ScreenState) -> tuple[Box | None, int]:
    """The mark of the radio button with that caption in the area, and how many captions read so."""
    inside = tuple(line for line in state.texts if area.contains(line.box.center))
    seen = [s for s in ScreenWords(inside).sightings(option, strict=True) if s.how in (LINE, PART)]
    # where the reader joined several captions to one line, nobody knows exactly where one of them begins
    marks = [mark_at(s.box, state, _RADIOS) for s in seen if s.how == LINE]
    found = [mark for mark in marks if mark is not None]
    return (found[0] if len(found) == len(seen) == 1 else None), len(found)


def is_chosen_row(row: Box, area: Box, state: ScreenState) -> bool:
    """Whether a row of a list is drawn as the chosen one: on another ground than the rest of its list."""
    ground = np.median(state.frame.crop(area).reshape(-1, 3), axis=0)
    strip = Box(max(row.x, area.x), row.y, max(1, min(row.right, area.right) - row.x), row.h)
    own = np.median(state.frame.crop(strip).reshape(-1, 3), axis=0)
    return bool(np.abs(own - ground).max() > _OTHER_GROUND)


def date_as_typed(params: Mapping[str, Any]) -> str:
    """The date as it is typed, by the format; "" where it is none, or may be two."""
    form = str(params.get("format") or "")
    day = parsed_date(str(params.get("date") or ""), form)
    return day.strftime(_PATTERNS[form]) if day else ""


def stands_as_wanted(
    action_type: str,
    params: Mapping[str, Any],
    place: Box | None,
    before: ScreenState,
    now: ScreenState,
    *,
    caption: str = "",
) -> Verification:
    """Whether the control at a place of the screen before is now what the act wants it to be.

    `caption` is the text by which the control was taught: what reads so is its name, and not what is chosen in it.
    """
    if place is None or not now.text_method:
        return Verification(answer=Answer.CANNOT_TELL, message=say("turn.not_read"))
    if action_type == "set_state":
        return _set(str(params.get("state") or "on"), place, before, now)
    if action_type == "pick_date":
        return _dated(params, control_box(place, before), now)
    return _chosen(str(params.get("option") or ""), control_box(place, before), caption, before, now)


def _answer(good: bool | None, code: str, **words: Any) -> Verification:
    answer = Answer.CANNOT_TELL if good is None else Answer.YES if good else Answer.NO
    return Verification(answer=answer, message=say(code, **words))


def _set(wanted: str, place: Box, before: ScreenState, now: ScreenState) -> Verification:
    mark = mark_at(place, before) or mark_at(place, now)
    on = is_on(mark, now) if mark else None
    if on is None:
        return _answer(None, "turn.state_unknown")
    return _answer(on == (wanted == "on"), "turn.state_is_on" if on else "turn.state_is_off")


def _dated(params: Mapping[str, Any], box: Box, now: ScreenState) -> Verification:
    form, text = str(params.get("format") or ""), shown(box, now)
    there, wanted = parsed_date(text, form), parsed_date(str(params.get("date") or ""), form)
    if there is not None and there == wanted:
        return _answer(True, "turn.date_stands")
    return _answer(None, "turn.date_does_not_stand", text=text)


def _chosen(option: str, box: Box, caption: str, before: ScreenState, now: ScreenState) -> Verification:
    mark, count = radio_of(option, group_area(box, before), now)
    if mark is not None or count:
        on = is_on(mark, now) if mark is not None else None
        return _answer(on, "turn.option_chosen" if on else "turn.option_not_chosen", option=option)
    if shows_its_value(box, caption, before) and reads(shown(box, now), option):
        return _answer(True, "turn.option_chosen", option=option)
    rows = options_named(option, text_lines_in(box, now))
    if len(rows) == 1 and not is_one_line(box, before) and is_chosen_row(rows[0].box, box, now):
        return _answer(True, "turn.option_chosen", option=option)
    return _answer(None, "turn.option_not_chosen", option=option)


def group_area(box: Box, state: ScreenState) -> Box:
    """Where the radio buttons of a group stand: in its frame, right of its label, or one below the other under it."""
    marks = sorted((e.box for e in state.elements if e.role is ElementRole.RADIO), key=lambda mark: mark.y)
    if any(box.contains(mark.center) for mark in marks):
        return box
    right = state.window.box.right if state.window and state.window.box else state.frame.size.width
    row = Box(box.x, box.y - box.h // 2, max(box.w, right - box.x), 2 * box.h)
    if any(row.contains(mark.center) for mark in marks):
        return row
    bottom, column = box.bottom, None
    for mark in marks:
        near = 0 <= mark.center.y - bottom <= _PITCH * box.h and mark.x >= box.x - 3 * box.h
        if near and (column is None or abs(mark.x - column) <= _ALIGNED):
            bottom, column = mark.bottom, mark.x
    if column is None:
        return row
    left = min(box.x, column)
    return Box(left, box.y, max(1, right - left), bottom + box.h // 4 - box.y)
