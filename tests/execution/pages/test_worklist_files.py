"""A file is looked at before it comes in, once a person said yes; results leave as files (S12.3, S12.11)."""

from __future__ import annotations

import csv
import io
import re
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from openpyxl import load_workbook

from audit.models import Entry
from execution.models import WorkItem, Worklist
from execution.pages import worklist_files
from tests.execution.worklists.intake.given import workbook
from tests.support.lists import new_list

pytestmark = pytest.mark.django_db
FILE = "Patient;Room\nAda;7\nBea;8\n;9\nAda;10\n"


def looked(client: Client, worklist: Worklist, text: str | bytes, **more: Any) -> str:
    """The page after the file was looked at."""
    data = text if isinstance(text, bytes) else text.encode()
    answer = client.post(f"/lists/{worklist.worklist_id}/add", {"file": SimpleUploadedFile("rows", data), **more})
    return answer.content.decode()


def hidden(page: str, name: str) -> str:
    found = re.search(rf'name="{name}" value="([^"]*)"', page)
    return found[1] if found else ""


def kept(page: str) -> dict[str, str]:
    """What the form sends of the page besides the file."""
    chosen = re.findall(r'name="(map-\d+)"(.*?)</select>', page, re.DOTALL)
    given = {name: re.findall(r'value="(\w*)" selected', options) for name, options in chosen}
    mapping = {name: "".join(values) for name, values in given.items()}
    return {**{name: hidden(page, name) for name in ("of", "reading")}, **mapping}


def test_nothing_comes_in_before_a_person_says_yes(otto: Client) -> None:
    worklist = new_list("Cy", started=False)
    page = looked(otto, worklist, FILE)
    assert "4 rows found" in page
    assert "Take the 2 good rows" in page
    assert worklist.items.count() == 1
    looked(otto, worklist, FILE, yes=hidden(page, "yes"), **kept(page))
    assert list(worklist.items.order_by("number").values_list("reference", flat=True)) == ["Cy", "Ada", "Bea"]
    assert Entry.objects.filter(kind="list", origin="page").count() == 1


def test_each_bad_cell_is_named_with_row_column_value_and_reason(otto: Client) -> None:
    page = looked(otto, new_list("Bea", started=False), FILE)
    cells = re.findall(
        r'<td class="number">(\d+)</td><td>(\w+) .*?<td class="lot-value">(.*?)</td><td>(.*?)</td>', page
    )
    assert cells == [
        ("3", "Patient", "Bea", "The list has a row with the reference “Bea” already."),
        ("4", "Patient", "–", "The reference is missing. It tells this row from all others."),
        ("5", "Patient", "Ada", "Row 2 has the reference “Ada” too."),
    ]


def test_bad_cells_are_paged(otto: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worklist_files, "BAD_CELLS", 1)
    page = looked(otto, new_list(started=False), FILE, bad_page="2")
    assert "2 to 2 of 2" in page
    assert "Row 2 has the reference" in page


def test_a_yes_to_something_else_brings_nothing(otto: Client) -> None:
    worklist = new_list(started=False)
    yes = hidden(looked(otto, worklist, FILE), "yes")
    assert "changed since you saw it" in looked(otto, worklist, FILE + "Di;9\n", yes=yes)
    assert not worklist.items.exists()


def test_the_mapping_is_proposed_and_changed(otto: Client) -> None:
    worklist = new_list(started=False)
    text = "Patient;Name of the ward\nAda;Bea\n"
    page = looked(otto, worklist, text)
    changed = {**kept(page), "map-0": "", "map-1": "patient"}
    page = looked(otto, worklist, text, **changed)
    looked(otto, worklist, text, yes=hidden(page, "yes"), **changed)
    assert worklist.items.get().data == {"Patient": "Bea"}


def test_choices_for_another_file_or_another_reading_do_not_count(otto: Client) -> None:
    worklist, text = new_list(started=False), "Patient;Ward\nAda;Bea\n"
    page = looked(otto, worklist, text)
    chosen = {**kept(page), "map-1": "patient"}
    assert '<option value="patient" selected' in looked(otto, worklist, text, **chosen).split('name="map-1"')[1]
    for other in (looked(otto, worklist, text + "\n", **chosen), looked(otto, worklist, text, **chosen, delimiter=";")):
        assert '<option value="patient" selected' not in other.split('name="map-1"')[1]


def test_a_workbook_and_pasted_rows_come_in_too(otto: Client) -> None:
    worklist = new_list(started=False)
    assert "found: Sheet" in looked(otto, worklist, workbook([["Patient"], ["Ada"]]))
    path = f"/lists/{worklist.worklist_id}/add"
    assert "2 rows found" in otto.post(path, {"text": "Patient\tRoom\nAda\t7\nBea\t8\n"}).content.decode()


@pytest.mark.parametrize(
    ("posted", "said"),
    [
        ({}, "Choose a file, or paste the rows."),
        ({"text": "x" * 500_001}, "longer than 500000 characters"),
        ({"file": SimpleUploadedFile("rows.csv", b" ")}, "The file is empty."),
    ],
)
def test_what_cannot_be_read_is_said(otto: Client, posted: dict[str, Any], said: str) -> None:
    answer = otto.post(f"/lists/{new_list(started=False).worklist_id}/add", posted)
    assert (answer.status_code, said in answer.content.decode()) == (422, True)


def test_a_file_that_is_too_large_is_refused(otto: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worklist_files, "MOST_BYTES", 10)
    assert "The file is larger than" in looked(otto, new_list(started=False), FILE)


@pytest.mark.security
def test_what_stands_in_a_file_is_no_markup(otto: Client) -> None:
    page = looked(otto, new_list(started=False), "Patient;<b>\n<script>;<i>\n;<u>\n")
    assert not re.search("<script>;|<b>|<i>|<u>", page)


def test_results_leave_as_csv_and_as_a_workbook(otto: Client) -> None:
    """S12.11"""
    worklist = new_list("=Ada", started=False)
    WorkItem.objects.update(values=[{"name": "K", "text": "4,1", "kind": "text"}], state="done")
    told = otto.get(f"/lists/{worklist.worklist_id}/results.csv")
    rows = list(csv.reader(io.StringIO(b"".join(told).decode("utf-8-sig"))))  # type: ignore[call-overload]
    assert rows[1][:3] == ["1", "'=Ada", "'=Ada"]
    book = otto.get(f"/lists/{worklist.worklist_id}/results.xlsx")
    sheet = load_workbook(io.BytesIO(b"".join(book))).active  # type: ignore[call-overload]
    assert [cell.value for cell in sheet[2]][:2] == [1, "=Ada"]
    assert sheet["B2"].data_type == "s"
    api = b"".join(otto.get(f"/api/lists/{worklist.worklist_id}/results/csv"))  # type: ignore[call-overload]
    assert list(csv.reader(io.StringIO(api.decode("utf-8-sig")))) == rows
    assert Entry.objects.filter(verb="export", kind="list").count() == 3
    assert otto.get(f"/lists/{worklist.worklist_id}/results.pdf").status_code == 404
