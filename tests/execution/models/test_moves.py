"""A run's states and the moves between them: one table, compared and set in the database (S1.2)."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import Any

import pytest
from django.utils import timezone

from execution.choices import FINAL, ExecutionState, Wish
from execution.exceptions import IllegalMove
from execution.models import Execution
from tests.factories import make_execution

pytestmark = pytest.mark.django_db

# From each state, in rows, to which it may go. A question is asked and answered by a run at work; nothing comes back
# from an end, nothing becomes queued twice, and what was not begun has nothing that it could complete.
TABLE = """
                      idle  queued  running  paused  waiting  coaching  completed  failed  stopped
    idle              -     yes     -        -       -        -         -          -       yes
    queued            -     -       yes      -       -        -         -          yes     yes
    running           -     -       -        yes     yes      yes       yes        yes     yes
    paused            -     -       yes      -       -        -         yes        yes     yes
    waiting           -     -       yes      yes     -        -         yes        yes     yes
    coaching          -     -       yes      yes     -        -         yes        yes     yes
    completed         -     -       -        -       -        -         -          -       -
    failed            -     -       -        -       -        -         -          -       -
    stopped           -     -       -        -       -        -         -          -       -
"""
HEAD, *ROWS = [line.split() for line in TABLE.strip().splitlines()]
MOVES = [(was, to, word == "yes") for was, *words in ROWS for to, word in zip(HEAD, words, strict=True)]


def make_run(state: str = "running", **fields: Any) -> Execution:
    ended = {"ended_at": timezone.now()} if state in FINAL else {}
    return make_execution(state=state, desktop="host:1", **ended, **fields)


def row(run: Execution) -> Execution:
    return Execution.objects.get(pk=run.pk)


def test_the_table_has_every_state() -> None:
    assert sorted(HEAD) == sorted(ExecutionState.values) == sorted(row[0] for row in ROWS)


@pytest.mark.parametrize("was", ExecutionState.values)
def test_every_move_is_allowed_or_refused_as_the_table_says(was: str) -> None:
    """S1.2: a refused one is an error that names both states, and changes nothing."""
    run = make_run(was)
    for _was, to, allowed in [move for move in MOVES if move[0] == was]:
        Execution.objects.filter(pk=run.pk).update(state=was, ended_at=run.ended_at)
        fresh = row(run)
        if allowed:
            fresh.move(ExecutionState(to))
            assert (fresh.state, row(run).state) == (to, to)
        else:
            with pytest.raises(
                IllegalMove, match=f"{re.escape(run.name_for_people)} is .*; it cannot become"
            ) as refused:
                fresh.move(ExecutionState(to))
            assert str(ExecutionState(to).label) in str(refused.value)
            assert (fresh.state, row(run).state) == (was, was)


def test_whoever_comes_second_is_told_and_changes_nothing() -> None:
    """S1.2: a lost move is never silent."""
    run = make_run()
    first, second = row(run), row(run)
    first.move(ExecutionState.PAUSED)
    with pytest.raises(IllegalMove, match="somebody else was first"):
        second.move(ExecutionState.COMPLETED, error="late")
    assert (row(run).state, row(run).error, row(run).ended_at) == ("paused", "", None)
    assert (second.state, second.error) == ("running", "")


@pytest.mark.parametrize(("fence", "moved"), [(4, True), (3, False), (0, False), (None, True)])
def test_only_the_owner_moves_a_fenced_run(fence: int | None, moved: bool) -> None:
    """S9.4: who lost the run moves it no more; nobody's fence is no fence."""
    run = make_run(epoch=4)
    if moved:
        run.move(ExecutionState.PAUSED, fence=fence)
    else:
        with pytest.raises(IllegalMove, match="somebody else was first"):
            run.move(ExecutionState.PAUSED, fence=fence)
    assert row(run).state == ("paused" if moved else "running")


def test_only_the_run_itself_is_moved() -> None:
    run, other = make_run(), make_execution(state="running", desktop="host:2")
    run.move(ExecutionState.PAUSED)
    assert row(other).state == "running"


def test_what_changes_with_a_move_is_on_the_row_and_in_hand() -> None:
    run = make_run("queued")
    run.move(ExecutionState.RUNNING, desktop="host:7", epoch=3)
    assert (run.desktop, run.epoch) == (row(run).desktop, row(run).epoch) == ("host:7", 3)


@pytest.mark.parametrize("to", sorted(FINAL))
def test_an_end_has_its_time_and_no_wish(to: ExecutionState) -> None:
    """S1.2, S1.7: what was wished for is over with the run."""
    run, before = make_run(wish=Wish.STOP), timezone.now()
    run.move(to)
    ended = row(run).ended_at
    assert ended is not None and before <= ended <= timezone.now()
    assert (row(run).wish, run.wish, run.ended_at) == ("", "", ended)


def test_an_end_may_bring_its_own_time() -> None:
    run, at = make_run(), datetime(2024, 2, 29, tzinfo=UTC)
    run.move(ExecutionState.FAILED, ended_at=at, wish=Wish.PAUSE)
    assert (row(run).ended_at, row(run).wish) == (at, Wish.PAUSE)


@pytest.mark.parametrize("to", [ExecutionState.PAUSED, ExecutionState.WAITING_COACHING])
def test_what_goes_on_has_no_end_and_keeps_its_wish(to: ExecutionState) -> None:
    run = make_run(wish=Wish.STOP)
    run.move(to)
    assert (row(run).ended_at, row(run).wish) == (None, Wish.STOP)
