"""What the end of a run means for its row and its list (S12.2, S12.7, S12.8)."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from execution.actions.control import stop
from execution.choices import ExecutionState, Origin, Outcome, StepPhase
from execution.models import Step, ValueRead, Worklist, WorkRun
from execution.models.worklist import ItemState, WorklistState, WorkRunKind
from execution.record.claims import Claim, claim
from execution.record.journal import Journal
from execution.worklists.claiming import take
from execution.worklists.outcome import is_in_doubt, may_have_saved, settle, settle_ended
from tests.factories import NODES, make_published, make_user
from tests.support.lists import IDENTITY, new_list, robot, states
from workflows.choices import EffectClass

pytestmark = pytest.mark.django_db

NOT_FOUND = {"node_id": "nobody", "name": "Nobody", "texts": ["No patient"], "is_end": True, "is_common": True}


def begun(mine: Any = None) -> Claim:
    claimed = take(mine or robot(), IDENTITY)
    assert claimed is not None
    return claimed


def journal(claimed: Claim) -> Journal:
    return Journal(claimed.execution, claimed.execution.version.spec())


def step(claimed: Claim, index: int = 1, **fields: Any) -> Step:
    """A step that was done and seen to be done, unless `fields` say otherwise."""
    now = timezone.now()
    done = {
        "epoch": 1,
        "mode": "automatic",
        "edge_id": "click_save",
        "effect_class": EffectClass.OBSERVABLE,
        "phase": StepPhase.CLOSED,
        "outcome": Outcome.SUCCEEDED,
        "intent_at": now,
        "ended_at": now,
    }
    return Step.objects.create(execution=claimed.execution, index=index, **{**done, **fields})


def ended(claimed: Claim, state: ExecutionState, error: str = "") -> None:
    journal(claimed).finish(state, error)
    assert settle(claimed.execution.execution_id)


def test_a_run_at_its_end_screen_has_done_its_row_and_the_list_is_finished() -> None:
    worklist = new_list("Ada")
    claimed = begun()
    ended(claimed, ExecutionState.COMPLETED)
    item = worklist.items.get()
    worklist.refresh_from_db()
    assert (item.state, item.reason, item.ended_at is not None) == (ItemState.DONE, "", True)
    assert (worklist.state, worklist.ended_at is not None) == (WorklistState.FINISHED, True)
    assert WorkRun.objects.get().outcome == ItemState.DONE


def test_an_end_is_settled_once() -> None:
    worklist = new_list("Ada", "Bea")
    claimed = begun()
    ended(claimed, ExecutionState.COMPLETED)
    seen = worklist.events.count()
    assert not settle(claimed.execution.execution_id)
    assert settle_ended() == 0
    assert worklist.events.count() == seen


def test_an_end_that_nobody_settled_is_settled_by_whoever_looks_next() -> None:
    """A process that dies between the end of a run and what it means for its row."""
    worklist = new_list("Ada", "Bea")
    mine = robot()
    claimed = begun(mine)
    journal(claimed).finish(ExecutionState.COMPLETED)
    assert states(worklist) == {"Ada": "running", "Bea": "new"}
    begun(mine)
    assert states(worklist) == {"Ada": "done", "Bea": "running"}


def test_a_run_that_is_not_at_its_end_is_not_settled() -> None:
    new_list("Ada")
    assert not settle(begun().execution.execution_id)


def test_the_end_on_a_screen_that_was_taught_for_it_is_an_exception_with_its_reason() -> None:
    """S12.2"""
    version = make_published(nodes=[*NODES, {**NOT_FOUND, "exception": "Patient not found"}])
    worklist = new_list("Ada", "Bea", version_of=version)
    claimed = begun()
    journal(claimed).arrive("nobody", 1.0)
    ended(claimed, ExecutionState.COMPLETED)
    item = worklist.items.get(reference="Ada")
    assert (item.state, item.reason) == (ItemState.EXCEPTION, "Patient not found")


def test_values_that_were_read_are_kept_with_the_row_those_of_a_repetition_line_by_line() -> None:
    """S12.11"""
    worklist = new_list("Ada")
    claimed = begun()
    for index, (name, text, line) in enumerate(
        [("number", "L-1", 0), ("number", "L-2", 0), ("drug", "Aspirin", 1), ("drug", "Heparin", 2)], 1
    ):
        suggestion = {"line": line} if line else {}
        read = step(claimed, index, effect_class=EffectClass.READ, suggestion=suggestion)
        ValueRead.objects.create(execution=claimed.execution, step=read, name=name, text=text, value=text)
    ended(claimed, ExecutionState.COMPLETED)
    kept = [(value["name"], value["text"], value.get("line")) for value in worklist.items.get().values]
    assert kept == [("number", "L-2", None), ("drug", "Aspirin", 1), ("drug", "Heparin", 2)]


@pytest.mark.parametrize(
    ("fields", "saved"),
    [
        ({}, True),
        ({"effect_class": EffectClass.OPAQUE}, True),
        ({"effect_class": EffectClass.READ}, False),
        ({"effect_class": EffectClass.IDEMPOTENT}, False),
        ({"intent_at": None, "outcome": Outcome.INTERRUPTED}, False),
        ({"outcome": Outcome.INTERRUPTED}, False),
        ({"outcome": Outcome.INTERRUPTED, "attempts": [{"act_ms": 12.0}]}, True),
        ({"outcome": Outcome.FAILED}, True),
        ({"intent_at": None, "outcome": Outcome.MANUAL}, True),
        ({"intent_at": None, "outcome": Outcome.REJECTED}, False),
    ],
)
def test_what_the_journal_tells_about_an_act(fields: dict[str, Any], saved: bool) -> None:
    """S12.7"""
    new_list("Ada")
    claimed = begun()
    step(claimed, **fields)
    assert may_have_saved(claimed.execution) is saved


def test_what_a_person_did_at_the_desktop_may_have_saved() -> None:
    new_list("Ada")
    claimed = begun()
    with_control = journal(claimed)
    assert not may_have_saved(claimed.execution)
    with_control.control({"act": "click"})
    assert may_have_saved(claimed.execution)


def test_a_row_whose_run_failed_before_anything_was_saved_begins_again_by_itself() -> None:
    """S12.7: after a while, as often as the list says; then it has failed."""
    worklist, mine = new_list("Ada", most_attempts=2, retry_after_s=60), robot()
    claimed = begun(mine)
    step(claimed, effect_class=EffectClass.READ)
    ended(claimed, ExecutionState.FAILED, "the display went away")
    item = worklist.items.get()
    assert (item.state, item.reason.code) == (ItemState.NEW, "worklists.again_after")
    assert item.not_before > timezone.now() + timedelta(seconds=50)
    assert take(mine, IDENTITY) is None
    worklist.items.update(not_before=None)
    ended(begun(mine), ExecutionState.FAILED, "the display went away")
    item = worklist.items.get()
    assert (item.state, item.attempts, item.runs.count()) == (ItemState.FAILED, 2, 2)
    assert "the display went away" in str(item.reason)


def test_a_row_whose_run_may_have_saved_is_set_aside_and_never_begins_by_itself() -> None:
    """S12.7"""
    worklist, mine = new_list("Ada", "Bea", most_attempts=5), robot()
    claimed = begun(mine)
    step(claimed)
    ended(claimed, ExecutionState.FAILED, "the display went away")
    item = worklist.items.get(reference="Ada")
    assert (item.state, item.saved, item.reason.code) == (ItemState.SET_ASIDE, True, "worklists.saved")
    begun(mine)
    assert states(worklist) == {"Ada": "set_aside", "Bea": "running"}


def test_a_run_that_ends_in_doubt_stops_the_list() -> None:
    """S12.8"""
    worklist, mine = new_list("Ada", "Bea"), robot()
    claimed = begun(mine)
    step(claimed, phase=StepPhase.INTENT, outcome="", ended_at=None)
    ended(claimed, ExecutionState.STOPPED)
    assert is_in_doubt(claimed.execution)
    worklist.refresh_from_db()
    assert (worklist.state, worklist.reason.code) == (WorklistState.STANDS, "worklists.doubt_stands")
    assert states(worklist) == {"Ada": "set_aside", "Bea": "new"}
    assert take(mine, IDENTITY) is None


def test_a_run_that_somebody_stopped_sets_its_row_aside_with_who_it_was() -> None:
    worklist, zoe = new_list("Ada"), make_user("operator", "zoe")
    claimed = begun()
    stop(execution_id=claimed.execution.execution_id, user=zoe, origin=Origin.PAGE)
    ended(claimed, ExecutionState.STOPPED)
    item = worklist.items.get()
    assert (item.state, item.saved, str(item.reason)) == (ItemState.SET_ASIDE, False, "zoe (page) stopped the run.")


def test_three_rows_that_fail_one_after_the_other_stop_the_list() -> None:
    """S12.8: the breaker; a row that is done in between begins the count anew."""
    worklist, mine = new_list(*"ABCDEF", most_attempts=1), robot()
    outcomes = [ExecutionState.FAILED, ExecutionState.FAILED, ExecutionState.COMPLETED, *[ExecutionState.FAILED] * 3]
    for state in outcomes:
        worklist.refresh_from_db()
        assert worklist.state == WorklistState.RUNNING
        ended(begun(mine), state, "no")
    worklist.refresh_from_db()
    assert (worklist.state, worklist.reason.code) == (WorklistState.STANDS, "worklists.breaker")
    assert "3 rows" in str(worklist.reason)


def test_after_a_row_that_did_not_reach_its_end_the_way_back_comes_before_the_next_row() -> None:
    """S12.8"""
    reset = make_published()
    worklist, mine = new_list("Ada", "Bea", most_attempts=1, reset_id=reset.workflow.workflow_id), robot()
    ended(begun(mine), ExecutionState.FAILED, "no")
    way_back = WorkRun.objects.get(kind=WorkRunKind.RESET)
    assert (way_back.execution.state, way_back.execution.desktop) == (ExecutionState.QUEUED, "here:7")
    assert take(mine, IDENTITY) is None
    claimed = claim(mine, IDENTITY)
    assert claimed is not None
    assert claimed.execution.pk == way_back.execution.pk
    assert take(mine, IDENTITY) is None
    ended(claimed, ExecutionState.COMPLETED)
    begun(mine)
    assert states(worklist) == {"Ada": "failed", "Bea": "running"}


def test_a_way_back_that_is_not_reached_stops_the_list() -> None:
    """S12.8"""
    reset = make_published()
    worklist, mine = new_list("Ada", "Bea", most_attempts=1, reset_id=reset.workflow.workflow_id), robot()
    ended(begun(mine), ExecutionState.FAILED, "no")
    claimed = claim(mine, IDENTITY)
    assert claimed is not None
    ended(claimed, ExecutionState.FAILED, "still there")
    worklist.refresh_from_db()
    assert (worklist.state, worklist.reason.code) == (WorklistState.STANDS, "worklists.reset_failed")
    assert take(mine, IDENTITY) is None


def test_a_row_that_is_done_needs_no_way_back() -> None:
    reset = make_published()
    new_list("Ada", "Bea", reset_id=reset.workflow.workflow_id)
    ended(begun(), ExecutionState.COMPLETED)
    assert not WorkRun.objects.filter(kind=WorkRunKind.RESET).exists()


def test_a_paused_list_is_finished_with_its_last_row() -> None:
    worklist = new_list("Ada")
    claimed = begun()
    Worklist.objects.update(state=WorklistState.PAUSED)
    ended(claimed, ExecutionState.COMPLETED)
    worklist.refresh_from_db()
    assert worklist.state == WorklistState.FINISHED
