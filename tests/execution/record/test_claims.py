"""Which run loop owns which run (S9.4): claims, leases, epochs, heartbeats."""

from __future__ import annotations

import threading
import time
from datetime import timedelta
from types import SimpleNamespace
from typing import Any

import pytest
import time_machine
from django.db import InterfaceError, OperationalError
from django.utils import timezone

from execution.actions.start import start
from execution.choices import ExecutionState
from execution.desktop.base import DesktopIdentity
from execution.exceptions import IllegalMove, LeaseLost
from execution.models import Execution, Robot
from execution.record import claims
from execution.record.claims import Heartbeat, beat, claim, lesson_for, lessons_on_pictures
from execution.record.journal import Journal
from execution.types import Size
from tests.factories import make_published
from tests.support.claiming import claimed_at_once
from tests.support.display import wait_until

pytestmark = pytest.mark.django_db(transaction=True)

IDENTITY = DesktopIdentity(name=":7", host="here", boot_id="b", session="s", user="u", size=Size(60, 40))


def robot(name: str = "here:7", **fields: Any) -> Robot:
    return Robot.objects.create(**{"name": name, "desktop": name, "host": "here", "pid": 1, **fields})


def queued(**more: Any) -> Execution:
    return start(workflow_id=make_published().workflow.workflow_id, **more)


def test_a_loop_that_has_nothing_to_do_asks_one_question_a_look(django_assert_num_queries: Any) -> None:
    """Fifty robots that wait ask all the time; what is asked where there is something costs many times as much."""
    mine = robot()
    queued(desktop="another:1")
    for look in (lambda: claim(mine, IDENTITY), lambda: lesson_for(mine), lambda: lessons_on_pictures(mine)):
        with django_assert_num_queries(1):
            assert not look()


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
    assert run.lasted_s == 0.0
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


def test_of_loops_that_claim_at_once_one_gets_each_run() -> None:
    """S9.4: eight loops, each on a desktop of its own, and three runs."""
    version = make_published()
    runs = [start(workflow_id=version.workflow.workflow_id) for _ in range(3)]
    robots = [robot(f"here:{n}") for n in range(8)]
    got = [one.execution.execution_id for one in claimed_at_once(robots, IDENTITY)]
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
        wait_until(lambda: Robot.objects.get().heartbeat_at > first, what="a heartbeat")
        heart.check()
        thread = heart._thread
        assert thread.daemon, "a process that ends for another reason does not hang on it"
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
        assert failed.wait(60)
        wait_until(lambda: heart._last < time.monotonic() - 0.2, what="half a lease")
        with pytest.raises(LeaseLost, match="no heartbeat"):
            heart.check()


def test_it_is_half_a_lease_and_who_can_say_it_now_after_all_may_go_on(
    settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """S9.4: shorter silence is not asked about; a longer one ends with a beat that is written."""
    settings.RPA_LEASE_S = 100
    told: list[Robot] = []
    monkeypatch.setattr(claims, "beat", told.append)
    heart, now = Heartbeat(robot()), [1000.0]
    monkeypatch.setattr(claims.time, "monotonic", lambda: now[0])
    heart._last = now[0]
    for silent, beats in [(48, 0), (3, 1), (48, 1), (3, 2)]:
        now[0] += silent
        heart.check()
        assert len(told) == beats


def test_what_a_loop_tells_of_itself_goes_with_the_beat_and_cannot_end_it(settings: Any) -> None:
    """S5.7"""
    settings.RPA_LEASE_S = 0.5
    mine = robot(heartbeat_at=timezone.now() - timedelta(hours=1))

    def problem() -> str:
        return Robot.objects.get(pk=mine.pk).problem

    with Heartbeat(mine) as heart:
        heart.tells = lambda: {"problem": "Out of memory."}
        wait_until(lambda: problem() == "Out of memory.", what="what it tells")
        heart.tells = lambda: 1 / 0  # type: ignore[return-value,assignment]
        first = Robot.objects.get().heartbeat_at
        wait_until(lambda: Robot.objects.get().heartbeat_at > first, what="a beat without it")
        heart.check()


def test_a_database_that_is_away_for_a_beat_does_not_end_them(settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """S9.4: the next beat is tried."""
    settings.RPA_LEASE_S = 0.4
    beats: list[str] = []

    def unsteady(one: Robot, **told: Any) -> None:
        beats.append("failed" if len(beats) < 2 else "written")
        if beats[-1] == "failed":
            raise (OperationalError, InterfaceError)[len(beats) - 1]("away")

    with Heartbeat(robot()) as heart:
        monkeypatch.setattr(claims, "beat", unsteady)
        wait_until(lambda: "written" in beats, what="a beat after two that failed")
        assert heart._thread.is_alive()


@pytest.mark.parametrize("jump", [0.0, 3600.4, -90.0])
def test_a_clock_that_jumped_is_told_of_with_its_robot(jump: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """S2.5"""
    mine = robot()
    monkeypatch.setattr(claims, "JumpWatch", lambda: SimpleNamespace(jumped_s=lambda: jump))
    Heartbeat(mine)._tell_of_jumps()
    mine.refresh_from_db()
    assert set(mine.warnings) == ({"clock"} if jump else set())
    if jump:
        assert mine.warnings["clock"]["message"] == {"code": "running.clock_jumped", "n": f"{jump:+.0f}"}


def test_a_run_may_be_asked_for_by_its_id() -> None:
    """S1.17: `--execution ID` takes that one, queued or left on this desktop, and no other."""
    first, second = queued(), queued()
    mine = robot()
    for taken_over in (False, True):
        claimed = claim(mine, IDENTITY, execution_id=second.execution_id)
        assert claimed is not None
        assert (claimed.execution.pk, claimed.taken_over) == (second.pk, taken_over)
    assert claim(mine, IDENTITY, execution_id="nobody") is None
    assert Execution.objects.get(pk=first.pk).state == ExecutionState.QUEUED


def test_who_is_first_past_the_post_has_the_run_and_the_other_one_none(monkeypatch: pytest.MonkeyPatch) -> None:
    """S9.4: between looking and taking, another run loop took it, or a person stopped it."""
    execution, mine = queued(), robot()

    def late(*args: Any, **kwargs: Any) -> None:
        raise IllegalMove("It runs already.")

    monkeypatch.setattr(Execution, "move", late)
    assert claim(mine, IDENTITY) is None
    assert Execution.objects.get(pk=execution.pk).robot is None


def test_the_first_beat_comes_before_any_act_and_two_more_within_half_a_lease(
    settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """S9.4: one that fails must not be the end of acting."""
    settings.RPA_LEASE_S = 1000
    beats: list[Robot] = []
    monkeypatch.setattr(claims, "beat", lambda one, **told: beats.append(one))
    with Heartbeat(robot()) as heart:
        assert len(beats) == 1
    pauses: list[float] = []
    heart._stop = SimpleNamespace(wait=lambda seconds: pauses.append(seconds) or len(pauses) > 1)  # type: ignore
    heart._run()
    assert len(beats) == 2
    assert 0 < 2 * pauses[0] <= settings.RPA_LEASE_S / 2


def test_a_run_that_is_asked_for_waits_while_another_was_left_on_its_desktop() -> None:
    """S9.4: one run on a desktop; a loop that is here for one run takes no other, and breaks nothing."""
    left, mine = queued(), robot()
    assert claim(mine, IDENTITY) is not None
    wanted = queued()
    assert claim(mine, IDENTITY, execution_id=wanted.execution_id) is None
    again = claim(mine, IDENTITY, execution_id=left.execution_id)
    assert again is not None
    assert again.taken_over
