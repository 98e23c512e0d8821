"""Files and batches come in by the same checks, as people see them and as runs take them (S12.3)."""

from __future__ import annotations

import pytest

from execution.exceptions import BadRows, BadWorklist
from execution.models import WorkItem, Worklist
from execution.worklists.actions.lists import append, bring
from execution.worklists.adding import NewRow
from execution.worklists.bringing import Looked, look_at
from execution.worklists.intake.dates import Order
from execution.worklists.intake.preview import Choices
from tests.factories import make_published
from tests.support.lists import new_list

pytestmark = pytest.mark.django_db
BORN = {"name": "born", "label": "Born", "kind": "date", "required": False}


def dated() -> Worklist:
    """A list whose workflow takes a patient and a day; only the patient has a column."""
    return new_list(version_of=make_published(variables=[{"name": "patient", "required": True}, BORN]), started=False)


def brought(worklist: Worklist, text: str, choices: Choices | None = None) -> Looked:
    looked = look_at(worklist, text.encode(), choices or Choices())
    bring(worklist_id=worklist.worklist_id, looked=looked)
    return looked


def items(worklist: Worklist) -> list[WorkItem]:
    return list(worklist.items.order_by("number"))


def test_a_variable_without_a_column_gets_one_and_its_run_the_day_itself() -> None:
    worklist = dated()
    brought(worklist, "Patient;Born\nAda;13/06/1998\n")
    worklist = Worklist.objects.get()
    assert (worklist.columns, worklist.mapping) == (["Patient", "Born"], {"patient": "Patient", "born": "Born"})
    (item,) = items(worklist)
    assert (item.data, item.variables) == ({"Patient": "Ada", "Born": "13/06/1998"}, {"born": "1998-06-13"})


def test_a_batch_is_read_as_a_file_is() -> None:
    worklist = dated()
    brought(worklist, "Patient;Born\nAda;13/06/1998\n")
    append(worklist_id=worklist.worklist_id, rows=[NewRow(data={"Patient": "Bea", "Born": "14/06/1998"})])
    assert items(worklist)[1].variables == {"born": "1998-06-14"}
    with pytest.raises(BadRows) as refused:
        append(worklist_id=worklist.worklist_id, rows=[NewRow(data={"Patient": "Cy", "Born": "05/06/1998"})])
    assert [(bad["row"], bad["column"], bad["value"]) for bad in refused.value.rows] == [(1, "Born", "05/06/1998")]


def test_what_is_left_open_brings_nothing() -> None:
    worklist, text = dated(), "Patient;Born\nAda;05/06/1998\n"
    with pytest.raises(BadWorklist, match="05/06/1998"):
        brought(worklist, text)
    assert not worklist.items.exists()
    brought(worklist, text, Choices(orders={1: Order.MONTH_FIRST}))
    assert items(worklist)[0].variables == {"born": "1998-05-06"}


def test_a_column_that_no_variable_takes_is_kept_with_the_row_if_the_list_has_it() -> None:
    worklist = new_list(started=False)
    Worklist.objects.update(columns=["Patient", "Room"])
    worklist.refresh_from_db()
    brought(worklist, "Room;Patient;Else\n7;Ada;x\n")
    assert items(worklist)[0].data == {"Patient": "Ada", "Room": "7"}


def test_a_column_that_nobody_wants_gives_no_variable_by_its_name() -> None:
    worklist = dated()
    brought(worklist, "Patient;Born\nAda;13/06/1998\n")
    worklist = Worklist.objects.get()
    brought(worklist, "Patient;Born\nBea;14/06/1998\n", Choices(mapping={0: "patient"}))
    assert items(worklist)[1].data == {"Patient": "Bea"}


def test_without_the_column_of_the_reference_nothing_comes_in() -> None:
    worklist = new_list(started=False)
    Worklist.objects.update(columns=["Patient", "Stay"], keys=["Stay"])
    worklist.refresh_from_db()
    with pytest.raises(BadWorklist, match="Stay"):
        brought(worklist, "Patient\nAda\n")


def test_a_reference_of_the_list_is_bad_where_it_is_asked_for_and_else_known() -> None:
    worklist = new_list("Ada", started=False)
    text = b"Patient\nAda\nBea\n"
    assert [cell.row for cell in look_at(worklist, text, Choices(), in_list={"Ada"}).checked.bad] == [2]
    added = bring(worklist_id=worklist.worklist_id, looked=look_at(worklist, text, Choices()))
    assert (added.known, added.numbers) == ({"Ada": 1}, {"Bea": 2})


def test_an_empty_row_of_a_batch_is_told() -> None:
    worklist = new_list(started=False)
    with pytest.raises(BadRows) as refused:
        append(worklist_id=worklist.worklist_id, rows=[NewRow(data={"Patient": "Ada"}), NewRow(data={"Patient": " "})])
    assert [(bad["row"], bad["reason"]) for bad in refused.value.rows] == [(2, "The row is empty.")]


def test_a_row_that_came_in_meanwhile_makes_it_another_yes() -> None:
    worklist, text = new_list(started=False), b"Patient\nAda\nBea\n"
    first = look_at(worklist, text, Choices()).agreed
    assert look_at(worklist, text, Choices()).agreed == first
    assert look_at(worklist, text, Choices(), in_list={"Ada"}).agreed != first
