"""What the journal keeps, and tells, of each step, question and end of a run (S1.12, S1.18, S8.2, S9)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any

import numpy as np
import pytest
from django.db import DatabaseError, OperationalError, connection
from django.utils import timezone

from execution.actions import control
from execution.actions.decide import decide
from execution.choices import (
    EventKind,
    ExecutionState,
    Origin,
    Outcome,
    PauseReason,
    PromptKind,
    PromptState,
    StepPhase,
)
from execution.models import Execution, Prompt, ReferenceVector, Robot, Step
from execution.record.journal import Journal
from execution.signals import step_recorded
from execution.turn.lessons import Lesson
from execution.types import (
    ActionResult,
    ActionStatus,
    Answer,
    Choice,
    Decision,
    DecisionSource,
    Embedding,
    Match,
    Recognition,
    Timings,
    Verification,
)
from sentences.said import from_json
from tests.execution.record.journals import CALLS, asked, kinds, open_step, screen, suggestion
from workflows.models import Correction

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("own_folder")]


def row() -> Execution:
    return Execution.objects.get()


def told(journal: Journal, kind: EventKind) -> list[dict[str, Any]]:
    return [event.payload for event in journal.execution.events.filter(kind=kind).order_by("seq")]


def states(journal: Journal) -> list[str]:
    return [payload["status"] for payload in told(journal, EventKind.STATE)]


# --- the database is busy -------------------------------------------------------------------------------------------
class Busy:
    """A database that refuses its first query, and every query where `always`."""

    def __init__(self, *, always: bool = False, error: str = "database is locked") -> None:
        self.always, self.error, self.refused = always, error, 0

    def __call__(self, execute: Callable[..., Any], *query: Any) -> Any:
        if self.always or not self.refused:
            self.refused += 1
            raise OperationalError(self.error)
        return execute(*query)


@pytest.fixture
def unhurried(journal: Journal, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(journal.patience.leave, "wait", lambda seconds: False)
    monkeypatch.setattr("execution.record.patience.connect_anew", lambda: None)  # the wrapper goes with the connection


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS.keys())
def test_whatever_is_recorded_or_asked_waits_for_a_busy_database(
    journal: Journal, unhurried: None, call: Callable[..., Any]
) -> None:
    """S9.4: no call of the loop dies of a database that is away for a moment."""
    step, busy = open_step(journal), Busy()
    Execution.objects.update(wish_mode="automatic")
    with connection.execute_wrapper(busy):
        call(journal, step)
    assert busy.refused == 1


@pytest.mark.parametrize("call", [Journal.resume, Journal.answered], ids=["resume", "answered"])
def test_going_on_waits_for_a_busy_database(journal: Journal, unhurried: None, call: Any) -> None:
    """S9.4"""
    prompt, busy = asked(journal, open_step(journal)), Busy()
    if call is Journal.resume:
        journal.pause(PauseReason.NO_MATCH, "")
    with connection.execute_wrapper(busy):
        call(journal, *([] if call is Journal.resume else [prompt]))
    assert (busy.refused, row().state) == (1, ExecutionState.RUNNING)


def test_a_changed_question_waits_for_a_busy_database(journal: Journal, unhurried: None) -> None:
    """S9.4"""
    prompt = asked(journal, open_step(journal))
    with connection.execute_wrapper(Busy()):
        journal.prompt_changed(prompt, "It is gone.")
    assert Prompt.objects.get().changed == "It is gone."


@pytest.mark.django_db(transaction=True)
def test_what_is_only_told_waits_for_nothing(journal: Journal) -> None:
    """S1.21: statistics and warnings are lost with the database, not the run."""
    robot = Robot.objects.create(name="here:7", desktop="here:7", host="here", pid=1)
    Execution.objects.update(robot=robot)
    journal.refresh()
    busy = Busy(always=True)
    with connection.execute_wrapper(busy):
        journal.capture_stats({"total_captures": 7})
        journal.warn("picture", "The disk is full.")
    assert (busy.refused, row().capture_stats) == (2, {})
    assert journal.execution.robot == robot
    with connection.execute_wrapper(busy):
        journal.warn("picture", "The disk is full.")
    assert (busy.refused, Robot.objects.get().warnings) == (3, {})


def test_another_fault_of_the_database_is_not_waited_for(journal: Journal) -> None:
    """S9.4: only what passes by itself is."""
    step = open_step(journal)
    with connection.execute_wrapper(Busy(error="no such table")), pytest.raises(DatabaseError, match="no such table"):
        journal.doubt(step)


# --- steps ----------------------------------------------------------------------------------------------------------
def test_steps_are_numbered_from_one_and_the_run_says_which_edge_it_is_on(journal: Journal) -> None:
    """S1.12"""
    assert [open_step(journal).index for _ in range(3)] == [1, 2, 3]
    assert row().current_edge_id == "type_patient"


def test_a_step_says_what_was_recognised_and_what_is_meant(journal: Journal) -> None:
    """S8.2"""
    found = Recognition(match=Match(node_id="empty_note", confidence=0.9, margin=0.25))
    step = journal.open_step(screen(), found, suggestion(journal), match_ms=3)
    kept = Step.objects.get(pk=step.pk)
    assert (kept.node_id, kept.confidence, kept.margin, kept.match_ms) == ("empty_note", 0.9, 0.25, 3)
    assert (kept.edge_id, kept.action_type, kept.sentence) == ("type_patient", "type_text", "Type it")
    assert kept.suggestion["destination"] == "written_note"


def test_an_edge_that_says_what_must_be_seen_is_of_another_effect_class(journal: Journal) -> None:
    """S9.3: what its step may be repeated for is kept with it."""
    edge = journal.graph.edge("click_save")
    assert edge is not None
    meant = replace(suggestion(journal), edge=edge)
    step = journal.open_step(screen(), Recognition(match=None), meant, match_ms=1)
    assert Step.objects.get(pk=step.pk).effect_class == "observable"


def test_a_step_takes_all_the_time_of_its_turn(journal: Journal, monkeypatch: pytest.MonkeyPatch) -> None:
    """S2.5: also what is no part of it; of a step that another loop began only the parts are known."""
    now = [50.0]
    monkeypatch.setattr("execution.record.steps.time.perf_counter", lambda: now[0])
    journal.begin_turn()
    now[0] += 0.25
    mine, other = open_step(journal), open_step(journal)
    now[0] += 1
    journal.close_step(mine, Outcome.SUCCEEDED)
    assert Step.objects.get(pk=mine.pk).total_ms == pytest.approx(1250)
    heir = Journal(Execution.objects.by_id(journal.execution.execution_id), journal.graph)
    heir.close_step(other, Outcome.INTERRUPTED)
    assert Step.objects.get(pk=other.pk).total_ms == 1, "what its match took"


def test_a_step_within_anothers_turn_began_before_its_screen_was_taken(journal: Journal) -> None:
    """S2.5"""
    journal.begin_turn()
    open_step(journal)
    seen = replace(screen(), timings=Timings(capture_ms=40_000, analyze_ms=300_000))
    before = timezone.now()
    step = journal.open_step(seen, Recognition(match=None), None, match_ms=20_000)
    began = before - step.started_at
    assert timedelta(seconds=359) < began <= timedelta(seconds=360)


def test_the_vector_that_a_screen_names_can_be_fetched(journal: Journal) -> None:
    """S11.6"""
    vector = np.arange(4, dtype=np.float32)
    seen = replace(screen(), embedding=Embedding(model="small", vector=vector))
    for _ in range(2):  # the same picture again is no second vector
        step = journal.open_step(seen, Recognition(match=None), None, match_ms=1)
    kept = ReferenceVector.objects.get()
    assert (kept.picture, kept.model) == (step.picture_before, "small")
    assert np.frombuffer(bytes(kept.vector), "<f4").tolist() == vector.tolist()


def test_an_attempt_is_kept_with_its_number_and_taken_back_when_it_failed(journal: Journal) -> None:
    """S1.16, S9.1"""
    step = open_step(journal)
    journal.intend(step, suggestion(journal), screen(), attempt=2)
    kept = Step.objects.get()
    assert (kept.phase, kept.retries) == (StepPhase.INTENT, 2)
    assert kept.intent_at is not None
    journal.attempt_failed(step, "It did not open.")
    kept.refresh_from_db()
    assert (kept.phase, kept.message) == (StepPhase.PLANNED, "It did not open.")
    assert journal.open_intent() is None


def test_what_an_attempt_came_to_is_kept_with_its_picture(journal: Journal) -> None:
    """S1.16: a try that came to nothing is looked at afterwards, and whoever clears up knows of its picture."""
    step = open_step(journal)
    journal.intend(step, suggestion(journal), screen(), attempt=0)
    no = Verification(answer=Answer.NO, message="It did not open.", verify_ms=120)
    done = ActionResult(status=ActionStatus.DONE, act_ms=3)
    journal.attempt_failed(step, "It did not open.", result=done, verification=no, after=screen())
    (tried,) = Step.objects.get().attempts
    assert (tried["message"], tried["answer"], tried["act_ms"]) == ("It did not open.", "no", 3)
    assert len(tried["picture"]) == 64
    journal.intend(step, suggestion(journal), screen(), attempt=1)
    journal.close_step(step, Outcome.SUCCEEDED)
    kept = Step.objects.get()
    assert kept.attempts == [tried]
    assert kept.just_before == [tried["picture"]]


@pytest.mark.parametrize(("outcome", "deaths"), [(Outcome.SUCCEEDED, 0), (Outcome.FAILED, 0), (Outcome.INTERRUPTED, 1)])
def test_only_a_step_that_was_made_shows_that_a_run_gets_on(journal: Journal, outcome: Outcome, deaths: int) -> None:
    """S9.4: what interrupts a run for ever must not hide that it ends its run loops."""
    Execution.objects.update(deaths=1)
    journal.close_step(open_step(journal), outcome)
    assert row().deaths == deaths


@pytest.mark.parametrize("kind", [PromptKind.CONFIRMATION, PromptKind.IDENTITY])
def test_only_answers_to_suggestions_are_counted_as_coaching(journal: Journal, kind: PromptKind) -> None:
    """S1.13"""
    step = open_step(journal)
    prompt = asked(journal, step, kind)
    decide(prompt_id=prompt.pk, choice="reject")
    journal.answered(prompt)
    journal.close_step(step, Outcome.REJECTED, decision=Decision(choice=Choice.REJECT, source=DecisionSource.COACH))
    stats = row().coaching_stats()
    assert (stats["suggestions_made"], stats["rejected"]) == (0, 0)


@pytest.mark.django_db(transaction=True)
def test_a_step_that_is_rolled_back_is_not_announced(journal: Journal, monkeypatch: pytest.MonkeyPatch) -> None:
    """S7.5, S9.5: what hears of a step finds it."""
    heard: list[int] = []

    def receiver(sender: Any, step_id: int, **kwargs: Any) -> None:
        heard.append(step_id)

    step = open_step(journal)
    step_recorded.connect(receiver)
    try:
        with monkeypatch.context() as patch, pytest.raises(ValueError, match="no"):
            patch.setattr("execution.record.steps.emit", lambda *args: (_ for _ in ()).throw(ValueError("no")))
            journal.close_step(step, Outcome.SUCCEEDED)
        assert heard == []
        journal.close_step(step, Outcome.SUCCEEDED)
    finally:
        step_recorded.disconnect(receiver)
    assert heard == [step.pk]


@pytest.mark.parametrize("agreed", [True, False])
def test_what_the_person_did_instead_is_kept_and_told(journal: Journal, agreed: bool) -> None:
    """S1.18"""
    step = open_step(journal)
    journal.agreed(step, agreed, "You clicked Save.", screen(9))
    kept = Step.objects.get()
    assert (kept.agreed, kept.message) == (agreed, "You clicked Save.")
    assert kept.picture_after and kept.picture_after != kept.picture_before
    assert [payload["message"] for payload in told(journal, EventKind.STEP)] == ["You clicked Save."]


@pytest.mark.parametrize(
    ("outcome", "done"),
    [
        (Outcome.SUCCEEDED, True),
        (Outcome.MANUAL, True),
        (Outcome.OBSERVED, True),
        (Outcome.FAILED, False),
        (Outcome.REJECTED, False),
        (Outcome.INTERRUPTED, False),
    ],
)
def test_whether_anything_of_a_run_was_done(journal: Journal, outcome: Outcome, done: bool) -> None:
    """S1.22: closing a dialog, which is of no edge, is nothing of the run's."""
    dialog = journal.open_step(screen(), Recognition(match=None), None, match_ms=1)
    journal.close_step(dialog, Outcome.SUCCEEDED)
    assert not journal.anything_done()
    journal.close_step(open_step(journal), outcome)
    assert journal.anything_done() is done


def test_a_person_who_is_asked_whether_it_was_done_sees_the_screen_as_it_is(journal: Journal) -> None:
    """S9.2"""
    step = open_step(journal)
    journal.intend(step, suggestion(journal), screen(), attempt=0)
    journal.show_after(step, screen(9), Verification(answer=Answer.CANNOT_TELL, message="Nothing to see."))
    journal.doubt(step)
    kept = Step.objects.get()
    assert kept.picture_after and kept.picture_after != kept.picture_before
    assert kept.verification["message"] == "Nothing to see."
    assert kept.in_doubt and kept.phase == StepPhase.INTENT


def test_taking_over_leaves_alone_what_may_have_been_done(journal: Journal) -> None:
    """S9.2: a step with an intent is in doubt, not planned; a run that asked nothing tells no new state."""
    doubtful = open_step(journal)
    journal.intend(doubtful, suggestion(journal), screen(), attempt=0)
    journal.tidy()
    assert journal.open_intent() == doubtful
    assert kinds(journal) == []


def test_taking_over_tells_that_nobody_is_asked_any_more(journal: Journal) -> None:
    """S8.2, S9.2"""
    asked(journal, open_step(journal))
    journal.tidy()
    assert states(journal) == ["coaching", "running"]
    assert Step.objects.get().message == "The run loop was restarted before this was done."


@pytest.mark.parametrize(
    ("given", "kind"),
    [
        ({"wait_before": 1, "wait_after": 2}, "wait"),
        ({"action": "double_click"}, "action"),
        ({"target": {"point": [0.1, 0.1]}, "action": "click"}, "target+action"),
    ],
)
def test_a_correction_says_what_it_changes(journal: Journal, given: dict[str, Any], kind: str) -> None:
    """S1.10"""
    decision = Decision(choice=Choice.CORRECT, source=DecisionSource.COACH, correction=given)
    journal.correction(open_step(journal), Lesson(given), decision, None)
    kept = Correction.objects.get()
    assert kept.correction_type == kind
    assert (kept.wait_before, kept.wait_after) == (given.get("wait_before", 0), given.get("wait_after", 0))
    assert (kept.corrected_target, kept.corrected_action) == (given.get("target", {}), given.get("action", ""))
    assert kept.original_params == journal.graph.edge(kept.edge_id).params, "with the variables, not with their values"


# --- questions ------------------------------------------------------------------------------------------------------
WAITS = {kind: "waiting" if kind is PromptKind.CONFIRMATION else "coaching" for kind in PromptKind}


@pytest.mark.parametrize(("kind", "state"), WAITS.items(), ids=[str(kind) for kind in WAITS])
def test_a_run_waits_in_the_state_of_its_question(journal: Journal, kind: PromptKind, state: str) -> None:
    """S1.2: a confirmation is waited for in another state than everything else; both are told."""
    heard: list[str] = []
    journal.on_state.append(lambda execution: heard.append(execution.state))
    step = open_step(journal)
    prompt = journal.ask(step, kind, "?", timeout_s=None)
    assert (row().state, row().suggestions_made) == (state, int(kind is PromptKind.COACHING))
    assert (prompt.deadline_at, prompt.picture) == (None, step.picture_before)
    assert (states(journal), heard) == ([state], [state])
    step.waited_ms = 750
    prompt.step = step
    journal.answered(prompt)
    assert (states(journal), heard) == ([state, "running"], [state, "running"])
    assert Step.objects.get().waited_ms == 750


@pytest.mark.parametrize(("withdrawn", "state"), [(True, PromptState.WITHDRAWN), (False, PromptState.OPEN)])
def test_a_question_that_is_withdrawn_is_open_no_more(journal: Journal, withdrawn: bool, state: PromptState) -> None:
    prompt = asked(journal, open_step(journal))
    journal.answered(prompt, withdrawn=withdrawn)
    assert Prompt.objects.get().state == state


def test_a_question_that_was_answered_is_not_withdrawn_after_it(journal: Journal) -> None:
    """S1.11: the answer stands."""
    prompt = asked(journal, open_step(journal))
    decide(prompt_id=prompt.pk, choice="accept")
    journal.answered(prompt, withdrawn=True)
    assert Prompt.objects.get().state == PromptState.ANSWERED


def test_what_changed_under_a_question_is_told_once_and_only_while_it_is_open(journal: Journal) -> None:
    """S1.9"""
    prompt = asked(journal, open_step(journal))
    journal.prompt_changed(prompt, "x" * 400)
    assert [payload["changed"] for payload in told(journal, EventKind.PROMPT)] == ["", "x" * 400]
    decide(prompt_id=prompt.pk, choice="accept")
    journal.prompt_changed(prompt, "later")
    assert len(told(journal, EventKind.PROMPT)) == 2
    assert Prompt.objects.get().changed == "x" * 400


# --- the run --------------------------------------------------------------------------------------------------------
def test_where_the_run_is_is_told_when_it_gets_there(journal: Journal) -> None:
    """S1.12: again on the same screen only its confidence is kept."""
    journal.arrive("saved", 0.5)
    journal.arrive("saved", 0.75)
    assert (row().current_node_id, row().last_confidence) == ("saved", 0.75)
    assert [payload["current_node"] for payload in told(journal, EventKind.STATE)] == ["saved"]
    assert told(journal, EventKind.STATE)[0]["last_confidence"] == 0.5


def test_a_paused_run_is_not_paused_again(journal: Journal) -> None:
    """S1.6: the first reason stands; whoever listens hears of it once."""
    heard: list[str] = []
    journal.on_state.append(lambda execution: heard.append(execution.pause_reason))
    journal.pause(PauseReason.NO_MATCH, "Nothing fits.", {"picture": "p"})
    journal.pause(PauseReason.STORAGE, "The disk is full.")
    assert (row().pause_reason, row().pause_detail) == ("no_match", {"message": "Nothing fits.", "picture": "p"})
    assert (states(journal), heard) == (["paused"], ["no_match"])
    journal.resume()
    assert (states(journal), heard) == (["paused", "running"], ["no_match", ""])
    assert row().pause_detail == {}


def test_who_paused_it_is_said(journal: Journal, operator: Any) -> None:
    """S1.24"""
    control.pause(execution_id=journal.execution.execution_id, user=operator, origin=Origin.PAGE)
    journal.pause_as_asked()
    detail = row().pause_detail
    assert (detail["by"], detail["origin"], row().pause_reason) == ("operator", Origin.PAGE, PauseReason.ASKED)
    assert "operator" in from_json(detail["message"])


@pytest.mark.parametrize(("wanted", "told_of"), [("automatic", ["automatic"]), ("coaching", [])])
def test_a_mode_that_is_another_is_told(journal: Journal, wanted: str, told_of: list[str]) -> None:
    """S1.23: asking for the mode that it is in is fulfilled without a word."""
    heard: list[str] = []
    journal.on_mode.append(lambda execution: heard.append(execution.mode))
    Execution.objects.update(wish_mode=wanted)
    journal.refresh()
    journal.change_mode()
    assert (row().mode, row().wish_mode) == (wanted, "")
    assert (journal.execution.mode, journal.execution.wish_mode) == (wanted, "")
    assert [payload["mode"] for payload in told(journal, EventKind.MODE_CHANGED)] == heard == told_of
    assert len(states(journal)) == len(told_of)


@pytest.mark.parametrize(
    ("state", "error", "kept"),
    [
        (ExecutionState.COMPLETED, "", ""),
        (ExecutionState.FAILED, "", "Execution ended in state: failed"),
        (ExecutionState.FAILED, "It broke.", "It broke."),
        (ExecutionState.STOPPED, "", "Execution ended in state: stopped"),
    ],
)
def test_an_end_is_told_with_its_reason(journal: Journal, state: ExecutionState, error: str, kept: str) -> None:
    """S7.2"""
    heard: list[str] = []
    journal.on_state.append(lambda execution: heard.append(execution.state))
    journal.pause(PauseReason.NO_MATCH, "Nothing fits.")
    journal.finish(state, error)
    assert (row().state, row().error, row().pause_reason) == (state, kept, "")
    assert (states(journal)[-1], heard[-1]) == (state, state)


def test_who_stopped_it_is_kept(journal: Journal, operator: Any) -> None:
    """S1.24: of a run that ended otherwise nobody is said to have stopped it."""
    control.stop(execution_id=journal.execution.execution_id, user=operator, origin=Origin.PAGE)
    journal.finish(ExecutionState.STOPPED)
    assert (row().stopped_by, row().stopped_from) == ("operator", Origin.PAGE)


def test_who_answered_stop_is_kept(journal: Journal, operator: Any) -> None:
    """S1.24"""
    prompt = asked(journal, open_step(journal))
    decide(prompt_id=prompt.pk, choice="reject", user=operator, origin=Origin.PAGE)
    journal.finish(ExecutionState.STOPPED)
    assert (row().stopped_by, row().stopped_from) == ("operator", Origin.PAGE)


@pytest.mark.parametrize("state", [ExecutionState.COMPLETED, ExecutionState.FAILED])
def test_a_run_that_ended_by_itself_was_stopped_by_nobody(journal: Journal, operator: Any, state: Any) -> None:
    """S1.24: a stop that came too late is no stop."""
    control.stop(execution_id=journal.execution.execution_id, user=operator)
    journal.finish(state)
    assert (row().stopped_by, row().stopped_from) == ("", "")


def test_a_degraded_run_is_told_with_its_reason(journal: Journal) -> None:
    """S2.4"""
    journal.degrade("Reading took 9 s.")
    assert (row().degraded, row().degraded_reason) == (True, "Reading took 9 s.")
    assert (journal.execution.degraded, journal.execution.degraded_reason) == (True, "Reading took 9 s.")
    assert told(journal, EventKind.DEGRADED) == [{"reason": "Reading took 9 s."}]
    assert states(journal) == ["running"]


def test_what_a_program_left_in_its_variables_is_kept(journal: Journal) -> None:
    """S11.2"""
    journal.keep_variables({"patient": "Zoë"})
    assert row().variables == {"patient": "Zoë"}


def test_a_warning_without_a_robot_is_no_error(journal: Journal) -> None:
    """S1.21"""
    journal.warn("picture", "The disk is full.")
    assert not Robot.objects.exists()


def test_the_same_warning_again_is_the_newest(journal: Journal) -> None:
    """S1.21: on the status page the last of its kind; in the log the first."""
    robot = Robot.objects.create(name="here:7", desktop="here:7", host="here", pid=1)
    Execution.objects.update(robot=robot)
    journal.refresh()
    for message in ("full", "still full"):
        journal.warn("picture", message)
    assert {kind: told["message"] for kind, told in Robot.objects.get().warnings.items()} == {"picture": "still full"}
