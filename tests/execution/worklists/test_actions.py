"""What people ask of lists and rows, who may, and what is kept of it (S12.1, S12.3, S12.13)."""

from __future__ import annotations

from typing import Any

import pytest
from django.core.exceptions import PermissionDenied
from django.utils import timezone

from audit.models import Entry
from execution.choices import Origin
from execution.exceptions import BadRows, BadWorklist, IllegalMove, ModeNotEarned
from execution.models import WorkItem, Worklist
from execution.models.worklist import ItemState, WorklistState
from execution.worklists.actions.lists import append, create_list, pause_list, start_list
from execution.worklists.actions.rows import again, cancel, put_first, set_aside, skip
from execution.worklists.adding import NewRow
from tests.factories import make_published, make_user
from tests.support.lists import new_list, states

pytestmark = pytest.mark.django_db

ROWS = [NewRow(data={"Patient": name}) for name in ("Ada", "Bea", "Cy")]


def test_a_column_that_is_called_like_a_variable_gives_it() -> None:
    worklist = create_list(name="L", workflow_id=make_published().workflow.workflow_id, columns=["No", " patient "])
    assert (worklist.columns, worklist.mapping) == (["No", "patient"], {"patient": "patient"})


@pytest.mark.parametrize(
    ("asked", "why"),
    [
        ({"columns": []}, "needs a name"),
        ({"columns": ["A", ""]}, "needs a name"),
        ({"columns": ["A", "A"]}, "Two columns"),
        ({"columns": ["A"], "mapping": {"patient": "B"}}, "no column “B”"),
        ({"columns": ["A"], "mapping": {"nobody": "A"}}, "no variable “nobody”"),
        ({"columns": ["A"], "keys": ["B"]}, "no column “B”"),
        ({"columns": ["A"], "name": "  "}, "a name"),
    ],
)
def test_a_list_that_cannot_be_is_refused_in_words(asked: dict[str, Any], why: str) -> None:
    with pytest.raises(BadWorklist, match=why):
        create_list(**{"name": "L", "workflow_id": make_published().workflow.workflow_id, **asked})
    assert not Worklist.objects.exists()


def test_a_secret_is_never_a_column() -> None:
    """S12.4"""
    secret = {"name": "pin", "kind": "secret", "required": False}
    version = make_published(variables=[{"name": "patient", "default": "x"}, secret])
    with pytest.raises(BadWorklist, match="vault"):
        create_list(
            name="L", workflow_id=version.workflow.workflow_id, columns=["PIN"], mapping={"pin": "PIN"}
        )  # fmt: skip


def test_a_reference_comes_in_once_however_often_it_is_sent() -> None:
    """S12.7"""
    worklist = new_list("Ada", started=False)
    added = append(worklist_id=worklist.worklist_id, rows=ROWS)
    assert (added.numbers, added.known) == ({"Bea": 2, "Cy": 3}, {"Ada": 1})
    assert append(worklist_id=worklist.worklist_id, rows=ROWS).numbers == {}
    assert states(worklist) == {"Ada": "new", "Bea": "new", "Cy": "new"}


def test_rows_without_a_reference_get_their_number() -> None:
    worklist = create_list(name="L", workflow_id=make_published().workflow.workflow_id, columns=["Patient"])
    append(worklist_id=worklist.worklist_id, rows=ROWS[:2])
    assert list(worklist.items.values_list("reference", flat=True)) == ["#1", "#2"]


def test_no_row_comes_in_where_one_is_bad_and_each_is_named() -> None:
    """S12.3"""
    worklist = new_list("Ada", started=False)
    bad = [*ROWS, NewRow(data={"Patient": "D\tdi"}), NewRow(data={"Else": "x"}), ROWS[1]]
    with pytest.raises(BadRows) as refused:
        append(worklist_id=worklist.worklist_id, rows=bad)
    assert [(row["row"], row["column"], row["value"], row["reason"][:12]) for row in refused.value.rows] == [
        (4, "Patient", "D\tdi", "A tab goes o"),
        (5, "Else", "", "The list has"),
        (6, "Reference", "Bea", "Row 2 has th"),
    ]
    assert worklist.items.count() == 1
    good = append(worklist_id=worklist.worklist_id, rows=bad, atomic=False)
    assert (list(good.numbers), len(good.refused)) == (["Bea", "Cy"], 3)


def test_what_people_do_is_on_record_without_what_stands_in_rows() -> None:
    """S10.7"""
    otto = make_user("operator", "otto")
    worklist = new_list("Ada", "Bea", started=False)
    asked: dict[str, Any] = {"worklist_id": worklist.worklist_id, "user": otto, "origin": Origin.PAGE}
    append(rows=ROWS, **asked)
    start_list(reason="night", **{**asked, "user": make_user("designer", "dora")})
    pause_list(**asked)
    skip(numbers=[1], reason="twice", **asked)
    kept = list(Entry.objects.filter(kind="list", about=worklist.worklist_id).order_by("pk"))
    assert [(entry.verb, entry.detail.get("did")) for entry in kept[2:]] == [
        ("added", None),
        ("changed", "start"),
        ("changed", "pause"),
        ("changed", "skipped"),
    ]
    assert kept[-1].who == "otto"
    assert "Ada" not in str([entry.detail for entry in kept])


@pytest.mark.parametrize("role", [None, "viewer"])
def test_who_may_only_look_changes_nothing(role: str | None) -> None:
    """S10.1"""
    worklist, nobody = new_list("Ada"), make_user(role)
    asked: dict[str, Any] = {"worklist_id": worklist.worklist_id, "user": nobody}
    for verb, more in (
        (append, {"rows": ROWS}),
        (start_list, {}),
        (pause_list, {}),
        (again, {"numbers": [1]}),
        (skip, {"numbers": [1], "reason": "x"}),
        (set_aside, {"numbers": [1]}),
        (put_first, {"numbers": [1]}),
        (cancel, {}),
    ):
        with pytest.raises(PermissionDenied):
            verb(**asked, **more)  # type: ignore[operator]
    with pytest.raises(PermissionDenied):
        create_list(name="L", workflow_id=worklist.workflow.workflow_id, columns=["Patient"], user=nobody)
    assert states(worklist) == {"Ada": "new"}


def test_a_list_acts_by_itself_only_where_its_workflow_has_earned_that_or_somebody_says_why() -> None:
    """S1.3"""
    worklist = new_list("Ada", started=False)
    with pytest.raises(ModeNotEarned):
        start_list(worklist_id=worklist.worklist_id, user=make_user("operator"))
    with pytest.raises(ModeNotEarned):
        start_list(worklist_id=worklist.worklist_id, user=make_user("designer"))
    start_list(worklist_id=worklist.worklist_id, user=make_user("designer"), reason="tried all week")
    assert Worklist.objects.get().state == WorklistState.RUNNING


def test_a_list_starts_once_and_pauses_once() -> None:
    worklist = new_list("Ada")
    with pytest.raises(IllegalMove, match="running"):
        start_list(worklist_id=worklist.worklist_id)
    pause_list(worklist_id=worklist.worklist_id)
    with pytest.raises(IllegalMove, match="paused"):
        pause_list(worklist_id=worklist.worklist_id)


def test_an_empty_list_is_not_started() -> None:
    worklist = new_list(started=False)
    with pytest.raises(BadWorklist, match="no new row"):
        start_list(worklist_id=worklist.worklist_id)


def put(number: int, state: str, **fields: Any) -> None:
    WorkItem.objects.filter(number=number).update(state=state, **fields)


def test_again_lets_rows_begin_anew_but_none_that_may_have_saved() -> None:
    """S12.13"""
    worklist = new_list("Ada", "Bea", "Cy", "Di", started=False)
    put(1, ItemState.FAILED, attempts=3)
    put(2, ItemState.SET_ASIDE, saved=True)
    put(3, ItemState.DONE)
    moved = again(worklist_id=worklist.worklist_id, numbers=[1, 2, 3])
    assert (moved.numbers, moved.saved, moved.left) == ((1,), (2,), (3,))
    assert states(worklist) == {"Ada": "new", "Bea": "set_aside", "Cy": "done", "Di": "new"}
    first = worklist.items.get(number=1)
    assert (first.attempts, first.tried_before) == (3, 3)


def test_again_goes_for_a_row_that_somebody_looked_for_in_the_program() -> None:
    """S12.13: kept with name and sentence."""
    worklist = new_list("Ada", started=False)
    put(1, ItemState.SET_ASIDE, saved=True)
    seen: dict[str, Any] = {"user": make_user("operator", "zoe"), "origin": Origin.PAGE}
    moved = again(worklist_id=worklist.worklist_id, numbers=[1], not_saved="no letter there", **seen)
    item = worklist.items.get()
    assert (moved.numbers, item.state, item.saved) == ((1,), ItemState.NEW, False)
    assert str(item.reason) == "zoe (page) looked at the program, and nothing was saved: no letter there"


def test_rows_done_again_in_a_finished_list_wait_for_its_start() -> None:
    worklist = new_list("Ada")
    put(1, ItemState.FAILED)
    Worklist.objects.update(state=WorklistState.FINISHED)
    again(worklist_id=worklist.worklist_id, numbers=[1])
    assert Worklist.objects.get().state == WorklistState.READY


def test_skipping_needs_a_reason_and_finishes_a_list_with_nothing_left() -> None:
    worklist = new_list("Ada")
    with pytest.raises(BadWorklist, match="why"):
        skip(worklist_id=worklist.worklist_id, numbers=[1], reason=" ")
    skip(worklist_id=worklist.worklist_id, numbers=[1], reason="left the ward")
    item = worklist.items.get()
    assert item.state == ItemState.SKIPPED
    assert "left the ward" in item.reason
    assert Worklist.objects.get().state == WorklistState.FINISHED


@pytest.mark.parametrize("state", [ItemState.RUNNING, ItemState.DONE])
def test_a_row_at_work_or_done_is_left_as_it_is(state: str) -> None:
    worklist = new_list("Ada")
    put(1, state, started_at=timezone.now())
    asked: dict[str, Any] = {"worklist_id": worklist.worklist_id, "numbers": [1]}
    for moved in (again(**asked), skip(reason="x", **asked), set_aside(**asked), put_first(**asked), cancel(**asked)):
        assert (moved.numbers, moved.left) == ((), (1,))
    assert worklist.items.get().state == state


def test_cancelling_takes_all_new_rows_out() -> None:
    worklist = new_list("Ada", "Bea", "Cy")
    put(2, ItemState.DONE)
    assert cancel(worklist_id=worklist.worklist_id).numbers == (1, 3)
    assert states(worklist) == {"Ada": "cancelled", "Bea": "done", "Cy": "cancelled"}


def test_rows_moved_together_are_one_event_with_their_numbers() -> None:
    worklist = new_list("Ada", "Bea", "Cy")
    set_aside(worklist_id=worklist.worklist_id, numbers=[1, 2], reason="wait")
    told = worklist.events.order_by("-seq").first()
    assert (told.kind, told.payload["numbers"], told.payload["state"]) == ("rows", [1, 2], "set_aside")
