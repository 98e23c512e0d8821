"""Clocks set while a run goes on: no length changes, nobody is dead or alive for it, nothing is done twice (S9.4)."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.db import connections
from django.utils import timezone

from execution.choices import ExecutionState
from execution.desktop.base import DesktopBusy
from execution.models import Execution, Robot
from execution.record import clocks
from execution.record.claims import Claim, Heartbeat, claim
from execution.record.journal import Journal
from execution.running.runner import Hooks, Runner
from tests.doubles.scripted import ScriptedDesktop
from tests.support.display import wait_until
from tests.support.scripted import analyzer, publish_line, queue, screens

pytestmark = pytest.mark.django_db(transaction=True)

NAMES = ("one", "two", "three")
HOUR = 3600.0


class Clock:
    """The time of day, which somebody sets."""

    def __init__(self) -> None:
        self.set_by, self._true = 0.0, timezone.now

    def now(self) -> datetime:
        return self._true() + timedelta(seconds=self.set_by)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    one = Clock()
    monkeypatch.setattr(timezone, "now", one.now)
    astray = clocks._astray
    monkeypatch.setattr(clocks, "_astray", lambda: astray() + one.set_by)
    return one


@pytest.fixture(autouse=True)
def place(settings: Any, tmp_path: Any) -> None:
    settings.DATA_DIR = tmp_path


def runner(desktop: ScriptedDesktop, on_begin: Callable[[Journal], None] = lambda journal: None) -> Runner:
    return Runner(desktop=desktop, analyzer=analyzer(desktop), once=True, hooks=Hooks(on_begin=on_begin))


@pytest.mark.parametrize("jump", [HOUR, -HOUR])
def test_a_runs_length_is_the_steady_clocks_s1_12(clock: Clock, jump: float) -> None:
    execution = queue(publish_line(*NAMES))
    lengths: list[float] = []

    def after_a_step(step: Any) -> None:
        if not lengths:
            clock.set_by = jump
        lengths.append(Execution.objects.get().duration_seconds)

    began = time.monotonic()
    runner(ScriptedDesktop(screens(*NAMES)), lambda journal: journal.on_step.append(after_a_step)).run()
    took = time.monotonic() - began
    done = Execution.objects.by_id(execution.execution_id)
    assert done.state == ExecutionState.COMPLETED
    assert 0 < done.duration_seconds <= took
    assert took - done.duration_seconds < HOUR / 2
    assert all(length < HOUR / 2 for length in lengths)
    assert done.progress()["duration_seconds"] == round(done.duration_seconds, 3)


def test_the_length_goes_on_while_a_run_is_paused(clock: Clock, settings: Any) -> None:
    """Kept at each beat, so a page shows it while the run stands still, also right after the clock was set."""
    settings.RPA_LEASE_S = 1
    began = time.monotonic()
    execution, robot, journal = taken(queue(publish_line(*NAMES)))
    with Heartbeat(robot) as heartbeat:
        heartbeat.journal = journal
        clock.set_by = HOUR
        kept = wait_until(lambda: length_kept(execution) > 0.5 and length_kept(execution), what="beats")
    assert kept <= time.monotonic() - began
    assert 0 <= Execution.objects.get().duration_seconds - kept < HOUR / 2


def length_kept(execution: Execution) -> float:
    return Execution.objects.values_list("lasted_s", flat=True).get(pk=execution.pk)


def taken(execution: Execution) -> tuple[Execution, Robot, Journal]:
    desktop = ScriptedDesktop(screens(*NAMES))
    robot = Robot.objects.create(name="r", desktop="r", host="h", pid=1)
    claimed = claim(robot, desktop.identity())
    assert claimed is not None
    return execution, robot, Journal(claimed.execution, execution.version.spec())


def test_what_nobody_measured_is_told_by_the_time_of_day(clock: Clock) -> None:
    """Between a loop that died and the one that takes the run over; a clock set back meanwhile takes nothing away."""
    _execution, robot, _journal = taken(queue(publish_line(*NAMES)))
    Execution.objects.update(lasted_s=100.0)
    clock.set_by = 20.0
    again = claim(robot, ScriptedDesktop(screens(*NAMES)).identity())
    assert again is not None
    assert again.taken_over
    assert 120 <= again.execution.duration_seconds + 1 < 240
    clock.set_by = -HOUR
    once_more = claim(robot, ScriptedDesktop(screens(*NAMES)).identity())
    assert once_more is not None
    assert 120 <= once_more.execution.duration_seconds + 1 < 240


def test_runs_of_before_it_was_measured_keep_their_length() -> None:
    execution = queue(publish_line(*NAMES))
    now = timezone.now()
    Execution.objects.update(
        state=ExecutionState.COMPLETED, started_at=now - timedelta(seconds=30), ended_at=now, lasted_s=None
    )
    assert Execution.objects.get(pk=execution.pk).duration_seconds == 30


@pytest.mark.parametrize("jump", [HOUR, -HOUR])
def test_a_robot_that_lives_is_alive_again_with_its_next_beat_s9_4(clock: Clock, settings: Any, jump: float) -> None:
    settings.RPA_LEASE_S = 1
    robot = Robot.objects.create(name="r", desktop="r", host="h", pid=1)
    with Heartbeat(robot):
        clock.set_by = jump
        wait_until(lambda: Robot.objects.get().is_alive, what="the next beat")
        assert Robot.objects.alive().exists()
        wait_until(lambda: "clock" in Robot.objects.get().warnings, what="the notice")


def test_a_robot_that_died_is_not_alive_because_the_clock_was_set_back(clock: Clock) -> None:
    robot = Robot.objects.create(name="r", desktop="r", host="h", pid=1)
    assert robot.is_alive
    clock.set_by = -HOUR
    assert not robot.is_alive
    assert not Robot.objects.alive().exists()


def test_a_run_whose_lease_a_jump_ended_is_nobody_elses_s9_4(clock: Clock) -> None:
    """The kernel's lock fences the desktop, whatever the time of day says of the lease."""
    queue(publish_line(*NAMES))
    desktop = ScriptedDesktop(screens(*NAMES))
    refused: list[Exception] = []
    claims: list[Claim | None] = []

    def second_loop() -> None:
        try:
            runner(desktop).run()
        except DesktopBusy as error:
            refused.append(error)
        try:
            elsewhere = Robot.objects.create(name="elsewhere", desktop="elsewhere", host="h", pid=2)
            claims.append(claim(elsewhere, desktop.identity()))
        finally:
            connections.close_all()

    def in_the_middle(step: Any) -> None:
        if refused:
            return
        clock.set_by = HOUR
        assert Execution.objects.get().lease_until < timezone.now()
        other = threading.Thread(target=second_loop)
        other.start()
        other.join()

    runner(desktop, lambda journal: journal.on_step.append(in_the_middle)).run()
    done = Execution.objects.get()
    assert (len(refused), claims) == (1, [None])
    assert (done.state, done.epoch, done.steps_succeeded) == (ExecutionState.COMPLETED, 1, 2)
    assert len([act for act in desktop.log if act.kind == "click"]) == 2
