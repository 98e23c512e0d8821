"""`manage.py schedule`: when lists begin by themselves, without a browser (S12.9)."""

from __future__ import annotations

from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from execution.models import Schedule
from tests.support.lists import new_list

pytestmark = pytest.mark.django_db


def said(*arguments: str) -> str:
    out = StringIO()
    call_command("schedule", *arguments, stdout=out)
    return out.getvalue()


def test_a_schedule_is_added_listed_switched_and_deleted() -> None:
    one = new_list("Ada", started=False).worklist_id
    made = said("add", one, "--weekdays", "0,1,2,3,4", "--at", "02:30", "--zone", "Europe/Paris", "--until", "06:00",
                "--country", "fr", "--not-on", "2027-03-01", "--reason", "tried")  # fmt: skip
    schedule = Schedule.objects.get()
    assert made.startswith(f"{schedule.schedule_id}  {one}  Letters  on\n")
    assert "Not on holidays (FR). Not on 1 March 2027. No row begins from 06:00 on." in made
    told = said("list", one).splitlines()
    assert said("list").splitlines() == told
    assert len([line for line in told[2:] if "–" not in line]) == 10
    assert all(line.split()[0] in ("Mon", "Tue", "Wed", "Thu", "Fri") for line in told[2:])
    assert said("off", schedule.schedule_id).splitlines()[0].endswith("off")
    assert said("on", schedule.schedule_id).splitlines()[0].endswith("on")
    said("delete", schedule.schedule_id)
    assert not Schedule.objects.exists()


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        (["--daily"], "Say --at TIME"),
        (["--daily", "--at", "25:00"], "is no time"),
        (["--once", "Christmas", "--at", "02:00"], "is no day"),
        (["--weekdays", "Monday", "--at", "02:00"], "takes numbers"),
    ],
)
def test_what_cannot_be_is_said(wrong: list[str], why: str) -> None:
    one = new_list("Ada", started=False).worklist_id
    with pytest.raises(CommandError, match=why):
        said("add", one, *wrong, "--reason", "tried")
    assert not Schedule.objects.exists()


def test_a_workflow_that_has_not_earned_it_needs_a_reason() -> None:
    with pytest.raises(CommandError, match="Say in a sentence why"):
        said("add", new_list("Ada", started=False).worklist_id, "--daily", "--at", "02:00")
