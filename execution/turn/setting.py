"""Acts of several movements on one control: choose an option, set a check box, put a date (S6.12).

Each looks first and does nothing where it is so already. The first movement follows the look that found the place;
every other one is made only on what is still drawn as it was read. What is absent, there twice, or of which nobody can
say in which state it is, is left alone and asked about.
"""

from __future__ import annotations

from execution.turn import options
from execution.turn.movements import Movements
from execution.types import Answer, ScreenState, Suggestion
from execution.verification.chosen import control_box, date_as_typed, stands_as_wanted
from execution.verification.marks import is_on, mark_at
from sentences.said import say

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
    if why := hands.enter(suggestion, box):
        return why
    hands.press(("ctrl", "a"))
    hands.type_text(text)
    after = hands.still()
    if options.popup(box, state, after, rows=_CALENDAR):  # it opened by itself, and would lie over what follows
        hands.press(("escape",))
    return ""
