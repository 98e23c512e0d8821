"""Files of a list's own folder become its rows when it begins; results lie in another one (S12.3, S12.11, S12.14)."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, time, timedelta
from pathlib import Path
from typing import Any

import pytest
from openpyxl import load_workbook

from execution.choices import StartState
from execution.models import BroughtFile, ListStart, Schedule, Worklist
from execution.models.worklist import ItemState, WorklistState
from execution.worklists import folder, taking
from execution.worklists.actions.when import keep_files
from tests.support.lists import new_list, states
from tests.support.nights import at, looks, planned

pytestmark = pytest.mark.django_db

LOOK = timedelta(seconds=15)


@pytest.fixture(autouse=True)
def place(tmp_path: Path, settings: Any) -> Iterator[Path]:
    """A data folder of its own, as a worker finds it that has just begun."""
    settings.DATA_DIR = tmp_path
    taking._seen.clear()
    yield tmp_path
    taking._seen.clear()


@pytest.fixture
def letters() -> Worklist:
    """A list of patients that begins every night at two, with what lies in its folder."""
    worklist = new_list(started=False)
    planned(worklist, since=at(5, 1), takes_files=True, make_up_until=time(3))
    return Worklist.objects.get(pk=worklist.pk)


def put(place: Path, name: str, text: str) -> Path:
    file = place / "in" / "letters" / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")
    return file


def start_of() -> tuple[str, str]:
    start = ListStart.objects.get()
    return start.state, str(start.reason)


def lies(place: Path, where: str) -> set[str]:
    return {file.name for file in (place / "in" / "letters" / where).glob("*") if file.is_file()}


def test_the_files_that_stand_still_become_the_rows_of_the_night(place: Path, letters: Worklist) -> None:
    looks(at(5, 1, 58))
    put(place, "ward.csv", "Patient\nAda\nBea\n")
    put(place, "other.csv", "Patient\nCleo\n")
    looks(at(5, 1, 59), at(5, 2))
    letters.refresh_from_db()
    assert (start_of(), letters.state) == ((StartState.BEGUN, ""), WorklistState.RUNNING)
    assert states(letters) == {"Ada": "new", "Bea": "new", "Cleo": "new"}
    assert lies(place, ".") == set()
    assert lies(place, "done") == {"ward.csv", "ward.csv.report.txt", "other.csv", "other.csv.report.txt"}
    report = (place / "in/letters/done/ward.csv.report.txt").read_text("utf-8-sig")
    assert "2 of 2 rows are good" in report
    assert "2 rows came in." in report
    assert sorted(BroughtFile.objects.values_list("name", "rows", "is_taken")) == [
        ("other.csv", 1, True),
        ("ward.csv", 2, True),
    ]


def test_without_a_new_file_nothing_begins_though_rows_are_left(letters: Worklist) -> None:
    """S12.14"""
    letters.items.create(number=1, reference="Ada", data={"Patient": "Ada"})
    looks(at(5, 2))
    assert start_of() == (StartState.EMPTY, "No new file was in the folder.")
    letters.refresh_from_db()
    assert letters.state == WorklistState.READY


def test_a_file_that_is_still_written_is_waited_for(place: Path, letters: Worklist) -> None:
    looks(at(5, 1, 59))
    file = put(place, "ward.csv", "Patient\nAda\n")
    looks(at(5, 2))
    assert start_of()[0] == StartState.WAITING
    file.write_text("Patient\nAda\nBea\n")
    looks(at(5, 2) + LOOK)
    assert start_of() == (StartState.WAITING, "The file is still being written, or has just come.")
    looks(at(5, 2) + 2 * LOOK)
    assert start_of() == (StartState.BEGUN, "")
    assert set(states(letters)) == {"Ada", "Bea"}


def test_two_looks_within_a_moment_say_nothing_of_a_file(place: Path, letters: Worklist) -> None:
    put(place, "ward.csv", "Patient\nAda\n")
    looks(at(5, 2) - timedelta(seconds=2), at(5, 2))
    assert start_of()[0] == StartState.WAITING
    looks(at(5, 2) + LOOK)
    assert start_of()[0] == StartState.BEGUN


def test_one_that_never_stands_still_is_told_when_the_start_is_too_late(place: Path, letters: Worklist) -> None:
    file = put(place, "ward.csv", "Patient\nAda\n")
    for minute in (0, 30, 59):
        file.write_text(file.read_text() + "Bea\n")
        looks(at(5, 2, minute))
        assert start_of()[0] == StartState.WAITING
    file.write_text(file.read_text() + "Cleo\n")
    looks(at(5, 3))
    assert start_of() == (StartState.EMPTY, "The file is still being written, or has just come.")
    assert not letters.items.exists()


def test_a_file_with_a_bad_row_is_refused_as_a_whole_and_the_report_names_it(place: Path, letters: Worklist) -> None:
    looks(at(5, 1, 58))
    put(place, "ward.csv", "Patient,Ward\nAda,A\n,B\n")
    looks(at(5, 1, 59), at(5, 2))
    assert start_of() == (StartState.EMPTY, "No file in the folder could be taken. The reports lie beside the files.")
    assert lies(place, "refused") == {"ward.csv", "ward.csv.report.txt"}
    report = (place / "in/letters/refused/ward.csv.report.txt").read_text("utf-8-sig")
    assert "Row 3, column A (Patient)" in report
    assert not letters.items.exists()


def test_or_its_good_rows_come_in_where_the_list_says_so(place: Path, letters: Worklist) -> None:
    keep_files(worklist_id=letters.worklist_id, writes="", takes_good=True)
    looks(at(5, 1, 58))
    put(place, "ward.csv", "Patient,Ward\nAda,A\n,B\n")
    looks(at(5, 1, 59), at(5, 2))
    assert start_of() == (StartState.BEGUN, "")
    assert (BroughtFile.objects.get().rows, BroughtFile.objects.get().bad) == (1, 1)


def test_what_no_person_was_asked_about_is_not_guessed(place: Path, letters: Worklist) -> None:
    """A file whose head is not the list's own is refused with the question in its report."""
    looks(at(5, 1, 58))
    put(place, "ward.csv", "Somebody\nAda\n")
    looks(at(5, 1, 59), at(5, 2))
    assert start_of()[0] == StartState.EMPTY
    assert lies(place, "refused") == {"ward.csv", "ward.csv.report.txt"}


def test_a_process_that_dies_before_the_file_is_moved_takes_nothing_twice(place, letters, monkeypatch) -> None:
    """S12.7"""
    letters.keys = []
    letters.save()
    looks(at(5, 1, 58))
    put(place, "ward.csv", "Patient\nAda\n")
    looks(at(5, 1, 59))
    with monkeypatch.context() as dying:
        dying.setattr(folder, "put_away", lambda *args: (_ for _ in ()).throw(OSError("gone")))
        looks(at(5, 2))
    assert letters.items.count() == 1
    letters.items.update(state=ItemState.DONE)
    Worklist.objects.update(state=WorklistState.FINISHED)
    looks(at(6, 1, 59), at(6, 2))
    assert letters.items.count() == 1
    assert lies(place, "done") == {"ward.csv", "ward.csv.report.txt"}
    assert "came in before" in (place / "in/letters/done/ward.csv.report.txt").read_text("utf-8-sig")
    newest = ListStart.objects.order_by("-at").first()
    assert newest is not None
    assert (newest.state, str(newest.reason)) == (StartState.EMPTY, "No new file was in the folder.")


def test_a_second_clock_takes_no_file(place: Path, letters: Worklist, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another one was first while this one read: it moves nothing and brings nothing."""
    looks(at(5, 1, 58))
    put(place, "ward.csv", "Patient\nAda\n")
    looks(at(5, 1, 59))
    monkeypatch.setattr(Schedule, "look", lambda self, now: False)
    looks(at(5, 2))
    assert not letters.items.exists()
    assert lies(place, ".") == {"ward.csv"}


# --- results -----------------------------------------------------------------------------------------------------
def ended(worklist: Worklist, moment: datetime) -> None:
    Worklist.objects.filter(pk=worklist.pk).update(state=WorklistState.FINISHED, ended_at=moment)


@pytest.fixture
def written(letters: Worklist) -> Worklist:
    Worklist.objects.update(writes="xlsx", written_at=at(1, 1), begun_at=at(5, 2))
    rows: list[dict[str, Any]] = [
        {"number": 1, "reference": "Old", "state": ItemState.DONE, "ended_at": at(4, 3)},
        {"number": 2, "reference": "0012", "state": ItemState.DONE, "ended_at": at(5, 3)},
        {"number": 3, "reference": "Left", "state": ItemState.NEW, "ended_at": None},
    ]
    for row in rows:
        letters.items.create(data={"Patient": row["reference"]}, **row)
    ended(letters, at(5, 3))
    return letters


def test_at_the_end_of_a_night_its_results_lie_in_a_file(place: Path, written: Worklist) -> None:
    """S12.11: the rows of this night, and those that are left."""
    looks(at(5, 3, 1))
    (file,) = (place / "out" / "letters").iterdir()
    assert file.name == "letters 2027-06-05 010000.xlsx"
    sheet = load_workbook(file).active
    assert [row[1] for row in sheet.iter_rows(min_row=2, values_only=True)] == ["0012", "Left"]
    looks(at(5, 3, 2))
    assert len(list((place / "out" / "letters").iterdir())) == 1


def test_results_that_cannot_be_written_are_written_once_they_can(place, written, caplog) -> None:
    (place / "out").write_text("in the way")
    looks(at(5, 3, 1))
    assert "are not written" in caplog.text
    (place / "out").unlink()
    looks(at(5, 3, 2))
    assert len(list((place / "out" / "letters").iterdir())) == 1


def test_two_lists_of_one_name_have_folders_of_their_own() -> None:
    one, other = new_list(started=False), new_list(started=False)
    for worklist in (one, other):
        keep_files(worklist_id=worklist.worklist_id, writes="csv", takes_good=False)
    first, second = Worklist.objects.order_by("pk").values_list("folder", flat=True)
    assert first == "letters"
    assert second.startswith("letters-")
