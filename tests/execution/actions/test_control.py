"""Pause, resume, stop, another mode, as they are asked of the rows (S1.7, S1.23, S1.24)."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from django.utils import timezone

from execution.actions import control
from execution.choices import FINAL, EventKind, ExecutionState, Origin, PauseReason, PromptKind, Verb, Wish
from execution.exceptions import IllegalMove, ModeNotEarned
from execution.models import Decision, Execution, Prompt, Step
from tests.factories import make_execution
from workflows.models import Workflow

pytestmark = pytest.mark.django_db

AT_WORK = ["running", "waiting", "coaching"]


def make_run(state: str = "running", **fields: Any) -> Execution:
    ended = {"ended_at": timezone.now()} if state in FINAL else {}
    return make_execution(state=state, desktop="host:1", **ended, **fields)


def row(run: Execution) -> Execution:
    return Execution.objects.get(pk=run.pk)


def kinds(run: Execution) -> list[str]:
    return [str(event.kind) for event in run.events.order_by("seq")]


def refused(call: Callable[[], Any], run: Execution, why: str) -> None:
    """The refusal says why, and leaves neither a wish nor a word in the stream."""
    before = (row(run).state, row(run).wish, row(run).mode, row(run).wish_mode, run.wishes.count(), run.events.count())
    with pytest.raises(IllegalMove, match=why):
        call()
    after = (row(run).state, row(run).wish, row(run).mode, row(run).wish_mode, run.wishes.count(), run.events.count())
    assert after == before


def changes_meanwhile(monkeypatch: pytest.MonkeyPatch, **fields: Any) -> None:
    """Whoever reads a run from now on, reads it just before it becomes like this."""
    read = Execution.objects.by_id

    def by_id(execution_id: str) -> Execution:
        run = read(execution_id)
        Execution.objects.filter(pk=run.pk).update(**fields)
        return run

    monkeypatch.setattr(type(Execution.objects), "by_id", lambda self, execution_id: by_id(execution_id))


# --- pause and resume -----------------------------------------------------------------------------------------------
@pytest.mark.parametrize("state", ExecutionState.values)
def test_only_a_run_at_work_can_be_paused(state: str) -> None:
    """S1.7"""
    run = make_run(state)
    if state not in AT_WORK:
        return refused(lambda: control.pause(execution_id=run.execution_id), run, "Only a run at work can be paused")
    asked = control.pause(execution_id=run.execution_id)
    assert (asked.wish, row(run).wish, row(run).state) == (Wish.PAUSE, Wish.PAUSE, state)
    assert (run.wishes.get().verb, kinds(run)) == (Verb.PAUSE, ["wish"])


@pytest.mark.parametrize("state", ExecutionState.values)
def test_only_a_paused_run_can_be_resumed(state: str) -> None:
    """S1.7"""
    run = make_run(state)
    if state != "paused":
        return refused(lambda: control.resume(execution_id=run.execution_id), run, "Only a paused run can be resumed")
    asked = control.resume(execution_id=run.execution_id, node_id="save_dialog")
    assert (asked.wish, asked.wish_node_id) == (Wish.RESUME, "save_dialog")
    assert (row(run).wish, row(run).wish_node_id, row(run).state) == (Wish.RESUME, "save_dialog", "paused")
    assert run.wishes.get().detail == {"node_id": "save_dialog", "node_name": "Save dialog"}


def test_whoever_resumes_need_not_say_where_it_is() -> None:
    """S1.6"""
    run = make_run("paused")
    control.resume(execution_id=run.execution_id)
    assert (row(run).wish, row(run).wish_node_id, run.wishes.get().detail) == (Wish.RESUME, "", {})


def test_a_pause_that_is_not_there_yet_can_be_taken_back() -> None:
    """S1.7"""
    run = make_run(wish=Wish.PAUSE)
    assert control.resume(execution_id=run.execution_id).wish == Wish.NONE
    assert (row(run).wish, run.wishes.get().verb) == (Wish.NONE, Verb.RESUME)


@pytest.mark.parametrize("ask", [control.pause, control.resume])
def test_a_stop_is_never_taken_back(ask: Any) -> None:
    """S1.7"""
    run = make_run("running" if ask is control.pause else "paused", wish=Wish.STOP)
    refused(lambda: ask(execution_id=run.execution_id), run, "It has just changed; look again")


@pytest.mark.parametrize(
    ("ask", "was", "now"),
    [
        (control.stop, ExecutionState.WAITING_COACHING, "running"),
        (control.stop, "running", "paused"),
        (control.pause, ExecutionState.WAITING_COACHING, "running"),
        (control.pause, "running", ExecutionState.WAITING_CONFIRMATION),
    ],
)
def test_a_stop_or_a_pause_is_meant_whatever_the_loop_does_meanwhile(
    monkeypatch: pytest.MonkeyPatch, ask: Any, was: str, now: str
) -> None:
    """S1.7, S9.4: a person's wish is not lost to a race with the run's next move."""
    run = make_run(was)
    changes_meanwhile(monkeypatch, state=now)
    ask(execution_id=run.execution_id)
    assert row(run).wish == (Wish.STOP if ask is control.stop else Wish.PAUSE)


def test_what_has_just_changed_is_not_overruled(monkeypatch: pytest.MonkeyPatch) -> None:
    """S1.2"""
    run = make_run()
    changes_meanwhile(monkeypatch, state="paused")
    with pytest.raises(IllegalMove, match="It has just changed; look again"):
        control.pause(execution_id=run.execution_id)
    assert (row(run).wish, run.wishes.count()) == ("", 0)


def test_a_wish_is_of_the_one_run() -> None:
    run, other = make_run(), make_execution(state="running", desktop="host:2")
    control.pause(execution_id=run.execution_id)
    assert row(other).wish == ""


# --- stop -----------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("state", sorted(FINAL))
def test_what_has_ended_is_not_stopped(state: str) -> None:
    run = make_run(state)
    refused(lambda: control.stop(execution_id=run.execution_id), run, "It has already ended")


@pytest.mark.parametrize("state", ["idle", "queued"])
def test_a_run_that_no_loop_has_is_stopped_at_once(state: str, operator: Any) -> None:
    """S1.7, S1.24: with who did it, and told."""
    run = make_run(state)
    stopped = control.stop(execution_id=run.execution_id, user=operator, origin=Origin.PAGE)
    assert (stopped.state, row(run).state, row(run).wish) == ("stopped", "stopped", "")
    assert (row(run).error, row(run).stopped_by) == ("Execution ended in state: stopped", operator.username)
    assert (row(run).stopped_from, run.wishes.get().verb) == (Origin.PAGE, Verb.STOP)
    assert kinds(run) == ["wish", "state"]


def test_a_run_that_a_loop_has_just_taken_is_asked_to_stop(monkeypatch: pytest.MonkeyPatch) -> None:
    """S1.7"""
    run = make_run("queued")
    changes_meanwhile(monkeypatch, state="running")
    asked = control.stop(execution_id=run.execution_id)
    assert (asked.state, asked.wish) == ("running", Wish.STOP)
    assert (row(run).state, row(run).wish, kinds(run)) == ("running", Wish.STOP, ["wish"])
    assert run.wishes.count() == 1


@pytest.mark.parametrize("state", [*AT_WORK, "paused"])
def test_a_run_on_its_desktop_is_asked_to_stop(state: str) -> None:
    """S1.7: whatever else was wished for."""
    run = make_run(state, wish=Wish.PAUSE if state == "running" else Wish.NONE)
    control.stop(execution_id=run.execution_id)
    assert (row(run).state, row(run).wish) == (state, Wish.STOP)
    assert not Decision.objects.exists()


def test_a_stop_answers_the_open_question(operator: Any) -> None:
    """S1.7, S1.9: as a rejection, in the name of whoever stopped it."""
    run = make_run("coaching")
    step = Step.objects.create(execution=run, index=1, epoch=0, mode=run.mode)
    prompt = Prompt.objects.create(execution=run, step=step, kind=PromptKind.IN_DOUBT, message="?")
    control.stop(execution_id=run.execution_id, user=operator, origin=Origin.PAGE)
    made = prompt.decision
    assert (made.choice, made.source, made.name, made.origin) == ("reject", "stop", operator.username, Origin.PAGE)


# --- another mode ---------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("state", ExecutionState.values)
def test_where_no_loop_has_the_run_its_mode_changes_at_once(state: str) -> None:
    """S1.23"""
    run = make_run(state)
    if state in FINAL:
        return refused(
            lambda: control.set_mode(execution_id=run.execution_id, mode="automatic"), run, "It has already ended"
        )
    asked = control.set_mode(execution_id=run.execution_id, mode="automatic")
    if state in ("idle", "queued"):
        assert (asked.mode, row(run).mode, row(run).wish_mode) == ("automatic", "automatic", "")
        assert kinds(run) == ["wish", "mode_changed", "state"]
    else:
        assert (asked.wish_mode, row(run).mode, row(run).wish_mode) == ("automatic", "coaching", "automatic")
        assert kinds(run) == ["wish"]
    assert run.wishes.get().detail == {"mode": "automatic", "earned": "OBSERVATION", "reason": ""}


def test_a_run_acts_by_itself_before_it_earned_that_only_as_a_designer_says_why(operator, designer) -> None:
    """S1.3: whoever may is asked for a sentence, and it is kept; others are told who may."""
    run = make_run("paused")
    ask = partial(control.set_mode, execution_id=run.execution_id, mode="automatic")
    for said in ({"user": operator, "reason": "It is late"}, {"user": designer}, {"user": designer, "reason": " "}):
        with pytest.raises(ModeNotEarned):
            ask(**said)
    assert not run.wishes.exists()
    control.set_mode(execution_id=run.execution_id, mode="supervised", user=operator)  # which asks before each act
    ask(user=designer, reason="Shown to the ward")
    assert run.wishes.first().detail["reason"] == "Shown to the ward"
    Workflow.objects.update(learning_state="AUTO_CONFIRMED")
    ask(user=operator)
    assert run.wishes.first().detail == {"mode": "automatic"}


def test_the_mode_that_it_has_is_no_news() -> None:
    """S1.23"""
    run = make_run("queued")
    control.set_mode(execution_id=run.execution_id, mode="coaching")
    assert (row(run).mode, kinds(run)) == ("coaching", ["wish"])


def test_the_change_is_told_with_what_it_was() -> None:
    """S1.23"""
    run = make_run("queued")
    control.set_mode(execution_id=run.execution_id, mode="automatic")
    told = run.events.get(kind=EventKind.MODE_CHANGED).payload
    assert (told["was"], told["mode"]) == ("coaching", "automatic")


@pytest.mark.parametrize("state", ["queued", "running"])
def test_a_run_that_is_to_stop_takes_no_mode(state: str) -> None:
    """S1.23"""
    run = make_run(state, wish=Wish.STOP)
    refused(lambda: control.set_mode(execution_id=run.execution_id, mode="automatic"), run, "It has just changed; look")


def test_a_run_that_has_just_ended_is_told_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    """S1.23"""
    run = make_run()
    changes_meanwhile(monkeypatch, state="failed", ended_at=timezone.now())
    with pytest.raises(IllegalMove, match="is failed. It has just changed"):
        control.set_mode(execution_id=run.execution_id, mode="automatic")


# --- the switches ---------------------------------------------------------------------------------------------------
def test_a_degraded_run_reads_in_full_again() -> None:
    """S2.4"""
    run, other = make_run(degraded=True, degraded_reason="slow"), make_execution(degraded=True)
    lifted = control.lift_degraded(execution_id=run.execution_id)
    assert (lifted.degraded, lifted.degraded_reason) == (False, "")
    assert (row(run).degraded, row(run).degraded_reason, row(other).degraded) == (False, "", True)
    assert (run.wishes.get().verb, kinds(run)) == (Verb.LIFT_DEGRADED, ["wish", "state"])


@pytest.mark.parametrize("enabled", [True, False])
def test_continuous_capture_is_switched(enabled: bool) -> None:
    """S1.14"""
    run = make_run(continuous_capture=not enabled)
    switched = control.set_continuous_capture(execution_id=run.execution_id, enabled=enabled)
    assert switched.continuous_capture is row(run).continuous_capture is enabled
    assert (run.wishes.get().verb, run.wishes.get().detail) == (Verb.SET_CONTINUOUS_CAPTURE, {"enabled": enabled})


# --- why not --------------------------------------------------------------------------------------------------------
def test_a_refusal_says_why_the_run_is_paused_and_who_was_first(operator: Any) -> None:
    """S1.24: the start is nobody's being first."""
    run = make_run("paused", pause_reason=PauseReason.NO_MATCH)
    run.wishes.create(verb=Verb.START, name="olga", origin=Origin.PAGE)
    with pytest.raises(IllegalMove) as refusal:
        control.pause(execution_id=run.execution_id)
    start = f"The run {run.name_for_people} is paused (screen not known). Only a run at work can be paused."
    assert str(refusal.value) == start
    control.stop(execution_id=run.execution_id, user=operator, origin=Origin.PAGE)
    with pytest.raises(IllegalMove) as refusal:
        control.resume(execution_id=run.execution_id)
    assert str(refusal.value).startswith(
        f"The run {run.name_for_people} is paused (screen not known). It has just changed"
    )
    assert operator.username in str(refusal.value)


def test_a_refusal_of_a_run_at_work_names_no_reason() -> None:
    run = make_run(pause_reason=PauseReason.NO_MATCH)  # of a pause that is over
    with pytest.raises(IllegalMove, match=re.escape(f"The run {run.name_for_people} is running. Only a paused run")):
        control.resume(execution_id=run.execution_id)
