"""A person chooses a button of a dialog nobody declared; the robot presses that one, there, once (S1.6, S1.24)."""

from __future__ import annotations

from typing import Any

import pytest
from django.core.management import CommandError, call_command

from execution.actions import control
from execution.choices import ExecutionMode, ExecutionState, Origin, Outcome, PauseReason, PromptKind
from execution.desktop.base import DesktopLost
from execution.exceptions import IllegalMove, NoSuchButton
from execution.models import Execution
from execution.types import ActionResult, ActionStatus
from sentences.said import from_json
from tests.doubles.stage import Stage
from tests.factories import make_execution

pytestmark = pytest.mark.django_db

PRESSED = "Press “Don't Save” in the dialog"


def over(stage: Any, mode: str = "automatic", **limits: Any) -> Stage:
    """A run that is paused because a dialog came after its first action."""
    s: Stage = stage(mode, max_no_match_retries=1, **limits)
    s.world.buttons = ("Cancel", "Don't Save", "Save")
    s.journal.on_step.append(lambda step: setattr(s.world, "dialog", "Save changes?") if step.edge_id == "ab" else None)
    row = s.run(*(["accept"] if mode in ("supervised", "coaching") else []))
    assert (row.state, row.pause_reason) == (ExecutionState.PAUSED, PauseReason.DIALOG)
    assert [b["text"] for b in row.pause_detail["dialog"]["buttons"]] == ["Cancel", "Don't Save", "Save"]
    return s


@pytest.mark.parametrize("mode", ["automatic", "supervised", "coaching"])
def test_the_button_a_person_chose_is_pressed_once_and_the_run_goes_on(stage: Any, mode: str, operator: Any) -> None:
    s = over(stage, mode)
    answers = ["accept", "accept"] if mode != "automatic" else []
    row = s.resume(*answers, press="Don't Save", user=operator, origin=Origin.PAGE)
    assert row.state == ExecutionState.COMPLETED
    assert s.world.acts == ["ab", PRESSED, "bc", "cd"]
    step = row.steps.get(sentence=PRESSED)
    assert (step.outcome, step.verified, step.edge_id, step.effect_class) == (Outcome.SUCCEEDED, "yes", "", "opaque")
    assert step.message == "Pressed “Don't Save”, as operator (page) chose."
    assert step.picture_before and step.picture_after
    assert (row.wish, row.wish_press) == ("", {})
    wish = row.wishes.get(verb="resume")
    assert (wish.user, wish.origin, wish.detail) == (operator, Origin.PAGE, {"press": "Don't Save"})


def test_an_apostrophe_of_another_kind_names_the_same_button(stage: Any) -> None:
    s = over(stage)
    s.resume(press="Don’t  save")
    assert "Press “Don't Save” in the dialog" in s.world.acts


def test_a_dialog_that_says_something_else_now_is_not_touched(stage: Any) -> None:
    s = over(stage)
    s.world.dialog = "Delete all?"
    row = s.resume(press="Don't Save")
    assert s.world.acts == ["ab"]
    assert (row.state, row.pause_reason) == (ExecutionState.PAUSED, PauseReason.DIALOG)
    assert "“Don't Save” was not pressed" in from_json(row.pause_detail["message"])
    assert row.pause_detail["dialog"]["title"] == "Delete all?"
    assert s.resume(press="Cancel").state == ExecutionState.COMPLETED


def test_a_dialog_that_is_gone_is_told_and_nothing_is_pressed(stage: Any) -> None:
    s = over(stage)
    s.world.dialog = ""
    row = s.resume(press="Don't Save")
    assert s.world.acts == ["ab"]
    assert (row.state, "dialog" in row.pause_detail) == (ExecutionState.PAUSED, False)
    assert "has changed or is gone" in from_json(row.pause_detail["message"])
    assert s.resume().state == ExecutionState.COMPLETED


def test_what_changes_right_before_the_press_is_not_pressed(stage: Any) -> None:
    s = over(stage)
    s.world.on_glance = lambda world: setattr(world, "node", "c")
    row = s.resume(press="Don't Save")
    assert s.world.acts == ["ab"]
    assert row.steps.get(sentence=PRESSED).outcome == Outcome.INTERRUPTED
    assert "changed before the action" in from_json(row.pause_detail["message"])


def test_what_comes_while_the_press_is_written_down_is_seen_before_it(stage: Any) -> None:
    """S9.1: the last look comes after the intent."""
    s = over(stage)
    intended = s.execution.steps.filter(phase="intent")
    s.world.on_glance = lambda world: setattr(world, "node", "c" if intended.exists() else world.node)
    row = s.resume(press="Don't Save")
    assert s.world.acts == ["ab"]
    assert row.steps.get(sentence=PRESSED).outcome == Outcome.INTERRUPTED
    assert "changed before the action" in from_json(row.pause_detail["message"])


def test_a_button_of_a_dialog_that_was_there_at_the_start_can_be_pressed(stage: Any) -> None:
    """S1.6: no screen was known before it; the first one's taught picture tells that it lies over that."""
    s: Stage = stage(max_no_match_retries=1)
    s.world.dialog, s.world.buttons = "Session expires", ("Stay", "Leave")
    row = s.run()
    assert (row.state, row.pause_reason, s.world.acts) == (ExecutionState.PAUSED, PauseReason.DIALOG, [])
    assert [b["text"] for b in row.pause_detail["dialog"]["buttons"]] == ["Stay", "Leave"]
    row = s.resume(press="Stay")
    assert row.state == ExecutionState.COMPLETED
    assert s.world.acts == ["Press “Stay” in the dialog", "ab", "bc", "cd"]


def test_a_dialog_that_stays_is_not_pressed_again(stage: Any) -> None:
    """S9.3: what a button of an unknown dialog does nobody knows; a person says what next."""
    s = over(stage)
    s.world.closes = False
    row = s.resume(press="Don't Save")
    assert s.world.acts == ["ab", PRESSED]
    step = row.steps.get(sentence=PRESSED)
    assert (step.outcome, step.verified) == (Outcome.FAILED, "no")
    assert step.message.endswith("the dialog is still there.")
    assert (row.state, row.pause_reason) == (ExecutionState.PAUSED, PauseReason.DIALOG)


def test_a_loop_that_died_while_pressing_looks_anew(stage: Any) -> None:
    """S9.1, S9.2"""
    s = over(stage)

    def dies(*args: Any) -> Any:
        raise SystemExit

    act, s.world.act = s.world.act, dies
    with pytest.raises(SystemExit):
        s.resume(press="Don't Save")
    s.world.act = act
    s.robot.delete()
    Execution.objects.filter(pk=s.execution.pk).update(lease_until=None)
    s.robot = type(s.robot).objects.create(name="here:7", desktop="here:7", host="here", pid=2)
    s.begin()
    s.world.dialog = ""
    assert s.run().state == ExecutionState.COMPLETED
    assert s.world.acts == ["ab", "bc", "cd"]
    assert s.row().steps.get(sentence=PRESSED).outcome == Outcome.INTERRUPTED


def test_a_desktop_that_is_lost_while_pressing_leaves_it_open(stage: Any) -> None:
    s = over(stage)
    s.world.act = lambda *args: ActionResult(status=ActionStatus.UNCERTAIN, message="The display is gone.")
    with pytest.raises(DesktopLost):
        s.resume(press="Don't Save")
    assert s.row().pause_reason == PauseReason.DESKTOP_LOST


def test_a_stop_that_comes_while_looking_is_heeded(stage: Any) -> None:
    """S1.7"""
    s = over(stage)
    looks = iter(range(9))

    def stops(world: Any) -> None:
        if next(looks) == 0:
            control.stop(execution_id=s.execution.execution_id)

    s.world.on_observe = stops
    assert s.resume(press="Save").state == ExecutionState.STOPPED
    assert s.world.acts == ["ab"]


# --- who is first ----------------------------------------------------------------------------------------------------
def test_of_two_people_one_wins_and_the_other_is_told(stage: Any, make_user: Any) -> None:
    s = over(stage)
    run = s.execution.execution_id
    control.resume(execution_id=run, press="Save", user=make_user("zoe", "operator"), origin=Origin.PAGE)
    bob = make_user("bob", "operator")
    for late in ({"press": "Don't Save"}, {"press": "Save"}, {}, {"node_id": "c"}):
        with pytest.raises(IllegalMove, match=r"zoe \(page\) chose “Save” in the dialog at"):
            control.resume(execution_id=run, user=bob, origin=Origin.PAGE, **late)
    s.leave.clear()
    assert s.run().state == ExecutionState.COMPLETED
    assert s.world.acts == ["ab", "Press “Save” in the dialog", "bc", "cd"]
    assert [w.name for w in s.row().wishes.filter(verb="resume")] == ["zoe"]


def test_who_only_resumed_was_first_too(stage: Any) -> None:
    s = over(stage)
    control.resume(execution_id=s.execution.execution_id)
    with pytest.raises(IllegalMove):
        control.resume(execution_id=s.execution.execution_id, press="Save")


# --- what is refused -------------------------------------------------------------------------------------------------
DIALOG = {
    "title": "",
    "window": "Ward",
    "texts": ["Sure?", "Yes", "No", "No"],
    "box": [0.2, 0.2, 0.5, 0.5],
    "buttons": [{"text": text, "box": [0.3, 0.3, 0.1, 0.1]} for text in ("Yes", "No", "No")],
}


def paused(**fields: Any) -> Execution:
    reason = fields.pop("pause_reason", PauseReason.DIALOG)
    detail = fields.pop("pause_detail", {"message": "?", "picture": "p1", "dialog": DIALOG})
    state = fields.pop("state", ExecutionState.PAUSED)
    return make_execution(state=state, desktop=f"desktop {state}", pause_reason=reason, pause_detail=detail, **fields)


@pytest.mark.parametrize("button", ["Maybe", "No", "Ye"])
def test_a_button_that_is_not_there_once_is_refused(button: str, operator: Any, client_of: Any) -> None:
    run = paused()
    with pytest.raises(NoSuchButton, match="Its buttons: “Yes”, “No”, “No”"):
        control.resume(execution_id=run.execution_id, press=button)
    answer = send(client_of(operator), run, press=button)
    assert (answer.status_code, answer.json()["error"]) == (400, "no_such_button")
    run.refresh_from_db()
    assert (run.wish, run.wishes.count()) == ("", 0)


def test_a_run_that_is_paused_for_something_else_has_no_button(operator: Any, client_of: Any) -> None:
    asked = paused(pause_reason=PauseReason.ASKED, pause_detail={"message": "?"})
    for run in (asked, paused(state=ExecutionState.RUNNING)):
        answer = send(client_of(operator), run, press="Yes")
        assert (answer.status_code, answer.json()["error"]) == (409, "illegal_move")


def test_a_button_seen_on_an_older_pause_is_refused(operator: Any, client_of: Any) -> None:
    """Another dialog may have a button of the same name."""
    run = paused()
    assert send(client_of(operator), run, press="Yes", picture="p0").status_code == 409
    assert send(client_of(operator), run, press="Yes", picture="p1").status_code == 200


def test_a_run_that_watches_presses_nothing(stage: Any) -> None:
    """S1.1"""
    run = paused(mode=ExecutionMode.OBSERVATION)
    with pytest.raises(IllegalMove, match="watches"):
        control.resume(execution_id=run.execution_id, press="Yes")


def test_a_mode_that_was_asked_for_before_the_button_counts(stage: Any) -> None:
    """S1.23"""
    s = over(stage)
    control.set_mode(execution_id=s.execution.execution_id, mode="observation")
    with pytest.raises(IllegalMove, match="watches"):
        control.resume(execution_id=s.execution.execution_id, press="Save")


def test_a_mode_that_was_asked_for_after_the_button_counts_too(stage: Any) -> None:
    s = over(stage)
    control.resume(execution_id=s.execution.execution_id, press="Save")
    control.set_mode(execution_id=s.execution.execution_id, mode="observation")
    s.leave.clear()
    row = s.run()
    assert s.world.acts == ["ab"]
    assert "a run that watches" in from_json(row.pause_detail["message"])


def test_who_may_only_look_presses_nothing(viewer: Any, client_of: Any) -> None:
    run = paused()
    assert send(client_of(viewer), run, press="Yes").status_code == 403
    run.refresh_from_db()
    assert run.wish == ""


def send(client: Any, run: Execution, **body: Any) -> Any:
    path = f"/api/executions/{run.execution_id}/control/"
    return client.post(path, {"verb": "resume", **body}, content_type="application/json")


def test_the_button_is_chosen_from_the_command_line() -> None:
    run = paused()
    call_command("execution", "resume", run.execution_id, press="Yes", verbosity=0)
    run.refresh_from_db()
    assert (run.wish, run.wish_press["button"], run.wishes.get().origin) == ("resume", "Yes", Origin.COMMAND)
    with pytest.raises(CommandError, match="chose “Yes”"):
        call_command("execution", "resume", run.execution_id, press="Yes", verbosity=0)


# --- questions -------------------------------------------------------------------------------------------------------
def test_a_question_about_an_act_holds_the_dialog_that_came_over_it(stage: Any) -> None:
    """S9.3"""
    s = stage("automatic")
    s.world.effects["ab"], s.world.buttons = ["nothing"], ("OK",)
    s.world.on_act = lambda name: setattr(s.world, "dialog", "Disk full")
    s.run("stop")
    asked = s.asked[0]
    assert (asked.kind, asked.dialog["title"]) == (PromptKind.IN_DOUBT, "Disk full")
    told = s.row().events.filter(kind="prompt").first().payload
    assert [b["text"] for b in told["dialog"]["buttons"]] == ["OK"]
