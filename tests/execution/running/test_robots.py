"""How often run loops look that have nothing to do (S9.4): fifty of them ask the database as often as five."""

from __future__ import annotations

import threading
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from execution.models import Robot
from execution.running import robots as room
from execution.running.robots import Pace
from execution.running.runner import Runner
from tests.doubles.scripted import ScriptedDesktop
from tests.support.scripted import analyzer, screens

pytestmark = pytest.mark.django_db


def robots(many: int) -> None:
    Robot.objects.all().delete()
    for number in range(many):
        Robot.objects.create(name=f"r{number}", desktop=f":{number}", host="h", pid=1)


@pytest.mark.parametrize(("many", "expected"), [(0, 0.2), (1, 0.2), (5, 0.2), (10, 0.4), (50, 2.0), (500, 2.0)])
def test_the_more_robots_the_longer_each_waits(many: int, expected: float) -> None:
    robots(many)
    assert Pace(0.2).pause_s() == pytest.approx(expected)


def test_those_that_take_nothing_do_not_count() -> None:
    robots(20)
    Robot.objects.filter(name__gte="r1").update(heartbeat_at=timezone.now() - timedelta(hours=1))
    assert Pace(0.2).pause_s() == pytest.approx(0.2)


def test_they_are_counted_now_and_then(django_assert_num_queries: Any, monkeypatch: Any) -> None:
    one, now = Pace(0.2), [1000.0]
    monkeypatch.setattr(room.time, "monotonic", lambda: now[0])
    with django_assert_num_queries(1):
        for _ in range(20):
            one.pause_s()
    robots(50)
    now[0] += room.COUNT_EVERY_S
    with django_assert_num_queries(1):
        assert one.pause_s() == pytest.approx(2.0)


class Leave(threading.Event):
    """Told to leave when it is waited on for the first time between two looks."""

    def __init__(self) -> None:
        super().__init__()
        self.waited: list[float | None] = []

    def wait(self, timeout: float | None = None) -> bool:
        self.waited.append(timeout)
        self.set()
        return True


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("own_folder")
def test_a_run_loop_among_many_waits_so_long_between_two_looks() -> None:
    robots(19)
    desktop, leave = ScriptedDesktop(screens("one", "two")), Leave()
    Runner(desktop=desktop, analyzer=analyzer(desktop), leave=leave).run()
    assert leave.waited == [pytest.approx(0.8)], "twenty, itself counted"
