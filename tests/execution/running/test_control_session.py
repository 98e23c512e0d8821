"""A person takes control of a run's desktop: what they do is done there and told, nobody else acts (S6.15)."""

from __future__ import annotations

import json
from typing import Any

import pytest

from execution.actions import control
from execution.choices import EventKind, ExecutionState, PauseReason, Wish
from execution.exceptions import IllegalMove
from execution.lesson.acts import writes
from execution.models import Execution
from execution.types import Box
from tests.doubles.scripted import ScriptedDesktop
from tests.doubles.widgets import Field, ScriptedScreen
from tests.support.control import hands_on, run_loop, until
from tests.support.scripted import BUTTON, analyzer, publish_line, queue, screens

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("own_folder")]

FIELD = Box(60, 500, 300, 40)
SECRET = "hunter2-zürich"


def row(execution: Execution) -> Execution:
    return Execution.objects.by_id(execution.execution_id)


def acts(execution: Execution) -> list[dict[str, Any]]:
    return [event.payload for event in execution.events.filter(kind=EventKind.CONTROL).order_by("seq")]


def in_hand(execution: Execution) -> bool:
    return row(execution).pause_reason == PauseReason.CONTROL


@pytest.fixture
def operator(make_user: Any) -> Any:
    return make_user("olga", "operator")


@pytest.fixture
def desktop() -> ScriptedDesktop:
    return ScriptedDesktop(screens("one", "two", "three"))


@pytest.fixture
def run(desktop: ScriptedDesktop) -> Any:
    """A supervised run that asks before its first click."""
    execution = queue(publish_line("one", "two", "three"), mode="supervised")
    with run_loop(desktop, analyzer=analyzer(desktop)):
        until(lambda: execution.prompts.open().exists(), "the first question")
        yield execution


def clicks(desktop: ScriptedDesktop) -> int:
    return sum(act.kind == "click" for act in desktop.log)


def test_a_person_acts_in_the_place_of_the_robot_which_goes_on_wherever_they_left_it(run, desktop, operator):
    """S6.15"""
    control.take_control(execution_id=run.execution_id, user=operator)
    until(lambda: in_hand(run), "control")
    assert not run.prompts.open().exists()
    with hands_on(run) as hands:
        until(lambda: hands.pictures and hands.told, "a picture and the size")
        assert hands.told[0] == {"type": "control", "size": [1280, 800]}
        for page in ("two", "three"):  # to the end, which the robot has not been to
            done = hands.do(type="act", act="click", x=BUTTON.center.x, y=BUTTON.center.y)
            assert done["state"] == "done"
            assert desktop.screen == page
        until(lambda: len(hands.pictures) > 1, "what came of it")
        control.resume(execution_id=run.execution_id, user=operator)
        assert hands.ended.wait(60)
    until(lambda: row(run).state == ExecutionState.COMPLETED, "the end")
    assert clicks(desktop) == 2
    first = acts(run)[0]
    assert first.items() >= {"by": "olga", "act": "click", "at": [0.375, 0.53]}.items()
    assert [wish.verb for wish in run.wishes.order_by("pk")] == ["start", "take_control", "resume"]
    assert row(run).controller is None


def test_a_run_at_work_stands_still_before_it_is_handed_over(desktop, operator):
    """S6.15: automatic; it is taken before its first act, and acts no more."""
    execution = queue(publish_line("one", "two", "three"))
    Execution.objects.filter(pk=execution.pk).update(controller=operator, wish=Wish.CONTROL)
    with run_loop(desktop, analyzer=analyzer(desktop)):
        until(lambda: in_hand(execution), "control")
        assert clicks(desktop) == 0
        control.resume(execution_id=execution.execution_id, user=operator)
        until(lambda: row(execution).state == ExecutionState.COMPLETED, "the end")
    assert clicks(desktop) == 2


def test_what_is_typed_is_told_by_its_length_alone(operator, caplog):
    """S6.15, S10.4: it may be a password. Neither is it told key by key."""
    first, second = screens("one", "two")
    form = ScriptedScreen(
        name="one", title=first.title, widgets=[*first.widgets, Field(name="pin", box=FIELD)], on=first.on
    )
    desktop = ScriptedDesktop([form, second])
    execution = queue(publish_line("one", "two"), mode="supervised")
    with run_loop(desktop, analyzer=analyzer(desktop)):
        until(lambda: execution.prompts.open().exists(), "the question")
        control.take_control(execution_id=execution.execution_id, user=operator)
        until(lambda: in_hand(execution), "control")
        with hands_on(execution) as hands:
            hands.do(type="act", act="click", x=FIELD.center.x, y=FIELD.center.y)
            assert hands.do(type="type", text=SECRET)["state"] == "done"
            hands.do(type="keys", keys="ctrl+a")
            for letter in "qz7":
                hands.do(type="keys", keys=letter)
        typed = [(act.get("length"), act.get("keys")) for act in acts(execution) if act["act"] != "click"]
        assert typed == [(len(SECRET), None), (None, "ctrl+a"), (1, None), (1, None), (1, None)]
    everything = json.dumps([event.payload for event in execution.events.all()]) + caplog.text
    assert SECRET not in everything
    assert "qz7" in desktop.memory.get("pin", "")


def test_a_key_that_writes_is_typing():
    assert [keys for keys in ("a", "shift+a", "+", "ctrl++", "ctrl+s", "f5", "altgr+q") if writes(keys)] == [
        "a", "shift+a", "+", "altgr+q",
    ]  # fmt: skip


def test_what_cannot_be_done_is_refused_and_told(run, operator):
    control.take_control(execution_id=run.execution_id, user=operator)
    until(lambda: in_hand(run), "control")
    with hands_on(run, language="fr") as hands:
        told = hands.do(type="keys", keys="ctrl+nosuchkey")
        assert told["state"] == "refused"
        assert told["why"]
        assert acts(run)[-1]["failed"]
        assert hands.do(type="act", act="click", x=99999, y=1)["state"] == "refused"
        assert len(acts(run)) == 2  # a place beside the desktop is no act


def test_nobody_else_has_a_say_meanwhile_but_to_stop_it(run, operator, make_user):
    """S6.15"""
    other = make_user("otto", "operator")
    control.take_control(execution_id=run.execution_id, user=operator)
    for ask in (control.resume, control.take_control):
        with pytest.raises(IllegalMove, match="olga has control"):
            ask(execution_id=run.execution_id, user=other)
    until(lambda: in_hand(run), "control")
    for ask in (control.resume, control.take_control):
        with pytest.raises(IllegalMove, match="olga has control"):
            ask(execution_id=run.execution_id, user=other)
    with pytest.raises(IllegalMove, match="olga has control"):
        control.resume(execution_id=run.execution_id)  # from the command line
    control.stop(execution_id=run.execution_id, user=other)
    until(lambda: row(run).state == ExecutionState.STOPPED, "the stop")


def test_a_browser_that_went_away_gives_it_back_after_a_time(run, desktop, operator, settings):
    """S6.15: keys are up, and the run stands still until somebody says that it goes on."""
    control.take_control(execution_id=run.execution_id, user=operator)
    until(lambda: in_hand(run), "control")
    released = len([act for act in desktop.log if act.kind == "release_all"])
    with hands_on(run) as hands:
        hands.do(type="act", act="click", x=BUTTON.center.x, y=BUTTON.center.y)
        settings.RPA_TEACH_AWAY_S = 0.3
    until(lambda: row(run).pause_reason == PauseReason.ASKED, "that it was given back")
    assert len([act for act in desktop.log if act.kind == "release_all"]) > released
    assert row(run).state == ExecutionState.PAUSED
    assert row(run).controller is None
    assert "olga" in json.dumps(row(run).pause_detail)
    assert clicks(desktop) == 1
    control.resume(execution_id=run.execution_id)
    until(lambda: run.prompts.open().exists(), "what it asks on page two")
    assert row(run).current_node_id == "two"


def test_a_run_loop_that_ended_leaves_control_where_it_was(desktop, operator):
    """S6.15, S9.2: the next one lets go of the keys and listens again; nothing is done by itself."""
    execution = queue(publish_line("one", "two", "three"), mode="supervised")
    with run_loop(desktop, analyzer=analyzer(desktop)):
        until(lambda: execution.prompts.open().exists(), "the question")
        control.take_control(execution_id=execution.execution_id, user=operator)
        until(lambda: in_hand(execution), "control")
    with run_loop(desktop, analyzer=analyzer(desktop)), hands_on(execution) as hands:
        done = hands.do(type="act", act="click", x=BUTTON.center.x, y=BUTTON.center.y)
        assert done["state"] == "done"
        assert row(execution).pause_reason == PauseReason.CONTROL
    assert clicks(desktop) == 1


def test_buttons_are_told_by_what_is_read_on_them(run, operator):
    control.take_control(execution_id=run.execution_id, user=operator)
    until(lambda: in_hand(run), "control")
    with hands_on(run) as hands:
        until(lambda: hands.pictures, "a picture")

        def pressed() -> bool:
            hands.do(type="act", act="right_click", x=BUTTON.center.x, y=BUTTON.center.y)
            return acts(run)[-1].get("on") == "Go on"

        until(pressed, "the words on the button", every_s=0.5)  # it is read once it is still
