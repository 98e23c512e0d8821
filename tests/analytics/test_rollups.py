"""Sums by day and week are those of the rows, whatever came when, twice, late or corrected (S7.5, S7.6)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from django.db import connection, connections, transaction
from django.test import override_settings
from django.utils import timezone
from hypothesis import given
from hypothesis import strategies as st

from analytics import projection, rollups
from analytics.marks import last_wrong
from analytics.models import RunDay, RunMetric, Sealed, StepDay, StepMetric, StepWeek
from analytics.projection import catch_up, project, project_marked, project_run, rebuild
from analytics.rollups import day_of, first_moment_of
from execution.actions.mark import mark
from execution.choices import PERFORMED, ExecutionState, Feedback, Origin, Outcome, Verb, Verified
from execution.models import Decision, Execution, Prompt, Step, StepMark, WishRecord
from execution.types import DecisionSource
from tests.analytics.steps import make_step, undone
from tests.factories import make_execution, make_published

pytestmark = pytest.mark.django_db

BEGIN = datetime(2026, 11, 18, 22, 30, tzinfo=UTC)  # a Wednesday: weeks since 1970 begin on Thursdays
MINUTE = timedelta(minutes=1)


def begun(version: Any, **fields: Any) -> Execution:
    return make_execution(version=version, started_at=BEGIN, **fields)


def end(run: Execution, state: ExecutionState, at: datetime, **fields: Any) -> None:
    Execution.objects.filter(pk=run.pk).update(state=state, ended_at=at, lasted_s=2.5, measured_at=at, **fields)


def plainly_of_steps(days: int = 1) -> dict[Any, Counter[str]]:
    """What the sums must be, counted from the rows in the plainest way."""
    found: dict[Any, Counter[str]] = {}
    for row in StepMetric.objects.all():
        when = (row.started_at.date() - date(1970, 1, 1)).days // days
        place = found.setdefault((when, row.workflow_id, row.node_id, row.edge_id, row.rung), Counter())
        place["steps"] += 1
        place["succeeded"] += row.success
        place["done"] += 1 if (row.success and row.edge_id) or row.wrong else 0
        place["unverified"] += 1 if row.success and row.edge_id and row.verified != "yes" else 0
        place["retries"] += row.retries
        place["wrong"] += row.wrong
        place["robot_us"] += max(0, round((row.total_ms - row.waited_ms) * 1000))
        place["score_millionths"] += round(row.score * 1_000_000)
    return found


def kept_of_steps(table: Any, unit: str) -> dict[Any, Counter[str]]:
    names = ("steps", "succeeded", "done", "unverified", "retries", "wrong", "robot_us", "score_millionths")
    return {
        (getattr(row, unit), row.workflow_id, row.node_id, row.edge_id, row.rung): Counter(
            {name: getattr(row, name) for name in names}
        )
        for row in table.objects.exclude(steps=0)
    }


def plainly_of_runs() -> dict[Any, Counter[str]]:
    found: dict[Any, Counter[str]] = {}
    for row in RunMetric.objects.all():
        when = (row.ended_at.date() - date(1970, 1, 1)).days
        place = found.setdefault((when, row.workflow_id, row.version), Counter())
        place["runs"] += 1
        place["alone"] += row.state == "completed" and not row.helped
        place["helped"] += row.state == "completed" and bool(row.helped)
        place["failed"] += row.state == "failed"
        place["took_us"] += round(row.seconds * 1_000_000)
        place["wrong"] += row.wrong
        for most in (10, 30, 60, 180, 600, 1800, 7200):
            place[f"within_{most}s"] += row.seconds <= most
    return found


def kept_of_runs() -> dict[Any, Counter[str]]:
    names = ("runs", "alone", "helped", "failed", "took_us", "wrong", *(f"within_{n}s" for n in rollups.WITHIN_S))
    return {
        (row.day, row.workflow_id, row.version): Counter({name: getattr(row, name) for name in names})
        for row in RunDay.objects.exclude(runs=0)
    }


def sums_are_those_of_the_rows() -> None:
    assert all(row.wrong <= row.done for row in StepDay.objects.all()), "“n of m” with more than m"
    assert kept_of_steps(StepDay, "day") == plainly_of_steps()
    assert kept_of_steps(StepWeek, "week") == plainly_of_steps(7)
    assert kept_of_runs() == plainly_of_runs()


def marks_are_those_of_people() -> None:
    """Counted from what people said, in the plainest way; the newest word about a step is the last one written."""
    last = {mark.step_id: mark.feedback for mark in StepMark.objects.order_by("pk")}
    wrong = {
        (run, index)
        for pk, run, index, outcome in Step.objects.values_list("pk", "execution__execution_id", "index", "outcome")
        if last.get(pk) == "incorrect" and outcome in ("succeeded", "failed")
    }
    rows = StepMetric.objects.filter(wrong=1).values_list("execution_id", "step")
    assert set(rows) == wrong & set(StepMetric.objects.values_list("execution_id", "step"))
    for row in RunMetric.objects.all():
        assert row.wrong == sum(run == row.execution_id for run, _index in wrong)


class Crash(Exception):
    """The process ends here."""


MOVES = st.tuples(
    st.sampled_from(
        ("step", "correct", "again", "end", "crash", "lose", "drop", "rebuild", "catch_up", "mark", "unmark")
    ),
    st.integers(0, 5),
    st.integers(0, 240),
    st.sampled_from(("ocr_text", "template", "")),
)


@given(moves=st.lists(MOVES, min_size=1, max_size=25))
@pytest.mark.slow
def test_sums_are_those_of_the_rows_in_any_order(moves: list[tuple[str, int, int, str]]) -> None:
    """S7.5, S7.6: late, twice, corrected, with a crash in between, with a run that is gone."""
    with undone():
        _live(moves)
        rebuild()
        closed = Step.objects.closed().count()
        assert StepMetric.objects.count() == closed
        sums_are_those_of_the_rows()
        marks_are_those_of_people()


def _live(moves: list[tuple[str, int, int, str]]) -> None:
    versions = [make_published(), make_published()]
    runs = [begun(versions[n % 2]) for n in range(3)]
    steps: list[Step] = []
    for kind, which, minutes, rung in moves:
        at = BEGIN + minutes * MINUTE
        if kind in ("step", "crash"):
            run = runs[which % 3]
            if not Execution.objects.filter(pk=run.pk).exists():
                continue
            verified = Verified.YES if which % 2 else Verified.CANNOT_TELL
            steps.append(make_step(run, started_at=at, rung=rung, total_ms=which * 31.4, verified=verified))
            _crashing(lambda: project(steps[-1].pk)) if kind == "crash" else project(steps[-1].pk)
        elif kind == "correct" and steps:
            step = steps[which % len(steps)]
            changed = {"started_at": at, "rung": rung, "score": which / 7, "success": bool(which % 2)}
            if Step.objects.filter(pk=step.pk).update(**changed):
                project(step.pk)
        elif kind == "again" and steps and Step.objects.filter(pk=steps[which % len(steps)].pk).exists():
            project(steps[which % len(steps)].pk)
        elif kind == "end":
            state = (ExecutionState.COMPLETED, ExecutionState.FAILED, ExecutionState.STOPPED)[which % 3]
            end(runs[which % 3], state, at, manual_executions=which // 3)
            project_run(runs[which % 3].execution_id)
        elif kind == "lose" and steps:  # it ended, or was written, and nobody heard of it
            Step.objects.filter(pk=steps[which % len(steps)].pk).update(retries=which)
        elif kind in ("mark", "unmark") and steps:
            step = steps[which % len(steps)]
            if Step.objects.filter(pk=step.pk).exists():
                said = Feedback.INCORRECT if kind == "mark" else (Feedback.CORRECT, Feedback.PARTIAL)[which % 2]
                mark(step=step, feedback=said)
                if which < 4:  # else nobody heard of it
                    project_marked(step.pk)
        elif kind == "drop":
            Execution.objects.filter(pk=runs[which % 3].pk).delete()
        elif kind == "rebuild":
            rebuild()
        elif kind == "catch_up":
            catch_up()
        sums_are_those_of_the_rows()


def _crashing(work: Callable[[], Any]) -> None:
    """The process dies after the row and before its sums."""
    real = projection.replace

    def dies(*args: Any) -> None:
        raise Crash

    projection.replace = dies
    try:
        with pytest.raises(Crash), transaction.atomic():
            work()
    finally:
        projection.replace = real


def test_what_people_say_of_a_step_is_counted_and_taken_back(django_capture_on_commit_callbacks: Any) -> None:
    """S7.5: of several words the newest counts; each is heard where it is said, of a run that goes on as well."""
    run = begun(make_published())
    step, other = make_step(run), make_step(run)
    for one in (step, other):
        project(one.pk)

    def say(which: Step, word: Feedback) -> tuple[int, list[int]]:
        with django_capture_on_commit_callbacks(execute=True):
            mark(step=which, feedback=word)
        sums_are_those_of_the_rows()
        return sum(StepDay.objects.values_list("wrong", flat=True)), list(
            RunDay.objects.values_list("wrong", flat=True)
        )

    assert say(step, Feedback.INCORRECT) == (1, [])
    end(run, ExecutionState.COMPLETED, BEGIN)
    project_run(run.execution_id)
    assert say(other, Feedback.INCORRECT) == (2, [2])
    assert say(other, Feedback.PARTIAL) == (1, [1])
    assert say(step, Feedback.CORRECT) == (0, [0])


def test_a_mark_that_nobody_heard_of_is_counted_by_the_next_run() -> None:
    run = begun(make_published())
    step = make_step(run)
    project(step.pk)
    mark(step=step, feedback=Feedback.INCORRECT)
    assert StepMetric.objects.get().wrong == 0
    catch_up()
    assert StepMetric.objects.get().wrong == 1
    marks_are_those_of_people()


def test_no_more_actions_are_wrong_than_were_done(django_capture_on_commit_callbacks: Any) -> None:
    """One that failed was done as well: “2 of 2 actions were wrong”, and not of 1."""
    run = begun(make_published())
    well, ill = make_step(run), make_step(run, outcome=Outcome.FAILED, success=False)
    for step in (well, ill):
        project(step.pk)
    assert [(row.wrong, row.done) for row in StepDay.objects.exclude(steps=0)] == [(0, 1)]
    for step in (well, ill):
        with django_capture_on_commit_callbacks(execute=True):
            mark(step=step, feedback=Feedback.INCORRECT)
        sums_are_those_of_the_rows()
    assert [(row.wrong, row.done) for row in StepDay.objects.exclude(steps=0)] == [(2, 2)]
    with django_capture_on_commit_callbacks(execute=True):
        mark(step=ill, feedback=Feedback.CORRECT)
    assert [(row.wrong, row.done) for row in StepDay.objects.exclude(steps=0)] == [(1, 1)]


@pytest.mark.parametrize("outcome", sorted(set(Outcome) - PERFORMED - {Outcome.NONE}))
def test_what_was_never_done_is_no_wrong_action(outcome: Outcome, django_capture_on_commit_callbacks: Any) -> None:
    """That it was wrongly meant is kept as its mark; of the actions that were done it is none."""
    run = begun(make_published())
    meant = make_step(run, outcome=outcome, success=False)
    project(meant.pk)
    end(run, ExecutionState.COMPLETED, BEGIN)
    project_run(run.execution_id)
    with django_capture_on_commit_callbacks(execute=True):
        mark(step=meant, feedback=Feedback.INCORRECT)
    assert (StepMetric.objects.get().wrong, RunMetric.objects.get().wrong, last_wrong()) == (0, 0, None)
    StepMetric.objects.update(wrong=1)  # as it was counted before
    catch_up()
    assert StepMetric.objects.get().wrong == 0
    failed = make_step(run, outcome=Outcome.FAILED, success=False)
    project(failed.pk)
    with django_capture_on_commit_callbacks(execute=True):
        mark(step=failed, feedback=Feedback.INCORRECT)
    found = last_wrong()
    assert found is not None and found.step == failed.index
    assert (StepMetric.objects.get(step=failed.index).wrong, RunMetric.objects.get().wrong) == (1, 1)


def test_a_wrong_sum_is_made_right_by_rebuilding() -> None:
    """S7.5"""
    step = make_step(begun(make_published()))
    project(step.pk)
    StepDay.objects.update(day=day_of(step.started_at) - 40, steps=7)
    StepWeek.objects.update(week=3, steps=9)
    rebuild()
    sums_are_those_of_the_rows()


def test_what_was_pruned_keeps_its_sums_and_late_steps_change_nothing() -> None:
    run = begun(make_published())
    old = make_step(run, started_at=BEGIN)
    fresh = make_step(run, started_at=BEGIN + timedelta(days=1))
    for step in (old, fresh):
        project(step.pk)
    before = kept_of_steps(StepDay, "day"), kept_of_steps(StepWeek, "week")
    Sealed.objects.create(workflow_id=run.workflow_id, day=day_of(BEGIN) + 1)
    StepMetric.objects.filter(step=old.index).delete()
    Step.objects.filter(pk=old.pk).update(retries=9)
    assert project(old.pk) is None
    rebuild()
    assert (kept_of_steps(StepDay, "day"), kept_of_steps(StepWeek, "week")) == before
    assert list(StepMetric.objects.values_list("step", flat=True)) == [fresh.index]


def test_a_run_counts_once_it_has_ended_and_once_alone() -> None:
    run = begun(make_published())
    make_step(run, waited_ms=1500.0)
    assert project_run(run.execution_id) is None
    end(run, ExecutionState.COMPLETED, BEGIN, suggestions_made=4, accepted=3)
    metric = project_run(run.execution_id)
    project_run(run.execution_id)
    assert metric is not None
    assert (metric.helped, metric.steps, metric.waited_ms, metric.seconds) == (0, 1, 1500.0, 2.5)
    (day,) = RunDay.objects.all()
    assert (day.day, day.runs, day.alone, day.suggestions, day.accepted) == (day_of(BEGIN), 1, 1, 4, 3)


@pytest.mark.skipif(connection.vendor == "sqlite", reason="one writes at a time there")
@pytest.mark.django_db(transaction=True)
def test_runs_of_two_robots_that_end_at_the_same_moment_do_not_wait_for_each_other() -> None:
    """S9.4: with fifty robots all stood before one table's lock."""
    runs = [begun(make_published()) for _ in range(2)]
    for run in runs:
        make_step(run)
        end(run, ExecutionState.COMPLETED, BEGIN)
    with transaction.atomic(), ThreadPoolExecutor(1) as other_robot:
        project_run(runs[0].execution_id)
        assert other_robot.submit(impatiently, lambda: project_run(runs[1].execution_id)).result(30)
    assert RunMetric.objects.count() == 2


def impatiently(work: Callable[[], Any]) -> Any:
    """What `work` gives on a connection of its own; an error where it would have to wait for somebody's lock."""
    try:
        with connection.cursor() as cursor:
            cursor.execute("SET lock_timeout = '2s'")
        return work()
    finally:
        connections.close_all()


def test_steps_that_nobody_heard_of_are_counted_when_their_run_ends() -> None:
    run = begun(make_published())
    make_step(run)
    end(run, ExecutionState.FAILED, BEGIN)
    Execution.objects.filter(pk=run.pk).update(created_at=datetime.now(UTC) - timedelta(days=8))
    assert catch_up() == 0  # older than what is looked for
    Execution.objects.filter(pk=run.pk).update(created_at=datetime.now(UTC))
    assert catch_up() == 1
    assert (StepMetric.objects.count(), RunMetric.objects.get().state) == (1, "failed")
    assert catch_up() == 0


@pytest.mark.parametrize(("source", "helped"), [(DecisionSource.COACH, 1), (DecisionSource.POLICY, 0)])
def test_whoever_answered_helped_and_a_time_out_did_not(source: DecisionSource, helped: int) -> None:
    run = begun(make_published())
    prompt = Prompt.objects.create(execution=run, step=make_step(run), kind="coaching", message="?", state="answered")
    Decision.objects.create(prompt=prompt, choice="accept", source=source)
    end(run, ExecutionState.COMPLETED, BEGIN)
    metric = project_run(run.execution_id)
    assert metric is not None
    assert metric.helped == helped


def test_whoever_let_it_go_on_helped_too() -> None:
    run = begun(make_published())
    WishRecord.objects.create(execution=run, verb=Verb.RESUME, origin=Origin.PAGE)
    end(run, ExecutionState.COMPLETED, BEGIN)
    metric = project_run(run.execution_id)
    assert metric is not None
    assert metric.helped == 1


def test_a_run_that_never_began_is_no_run() -> None:
    run = make_execution()
    end(run, ExecutionState.STOPPED, BEGIN)
    assert project_run(run.execution_id) is None


def test_sums_are_never_kept_apart_from_their_rows(transactional_db: None) -> None:
    with pytest.raises(RuntimeError):
        rollups.replace(rollups.STEPS, (), ())


@pytest.mark.parametrize(("zone", "later"), [("UTC", 0), ("Asia/Tokyo", 1), ("America/New_York", 0)])
def test_a_day_is_that_of_the_installations_clock(zone: str, later: int) -> None:
    with override_settings(TIME_ZONE=zone), timezone.override("Pacific/Auckland"):  # whoever looks
        day = day_of(BEGIN)
        assert first_moment_of(day) == datetime(2026, 11, 18 + later, tzinfo=ZoneInfo(zone))
        assert first_moment_of(day) <= BEGIN < first_moment_of(day + 1)
