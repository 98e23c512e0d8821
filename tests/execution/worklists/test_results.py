"""Results as files: complete, in pieces, without a formula (S12.11)."""

from __future__ import annotations

import csv
import io
from datetime import UTC, datetime
from typing import Any

import pytest
from django.utils import translation
from hypothesis import given
from hypothesis import strategies as st
from openpyxl import load_workbook

from execution.worklists.intake.checking import check
from execution.worklists.intake.preview import Choices, preview, read
from execution.worklists.results import Layout, csv_pieces, workbook_pieces
from execution.worklists.tables import FORMULA, as_csv, as_workbook
from sentences.said import say
from tests.execution.worklists.intake.given import graph, text

LAYOUT = Layout(columns=("Patient", "State"), values=("Potassium",), zone="Europe/Paris", state=str.upper)
DONE: dict[str, Any] = {
    "number": 7,
    "reference": "0012345",
    "data": {"Patient": "0012345", "State": "in", "unasked": "x"},
    "values": {"Potassium": "4,1"},
    "state": "done",
    "reason": "",
    "attempts": 2,
    "started_at": datetime(2026, 6, 5, 0, 30, 1, 999, tzinfo=UTC),
    "ended_at": datetime(2026, 6, 5, 0, 31, tzinfo=UTC),
    "link": "https://example.org/runs/1/",
}
NEW = {"number": 8, "reference": "0000678", "data": {"Patient": "0000678"}, "state": "new", "attempts": 0}


def in_csv(layout: Layout, *results: dict[str, Any]) -> list[list[str]]:
    text = "".join(csv_pieces(layout, results))
    assert text.startswith("\ufeff")
    return list(csv.reader(io.StringIO(text[1:])))


def in_workbook(layout: Layout, *results: dict[str, Any]) -> list[list[Any]]:
    book = load_workbook(io.BytesIO(b"".join(workbook_pieces(layout, results, name="Letters: 5/6"))))
    assert book.sheetnames == ["Letters 56"]
    return [list(row) for row in book.active.iter_rows(values_only=True)]


def test_a_row_has_what_came_in_what_was_read_and_how_it_ended() -> None:
    assert in_csv(LAYOUT, DONE, NEW) == [
        ["Number", "Reference", "Patient", "State", "Potassium", "State 2", "Reason", "Attempts", "Started", "Ended",
         "Link"],
        ["7", "0012345", "0012345", "in", "4,1", "DONE", "", "2", "2026-06-05T02:30:01", "2026-06-05T02:31:00",
         "https://example.org/runs/1/"],
        ["8", "0000678", "0000678", "", "", "NEW", "", "0", "", "", ""],
    ]  # fmt: skip


def test_a_workbook_keeps_leading_zeros_numbers_and_dates() -> None:
    _head, done, new = in_workbook(LAYOUT, DONE, NEW)

    assert done == [
        7, "0012345", "0012345", "in", "4,1", "DONE", None, 2, datetime(2026, 6, 5, 2, 30, 1),
        datetime(2026, 6, 5, 2, 31), "https://example.org/runs/1/",
    ]  # fmt: skip
    assert new[:3] == [8, "0000678", "0000678"]


def test_a_repetition_has_a_row_for_each_line() -> None:
    lines = Layout(columns=(), values=("Potassium",), with_lines=True)
    rows = in_csv(lines, {**DONE, "line": 1}, {**DONE, "line": 2, "values": {"Potassium": "5"}}, NEW)

    assert rows[0][:4] == ["Number", "Reference", "Line", "Potassium"]
    assert [row[2:4] for row in rows[1:]] == [["1", "4,1"], ["2", "5"], ["", ""]]


def test_heads_and_reasons_are_in_the_readers_language() -> None:
    reason = say("clock.missed_window")
    with translation.override("fr"):
        rows = in_csv(Layout(columns=("Nom",)), {**DONE, "reason": reason})

    assert rows[0] == ["Numéro", "Référence", "Nom", "État", "Raison", "Essais", "Début", "Fin", "Lien"]
    assert rows[1][4] == "La plage horaire était terminée."


@pytest.mark.security
@pytest.mark.parametrize("begin", FORMULA)
def test_no_cell_is_a_formula(begin: str) -> None:
    evil = f"{begin}cmd|'/c calc'!A1"
    layout = Layout(columns=(evil,))

    for row in in_csv(layout, {**DONE, "data": {evil: evil}, "reference": evil}):
        assert not any(cell.startswith(FORMULA) for cell in row)
    book = load_workbook(io.BytesIO(b"".join(workbook_pieces(layout, [{**DONE, "data": {evil: evil}}]))))
    assert {cell.data_type for row in book.active.iter_rows() for cell in row} <= {"s", "n", "d"}


def test_files_leave_in_pieces() -> None:
    taken = []

    def rows() -> Any:
        for number in range(1000):
            taken.append(number)
            yield [number]

    pieces = as_csv(["n"], rows())
    next(pieces)
    assert len(taken) == 200
    assert len(list(as_workbook(["text"], ([f"{number:09d}" * 20] for number in range(20_000))))) > 1


@pytest.mark.parametrize("pieces", [csv_pieces, workbook_pieces])
def test_results_can_come_in_again(pieces: Any) -> None:
    """What goes out as 0012345 comes back as 0012345."""
    out = [
        piece.encode() if isinstance(piece, str) else piece for piece in pieces(Layout(columns=("Patient",)), [DONE])
    ]
    table = read(b"".join(out))
    variables = (text("patient"),)
    plan = preview(table, variables, Choices(keys=(1,))).plan

    assert [(row.reference, row.values) for row in check(table, plan, graph(*variables)).rows] == [
        ("0012345", {"patient": "0012345"})
    ]


TEXTS = st.text(st.characters(categories=["L", "N", "P", "S", "Zs"], include_characters="\n"), max_size=30)


@given(st.lists(st.lists(TEXTS, min_size=2, max_size=2), max_size=5))
def test_any_text_is_the_same_in_a_workbook(rows: list[list[str]]) -> None:
    book = load_workbook(io.BytesIO(b"".join(as_workbook(["a", "b"], rows))))

    assert [[cell or "" for cell in row] for row in book.active.iter_rows(min_row=2, max_col=2, values_only=True)][
        : len(rows)
    ] == rows[: book.active.max_row - 1]


@given(st.lists(st.lists(TEXTS, min_size=2, max_size=2), max_size=5))
def test_any_text_is_the_same_in_csv_but_for_an_apostrophe(rows: list[list[str]]) -> None:
    read_back = list(csv.reader(io.StringIO("".join(as_csv(["a", "b"], rows)), newline="")))[1:]

    assert [list(map(bare, row)) for row in read_back] == [list(map(bare, row)) for row in rows]


def bare(cell: str) -> str:
    """The cell without the apostrophe before a formula."""
    return cell.removeprefix("'") if cell[1:].startswith(FORMULA) else cell
