"""Rows that robots take: one run a row, in the order of the list, fairly among lists (S12.6, S12.7)."""

from __future__ import annotations

import threading
from datetime import timedelta
from typing import Any

import pytest
from django.db import IntegrityError, connections, transaction
from django.utils import timezone

from execution.actions.start import start
from execution.choices import ExecutionState
from execution.exceptions import UnknownWindowProvider
from execution.models import Ability, AbilityOrigin, Execution, WorkItem, Worklist, WorkRun
from execution.models.worklist import ItemState, WorklistState
from execution.running import runner
from execution.worklists import claiming
from execution.worklists.actions.lists import append, pause_list
from execution.worklists.actions.rows import put_first
from execution.worklists.adding import NewRow
from execution.worklists.claiming import lists_for, take
from tests.factories import make_execution, make_published
from tests.support.lists import IDENTITY, new_list, robot
from workflows.actions.publish import publish
from workflows.choices import AbilityKind
from workflows.models import Need, Workflow

pytestmark = pytest.mark.django_db


def taken(worklist: Worklist) -> list[str]:
    """The references of all rows that are at work, in the order in which they began."""
    runs = WorkRun.objects.filter(item__worklist=worklist).order_by("pk")
    return list(runs.values_list("item__reference", flat=True))


def test_a_row_and_its_run_are_made_together_and_claimed() -> None:
    """S12.7"""
    worklist = new_list("Ada")
    claimed = take(robot(), IDENTITY)
    assert claimed is not None
    item = worklist.items.get()
    run = Execution.objects.by_id(claimed.execution.execution_id)
    assert (item.state, item.attempts, item.execution) == (ItemState.RUNNING, 1, run)
    assert (run.state, run.desktop, run.mode) == (ExecutionState.RUNNING, "here:7", "automatic")
    assert run.variables == {"patient": "Ada"}
    assert (run.work_run.item, run.work_run.is_open) == (item, True)
    moved = worklist.events.order_by("-seq").first()
    assert (moved.kind, moved.payload["was"], moved.payload["state"]) == ("row", "new", "running")


def test_a_run_takes_a_value_in_the_form_that_was_found_for_it() -> None:
    worklist = new_list(started=False)
    row = NewRow(data={"Patient": "28/11/2026"}, variables={"patient": "2026-11-28"})
    append(worklist_id=worklist.worklist_id, rows=[row])
    Worklist.objects.update(state=WorklistState.RUNNING)
    claimed = take(robot(), IDENTITY)
    assert claimed is not None
    assert claimed.execution.variables == {"patient": "2026-11-28"}
    assert worklist.items.get().data == {"Patient": "28/11/2026"}


def test_events_of_a_list_have_no_gaps() -> None:
    worklist = new_list("Ada", "Bea")
    take(robot(), IDENTITY)
    pause_list(worklist_id=worklist.worklist_id)
    seqs = list(worklist.events.order_by("pk").values_list("seq", flat=True))
    assert seqs == list(range(1, len(seqs) + 1))
    worklist.refresh_from_db()
    assert worklist.next_seq == len(seqs) + 1


def test_rows_begin_by_priority_then_by_what_is_due_then_by_number() -> None:
    """S12.6"""
    worklist, now = new_list("first"), timezone.now()
    rows = [
        NewRow(data={"Patient": "due late"}, due=now + timedelta(hours=2)),
        NewRow(data={"Patient": "due soon"}, due=now + timedelta(hours=1)),
        NewRow(data={"Patient": "urgent"}, priority=1),
        NewRow(data={"Patient": "tomorrow"}, priority=9, not_before=now + timedelta(days=1)),
    ]
    append(worklist_id=worklist.worklist_id, rows=rows)
    for number in range(5):
        take(robot(f"here:{number}"), IDENTITY)
    assert taken(worklist) == ["urgent", "due soon", "due late", "first"]
    assert worklist.items.get(reference="tomorrow").state == ItemState.NEW


def test_a_row_that_is_put_first_begins_first() -> None:
    worklist = new_list("Ada", "Bea", "Cy")
    put_first(worklist_id=worklist.worklist_id, numbers=[3])
    take(robot(), IDENTITY)
    assert taken(worklist) == ["Cy"]


@pytest.mark.parametrize("state", [WorklistState.READY, WorklistState.PAUSED, WorklistState.STANDS])
def test_only_a_list_that_runs_begins_rows(state: str) -> None:
    worklist = new_list("Ada")
    Worklist.objects.update(state=state)
    assert take(robot(), IDENTITY) is None
    assert worklist.items.get().state == ItemState.NEW


def test_no_row_begins_after_its_window() -> None:
    """S12.9"""
    worklist, mine = new_list("Ada"), robot()
    Worklist.objects.update(closes_at=timezone.now() - timedelta(seconds=1))
    assert take(mine, IDENTITY) is None
    assert worklist.items.get().state == ItemState.NEW
    Worklist.objects.update(closes_at=timezone.now() + timedelta(hours=1))
    assert take(mine, IDENTITY) is not None


def test_as_many_rows_are_at_work_as_the_list_says() -> None:
    new_list("Ada", "Bea", "Cy", parallel=2)
    assert [take(robot(f"here:{n}"), IDENTITY) is not None for n in range(3)] == [True, True, False]


def test_as_many_runs_are_at_work_as_the_workflow_says() -> None:
    version = make_published(most_at_once=1)
    new_list("Ada", "Bea", version_of=version)
    assert [take(robot(f"here:{n}"), IDENTITY) is not None for n in range(2)] == [True, False]
    assert Execution.objects.count() == 1


def test_a_robot_takes_rows_of_lists_that_it_fits_alone() -> None:
    """S9.4, S12.1: what the workflow needs, and the tags that the list asks for."""
    version = make_published()
    Need.objects.create(workflow=version.workflow, kind=AbilityKind.TAG, name="ward")
    new_list("Ada", version_of=version, tags=["night"])
    mine = robot()
    assert lists_for(mine) == []
    Ability.objects.say(mine, AbilityKind.TAG, ["ward"], origin=AbilityOrigin.PAGE)
    assert len(lists_for(mine)) == 1
    assert take(mine, IDENTITY) is None
    Ability.objects.say(mine, AbilityKind.TAG, ["ward", "night"], origin=AbilityOrigin.PAGE)
    assert take(mine, IDENTITY) is not None


def test_a_robot_in_maintenance_takes_no_row() -> None:
    new_list("Ada")
    assert take(robot(maintenance_at=timezone.now()), IDENTITY) is None
    assert Execution.objects.count() == 0


def test_lists_have_their_turn_one_after_the_other() -> None:
    """S12.6: three robots do not all work for the list that came first."""
    lists = [new_list("Ada", "Bea", "Cy"), new_list("Di", "Ed"), new_list("Flo")]
    for number in range(6):
        take(robot(f"here:{number}"), IDENTITY)
    begun = list(WorkRun.objects.order_by("pk").values_list("item__worklist_id", flat=True))
    assert sorted(begun[:3]) == sorted(one.pk for one in lists)
    assert len(begun) == 6


def test_a_list_takes_the_newest_version_unless_it_names_one() -> None:
    version = make_published()
    newest, fixed = new_list("Ada", version_of=version), new_list("Bea", version_of=version, version_number=1)
    Workflow.objects.filter(pk=version.workflow.pk).update(already_at_end_is_fine=True)
    publish(workflow=Workflow.objects.get(pk=version.workflow.pk), user=None, note="")
    for number in range(2):
        take(robot(f"here:{number}"), IDENTITY)
    used = {one: one.items.get().execution.version.number for one in (newest, fixed)}
    assert used == {newest: 2, fixed: 1}


def test_a_row_that_cannot_begin_has_failed_with_the_reason_and_the_next_one_begins() -> None:
    """A version that came later asks for another kind of value."""
    worklist = new_list("Ada", "Bea")
    WorkItem.objects.filter(reference="Ada").update(data={"Patient": "A\tda"})
    claimed = take(robot(), IDENTITY)
    assert claimed is not None
    first = worklist.items.get(reference="Ada")
    assert (first.state, first.attempts) == (ItemState.FAILED, 0)
    assert first.reason.code == "worklists.no_value"
    assert claimed.execution.variables == {"patient": "Bea"}
    assert Execution.objects.count() == 1


def test_a_list_whose_workflow_cannot_run_stands_with_the_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    worklist = new_list("Ada")

    def refuses(**asked: Any) -> None:
        raise UnknownWindowProvider("no such provider")

    monkeypatch.setattr(claiming, "start", refuses)
    assert take(robot(), IDENTITY) is None
    worklist.refresh_from_db()
    assert (worklist.state, worklist.reason.code) == (WorklistState.STANDS, "worklists.no_start")
    assert worklist.items.get().state == ItemState.NEW


def test_a_run_that_people_started_comes_before_any_row() -> None:
    """The run loop asks for a row only where nothing waits for it."""
    new_list("Ada")
    run = start(workflow_id=make_published().workflow.workflow_id)
    place = type("Place", (), {"robot": robot(), "identity": IDENTITY})
    loop = runner.Runner(desktop=object())  # type: ignore[arg-type]
    claimed = loop._claimed(place)  # type: ignore[arg-type]
    assert claimed is not None
    assert claimed.execution.execution_id == run.execution_id


def test_the_database_allows_one_open_run_a_row() -> None:
    """S12.7"""
    worklist = new_list("Ada")
    take(robot(), IDENTITY)
    item = worklist.items.get()
    with pytest.raises(IntegrityError), transaction.atomic():
        WorkRun.objects.create(item=item, execution=make_execution())


@pytest.mark.django_db(transaction=True)
def test_of_robots_that_look_at_once_each_gets_a_row_of_its_own() -> None:
    """S12.7: eight robots and five rows: none twice, none lost."""
    worklist = new_list(*"ABCDE")
    robots = [robot(f"here:{n}") for n in range(8)]
    gate, got, failures = threading.Barrier(len(robots)), list[str](), list[Exception]()

    def look(one: Any) -> None:
        try:
            gate.wait(60)
            if claimed := take(one, IDENTITY):
                got.append(claimed.execution.variables["patient"])
        except Exception as error:
            failures.append(error)
        finally:
            connections.close_all()

    threads = [threading.Thread(target=look, args=(one,)) for one in robots]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert failures == []
    assert sorted(got) == list("ABCDE")
    assert sorted(taken(worklist)) == list("ABCDE")


def test_a_robot_with_nothing_to_do_asks_two_questions(django_assert_num_queries: Any) -> None:
    """Fifty robots that wait ask all the time."""
    mine = robot()
    new_list("Ada", started=False)
    with django_assert_num_queries(2):
        assert take(mine, IDENTITY) is None
