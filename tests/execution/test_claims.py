"""Which run loop owns which run (S9.4): claims, leases, epochs, heartbeats."""

from __future__ import annotations

import threading
import time
from datetime import timedelta
from typing import Any

import pytest
import time_machine
from django.db import OperationalError, connections
from django.utils import timezone

from execution import claims
from execution.actions import control
from execution.actions.start import start
from execution.choices import ExecutionState
from execution.claims import Heartbeat, beat, claim
from execution.desktop.base import DesktopIdentity
from execution.exceptions import LeaseLost
from execution.journal import Journal
from execution.models import Execution, Robot
from execution.types import Size
from tests.factories import make_published
from tests.support.display import wait_until

pytestmark = pytest.mark.django_db(transaction=True)

IDENTITY = DesktopIdentity(name=":7", host="here", boot_id="b", session="s", user="u", size=Size(60, 40))


def robot(name: str = "here:7", **fields: Any) -> Robot:
    return Robot.objects.create(**{"name": name, "desktop": name, "host": "here", "pid": 1, **fields})


def queued(**more: Any) -> Execution:
    return start(workflow_id=make_published().workflow.workflow_id, **more)


def test_nothing_queued_is_nothing_claimed() -> None:
    assert claim(robot(), IDENTITY) is None


def test_a_claim_takes_the_oldest_and_makes_it_ours() -> None:
    """S9.4: running, with an owner, a desktop, an epoch of its own and a lease; and the stream tells of it."""
    first, second = queued(), queued()
    mine = robot()
    claimed = claim(mine, IDENTITY)
    assert claimed is not None
    assert claimed.execution.execution_id == first.execution_id
    assert not claimed.taken_over
    run = Execution.objects.by_id(first.execution_id)
    assert (run.state, run.robot, run.desktop, run.epoch) == ("running", mine, "here:7", 1)
    assert run.lease_until > timezone.now()
    assert run.desktop_identity["session"] == "s"
    assert run.events.order_by("-seq").first().payload["status"] == "running"
    assert Execution.objects.by_id(second.execution_id).state == ExecutionState.QUEUED


def test_a_run_for_another_desktop_is_not_taken() -> None:
    queued(desktop=":99")
    assert claim(robot(), IDENTITY) is None


@pytest.mark.parametrize("desktop", ["", ":7", "here:7"])
def test_a_desktop_may_be_asked_for_by_its_display_or_by_its_robot(desktop: str) -> None:
    queued(desktop=desktop)
    assert claim(robot(), IDENTITY) is not None


def test_what_was_left_on_this_desktop_comes_before_what_is_queued() -> None:
    """S9.2: whoever holds the desktop's lock goes on with the run that was on it, with a new epoch."""
    left, waiting = queued(), queued()
    mine = robot()
    before = claim(mine, IDENTITY)
    assert before is not None
    again = claim(mine, IDENTITY)
    assert again is not None
    assert (again.execution.execution_id, again.taken_over, again.execution.epoch) == (left.execution_id, True, 2)
    assert Execution.objects.by_id(waiting.execution_id).state == ExecutionState.QUEUED
    journal = Journal(before.execution, before.execution.version.spec())
    with pytest.raises(LeaseLost):
        journal.arrive("saved", 1.0)


def test_a_run_that_was_stopped_while_it_was_queued_is_not_claimed() -> None:
    execution = queued()
    control.stop(execution_id=execution.execution_id)
    assert claim(robot(), IDENTITY) is None


def test_of_loops_that_claim_at_once_one_gets_each_run() -> None:
    """S9.4: eight loops, each on a desktop of its own, and three runs."""
    version = make_published()
    runs = [start(workflow_id=version.workflow.workflow_id) for _ in range(3)]
    robots = [robot(f"here:{n}") for n in range(8)]
    gate, got, failures = threading.Barrier(len(robots)), [], []

    def take(one: Robot) -> None:
        try:
            gate.wait(10)
            claimed = claim(one, IDENTITY)
            if claimed:
                got.append(claimed.execution.execution_id)
        except Exception as error:
            failures.append(error)
        finally:
            connections.close_all()

    threads = [threading.Thread(target=take, args=(one,)) for one in robots]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert failures == []
    assert sorted(got) == sorted(run.execution_id for run in runs)


def test_a_beat_says_that_it_lives_and_renews_the_lease_of_its_run_alone() -> None:
    """S9.4"""
    mine, other = robot(), robot("here:8")
    queued(), queued()
    own, foreign = claim(mine, IDENTITY), claim(other, IDENTITY)
    assert own is not None
    assert foreign is not None
    with time_machine.travel(timezone.now() + timedelta(seconds=5), tick=False):
        beat(mine)
    mine.refresh_from_db()
    other.refresh_from_db()
    assert mine.heartbeat_at > other.heartbeat_at
    lease = {c.execution.pk: c.execution.lease_until for c in (own, foreign)}
    assert Execution.objects.get(pk=own.execution.pk).lease_until > lease[own.execution.pk]
    assert Execution.objects.get(pk=foreign.execution.pk).lease_until == lease[foreign.execution.pk]


def test_a_robot_is_alive_as_long_as_it_beats(settings: Any) -> None:
    """S5.7, S9.4"""
    mine = robot(heartbeat_at=timezone.now())
    assert mine.is_alive
    assert list(Robot.objects.alive()) == [mine]
    with time_machine.travel(timezone.now() + timedelta(seconds=settings.RPA_LEASE_S + 1), tick=False):
        assert not mine.is_alive
        assert not Robot.objects.alive().exists()


def test_a_heartbeat_beats_by_itself_and_ends_with_its_block(settings: Any) -> None:
    settings.RPA_LEASE_S = 0.5
    mine = robot(heartbeat_at=timezone.now() - timedelta(hours=1))
    with Heartbeat(mine) as heart:
        first = Robot.objects.get().heartbeat_at
        wait_until(lambda: Robot.objects.get().heartbeat_at > first, timeout=10, what="a heartbeat")
        heart.check()
        thread = heart._thread
    assert not thread.is_alive()


def test_who_cannot_say_that_he_lives_may_not_act(settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """S9.4: half a lease without a heartbeat that was written, by the monotonic clock, and acting ends."""
    settings.RPA_LEASE_S = 0.4
    failed = threading.Event()

    def unreachable(one: Robot) -> None:
        failed.set()
        raise OperationalError("database is locked")

    with Heartbeat(robot()) as heart:
        monkeypatch.setattr(claims, "beat", unreachable)
        assert failed.wait(10)
        wait_until(lambda: heart._last < time.monotonic() - 0.2, timeout=10, what="half a lease")
        with pytest.raises(LeaseLost, match="no heartbeat"):
            heart.check()
