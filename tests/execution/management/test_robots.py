"""`manage.py robots`: who is there, draining before an upgrade, and back to work (S9.4)."""

from __future__ import annotations

import threading
from io import StringIO

import pytest
from django.core.exceptions import PermissionDenied
from django.core.management import CommandError, call_command
from django.db import connections

from audit.models import Entry
from execution.actions.maintain import set_maintenance
from execution.choices import Origin
from execution.models import Robot
from tests.execution.record.test_places import end, queued, robot, taken, workflow

pytestmark = pytest.mark.django_db(transaction=True)


def robots(*arguments: str) -> str:
    out = StringIO()
    call_command("robots", *arguments, stdout=out)
    return out.getvalue()


def test_one_that_drains_takes_nothing_new_until_it_may() -> None:
    one, run = robot(), queued(workflow())
    robots("drain", "here:7")
    assert taken(one) is None
    assert robots() == "here:7  alive, in maintenance  -\n"
    robots("resume", "here:7")
    assert taken(one) == run.execution_id
    assert robots() == f"here:7  alive  {run.execution_id}\n"
    said = [(entry.origin, entry.detail["now"], bool(entry.who)) for entry in Entry.objects.filter(kind="robot")]
    assert sorted(said) == [("command", "at work", True), ("command", "maintenance", True)]


def test_a_machine_drains_and_the_others_do_not() -> None:
    for name, host in (("a:1", "a"), ("a:2", "a"), ("b:1", "b")):
        robot(name, host=host)
    robots("drain", "--host", "a")
    assert [one.name for one in Robot.objects.order_by("name") if one.is_in_maintenance] == ["a:1", "a:2"]
    robots("drain", "--all")
    robots("resume", "b:1", "a:2")
    assert [one.name for one in Robot.objects.all() if one.is_in_maintenance] == ["a:1"]


def test_it_is_waited_for_until_they_have_finished() -> None:
    one, run = robot(), queued(workflow())
    assert taken(one) == run.execution_id
    with pytest.raises(CommandError, match=rf"here:7 \({run.execution_id}\)"):
        robots("drain", "--all", "--wait", "0.1")
    assert Robot.objects.get().is_in_maintenance, "it goes on, and takes nothing new"

    def finish() -> None:
        end(run.execution_id)
        connections.close_all()

    thread = threading.Timer(0.5, finish)
    thread.start()
    robots("drain", "--all", "--wait", "60")
    thread.join()


def test_one_that_left_is_not_waited_for() -> None:
    one, run = robot(), queued(workflow())
    assert taken(one) == run.execution_id
    Robot.objects.update(stopped_at=one.started_at)
    robots("drain", "--all", "--wait", "0.1")


@pytest.mark.parametrize("arguments", [(), ("--host", "nowhere"), ("here:7", "here:8")])
def test_none_is_drained_by_mistake(arguments: tuple[str, ...]) -> None:
    robot()
    with pytest.raises(CommandError):
        robots("drain", *arguments)
    assert not Robot.objects.get().is_in_maintenance


def test_nobody_without_a_name_says_so_but_at_the_command_line() -> None:
    with pytest.raises(PermissionDenied):
        set_maintenance(robot=robot(), on=True, origin=Origin.API)
