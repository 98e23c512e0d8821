"""The row of a run: which runs are asked for, what one tells of itself, and what the database keeps (S1.12, S1.13)."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.core.management import call_command
from django.db import IntegrityError, transaction
from django.utils import timezone

from execution.choices import FINAL, ExecutionState, PauseReason, PromptKind, PromptState, Wish
from execution.exceptions import UnknownExecution
from execution.models import Execution, Prompt, Step
from tests.factories import make_execution, make_published
from workflows.models import WorkflowVersion

pytestmark = pytest.mark.django_db

EARLY = timezone.now() - timedelta(hours=1)


def one_of_each() -> dict[str, Execution]:
    """A run in every state, by state."""
    return {
        state: make_execution(state=state, desktop=f"host:{state}", ended_at=EARLY if state in FINAL else None)
        for state in ExecutionState.values
    }


def named(runs: Any) -> list[str]:
    return [run.state for run in runs]


def ask(run: Execution, state: PromptState = PromptState.OPEN) -> Prompt:
    step = Step.objects.create(execution=run, index=run.steps.count() + 1, epoch=0, mode=run.mode)
    return Prompt.objects.create(execution=run, step=step, kind=PromptKind.COACHING, message="?", state=state)


# --- which runs -----------------------------------------------------------------------------------------------------
def test_runs_are_found_by_how_they_stand() -> None:
    """S1.2"""
    one_of_each()
    assert {*named(Execution.objects.live())} == {"queued", "running", "paused", "waiting", "coaching"}
    assert {*named(Execution.objects.final())} == {"completed", "failed", "stopped"}
    assert {run.state for run in Execution.objects.all() if run.is_final} == {"completed", "failed", "stopped"}
    assert named(Execution.objects.queued()) == ["queued"]


def test_a_run_needs_a_person_where_it_asks_or_is_paused() -> None:
    """S8.1, S6.15: once answered, or told to go on, it needs its loop; under control somebody has it."""
    for run in one_of_each().values():
        ask(run, PromptState.ANSWERED)
    assert named(Execution.objects.needing_a_person()) == ["paused"]
    for run in Execution.objects.all():
        ask(run)
    assert sorted(named(Execution.objects.needing_a_person())) == ["coaching", "paused", "waiting"]
    for in_hand in ({"pause_reason": PauseReason.CONTROL}, {"pause_reason": "", "wish": Wish.RESUME}):
        Execution.objects.filter(state="paused").update(**in_hand)
        assert sorted(named(Execution.objects.needing_a_person())) == ["coaching", "waiting"]


@pytest.mark.parametrize("told", [{}, {"wish": Wish.RESUME}, {"wish_mode": "coaching"}, {"pause_reason": "control"}])
def test_a_run_stands_for_a_person_by_one_rule(told: dict[str, Any]) -> None:
    """S9.4: a run loop loads nothing of it for as long as a death of that loop is not counted."""
    for run in (make_execution(state="paused", **told), make_execution(state="running", desktop="host:2", **told)):
        is_listed = Execution.objects.needing_a_person().filter(pk=run.pk).exists()
        assert run.stands_for_a_person is is_listed


def test_who_may_not_answer_is_not_asked(make_user: Any) -> None:
    """S10.1"""
    make_execution()
    assert Execution.objects.for_person(make_user("olga", "operator")).count() == 1
    assert Execution.objects.for_person(make_user("vic", "viewer")).count() == 0


def test_the_oldest_is_the_first_in_the_queue() -> None:
    """S1.4"""
    runs = [make_execution(state="queued", in_line_at=EARLY - timedelta(seconds=n % 2)) for n in range(4)]
    assert [*Execution.objects.queued()] == [runs[1], runs[3], runs[0], runs[2]]


def test_what_was_left_on_a_desktop_is_that_desktops() -> None:
    """S9.2"""
    mine = one_of_each()
    assert [*Execution.objects.abandoned_on("host:paused")] == [mine["paused"]]
    assert not Execution.objects.abandoned_on("host:queued").exists()
    assert not Execution.objects.abandoned_on("host:failed").exists()


def test_runs_are_found_by_their_workflow_and_by_their_id() -> None:
    mine, _other = make_execution(), make_execution()
    assert [*Execution.objects.for_workflow(mine.workflow_id)] == [mine]
    assert Execution.objects.by_id(mine.execution_id) == mine
    with pytest.raises(UnknownExecution, match="no run “exec_nowhere”"):
        Execution.objects.by_id("exec_nowhere")


def test_the_newest_run_is_shown_first() -> None:
    old, new = make_execution(created_at=EARLY), make_execution()
    assert [*Execution.objects.all()] == [new, old]


# --- what it tells of itself ----------------------------------------------------------------------------------------
def test_how_long_it_ran() -> None:
    """S1.12: not begun, at work, over; and never less than nothing where a clock was set back."""
    run = Execution()
    assert run.duration_seconds == 0
    run.started_at = timezone.now() - timedelta(seconds=100)
    assert 100 <= run.duration_seconds < 130
    run.ended_at = run.started_at + timedelta(seconds=7)
    assert run.duration_seconds == 7
    run.ended_at = run.started_at - timedelta(seconds=7)
    assert run.duration_seconds == 0


def test_progress_is_the_same_wherever_it_is_asked_for() -> None:
    """S1.12: where nothing is known yet, nothing is said."""
    run = make_execution(started_at=EARLY, ended_at=EARLY + timedelta(seconds=1, microseconds=234_567))
    told = run.progress()
    assert (told["current_node"], told["current_edge"], told["duration_seconds"]) == (None, None, 1.235)
    run.current_node_id, run.current_edge_id = "saved", "click_save"
    told = run.progress()
    assert (told["current_node"], told["current_edge"]) == ("saved", "click_save")
    assert (told["status"], told["execution_id"]) == ("idle", run.execution_id)
    assert told["workflow_id"] == run.version.workflow.workflow_id


def test_rates_are_of_what_was_suggested() -> None:
    """S1.13: of no runs, or nothing suggested, they are 0; over several runs they are of the sum."""
    assert {*Execution.objects.coaching_stats().values()} == {0}
    assert make_execution().coaching_stats()["acceptance_rate"] == 0
    assert Execution.objects.coaching_stats()["correction_rate"] == 0
    runs = [make_execution(suggestions_made=4, accepted=2, corrected=1), make_execution(suggestions_made=1, accepted=1)]
    assert (runs[0].coaching_stats()["acceptance_rate"], runs[0].coaching_stats()["correction_rate"]) == (0.5, 0.25)
    stats = Execution.objects.coaching_stats()
    assert (stats["suggestions_made"], stats["accepted"], stats["skipped"]) == (5, 3, 0)
    assert (stats["acceptance_rate"], stats["correction_rate"]) == (0.6, 0.2)


def test_its_events_are_numbered_from_one() -> None:
    """S9.5"""
    run, other = make_execution(), make_execution()
    assert [run.take_seq(), run.take_seq(), other.take_seq(), run.take_seq()] == [1, 2, 1, 3]


# --- what the database keeps ----------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({"state": "dreaming"}, "execution_state_known"),
        ({"mode": "sideways"}, "execution_mode_known"),
        ({"wish": "coffee"}, "execution_wish_known"),
        ({"wish_mode": "sideways"}, "execution_wish_mode_known"),
        ({"state": "completed"}, "execution_final_has_end"),
    ],
)
def test_what_cannot_be_is_refused_by_the_database(fields: dict[str, str], why: str) -> None:
    with pytest.raises(IntegrityError, match=why), transaction.atomic():
        make_execution(**fields)
    assert not Execution.objects.exists()


def test_a_desktop_has_one_run_at_work() -> None:
    """S9.4: kept by the database itself; queued and ended ones do not count."""
    make_execution(state="running", desktop="host:1")
    for state in ("queued", "stopped"):
        make_execution(state=state, desktop="host:1", ended_at=EARLY)
    for state in ("running", "paused", "waiting", "coaching"):
        with pytest.raises(IntegrityError, match="desktop"), transaction.atomic():
            make_execution(state=state, desktop="host:1")


def test_a_run_keeps_its_version() -> None:
    version = make_published()
    run = make_execution(version=version)
    with pytest.raises(IntegrityError), transaction.atomic():
        version.delete()
    assert run.version == version


def test_a_run_read_again_has_the_version_in_hand_as_long_as_it_is_of_that(django_assert_num_queries: Any) -> None:
    """S6.14: one that has moved to another version in between is given with that one."""
    version = make_published()
    run = make_execution(version=version)
    with django_assert_num_queries(1):
        assert Execution.objects.by_id(run.execution_id, version=version).version is version
    other = WorkflowVersion.objects.create(workflow=version.workflow, number=version.number + 1, graph=version.graph)
    Execution.objects.update(version=other)
    assert Execution.objects.by_id(run.execution_id, version=version).version == other


def test_the_tables_are_what_the_migrations_make() -> None:
    """Whoever updates has the fields, defaults and limits that the program expects."""
    assert str(make_execution())
    call_command("makemigrations", "execution", check_changes=True, dry_run=True, verbosity=0)
