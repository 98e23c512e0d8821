"""A worker that is not alive is said where something waits for the clock (S12.9)."""

from __future__ import annotations

from datetime import timedelta
from io import StringIO
from typing import Any

import pytest
from django.core.management import call_command
from django.utils import timezone

from execution.behind.leases import LEASE
from execution.choices import Rhythm
from execution.models import ClockLook, Schedule
from execution.worklists import nights
from execution.worklists.looking import worker_missing
from sentences.said import worded
from tests.factories import make_user
from tests.support.lists import new_list

pytestmark = pytest.mark.django_db


@pytest.fixture
def schedule() -> Schedule:
    return Schedule.objects.create(worklist=new_list("Ada", started=False), kind=Rhythm.DAILY, zone="Europe/Paris")


def test_where_nothing_waits_for_the_clock_nothing_is_said(schedule: Schedule) -> None:
    assert worker_missing()
    Schedule.objects.update(is_on=False)
    assert worker_missing() == ""


def test_a_worker_that_looks_is_seen_and_one_that_looked_long_ago_is_told_with_the_time(schedule: Schedule) -> None:
    assert "“manage.py work”" in worded(worker_missing())
    nights.look()
    assert worker_missing() == ""
    gone = timezone.now() - LEASE - timedelta(seconds=1)
    ClockLook.objects.update(at=gone)
    assert f"since {timezone.localtime(gone):%Y-%m-%d %H:%M}" in worded(worker_missing())


def test_pages_commands_and_the_check_say_so(schedule: Schedule, client_of: Any) -> None:
    viewer, list_id = client_of(make_user("viewer", "vera")), schedule.worklist.worklist_id
    pages = ("/lists", f"/lists/{list_id}", f"/lists/{list_id}/when", "/")
    for page in pages:
        assert 'id="worker-missing"' in viewer.get(page).content.decode(), page
    for command in (("worklist", "status"), ("schedule", "list")):
        said = StringIO()
        call_command(*command, stdout=StringIO(), stderr=said)
        assert "No worker has looked at the clock" in said.getvalue(), command
    said = StringIO()
    call_command("check", deploy=True, stdout=said, stderr=said)
    assert "rpa_site.W005" in said.getvalue()
    ClockLook.keep(timezone.now())
    for page in pages:
        assert 'id="worker-missing"' not in viewer.get(page).content.decode(), page
    assert viewer.get("/health").json()["clock_looked_s"] < 60
