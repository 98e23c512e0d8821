"""What people are shown as an action's default is what is done without it (S1.20)."""

from __future__ import annotations

from execution.turn.acting import perform
from execution.turn.waiting import timeout_of
from tests.doubles.scripted import ScriptedDesktop
from tests.execution.turn.test_acting import FOUND, NOT_NEEDED, done, suggestion
from tests.support.scripted import screens
from workflows.catalogue import ACTIONS


def defaults(action_type: str) -> dict[str, object]:
    return {p.name: p.default for p in ACTIONS[action_type].params if not p.required}


def test_scrolling_and_typing_without_their_defaults_are_the_same_as_with_them() -> None:
    for action_type, resolution, said in [("scroll", FOUND, {}), ("type_text", NOT_NEEDED, {"text": "Ada"})]:
        bare, whole = ScriptedDesktop(screens("one")), ScriptedDesktop(screens("one"))
        perform(bare, suggestion(action_type, resolution, **said))
        perform(whole, suggestion(action_type, resolution, **said, **defaults(action_type)))
        assert done(bare) == done(whole) != []


def test_a_wait_without_a_time_takes_as_long_as_is_shown() -> None:
    for action_type in ("wait", "wait_text", "wait_text_gone", "wait_node", "wait_stable"):
        assert timeout_of({}) == defaults(action_type)["timeout_s"]
