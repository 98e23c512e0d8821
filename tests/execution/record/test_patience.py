"""A run loop and a database that is away (S9.1, S9.4): it waits, tells, and loses nothing; an end is an end."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable
from contextlib import closing
from datetime import timedelta
from typing import Any

import pytest
from django.db import OperationalError, connection
from django.utils import timezone

from execution.actions.hold import postpone
from execution.choices import ExecutionState, PromptKind, PromptState
from execution.exceptions import DatabaseAway
from execution.models import Execution, Prompt, Robot, Step
from execution.record import clocks
from execution.record.clocks import FairClock, JumpWatch
from execution.record.journal import Journal
from execution.record.patience import Patience, let_go_of_broken, loops_waiting
from execution.running.runner import Hooks, Runner
from execution.turn.coach import Coach
from tests.doubles.scripted import ScriptedDesktop
from tests.support.scripted import analyzer, publish_line, queue, screens
from workflows.availability import kind_of_trouble

pytestmark = pytest.mark.django_db(transaction=True)

NAMES = ("one", "two", "three")


def failing(times: int, error: Exception, then: Any = "done") -> Callable[[], Any]:
    left = [error] * times

    def work() -> Any:
        if left:
            raise left.pop()
        return then

    return work


@pytest.mark.parametrize(
    ("pragma", "kind"),
    [("PRAGMA query_only = 1", "read only"), ("PRAGMA max_page_count = 1", "full")],
)
def test_what_sqlite_says_is_told_apart(tmp_path: Any, pragma: str, kind: str) -> None:
    with closing(sqlite3.connect(tmp_path / "x.sqlite3", isolation_level=None)) as other:
        other.execute("CREATE TABLE t (x)")
        other.execute(pragma)
        with pytest.raises(sqlite3.OperationalError) as said:
            for _ in range(100):
                other.execute("INSERT INTO t VALUES (zeroblob(4096))")
    error = OperationalError(str(said.value))
    error.__cause__ = said.value
    assert kind_of_trouble(error) == kind


def test_a_fault_of_ours_is_raised_at_once() -> None:
    with pytest.raises(OperationalError, match="no such table"):
        Patience().until_done(failing(1, OperationalError("no such table: x")))
    with pytest.raises(ValueError, match="ours"):
        Patience().until_done(failing(1, ValueError("ours")))


def test_it_is_told_once_where_people_look_and_once_that_it_is_over(settings: Any, tmp_path: Any) -> None:
    settings.DATA_DIR = tmp_path
    said: list[str] = []
    over: list[str] = []
    noted: list[Any] = []
    work = failing(3, OperationalError("database or disk is full"))

    def watched() -> Any:
        noted.append(loops_waiting())
        return work()

    patience = Patience(say=said.append, on_return=over.append)
    assert patience.until_done(watched) == "done"
    assert [line.split(":")[0] for line in said] == [
        "There is no room left for the database",
        "The database is there again after 1 s; nothing was lost.",
    ]
    assert len(over) == 1
    assert [bool(loops) for loops in noted] == [False, True, True, True]
    assert loops_waiting() == []
    assert patience.waited_s > 0.5


def test_waiting_ends_when_the_loop_is_to_leave_and_after_its_time(settings: Any, tmp_path: Any) -> None:
    settings.DATA_DIR = tmp_path
    leave = threading.Event()
    threading.Timer(0.3, leave.set).start()
    with pytest.raises(DatabaseAway, match="asked to leave"):
        Patience(leave=leave).until_done(failing(1000, OperationalError("database is locked")), for_ever=True)
    settings.RPA_DATABASE_WAIT_S = 0
    with pytest.raises(DatabaseAway, match="waited for"):
        Patience().until_done(failing(1000, OperationalError("database is locked")))


class Away:
    """From a moment on nothing of the runner's own thread reaches the database, for so many tries."""

    def __init__(self, tries: int) -> None:
        self.left, self.since, self.thread = tries, False, threading.get_ident()
        self.calls = 0

    def __call__(self, execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        if self.since and self.left and threading.get_ident() == self.thread:
            self.left -= 1
            raise OperationalError("database is locked")
        return execute(sql, params, many, context)


def run_with(away: Away, when: str) -> tuple[Execution, ScriptedDesktop, list[str]]:
    """A run of two clicks, where the database goes away right before the first `when`: intend, act or record."""
    execution = queue(publish_line(*NAMES))
    desktop = ScriptedDesktop(screens(*NAMES))
    said: list[str] = []

    def at(method: Callable[..., Any]) -> Callable[..., Any]:
        def called(*args: Any, **kwargs: Any) -> Any:
            away.since = True
            away.calls += 1
            return method(*args, **kwargs)

        return called

    def stages(journal: Journal, own: Any) -> Any:
        if when == "act":
            own.act = at(own.act)
        else:
            setattr(journal, when, at(getattr(journal, when)))
        return own

    hooks = Hooks(stages=stages, on_prompt=lambda prompt: pytest.fail(prompt.message))
    with connection.execute_wrapper(away):
        Runner(desktop=desktop, analyzer=analyzer(desktop), once=True, hooks=hooks, out=said.append).run()
    return Execution.objects.by_id(execution.execution_id), desktop, said


@pytest.mark.parametrize("when", ["open_step", "intend", "act", "close_step"])
def test_every_write_of_a_run_survives_and_nothing_is_done_twice(settings: Any, tmp_path: Any, when: str) -> None:
    settings.DATA_DIR = tmp_path
    done, desktop, said = run_with(Away(4), when)
    assert (done.state, done.steps_succeeded, done.steps_failed) == (ExecutionState.COMPLETED, 2, 0), said
    assert len([act for act in desktop.log if act.kind == "click"]) == 2


def test_an_intent_that_had_to_wait_is_made_anew_on_the_screen_as_it_is_then(settings: Any, tmp_path: Any) -> None:
    """S9.1: not committed means not acted, and what was seen before the wait proves nothing after it."""
    settings.DATA_DIR = tmp_path
    away = Away(6)
    done, desktop, _said = run_with(away, "intend")
    assert away.calls == 3  # of two acts, the first one twice
    assert done.state == ExecutionState.COMPLETED
    assert len([act for act in desktop.log if act.kind == "click"]) == 2
    assert done.steps.first().retries == 0


def test_a_run_that_waited_too_long_is_left_and_taken_anew(settings: Any, tmp_path: Any) -> None:
    settings.DATA_DIR = tmp_path
    settings.RPA_DATABASE_WAIT_S = 0
    done, desktop, said = run_with(Away(3), "close_step")
    assert done.state == ExecutionState.COMPLETED, said
    assert any("given up" in line for line in said)
    assert len([act for act in desktop.log if act.kind == "click"]) == 2
    assert done.epoch == 2
    assert done.deaths == 0
    assert Robot.objects.get().stopped_at is not None


# --- clocks ---------------------------------------------------------------------------------------------------------
def test_a_jump_of_the_clock_is_seen_and_small_steps_add_up(monkeypatch: pytest.MonkeyPatch) -> None:
    astray = [0.0]
    monkeypatch.setattr(clocks, "_astray", lambda: astray[0])
    watch = JumpWatch()
    for step, seen in ((1.5, 0), (3.0, 3.0), (3.5, 0), (-3596.5, -3599.5)):
        astray[0] = step
        assert watch.jumped_s() == seen


def test_a_question_is_not_over_because_the_clock_jumped(monkeypatch: pytest.MonkeyPatch, settings: Any) -> None:
    """S1.9: 120 s to answer are 120 s, whatever the time of day says meanwhile."""
    execution = queue(publish_line(*NAMES))
    Execution.objects.filter(pk=execution.pk).update(state=ExecutionState.RUNNING)
    journal = Journal(Execution.objects.get(), execution.version.spec())
    astray = [0.0]
    monkeypatch.setattr(clocks, "_astray", lambda: astray[0])
    step = Step.objects.create(execution=execution, index=1, epoch=0, mode=execution.mode)
    prompt = journal.ask(step, PromptKind.COACHING, "?", timeout_s=120)
    leave = threading.Event()
    clock = FairClock(journal.patience)
    astray[0] = 3600.0
    late = clock.unfair_s()
    before = Prompt.objects.get().deadline_at
    postpone(prompt, late)
    assert (Prompt.objects.get().deadline_at - before).total_seconds() == 3600
    assert prompt.deadline_at == Prompt.objects.get().deadline_at
    assert Coach(journal, leave=leave)._is_over(prompt) is False


class JumpsAndLeaves(threading.Event):
    """The clock jumps at the first look for an answer; at the third the loop is to leave."""

    looks = 0

    def __init__(self, ahead: list[float]) -> None:
        super().__init__()
        self.ahead = ahead

    def wait(self, timeout: float | None = None) -> bool:
        self.looks, self.ahead[0] = self.looks + 1, 3600.0
        if self.looks == 3:
            self.set()
        return self.is_set()


def test_who_waits_for_an_answer_heeds_that_the_clock_jumped(monkeypatch: pytest.MonkeyPatch) -> None:
    """S1.9: the clock goes an hour ahead while the question is open, and nobody is taken to have been silent."""
    execution = queue(publish_line(*NAMES))
    Execution.objects.filter(pk=execution.pk).update(state=ExecutionState.RUNNING)
    journal = Journal(Execution.objects.get(), execution.version.spec())
    step = Step.objects.create(execution=execution, index=1, epoch=0, mode=execution.mode)
    ahead, now = [0.0], timezone.now
    monkeypatch.setattr(timezone, "now", lambda: now() + timedelta(seconds=ahead[0]))
    monkeypatch.setattr(clocks, "_astray", lambda: ahead[0])

    answer = Coach(journal, leave=JumpsAndLeaves(ahead)).ask(step, PromptKind.COACHING, "?", timeout_s=120)
    prompt = Prompt.objects.get()
    assert (answer.decision, prompt.state) == (None, PromptState.WITHDRAWN)
    assert prompt.deadline_at is not None
    assert (prompt.deadline_at - prompt.created_at).total_seconds() == 3720


def test_a_session_outlasts_the_looks_of_a_loop() -> None:
    """On SQLite a file that was put in the place of the old one is opened, else it was never seen."""
    assert not Robot.objects.exists()
    session = connection.connection
    let_go_of_broken()
    assert not Robot.objects.exists()
    assert (connection.connection is session) is (connection.vendor != "sqlite")


def test_a_connection_that_failed_is_made_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    assert not Robot.objects.exists()
    session, connection.errors_occurred = connection.connection, True
    monkeypatch.setattr(connection, "is_usable", lambda: False)
    let_go_of_broken()
    assert not Robot.objects.exists()
    assert connection.connection is not session
