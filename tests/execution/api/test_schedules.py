"""The API of a list's times (S12.9, S12.13)."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from execution.models import Schedule, Worklist
from tests.factories import make_user
from tests.support.lists import new_list

pytestmark = pytest.mark.django_db

NIGHT = {
    "kind": "weekdays",
    "weekdays": [0, 1],
    "at": "02:30",
    "zone": "Europe/Paris",
    "until": "06:00",
    "not_on": {"2027-01-04": "archive update"},
    "reason": "tried by hand",
}


@pytest.fixture
def dora(client: Client) -> Client:
    client.force_login(make_user("designer", "dora"))
    return client


def send(client: Client, how: str, path: str, body: dict[str, Any]) -> Any:
    return getattr(client, how)(path, body, content_type="application/json")


def test_a_program_plans_changes_and_takes_back(dora: Client) -> None:
    place = f"/api/lists/{new_list('Ada', started=False).worklist_id}/schedules/"
    made = send(dora, "post", place, NIGHT)
    assert made.status_code == 201, made.json()
    one = made.json()
    assert (one["at"], one["until"], one["make_up_until"], one["weekdays"]) == ("02:30", "06:00", None, [0, 1])
    assert one["not_on"] == {"2027-01-04": "archive update"}
    assert len([start for start in one["next"] if not start["left_out"]]) == 10
    assert one["in_words"].startswith("On Monday, Tuesday at 02:30 (Europe/Paris).")
    assert [each["schedule_id"] for each in dora.get(place).json()] == [one["schedule_id"]]
    where = f"{place}{one['schedule_id']}/"
    changed = send(dora, "put", where, {**NIGHT, "kind": "daily", "is_on": False}).json()
    assert (changed["kind"], changed["is_on"], changed["next"]) == ("daily", False, [])
    assert dora.get(where).json()["kind"] == "daily"
    assert dora.delete(where).status_code == 204
    assert dora.get(where).status_code == 404


@pytest.mark.parametrize(
    ("wrong", "error"),
    [
        ({"zone": "Paris"}, "bad_schedule"),
        ({"kind": "cron", "cron": "x"}, "bad_schedule"),
        ({"kind": "never"}, "invalid"),
        ({"weekdays": [7]}, "bad_schedule"),
        ({"not_on": {"4 January": ""}}, "invalid"),
        ({"reason": ""}, "mode_not_earned"),
        ({"windows": 1}, "invalid"),
    ],
)
def test_what_cannot_be_is_refused(dora: Client, wrong: dict[str, Any], error: str) -> None:
    place = f"/api/lists/{new_list('Ada', started=False).worklist_id}/schedules/"
    refused = send(dora, "post", place, {**NIGHT, **wrong})
    assert refused.status_code in (400, 422)
    assert error in (refused.json().get("error"), "invalid")
    assert not Schedule.objects.exists()


def test_a_schedule_of_another_list_is_not_found_there(dora: Client) -> None:
    one, other = new_list("Ada", started=False), new_list("Bea", started=False)
    made = send(dora, "post", f"/api/lists/{one.worklist_id}/schedules/", NIGHT).json()
    path = f"/api/lists/{other.worklist_id}/schedules/{made['schedule_id']}/"
    assert dora.get(path).status_code == 404
    assert dora.delete(path).status_code == 404
    assert send(dora, "put", path, NIGHT).status_code == 404


def test_the_window_is_made_longer_for_one_night(dora: Client) -> None:
    worklist = new_list("Ada")
    soon = timezone.now() + timedelta(hours=1)
    Worklist.objects.update(closes_at=soon)
    path = f"/api/lists/{worklist.worklist_id}/control/"
    assert send(dora, "post", path, {"verb": "extend"}).status_code in (400, 422)
    later = soon + timedelta(hours=1)
    told = send(dora, "post", path, {"verb": "extend", "closes_at": later.isoformat()})
    assert told.status_code == 200, told.json()
    assert Worklist.objects.get().closes_at == later


def test_many_schedules_are_asked_for_at_once(dora: Client, django_assert_max_num_queries: Any) -> None:
    place = f"/api/lists/{new_list('Ada', started=False).worklist_id}/schedules/"
    for _n in range(4):
        send(dora, "post", place, NIGHT)
    with django_assert_max_num_queries(9):
        assert len(dora.get(place).json()) == 4
