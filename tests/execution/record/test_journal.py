"""The one writer of a run: everything in one transaction with its events, and nothing after the run is lost (S9)."""

from __future__ import annotations

import logging
import threading
from typing import Any

import pytest
from django.db import IntegrityError, OperationalError, connections, transaction

from execution.actions import control
from execution.actions.decide import decide
from execution.choices import EventKind, ExecutionState, Outcome, PauseReason, PromptKind, PromptState, StepPhase
from execution.exceptions import DatabaseAway, IllegalMove, LeaseLost
from execution.models import Execution, ExecutionEvent, Robot, Step
from execution.record.events import emit
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
    Verification,
)
from tests.execution.record.journals import CALLS, kinds, open_step, screen, suggestion
from workflows.models import Correction

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("own_folder")]


def taken_by_another(journal: Journal) -> None:
    Execution.objects.filter(pk=journal.execution.pk).update(epoch=journal.epoch + 1)


def everything(journal: Journal) -> list[Any]:
    """All rows of the run, to see whether anything was written."""
    run = Execution.objects.filter(pk=journal.execution.pk)
    return [list(rows.values()) for rows in (run, journal.execution.steps, journal.execution.events)]


# --- fencing --------------------------------------------------------------------------------------------------------
WRITES = (
    "open_step", "intend", "attempt_failed", "close_step", "agreed", "show_after", "doubt", "tidy", "ask", "arrive",
    "pause", "finish", "degrade", "error", "refresh",
)  # fmt: skip


@pytest.mark.parametrize("write", WRITES)
def test_whoever_lost_the_run_is_told_and_writes_nothing(journal: Journal, write: str) -> None:
    """S9.4"""
    step = open_step(journal)
    taken_by_another(journal)
    before = everything(journal)
    with pytest.raises(LeaseLost, match=journal.execution.execution_id):
        CALLS[write](journal, step)
    assert everything(journal) == before


def test_statistics_of_whoever_lost_the_run_are_dropped(journal: Journal) -> None:
    taken_by_another(journal)
    journal.capture_stats({"total_captures": 7})
    assert Execution.objects.get().capture_stats == {}


def test_each_write_renews_the_lease(journal: Journal) -> None:
    """S9.4: who writes, lives."""
    open_step(journal)
    first = Execution.objects.get().lease_until
    journal.arrive("saved", 0.5)
    assert Execution.objects.get().lease_until > first


# --- events ---------------------------------------------------------------------------------------------------------
def test_a_step_has_its_intent_before_and_its_result_after_and_one_event(journal: Journal) -> None:
    """S9.1, S9.5"""
    step = open_step(journal)
    assert Step.objects.get().phase == StepPhase.PLANNED
    journal.intend(step, suggestion(journal), screen(), attempt=0)
    assert Step.objects.get().phase == StepPhase.INTENT
    assert journal.open_intent() == step
    journal.close_step(
        step,
        Outcome.SUCCEEDED,
        "done",
        result=ActionResult(status=ActionStatus.DONE, act_ms=12.5),
        verification=Verification(answer=Answer.YES, message="Seen.", verify_ms=3),
        after=screen(9),
    )
    kept = Step.objects.get()
    assert (kept.phase, kept.outcome, kept.success, kept.verified) == ("closed", "succeeded", True, "yes")
    assert (kept.act_ms, kept.verify_ms) == (12.5, 3)
    assert kept.picture_after != kept.picture_before
    assert kinds(journal) == [(1, EventKind.STEP)]
    assert journal.open_intent() is None
    run = Execution.objects.get()
    assert (run.steps_executed, run.steps_succeeded, run.steps_failed) == (1, 1, 0)


def test_only_one_intent_can_be_open(journal: Journal) -> None:
    """S9.1: kept by the database itself."""
    first, second = open_step(journal), open_step(journal)
    journal.intend(first, suggestion(journal), screen(), attempt=0)
    with pytest.raises(IntegrityError):
        journal.intend(second, suggestion(journal), screen(), attempt=0)
    assert Step.objects.in_doubt().get() == first


COUNTED = {
    Outcome.SUCCEEDED: (1, 1, 0, True),
    Outcome.FAILED: (1, 0, 1, False),
    Outcome.MANUAL: (1, 0, 0, True),
    Outcome.SKIPPED: (1, 0, 0, False),
    Outcome.OBSERVED: (1, 0, 0, True),
    Outcome.TERMINAL: (1, 0, 0, True),
    Outcome.REJECTED: (0, 0, 0, False),
    Outcome.INTERRUPTED: (0, 0, 0, False),
}


@pytest.mark.parametrize(("outcome", "counted"), COUNTED.items(), ids=[str(o) for o in COUNTED])
def test_what_is_counted(journal: Journal, outcome: Outcome, counted: tuple[int, int, int, bool]) -> None:
    """S1.12, S11.4: of the run, and whether the step is a success."""
    journal.close_step(open_step(journal), outcome)
    run = Execution.objects.get()
    assert (run.steps_executed, run.steps_succeeded, run.steps_failed, Step.objects.get().success) == counted


@pytest.mark.parametrize(
    ("choice", "counter"),
    [
        (Choice.ACCEPT, "accepted"),
        (Choice.REJECT, "rejected"),
        (Choice.CORRECT, "corrected"),
        (Choice.MANUAL, "manual_executions"),
        (Choice.SKIP, "skipped"),
    ],
)
def test_answers_to_suggestions_are_counted(journal: Journal, choice: Choice, counter: str) -> None:
    """S1.13"""
    step = open_step(journal)
    prompt = journal.ask(step, PromptKind.COACHING, "Suggested action: it", timeout_s=60)
    decide(prompt_id=prompt.pk, choice=choice, source=DecisionSource.COACH)
    journal.answered(prompt)
    decision = Decision(choice=choice, source=DecisionSource.COACH)
    journal.close_step(step, Outcome.SUCCEEDED, decision=decision)
    stats = Execution.objects.get().coaching_stats()
    assert (stats["suggestions_made"], stats[counter]) == (1, 1)
    assert sum(stats[n] for n in ("accepted", "rejected", "corrected", "manual_executions", "skipped")) == 1
    assert stats["acceptance_rate"] == float(choice is Choice.ACCEPT)
    assert stats["correction_rate"] == float(choice is Choice.CORRECT)


@pytest.mark.django_db(transaction=True)
def test_an_event_outside_a_transaction_is_refused(journal: Journal) -> None:
    """S9.5: an event that is not committed with its change could tell of what never was."""
    with pytest.raises(RuntimeError, match="transaction"):
        emit(journal.execution, EventKind.ERROR, {})
    assert not ExecutionEvent.objects.exists()


def test_what_is_rolled_back_leaves_no_gap(journal: Journal) -> None:
    """S9.5"""
    journal.error("a", "first")
    with transaction.atomic():
        emit(journal.execution, EventKind.ERROR, {"kind": "b"})
        transaction.set_rollback(True)
    journal.error("c", "second")
    assert kinds(journal) == [(1, "error"), (2, "error")]
    assert [e.payload["kind"] for e in journal.execution.events.order_by("seq")] == ["a", "c"]


@pytest.mark.django_db(transaction=True)
def test_writers_at_once_leave_no_gap_and_no_double(journal: Journal) -> None:
    """S9.5: the loop, a decision and a stop write to one run's stream from connections of their own."""
    failures: list[Exception] = []

    def write(number: int) -> None:
        try:
            for turn in range(10):
                with transaction.atomic():
                    emit(journal.execution, EventKind.ERROR, {"kind": "test", "by": number, "turn": turn})
        except Exception as error:
            failures.append(error)
        finally:
            connections.close_all()

    threads = [threading.Thread(target=write, args=(n,)) for n in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert failures == []
    rows = list(journal.execution.events.order_by("pk"))
    assert [row.seq for row in rows] == list(range(1, 31))
    for number in range(3):
        assert [row.payload["turn"] for row in rows if row.payload["by"] == number] == list(range(10))


@pytest.mark.django_db(transaction=True)
def test_the_step_is_announced_after_its_commit_and_a_receiver_that_raises_loses_nothing(
    journal: Journal, caplog: pytest.LogCaptureFixture
) -> None:
    """S1.21, S7.5"""
    seen: list[Any] = []

    def receiver(sender: Any, step_id: int, **kwargs: Any) -> None:
        seen.append((transaction.get_connection().in_atomic_block, Step.objects.get(pk=step_id).phase))
        raise RuntimeError("analytics is broken")

    step_recorded.connect(receiver)
    try:
        with caplog.at_level(logging.WARNING):
            journal.close_step(open_step(journal), Outcome.SUCCEEDED)
    finally:
        step_recorded.disconnect(receiver)
    assert seen == [(False, StepPhase.CLOSED)]
    assert Step.objects.get().outcome == Outcome.SUCCEEDED
    assert "analytics is broken" in caplog.text


def test_a_listener_that_raises_is_harmless(journal: Journal) -> None:
    told: list[Any] = []
    journal.on_step.append(lambda step: 1 / 0)
    journal.on_step.append(told.append)
    journal.close_step(open_step(journal), Outcome.SUCCEEDED)
    assert len(told) == 1


# --- waiting for the database ---------------------------------------------------------------------------------------
def test_a_result_waits_for_a_busy_database_and_is_recorded_once(
    journal: Journal, monkeypatch: pytest.MonkeyPatch
) -> None:
    """C.7: what happened is recorded however long it takes; it is not done again for that."""
    step = open_step(journal)
    waits: list[float] = []
    monkeypatch.setattr(journal.patience.leave, "wait", lambda seconds: waits.append(seconds))
    save, refusals = Step.save, [True, True, True]

    def busy(self: Step, *args: Any, **kwargs: Any) -> None:
        if refusals:
            refusals.pop()
            raise OperationalError("database is locked")
        save(self, *args, **kwargs)

    monkeypatch.setattr(Step, "save", busy)
    journal.close_step(step, Outcome.SUCCEEDED)
    assert len(waits) == 3
    assert waits == sorted(waits)
    assert kinds(journal) == [(1, "step")]
    assert Execution.objects.get().steps_executed == 1


def test_an_intent_is_given_up_when_the_loop_is_to_leave(journal: Journal, monkeypatch: pytest.MonkeyPatch) -> None:
    """S9.1: without the intent on record nothing may be done, so that this ends the work on the run."""
    step = open_step(journal)

    def busy(self: Step, *args: Any, **kwargs: Any) -> None:
        raise OperationalError("database is locked")

    with monkeypatch.context() as patch:
        patch.setattr(Step, "save", busy)
        journal.patience.leave.set()
        with pytest.raises(DatabaseAway, match="asked to leave"):
            journal.intend(step, suggestion(journal), screen(), attempt=0)
    assert Step.objects.get().phase == StepPhase.PLANNED


# --- pausing, resuming, ending --------------------------------------------------------------------------------------
def test_a_pause_withdraws_the_question_and_fulfils_the_wish(journal: Journal) -> None:
    """S1.7"""
    prompt = journal.ask(open_step(journal), PromptKind.COACHING, "?", timeout_s=60)
    control.pause(execution_id=journal.execution.execution_id)
    journal.refresh()
    journal.pause(PauseReason.ASKED, "A person paused the run.")
    prompt.refresh_from_db()
    run = Execution.objects.get()
    assert (run.state, run.wish, prompt.state) == (ExecutionState.PAUSED, "", PromptState.WITHDRAWN)
    assert run.pause_detail["message"] == "A person paused the run."


def test_a_stop_that_comes_with_a_pause_is_not_lost(journal: Journal) -> None:
    """S1.7"""
    control.stop(execution_id=journal.execution.execution_id)
    journal.refresh()
    journal.pause(PauseReason.NO_MATCH, "Nothing fits.")
    assert Execution.objects.get().wish == "stop"


def test_resuming_gives_the_node_that_the_person_picked(journal: Journal) -> None:
    """S1.6"""
    journal.pause(PauseReason.NO_MATCH, "Nothing fits.")
    control.resume(execution_id=journal.execution.execution_id, node_id="save_dialog")
    assert journal.resume() == "save_dialog"
    run = Execution.objects.get()
    assert (run.state, run.pause_reason, run.wish, run.wish_node_id) == ("running", "", "", "")


def test_the_end_closes_what_is_open_and_says_how_it_ended(journal: Journal) -> None:
    """S7.2, S9.1"""
    doubtful, planned = open_step(journal), open_step(journal)
    journal.intend(doubtful, suggestion(journal), screen(), attempt=0)
    prompt = journal.ask(planned, PromptKind.COACHING, "?", timeout_s=60)
    journal.finish(ExecutionState.STOPPED)
    prompt.refresh_from_db()
    assert prompt.state == PromptState.WITHDRAWN
    outcomes = list(Step.objects.order_by("index").values_list("phase", "outcome"))
    assert outcomes == [("closed", "failed"), ("closed", "interrupted")]
    said = list(Step.objects.order_by("index").values_list("message", flat=True))
    assert said == ["The run ended before anyone could say whether this was done.", "The run ended."]
    run = Execution.objects.get()
    assert (run.state, run.error) == ("stopped", "Execution ended in state: stopped")
    assert run.ended_at is not None
    assert run.lease_until is None
    with pytest.raises(IllegalMove):
        journal.finish(ExecutionState.COMPLETED)


def test_taking_over_withdraws_the_old_question_and_closes_what_was_only_planned(journal: Journal) -> None:
    """S9.2"""
    journal.ask(open_step(journal), PromptKind.COACHING, "?", timeout_s=60)
    heir = Journal(Execution.objects.by_id(journal.execution.execution_id), journal.graph)
    heir.tidy()
    assert Execution.objects.get().state == ExecutionState.RUNNING
    assert not Execution.objects.get().prompts.open().exists()
    assert Step.objects.get().outcome == Outcome.INTERRUPTED


def test_a_correction_is_a_row_of_its_own_and_the_version_is_untouched(journal: Journal, operator: Any) -> None:
    """S1.10"""
    version = journal.execution.version
    step, before = open_step(journal), dict(version.graph)
    given = {"target": {"point": [0.5, 0.5]}, "params": {"text": "Zoë"}, "wait_after": 2}
    decision = Decision(choice=Choice.CORRECT, source=DecisionSource.COACH, correction=given, feedback="the other one")
    journal.correction(step, Lesson(given, "the other one"), decision, operator)
    kept = Correction.objects.get()
    assert (kept.correction_type, kept.corrected_params, kept.wait_after) == ("target+params", {"text": "Zoë"}, 2)
    assert (kept.feedback, kept.decided_by, kept.edge_id) == ("the other one", operator, step.edge_id)
    version.refresh_from_db()
    assert version.graph == before


def test_the_picture_after_is_evidence_and_not_the_record(journal: Journal, monkeypatch: pytest.MonkeyPatch) -> None:
    """A full disk does not lose the result of what was done."""
    step = open_step(journal)
    robot = Robot.objects.create(name="here:7", desktop="here:7", host="here", pid=1)
    Execution.objects.update(robot=robot)
    journal.refresh()

    def full(*args: Any) -> str:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(journal.pictures, "keep", full)
    journal.close_step(step, Outcome.SUCCEEDED, after=screen(5))
    assert (Step.objects.get().outcome, Step.objects.get().picture_after) == (Outcome.SUCCEEDED, "")
    assert "No space left" in Robot.objects.get().warnings["picture"]["message"]


def test_a_warning_for_a_robot_whose_row_is_deleted_is_in_the_log(
    journal: Journal, caplog: pytest.LogCaptureFixture
) -> None:
    """A helper that fails costs the run nothing, also where nobody has a page to be told on (S1.21)."""
    Execution.objects.update(robot=Robot.objects.create(name="here:7", desktop="here:7", host="here", pid=1))
    journal.refresh()
    Robot.objects.all().delete()
    journal.warn("picture", "the disk is full")
    assert "the disk is full" in caplog.messages
