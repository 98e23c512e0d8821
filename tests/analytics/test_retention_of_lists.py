"""What happened to lists goes with the days of events, what stands in rows that nobody worked off with those of texts
(S12.4, S10.4)."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from analytics.retention import prune, told
from execution.choices import MessageState, NightEnd, Rhythm, StartState
from execution.models import (
    BroughtFile,
    ListStart,
    NoticeMark,
    NoticeMessage,
    Schedule,
    Worklist,
    WorklistEvent,
)
from execution.models.worklist import WorklistState
from execution.worklists.actions.rows import skip
from tests.analytics.test_retention import keep
from tests.support.lists import new_list

pytestmark = [pytest.mark.django_db, pytest.mark.security]

NOW = timezone.now()


@pytest.fixture(autouse=True)
def own_folder(settings: Any, tmp_path: Any) -> None:
    settings.DATA_DIR = tmp_path


def records_of(worklist: Worklist, *, days: int) -> None:
    """A start, a file, a message with its mark and an event, so many days old."""
    at = NOW - timedelta(days=days)
    schedule, _ = Schedule.objects.get_or_create(worklist=worklist, defaults={"kind": Rhythm.DAILY, "zone": "UTC"})
    start = ListStart.objects.create(
        schedule=schedule, at=at, state=StartState.BEGUN, ended=NightEnd.FINISHED, told_at=at
    )
    BroughtFile.objects.create(
        worklist=worklist, start=start, name="patients.csv", digest=str(days), is_taken=True, at=at
    )
    message = NoticeMessage.objects.create(
        worklist=worklist, about="finished", step="first", subject="x", made_at=at, state=MessageState.DELIVERED
    )
    NoticeMark.objects.create(mark=f"{worklist.pk} {days}", message=message, at=at)
    WorklistEvent.objects.filter(worklist=worklist).update(at=at)


def left() -> list[int]:
    return [model.objects.count() for model in (ListStart, BroughtFile, NoticeMessage, NoticeMark)]


def test_nothing_of_lists_goes_that_nobody_said_the_days_of() -> None:
    records_of(new_list("Ada"), days=900)
    assert not prune().anything
    assert left() == [1, 1, 1, 1]


def test_what_happened_to_lists_goes_with_the_days_of_events() -> None:
    """A dry run counts the same and touches nothing."""
    worklist = new_list("Ada")
    records_of(worklist, days=40)
    events = worklist.events.count()
    records_of(worklist, days=20)
    WorklistEvent.objects.filter(worklist=worklist).update(at=NOW - timedelta(days=40))
    keep(events=30)
    expected = prune(dry=True)
    assert (expected.records, left()) == (3 + events, [2, 2, 2, 2])
    assert told(expected) == [f"{3 + events} records of lists"]
    assert prune().records == expected.records
    assert left() == [1, 1, 1, 1]
    assert worklist.events.count() == 0
    assert not prune().anything


@pytest.mark.parametrize("days", [0, 3])
def test_what_people_may_still_be_told_of_stays(days: int) -> None:
    """However few days are kept: an event of yesterday may be in the digest of today, and is told once."""
    records_of(new_list("Ada"), days=days)
    keep(events=0)
    prune()
    assert left() == [1, 1, 1, 1]
    assert WorklistEvent.objects.exists()


def test_what_waits_or_is_at_work_stays() -> None:
    worklist = new_list("Ada")
    records_of(worklist, days=40)
    ListStart.objects.update(ended="")
    NoticeMessage.objects.update(state=MessageState.WAITING)
    keep(events=30)
    prune()
    assert left() == [1, 0, 1, 1]


def test_a_row_that_no_run_worked_off_is_emptied_with_the_days_of_texts_once_its_list_is_over() -> None:
    worklist = new_list("Ada", "Bea")
    skip(worklist_id=worklist.worklist_id, numbers=[1], reason="Ada went home")
    Worklist.objects.update(ended_at=NOW - timedelta(days=40))
    keep(texts=30)
    assert prune().rows == 0  # it is still at work
    Worklist.objects.update(state=WorklistState.FINISHED)
    assert prune(dry=True).rows == 1
    assert prune().rows == 1
    ada, bea = worklist.items.order_by("number")
    assert (ada.state, ada.data, ada.reason, ada.reference) == ("skipped", {}, "", "#1")
    assert bea.data == {"Patient": "Bea"}
