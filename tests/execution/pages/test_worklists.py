"""The pages of lists: bars, filters, what waits first, chosen rows, the story of a row (S12)."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from execution.choices import ExecutionState
from execution.models import WorkItem, Worklist
from execution.models.worklist import ItemState, WorklistState
from execution.pages.worklist_texts import found, list_card, story_of
from execution.record.journal import Journal
from execution.worklists.claiming import take
from execution.worklists.outcome import settle
from execution.worklists.progress import progress_of
from sentences.said import say
from tests.factories import make_user
from tests.support.lists import IDENTITY, new_list, robot, states

pytestmark = pytest.mark.django_db
NAMES = ("Ada", "Bea", "Cy", "Di")


def put(number: int, state: str, **fields: Any) -> None:
    WorkItem.objects.filter(number=number).update(state=state, **fields)


def mixed() -> Worklist:
    worklist, now = new_list(*NAMES), timezone.now()
    put(1, ItemState.DONE, ended_at=now, attempts=1)
    put(3, ItemState.SET_ASIDE, ended_at=now, attempts=1, reason=say("worklists.unanswered", n=10, asked="Which one?"))
    put(4, ItemState.FAILED, ended_at=now, attempts=3)
    return worklist


def test_what_waits_for_a_person_comes_first() -> None:
    assert [item.number for item in found(mixed())] == [3, 4, 1, 2]


def test_what_is_next_because_somebody_put_it_first_comes_before_what_is_done() -> None:
    worklist = mixed()
    put(2, ItemState.NEW, priority=1)
    assert [item.number for item in found(worklist)] == [3, 4, 2, 1]


@pytest.mark.parametrize(("text", "numbers"), [("bea", [2]), ("3", [3]), ("which", [3]), ("nobody", [])])
def test_rows_are_found_by_any_column(text: str, numbers: list[int]) -> None:
    assert [item.number for item in found(mixed(), text=text)] == numbers


def test_a_bar_says_how_many_are_where_and_its_parts_fill_it() -> None:
    worklist = mixed()
    card = list_card(worklist, progress_of(worklist))
    assert [(part.state, part.n) for part in card.parts] == [
        ("done", 1), ("set_aside", 1), ("failed", 1), ("new", 1)
    ]  # fmt: skip
    assert sum(float(part.width) for part in card.parts) == pytest.approx(100)
    assert card.sentence == "3 of 4 rows worked off"
    assert card.waits == "1 row waits for a person"


def test_the_rate_is_told_once_ten_rows_have_ended() -> None:
    worklist, now = new_list(*(f"P{n}" for n in range(30))), timezone.now()
    Worklist.objects.update(started_at=now - timedelta(minutes=30))
    worklist.refresh_from_db()
    worklist.items.filter(number__lte=9).update(state=ItemState.DONE, ended_at=now, attempts=1)
    assert progress_of(worklist, now=now).per_hour is None
    worklist.items.filter(number__lte=10).update(state=ItemState.DONE, ended_at=now, attempts=1)
    told = progress_of(worklist, now=now)
    assert told.per_hour == pytest.approx(20)
    assert told.left == timedelta(hours=1)


def test_what_the_window_would_leave_is_told() -> None:
    worklist, now = new_list(*(f"P{n}" for n in range(30))), timezone.now()
    closes = now + timedelta(minutes=30)
    Worklist.objects.update(started_at=now - timedelta(minutes=30), closes_at=closes)
    worklist.refresh_from_db()
    worklist.items.filter(number__lte=10).update(state=ItemState.DONE, ended_at=now, attempts=1)
    told = progress_of(worklist, now=now)
    assert told.stays == 10
    assert "about 10 rows would stay new" in list_card(worklist, told).late


def test_the_page_of_a_list_shows_its_rows_and_its_filters(otto: Client) -> None:
    worklist = mixed()
    page = otto.get(f"/lists/{worklist.worklist_id}").content.decode()
    assert "3 of 4 rows worked off" in page
    assert page.index('id="row-3"') < page.index('id="row-4"') < page.index('id="row-1"') < page.index('id="row-2"')
    assert "Which one?" in page
    only = otto.get(f"/lists/{worklist.worklist_id}?state=failed").content.decode()
    assert 'id="row-4"' in only
    assert 'id="row-3"' not in only


def test_the_pages_ask_as_many_questions_for_many_lists_and_rows_as_for_few(
    otto: Client, django_assert_max_num_queries: Any
) -> None:
    few, many = new_list("Ada", "Bea"), new_list(*(f"P{n}" for n in range(50)))
    for _ in range(12):
        new_list("Ada")
    for worklist in (few, many):
        with django_assert_max_num_queries(15):
            otto.get(f"/lists/{worklist.worklist_id}")
    for path in ("/lists", "/api/lists/"):
        with django_assert_max_num_queries(15):
            otto.get(path)


def test_the_list_of_lists_shows_those_that_stand_first(otto: Client) -> None:
    standing, running = new_list("Ada"), new_list("Bea")
    Worklist.objects.filter(pk=standing.pk).update(
        state=WorklistState.STANDS, reason=say("worklists.unanswered", n=10, asked="Which?")
    )
    page = otto.get("/lists").content.decode()
    assert page.index(standing.worklist_id) < page.index(running.worklist_id)
    assert "Which?" in page


def test_chosen_rows_are_skipped_for_a_reason(otto: Client) -> None:
    worklist = mixed()
    path = f"/lists/{worklist.worklist_id}/rows"
    refused = otto.post(path, {"verb": "skip", "row": ["2", "3"]}, follow=True)
    assert "why the rows are skipped" in refused.content.decode()
    done = otto.post(path, {"verb": "skip", "row": ["2", "3"], "reason": "left", "back": "state=new"}, follow=True)
    assert done.redirect_chain[-1][0].endswith("?state=new")
    assert states(worklist) == {"Ada": "done", "Bea": "skipped", "Cy": "skipped", "Di": "failed"}


def test_all_rows_of_a_filter_are_meant_beyond_the_page(otto: Client) -> None:
    worklist = new_list(*(f"P{n}" for n in range(60)))
    worklist.items.update(state=ItemState.FAILED)
    otto.post(f"/lists/{worklist.worklist_id}/rows", {"verb": "again", "all": "1", "state": "failed", "row": ["1"]})
    assert worklist.items.filter(state=ItemState.NEW).count() == 60


def test_a_row_that_may_have_saved_asks_what_was_seen(otto: Client) -> None:
    """S12.13"""
    worklist = mixed()
    put(3, ItemState.SET_ASIDE, saved=True)
    path = f"/lists/{worklist.worklist_id}/rows"
    assert "may have saved" in otto.post(path, {"verb": "again", "row": "3"}, follow=True).content.decode()
    otto.post(path, {"verb": "again", "row": "3", "reason": "nothing there"})
    assert states(worklist)["Cy"] == "new"


def test_a_list_is_started_and_paused_on_its_page(otto: Client) -> None:
    worklist = new_list("Ada", mode="supervised")
    otto.post(f"/lists/{worklist.worklist_id}/control", {"verb": "pause"})
    assert Worklist.objects.get().state == WorklistState.PAUSED
    otto.post(f"/lists/{worklist.worklist_id}/control", {"verb": "start"})
    assert Worklist.objects.get().state == WorklistState.RUNNING


def test_a_start_that_is_refused_says_why(otto: Client) -> None:
    worklist = new_list("Ada", started=False)
    said = otto.post(f"/lists/{worklist.worklist_id}/control", {"verb": "start"}, follow=True)
    assert "has not earned" in said.content.decode()


def test_a_row_tells_its_story_with_each_of_its_runs(otto: Client) -> None:
    worklist, mine = new_list("Ada", "Bea", most_attempts=1), robot()
    claimed = take(mine, IDENTITY)
    assert claimed is not None
    Journal(claimed.execution, claimed.execution.version.spec()).finish(ExecutionState.FAILED, "no disk")
    settle(claimed.execution.execution_id)
    item = worklist.items.get(number=1)
    story = story_of(item, worklist)
    assert [one.work.execution for one in story.tries] == [claimed.execution]
    assert "no disk" in story.tries[0].said
    assert story.said == "Nothing was saved."
    page = otto.get(f"/lists/{worklist.worklist_id}?row=1").content.decode()
    assert f"/runs/{claimed.execution.execution_id}" in page


def test_whoever_may_only_look_sees_no_boxes_and_grey_buttons(client: Client) -> None:
    worklist = mixed()
    client.force_login(make_user("viewer"))
    page = client.get(f"/lists/{worklist.worklist_id}").content.decode()
    assert 'name="row"' not in page
    assert "needs the role operator" in page
    assert client.post(f"/lists/{worklist.worklist_id}/control", {"verb": "pause"}).status_code == 403
