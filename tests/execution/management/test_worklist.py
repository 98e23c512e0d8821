"""`manage.py worklist`: a list from a file to its results, without a browser (S12)."""

from __future__ import annotations

import io
import json
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from openpyxl import load_workbook

from audit.models import Entry
from execution.models import WorkItem, Worklist
from execution.models.worklist import ItemState, WorklistState
from tests.factories import make_published
from tests.support.lists import new_list, states

pytestmark = pytest.mark.django_db


def said(*arguments: str, to: StringIO | None = None) -> str:
    out = StringIO()
    call_command("worklist", *arguments, stdout=out, stderr=to or StringIO())
    return out.getvalue()


def made(**more: str) -> str:
    workflow = make_published().workflow.workflow_id
    asked = {"--workflow": workflow, "--columns": "Stay,Patient", "--key": "Stay", "--mode": "automatic", **more}
    return said("create", "Letters", *(part for pair in asked.items() for part in pair)).strip()


def file(folder: Path, text: str) -> str:
    (folder / "rows.csv").write_text(text, encoding="utf-8-sig")
    return str(folder / "rows.csv")


def test_a_list_goes_from_a_file_to_its_results(tmp_path: Path) -> None:
    one = made()
    rows = file(tmp_path, "Stay,Patient\nS-1,GIRAUD Hélène\nS-2,PETIT Louis\n")
    assert said("import", one, rows) == "2 added, 0 known, 0 refused\n"
    assert said("import", one, rows) == "0 added, 2 known, 0 refused\n"
    assert said("start", one).startswith(f"{one}  Letters  running  2 new")
    assert said("stop", one).startswith(f"{one}  Letters  paused")
    assert said("status") == said("status", one)
    told = [json.loads(line) for line in said("export", one).splitlines()]
    assert [(row["reference"], row["data"]["Patient"], row["state"]) for row in told] == [
        ("S-1", "GIRAUD Hélène", "new"),
        ("S-2", "PETIT Louis", "new"),
    ]
    assert set(Entry.objects.filter(kind="list").values_list("origin", flat=True)) == {"command"}


def test_a_column_may_be_given_to_a_variable_by_name() -> None:
    assert Worklist.objects.get(worklist_id=made(**{"--map": "patient=Stay"})).mapping == {"patient": "Stay"}


def test_bad_rows_are_named_and_none_comes_in_unless_the_good_ones_are_wanted(tmp_path: Path) -> None:
    one = made()
    rows = file(tmp_path, 'Stay,Patient\nS-1,Ada\nS-1,Bea\nS-3,"C\ty"\n')
    with pytest.raises(CommandError, match="2 rows are not as they must be"):
        said("import", one, rows, to=(told := StringIO()))
    assert [(line.split(",")[0], "S-1" in line) for line in told.getvalue().splitlines()] == [
        ("Row 3", True), ("Row 4", False)
    ]  # fmt: skip
    assert not Worklist.objects.get().items.exists()
    assert said("import", one, rows, "--take-good") == "1 added, 0 known, 2 refused\n"


def test_rows_come_in_from_a_pipe(monkeypatch: pytest.MonkeyPatch) -> None:
    one = made()
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"Stay,Patient\nS-1,Ada\n")))
    assert said("import", one, "-") == "1 added, 0 known, 0 refused\n"


def test_rows_are_done_again_skipped_and_put_first() -> None:
    worklist = new_list("Ada", "Bea", "Cy")
    one = worklist.worklist_id
    WorkItem.objects.filter(number=1).update(state=ItemState.SET_ASIDE, saved=True)
    with pytest.raises(CommandError, match="--not-saved"):
        said("again", one, "1")
    assert said("again", one, "1", "--not-saved", "looked") == "1 rows, 0 stand otherwise\n"
    assert said("skip", one, "2", "9", "--reason", "left") == "1 rows, 1 stand otherwise\n"
    said("first", one, "3")
    assert worklist.items.get(number=3).priority == 1
    said("cancel", one, "1", "3")
    assert states(worklist) == {"Ada": "cancelled", "Bea": "skipped", "Cy": "cancelled"}
    assert Worklist.objects.get().state == WorklistState.FINISHED


def test_what_cannot_be_is_said_in_words() -> None:
    with pytest.raises(CommandError, match="no list “nobody”"):
        said("status", "nobody")


def test_what_a_file_leaves_open_is_said_with_its_key_and_answered(tmp_path: Path) -> None:
    """S12.3"""
    one = made()
    (tmp_path / "rows.csv").write_bytes("Stay;Patient\nS-1;\x8ela\n".encode("latin-1"))
    with pytest.raises(CommandError, match="may be written in windows-1252"):
        said("import", one, str(tmp_path / "rows.csv"), to=(told := StringIO()))
    assert told.getvalue().startswith("encoding: ")
    said("import", one, str(tmp_path / "rows.csv"), "--encoding", "mac-roman", "--delimiter", ";", "--head", "1")
    assert WorkItem.objects.get().data["Patient"] == "éla"


def test_results_leave_as_a_file(tmp_path: Path) -> None:
    """S12.11"""
    one = new_list("=Ada").worklist_id
    assert "'=Ada" in said("export", one, "--format", "csv")
    with pytest.raises(CommandError, match="--output"):
        said("export", one, "--format", "xlsx")
    said("export", one, "--format", "xlsx", "--output", str(tmp_path / "results.xlsx"))
    sheet = load_workbook(tmp_path / "results.xlsx").active
    assert [cell.value for cell in sheet[2]][:2] == [1, "=Ada"]
