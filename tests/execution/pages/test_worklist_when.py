"""The page of a list's times: what follows from a schedule is shown before it is kept (S12.9)."""

from __future__ import annotations

from datetime import date, time, timedelta
from typing import Any

import pytest
from django import forms
from django.test import Client
from django.test.html import parse_html
from django.utils import timezone

from execution.choices import NightEnd, Rhythm, StartState
from execution.models import ListStart, Schedule, Worklist
from execution.models.worklist import WorklistState
from execution.pages.worklist_when_form import LongSelect
from execution.pages.worklist_when_texts import calendar_of, month_before, month_of, starts_that_came
from execution.worklists.clock import Timing
from tests.factories import make_user
from tests.support.lists import new_list
from tests.support.nights import NIGHT, at, planned
from workflows.choices import LearningState
from workflows.models import Workflow

pytestmark = pytest.mark.django_db

FORM: dict[str, Any] = {
    "verb": "save",
    "kind": "weekdays",
    "weekdays": ["0", "4"],
    "at": "02:00",
    "zone": "Europe/Paris",
    "until": "06:00",
    "missed": "make_up",
    "make_up_until": "05:00",
    "while_running": "skip",
    "country": "FR",
    "region": "",
    "day": ["2027-01-04", ""],
    "day_what": ["archive update", ""],
}


@pytest.fixture
def letters() -> Worklist:
    worklist = new_list("Ada", started=False)
    Workflow.objects.update(learning_state=LearningState.AUTO_CONFIRMED)
    return worklist


def place(worklist: Worklist) -> str:
    return f"/lists/{worklist.worklist_id}/when"


@pytest.mark.parametrize("value", ["b", "", None])
def test_a_long_choice_is_written_as_djangos(value: str | None) -> None:
    choices, attrs = (
        [("", "<none>"), ("a", "A & B"), ("b", "B")],
        {"class": "input", "id": "when-zone", "required": True},
    )
    ours, theirs = (kind(attrs=attrs, choices=choices).render("zone", value) for kind in (LongSelect, forms.Select))
    assert parse_html(ours) == parse_html(theirs)


def test_what_is_typed_is_kept(otto: Client, letters: Worklist) -> None:
    answer = otto.post(f"{place(letters)}/change", FORM)
    one = Schedule.objects.get()
    assert answer.headers["Location"] == f"{place(letters)}?schedule={one.schedule_id}"
    assert (one.kind, one.weekdays, one.at, one.until, one.make_up_until) == (
        Rhythm.WEEKDAYS, [0, 4], time(2), time(6), time(5),
    )  # fmt: skip
    assert (one.while_running, one.country, one.not_on) == ("skip", "FR", {"2027-01-04": "archive update"})
    assert (one.zone, one.changed_by.username) == ("Europe/Paris", "otto")
    page = otto.get(place(letters)).content.decode()
    assert "On Monday, Friday at 02:00 (Europe/Paris)." in page
    assert "archive update" in page


@pytest.mark.parametrize(
    ("typed", "why"),
    [
        ({"kind": "cron", "cron": ""}, "A cron rule has five fields"),
        ({"kind": "once", "on": ""}, "Choose the day."),
        ({"kind": "once", "on": "2020-01-01"}, "This moment is over."),
        ({"at": ""}, "Say at what time."),
        ({"make_up_until": ""}, "Say until when it is made up."),
    ],
)
def test_what_cannot_be_is_said_at_once_and_again_when_it_is_saved(otto, letters, typed, why) -> None:
    asked = {**FORM, **typed}
    followed = otto.get(place(letters), {**asked, "part": "1"})
    assert why in followed.content.decode()
    refused = otto.post(f"{place(letters)}/change", asked)
    assert (refused.status_code, why in refused.content.decode()) == (422, True)
    assert not Schedule.objects.exists()


def test_before_it_is_kept_the_page_says_what_would_follow(otto: Client, letters: Worklist) -> None:
    """Also what the change of the clocks does: in the gap of March there is no half past two."""
    part = otto.get(place(letters), {**FORM, "kind": "daily", "at": "02:30", "part": "1"}).content.decode()
    assert "Every day at 02:30 (Europe/Paris)." in part
    assert "the clocks go forward, so this start is at 03:00." in part
    assert part.count("02:30</span>") >= 9
    assert not Schedule.objects.exists()


def test_nothing_that_is_planned_is_said_with_three_ready_choices(otto: Client, letters: Worklist) -> None:
    page = otto.get(place(letters)).content.decode()
    assert "It begins by hand" in page
    assert page.count("schedule=new&amp;ready=") == 3
    fresh = otto.get(f"{place(letters)}?schedule=new&ready=once").context["form"]
    assert (fresh.value("kind"), fresh["on"].value()) == ("once", timezone.localdate() + timedelta(days=1))


def test_a_schedule_is_switched_off_on_and_deleted(otto: Client, letters: Worklist) -> None:
    one = planned(letters, since=timezone.now())
    asked = {"schedule": one.schedule_id}
    otto.post(f"{place(letters)}/change", {**asked, "verb": "off"})
    assert not Schedule.objects.get().is_on
    assert "It begins by hand alone." in otto.get(place(letters)).content.decode()
    otto.post(f"{place(letters)}/change", {**asked, "verb": "on"})
    assert Schedule.objects.get().is_on
    otto.post(f"{place(letters)}/change", {**asked, "verb": "delete"})
    assert not Schedule.objects.exists()


def test_where_the_workflow_has_not_earned_it_a_designer_says_why(client: Client) -> None:
    worklist = new_list("Ada", started=False)
    client.force_login(make_user("operator", "otto"))
    refused = client.post(f"{place(worklist)}/change", {**FORM, "reason": "for tonight"})
    assert (refused.status_code, "has not earned to act by itself" in refused.content.decode()) == (422, True)
    client.force_login(make_user("designer", "dora"))
    assert client.post(f"{place(worklist)}/change", FORM).status_code == 422
    assert client.post(f"{place(worklist)}/change", {**FORM, "reason": "tried by hand"}).status_code == 302
    assert Schedule.objects.get().reason == "tried by hand"


def test_results_are_written_where_the_page_says(otto: Client, letters: Worklist) -> None:
    otto.post(f"{place(letters)}/change", {"verb": "files", "writes": "xlsx", "takes_good": "1"})
    letters.refresh_from_db()
    assert (letters.writes, letters.takes_good, letters.folder) == ("xlsx", True, "letters")
    assert "out/letters" in otto.get(place(letters)).content.decode()


def test_what_became_of_the_last_starts_is_told(otto: Client, letters: Worklist) -> None:
    one, now = planned(letters, since=timezone.now()), timezone.now()
    begun = {"state": StartState.BEGUN, "began_at": now, "ended": NightEnd.LEFT, "worked": 40, "left": 6}
    ListStart.objects.create(schedule=one, at=now - timedelta(days=1), **begun)
    page = otto.get(place(letters)).content.decode()
    assert "40 rows worked off, 6 left" in page
    assert "rows left" in page


def test_the_list_says_how_long_its_window_would_have_to_be(otto: Client, letters: Worklist) -> None:
    """S12.13: one way out, for tonight only."""
    closes = timezone.now() + timedelta(hours=1)
    Worklist.objects.update(state=WorklistState.RUNNING, closes_at=closes)
    until = closes + timedelta(minutes=30)
    otto.post(f"/lists/{letters.worklist_id}/control", {"verb": "extend", "until": until.isoformat()})
    letters.refresh_from_db()
    assert letters.closes_at == until
    otto.post(f"/lists/{letters.worklist_id}/control", {"verb": "extend", "until": "never"})
    letters.refresh_from_db()
    assert letters.closes_at == until


# --- the month ---------------------------------------------------------------------------------------------------
def test_a_month_has_a_dot_for_a_start_and_a_bar_for_a_night() -> None:
    worklist = new_list("Ada", started=False)
    one = planned(worklist, since=at(1, 1))
    night = {"began_at": at(4, 2), "ended": NightEnd.STOPPED}
    ListStart.objects.create(schedule=one, at=at(4, 2), state=StartState.BEGUN, **night)
    timing = Timing(**NIGHT, not_on=frozenset({date(2027, 6, 9)}))
    came = starts_that_came(worklist, date(2027, 6, 1))
    month = calendar_of(came, [timing], date(2027, 6, 1), at(5, 12))
    days = {day.number: day for week in month["weeks"] for day in week if day.is_of_month}
    assert len(days) == 30
    assert (days[4].nights, days[4].starts) == ([("red", "stopped")], 0)
    assert (days[5].is_today, days[5].starts, days[6].starts) == (True, 0, 1)
    assert (days[9].starts, days[9].left_out) == (0, "a day that was left out by hand")
    assert (month["before"], month["after"]) == ("2027-05", "2027-07")


def test_the_nights_of_the_month_before_are_bars_as_high_as_their_rows() -> None:
    worklist = new_list("Ada", started=False)
    one = planned(worklist, since=at(1, 1))
    for day, end, worked in ((4, NightEnd.FINISHED, 100), (5, NightEnd.LEFT, 50)):
        begun = {"state": StartState.BEGUN, "began_at": at(day, 2), "ended": end, "worked": worked}
        ListStart.objects.create(schedule=one, at=at(day, 2), **begun)
    told = month_before(starts_that_came(worklist, date(2027, 7, 1)), date(2027, 7, 1))
    assert told["words"] == "June: 2 nights, 1 finished"
    assert [(bar["colour"], bar["height"]) for bar in told["bars"]] == [("green", 28), ("amber", 14)]
    assert month_before(starts_that_came(worklist, date(2027, 6, 1)), date(2027, 6, 1)) == {}


@pytest.mark.parametrize("text", ["", "2027", "2027-13", "x-y", "9999-1", "2027-06-05"])
def test_an_address_that_names_no_month_shows_this_one(text: str) -> None:
    assert month_of(text, date(2027, 6, 5)) == date(2027, 6, 1)
