"""Acts of several movements on one control: choose an option, set a check box, put a date (S6.12).

Each looks first and does nothing where it is so already. The first movement follows the look that found the place;
every other one is made only on what is still drawn as it was read. What is absent, there twice, or of which nobody can
say in which state it is, is left alone and asked about.
"""

from __future__ import annotations

from datetime import date

from execution.desktop.base import CHOOSE_ALL
from execution.turn import calendars, options
from execution.turn.movements import Movements
from execution.types import Answer, Box, ScreenState, Suggestion
from execution.verification.calendars import month_in
from execution.verification.chosen import (
    another_order,
    control_box,
    date_as_typed,
    date_of,
    date_shown,
    held,
    held_again,
    stands_as_wanted,
)
from execution.verification.marks import is_on, mark_at
from sentences.said import by_sentence, say

# Rows of text that came at the field, its own among them: a remark of the form beside the date is no calendar, and
# Escape would close the form.
_CALENDAR = 4


def perform(hands: Movements, suggestion: Suggestion, state: ScreenState) -> str:
    """Do it on the screen `state`, as it was just read; why it was not done, "" if it was. Raises Stopped."""
    place = suggestion.resolution.box
    if place is None:
        return say("turn.no_target")
    action, params, target = suggestion.edge.action_type, suggestion.params, suggestion.edge.target
    caption = target.text if target else ""
    if stands_as_wanted(action, params, place, state, state, caption=caption).answer is Answer.YES:
        return ""
    if action == "set_state":
        return _set(hands, suggestion, state)
    if action == "pick_date":
        return _put_date(hands, suggestion, state)
    return options.choose(hands, str(params["option"]), control_box(place, state), state)


def _set(hands: Movements, suggestion: Suggestion, state: ScreenState) -> str:
    place = suggestion.resolution.box
    mark = mark_at(place, state) if place else None
    if mark is None or is_on(mark, state) is None:
        return say("turn.state_unknown")
    hands.click(mark.center)
    return ""


def _put_date(hands: Movements, suggestion: Suggestion, state: ScreenState) -> str:
    place, text = suggestion.resolution.box, date_as_typed(suggestion.params)
    if place is None or not text:
        return say("turn.value_no_date", text=str(suggestion.params.get("date") or ""))
    box = control_box(place, state)
    if told := another_order(suggestion.params, box, state):
        return say("turn.date_in_another_order", told=told, text=text)
    if not (why := hands.enter(suggestion, box)):
        for keys in CHOOSE_ALL:
            hands.press(keys)
        hands.type_text(text)
    after = hands.still()
    lies_over = options.popup(box, state, after, rows=_CALENDAR) is not None
    day, calendar = date_of(suggestion.params), calendars.opened(box, state, after)
    stands = stands_as_wanted("pick_date", suggestion.params, place, state, after).answer is Answer.YES
    if day is not None and calendar is not None and stands and _exchanged(day, calendar, after):
        said = say("turn.date_exchanged", text=text, taken=f"{day.year}-{day.day:02}-{day.month:02}")
        back = _put_back(hands, suggestion, box, calendar, state)
        return said if back else by_sentence([said, say("turn.not_put_back")])
    if day is not None and calendar is not None and (why or not stands):
        why = calendars.pick(hands, day, calendar, after)
        lies_over = month_in(calendar, hands.still()) is not None
    if why and calendar is None:
        return why  # what came is no calendar, and is left alone
    if lies_over:  # it opened by itself, or stays, and would lie over what follows
        hands.press(("escape",))
    return why


def _put_back(hands: Movements, suggestion: Suggestion, box: Box, calendar: Box, before: ScreenState) -> bool:
    """Whether the field shows again what stood there before, date or not: what was typed would pass for the date that
    was wanted, and is taken away even where nobody knows what stood there."""
    stood = held(box, before)
    hands.press(("escape",))  # the calendar that came with the field
    if hands.enter(suggestion, box):
        return False
    for keys in CHOOSE_ALL:
        hands.press(keys)
    if stood:
        hands.type_text(date_shown(stood) or stood)
    else:
        hands.press(("delete",))
    after = hands.still()
    if month_in(calendar, after) is not None:  # it opened once more
        hands.press(("escape",))
        after = hands.still()
    return stood is not None and held_again(stood, box, after)


def _exchanged(day: date, calendar: Box, state: ScreenState) -> bool:
    """Whether the calendar went to the day with its day and month exchanged: the field took what was typed so."""
    shown = month_in(calendar, state)
    return shown is not None and (shown.year, shown.month) == (day.year, day.day) and day.day != day.month
