"""Lists begin at their times, each start once, with a clock that is passed in (S12.9, S12.13, S12.14)."""

from __future__ import annotations

import threading
from datetime import UTC, date, datetime, time, timedelta
from typing import Any

import pytest
from django.db import connections

from execution.choices import NightEnd, Rhythm, StartState
from execution.exceptions import BadSchedule, BadWorklist, ModeNotEarned
from execution.models import ListStart, Schedule, WorkItem, Worklist
from execution.models.worklist import ItemState, WorklistState
from execution.worklists import nights
from execution.worklists.actions.lists import append, extend_window, pause_list, start_list
from execution.worklists.actions.when import plan, switch, take_back
from execution.worklists.adding import NewRow
from execution.worklists.claiming import take
from execution.worklists.clock import Timing
from sentences.said import from_json, worded
from tests.factories import make_user
from tests.support.lists import IDENTITY, new_list, robot
from tests.support.nights import NIGHT, PARIS, at, planned
from workflows.choices import LearningState
from workflows.models import Workflow

pytestmark = pytest.mark.django_db


def told(one: Schedule) -> list[tuple[str, str, str]]:
    starts = ListStart.objects.filter(schedule=one).order_by("at")
    return [(f"{start.at.astimezone(PARIS):%d %H:%M}", start.state, str(start.reason)) for start in starts]


def state(worklist: Worklist) -> str:
    return Worklist.objects.get(pk=worklist.pk).state


def test_a_list_begins_at_its_minute_and_not_before() -> None:
    worklist = new_list("Ada", started=False)
    one = planned(worklist, since=at(5, 1))
    nights.look(at(5, 1, 59))
    assert (state(worklist), told(one)) == (WorklistState.READY, [])
    nights.look(at(5, 2))
    fresh = Worklist.objects.get(pk=worklist.pk)
    assert (fresh.state, fresh.closes_at) == (WorklistState.RUNNING, at(5, 6))
    assert told(one) == [("05 02:00", StartState.BEGUN, "")]
    nights.look(at(5, 2, 1))
    assert told(one) == [("05 02:00", StartState.BEGUN, "")]


@pytest.mark.django_db(transaction=True)
def test_clocks_that_look_at_the_same_time_begin_one_list_once() -> None:
    """Whichever process looks: a start is one row, and one event."""
    worklist = new_list("Ada", started=False)
    one = planned(worklist, since=at(5, 1))
    gate = threading.Barrier(4)

    def clock() -> None:
        try:
            gate.wait()
            nights.look(at(5, 2))
        finally:
            connections.close_all()

    threads = [threading.Thread(target=clock) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert told(one) == [("05 02:00", StartState.BEGUN, "")]
    begun = worklist.events.filter(kind="list", payload__state="running")
    assert begun.count() == 1


def test_a_start_that_was_missed_is_made_up_until_its_time() -> None:
    worklist = new_list("Ada", started=False)
    one = planned(worklist, since=at(5, 1), make_up_until=time(5))
    nights.look(at(5, 4, 30))
    start = ListStart.objects.get(schedule=one)
    assert (start.state, start.is_late, start.at, start.began_at) == (StartState.BEGUN, True, at(5, 2), at(5, 4, 30))
    assert Worklist.objects.get(pk=worklist.pk).closes_at == at(5, 6)


def test_a_server_that_was_off_for_three_nights_begins_once_and_tells_of_the_others() -> None:
    worklist = new_list("Ada", started=False)
    one = planned(worklist, since=at(5, 1))
    nights.look(at(7, 2, 1))
    assert [(when, state) for when, state, _why in told(one)] == [
        ("05 02:00", StartState.MISSED),
        ("06 02:00", StartState.MISSED),
        ("07 02:00", StartState.BEGUN),
    ]


# --- what keeps a list from beginning --------------------------------------------------------------------------------
def test_while_the_list_runs_a_start_waits_for_its_end() -> None:
    worklist = new_list("Ada")
    one = planned(worklist, since=at(5, 1))
    for minute in (0, 1, 20):
        nights.look(at(5, 2, minute))
    assert told(one) == [("05 02:00", StartState.WAITING, "It waits until the list has ended.")]
    WorkItem.objects.update(state=ItemState.SKIPPED)
    Worklist.objects.update(state=WorklistState.FINISHED)
    append(worklist_id=worklist.worklist_id, rows=[NewRow(data={"Patient": "Bea"})])
    nights.look(at(5, 2, 30))
    assert told(one) == [("05 02:00", StartState.BEGUN, "")]
    assert state(worklist) == WorklistState.RUNNING


def test_what_stands_or_was_paused_waits_for_a_person() -> None:
    """Not acting and asking is always better than guessing."""
    worklist = new_list("Ada")
    one = planned(worklist, since=at(5, 1))
    pause_list(worklist_id=worklist.worklist_id)
    nights.look(at(5, 2))
    Worklist.objects.update(state=WorklistState.STANDS, reason="Three rows failed.")
    nights.look(at(6, 2))
    assert told(one) == [
        ("05 02:00", StartState.MISSED, "The list was paused."),
        ("06 02:00", StartState.MISSED, "The list stands: Three rows failed."),
    ]
    assert state(worklist) == WorklistState.STANDS


def test_without_a_new_row_nothing_begins() -> None:
    worklist = new_list(started=False)
    one = planned(worklist, since=at(5, 1))
    nights.look(at(5, 2))
    assert told(one) == [("05 02:00", StartState.EMPTY, "The list had no new row.")]
    assert state(worklist) == WorklistState.READY


def test_a_workflow_that_lost_its_trust_does_not_act_by_itself() -> None:
    worklist = new_list("Ada", started=False)
    one = planned(worklist, since=at(5, 1))
    Schedule.objects.update(reason="")
    nights.look(at(5, 2))
    assert told(one)[0][1:] == (
        StartState.MISSED,
        "The workflow has not earned to act by itself, and nobody gave a reason.",
    )
    Workflow.objects.update(learning_state=LearningState.AUTO_CONFIRMED)
    nights.look(at(6, 2))
    assert told(one)[1] == ("06 02:00", StartState.BEGUN, "")


# --- the window --------------------------------------------------------------------------------------------------
def test_from_the_end_of_the_window_on_no_row_begins_and_the_list_rests() -> None:
    worklist = new_list("Ada", "Bea", started=False)
    one = planned(worklist, since=at(5, 1))
    nights.look(at(5, 2))
    nights.look(at(5, 5, 59))
    assert state(worklist) == WorklistState.RUNNING
    nights.look(at(5, 6))
    fresh = Worklist.objects.get(pk=worklist.pk)
    assert (fresh.state, fresh.closes_at) == (WorklistState.READY, None)
    assert fresh.reason == "The window is over: 2 rows are left for the next start."
    start = ListStart.objects.get(schedule=one)
    assert (start.ended, start.left, start.ended_at) == (NightEnd.LEFT, 2, at(5, 6))
    nights.look(at(6, 2))
    assert state(worklist) == WorklistState.RUNNING
    assert Worklist.objects.get(pk=worklist.pk).reason == ""


def test_a_row_that_has_begun_is_finished_after_the_window() -> None:
    worklist = new_list("Ada", "Bea")
    assert take(robot(), IDENTITY) is not None
    Worklist.objects.update(closes_at=at(5, 6))
    nights.look(at(5, 6, 1))
    assert state(worklist) == WorklistState.RUNNING
    worklist.items.filter(state=ItemState.RUNNING).update(state=ItemState.DONE)
    nights.look(at(5, 6, 2))
    assert state(worklist) == WorklistState.READY


def test_a_person_makes_the_window_longer_for_one_night() -> None:
    """S12.13"""
    worklist = new_list("Ada", started=False)
    soon = datetime.now(UTC) + timedelta(hours=1)
    start_list(worklist_id=worklist.worklist_id, closes_at=soon)
    later = soon + timedelta(minutes=30)
    extend_window(worklist_id=worklist.worklist_id, until=later, user=make_user("operator", "otto"))
    assert Worklist.objects.get(pk=worklist.pk).closes_at == later
    said = worded(from_json(worklist.events.order_by("-seq").first().payload["reason"]))
    assert said.startswith("otto (program) lets rows begin until ")
    nights.look(soon + timedelta(minutes=1))
    assert state(worklist) == WorklistState.RUNNING
    with pytest.raises(BadWorklist, match="until then already"):
        extend_window(worklist_id=worklist.worklist_id, until=soon)
    with pytest.raises(BadWorklist, match="This time is over"):
        extend_window(worklist_id=worklist.worklist_id, until=datetime.now(UTC))


def test_a_night_that_finishes_is_kept_with_what_it_did() -> None:
    worklist = new_list("Ada", "Bea", started=False)
    one = planned(worklist, since=at(5, 1))
    nights.look(at(5, 2))
    worklist.items.update(state=ItemState.DONE, attempts=1, ended_at=at(5, 3))
    Worklist.objects.update(state=WorklistState.FINISHED, ended_at=at(5, 3))
    nights.look(at(5, 3, 1))
    start = ListStart.objects.get(schedule=one)
    assert (start.ended, start.worked, start.left, start.ended_at) == (NightEnd.FINISHED, 2, 0, at(5, 3))


# --- planning ----------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("timing", "why"),
    [({"country": "XX"}, "No holidays are known"), ({"kind": Rhythm.ONCE, "on": date(2020, 1, 1)}, "moment is over")],
)
def test_what_cannot_be_is_said_and_nothing_is_kept(timing: dict[str, Any], why: str) -> None:
    with pytest.raises(BadSchedule, match=why):
        plan(worklist_id=new_list(started=False).worklist_id, timing=Timing(**{**NIGHT, **timing}))
    assert not Schedule.objects.exists()


def test_whoever_plans_needs_the_right_that_starting_needs() -> None:
    worklist = new_list("Ada", started=False)
    asked: dict[str, Any] = {"worklist_id": worklist.worklist_id, "timing": Timing(**NIGHT)}
    with pytest.raises(ModeNotEarned):
        plan(**asked, user=make_user("operator", "otto"), reason="for tonight")
    with pytest.raises(ModeNotEarned, match="Say in a sentence why"):
        plan(**asked)
    assert plan(**asked, user=make_user("designer", "dora"), reason="tried by hand").reason == "tried by hand"


def test_a_schedule_that_is_switched_off_begins_nothing_and_on_again_makes_nothing_up() -> None:
    worklist = new_list("Ada", started=False)
    one = planned(worklist, since=at(5, 1), make_up_until=time(5))
    asked = {"worklist_id": worklist.worklist_id, "schedule_id": one.schedule_id}
    switch(**asked, is_on=False)
    nights.look(at(5, 2))
    assert state(worklist) == WorklistState.READY
    on = switch(**asked, is_on=True)
    assert on.looked_at > one.looked_at or on.looked_at.year < 2027
    take_back(**asked)
    assert not Schedule.objects.exists()


def test_a_schedule_that_is_changed_while_its_start_waits_begins_it_no_more() -> None:
    worklist = new_list("Ada")
    one = planned(worklist, since=at(5, 1))
    nights.look(at(5, 2))
    later = Timing(**{**NIGHT, "at": time(3)})
    plan(worklist_id=worklist.worklist_id, schedule_id=one.schedule_id, timing=later, reason="tested")
    assert told(one)[0][1:] == (StartState.MISSED, "The schedule was changed or switched off while it waited.")


def test_of_two_clocks_that_saw_the_same_one_looks() -> None:
    """Nor does one that saw a schedule as it was before a person changed it or switched it off."""
    one = planned(new_list("Ada", started=False), since=at(5, 1))
    first, second, third, fourth = (Schedule.objects.get(pk=one.pk) for _n in range(4))
    assert (first.look(at(5, 2)), second.look(at(5, 2))) == (True, False)
    third.refresh_from_db()
    Schedule.objects.update(changed_at=at(5, 3))
    assert not third.look(at(5, 4))
    fourth.refresh_from_db()
    Schedule.objects.update(is_on=False)
    assert not fourth.look(at(5, 4))
