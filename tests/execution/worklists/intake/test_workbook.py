"""Workbooks: formats, formulas, merged and hidden cells, files that are none (S12.3)."""

from __future__ import annotations

import io
import zipfile
from datetime import date, datetime

import pytest
import xlsxwriter
from openpyxl import Workbook

from execution.worklists.intake.cells import Cell, Table, Unreadable
from execution.worklists.intake.habits import ENGLISH, FRENCH
from execution.worklists.intake.workbook import table_of
from tests.execution.worklists.intake.given import FILES, saved, workbook

LIBREOFFICE = FILES / "libreoffice-cells.xlsx"


def cells(table: Table, number: int) -> list[str]:
    return next([str(cell) for cell in row.cells] for row in table.rows if row.number == number)


def cell(table: Table, number: int, index: int) -> Cell:
    found = next(row.cells[index] for row in table.rows if row.number == number)
    assert isinstance(found, Cell)
    return found


def test_a_sheet_of_libreoffice_is_what_its_cells_show() -> None:
    table = table_of(LIBREOFFICE.read_bytes(), FRENCH)

    assert (table.source.sheet, table.source.sheets) == ("Patients", ("Patients", "Second"))
    assert cells(table, 1) == ["Liste du 5 juin"]
    assert cells(table, 3) == [
        "Numéro", "Nom", "Né le", "Service", "Poids", "Montant", "Part", "Arrivée", "Total", "Note",
    ]  # fmt: skip
    assert cells(table, 4) == [
        "0012345", "Lefèvre", "05/06/1950", "Urgences", "71,5", "1 234,50 €", "13%", "05/06/2026 02:30", "143",
        "première\nligne",
    ]  # fmt: skip
    assert cells(table, 6)[-2:] == ["Œuvrard", "VRAI"]
    assert cell(table, 4, 2).moment == datetime(1950, 6, 5)
    assert cell(table, 4, 5).plain == "1234,50"


def test_a_formula_is_its_value_and_an_error_is_named() -> None:
    table = table_of(LIBREOFFICE.read_bytes(), ENGLISH)

    assert cells(table, 8)[8] == "142.85"
    assert cell(table, 7, 8).problem == "The cell holds the error #DIV/0!."


def test_merged_and_hidden_cells_are_known() -> None:
    table = table_of(LIBREOFFICE.read_bytes(), ENGLISH)

    assert table.merged[5, 3] == table.merged[6, 3] == "D4"
    assert table.merged[1, 9] == "A1"
    assert (table.hidden_rows, table.hidden_columns) == ({7}, {9})


def test_another_sheet_is_taken_when_named() -> None:
    assert cells(table_of(LIBREOFFICE.read_bytes(), ENGLISH, "Second"), 2) == ["1", "2"]
    assert cells(table_of(LIBREOFFICE.read_bytes(), ENGLISH, "Hidden"), 1) == ["x"]
    with pytest.raises(Unreadable, match="no sheet “Third”"):
        table_of(LIBREOFFICE.read_bytes(), ENGLISH, "Third")


def test_a_formula_that_nobody_computed_has_no_value() -> None:
    """XlsxWriter writes 0 for it, openpyxl nothing; both say that the book is to be computed when it is opened."""
    out = io.BytesIO()
    with xlsxwriter.Workbook(out) as book:
        sheet = book.add_worksheet()
        sheet.write_row(0, 0, ["Total"])
        sheet.write_formula(1, 0, "=1+1")

    for data in (out.getvalue(), workbook([["Total"], ["=1+1"]])):
        found = cell(table_of(data, ENGLISH), 2, 0)
        assert (found, "no value yet" in found.problem) == ("", True)


def test_blank_rows_keep_the_numbers_of_the_others_and_cost_nothing() -> None:
    book = Workbook()
    book.active["A1"], book.active["A1000000"] = "Name", "Durand"
    table = table_of(saved(book), ENGLISH)

    assert [row.number for row in table.rows] == [1, 1_000_000]


def test_texts_lose_what_nobody_sees_around_them() -> None:
    table = table_of(workbook([["Name"], ["\u00a0Durand \n"], ["a\r\nb"]]), ENGLISH)

    assert [cells(table, number) for number in (2, 3)] == [["Durand"], ["a\nb"]]


def test_a_number_that_is_a_text_keeps_its_zeros() -> None:
    assert cells(table_of(workbook([["Number"], ["0012345"], [12345]], formats=["0000000"]), ENGLISH), 2) == ["0012345"]
    assert cells(table_of(workbook([["Number"], [12345]], formats=["0000000"]), ENGLISH), 2) == ["0012345"]


def test_currencies_of_the_machine_are_said() -> None:
    book = Workbook()
    book.active["A1"], book.active["A2"] = "Amount", 12
    book.active["A2"].number_format = '"$"#,##0_);("$"#,##0)'  # built-in 5: the sign is the machine's own
    found = cell(table_of(saved(book), ENGLISH), 2, 0)

    assert found.unfollowed
    assert found.plain == "12"


def test_a_book_of_a_mac_counts_from_1904() -> None:
    out = io.BytesIO()
    with xlsxwriter.Workbook(out, {"date_1904": True}) as book:
        sheet = book.add_worksheet()
        sheet.write_datetime(0, 0, datetime(2026, 6, 5), book.add_format({"num_format": "dd/mm/yyyy"}))

    assert cells(table_of(out.getvalue(), ENGLISH), 1) == ["05/06/2026"]


@pytest.mark.parametrize(
    ("data", "said"),
    [
        ((FILES / "libreoffice.xls").read_bytes(), "old Excel workbook"),
        ((FILES / "libreoffice.ods").read_bytes(), "document of another program"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + "EncryptedPackage".encode("utf-16-le"), "password"),
        (LIBREOFFICE.read_bytes()[:3000], "damaged or not complete"),
        (b"PK\x03\x04", "damaged or not complete"),
    ],
)
def test_a_file_that_is_no_workbook_is_refused(data: bytes, said: str) -> None:
    with pytest.raises(Unreadable, match=said):
        table_of(data, ENGLISH)


@pytest.mark.parametrize(
    ("name", "said"),
    [("a.txt", "no Excel workbook"), ("xl/workbook.bin", "binary"), ("[Content_Types].xml", "damaged")],
)
def test_a_zip_file_that_is_no_workbook_is_refused(name: str, said: str) -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as packed:
        packed.writestr(name, "x")
    with pytest.raises(Unreadable, match=said):
        table_of(out.getvalue(), ENGLISH)


def test_a_workbook_that_unpacks_to_too_much_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("execution.worklists.intake.workbook.MOST_UNPACKED", 1000)
    with pytest.raises(Unreadable, match="larger than"):
        table_of(workbook([["a"]]), ENGLISH)


def test_an_empty_sheet_and_one_without_end_are_refused() -> None:
    with pytest.raises(Unreadable, match="is empty"):
        table_of(workbook([[None]]), ENGLISH)
    with pytest.raises(Unreadable, match="more than 500 columns"):
        table_of(workbook([["x"] * 501]), ENGLISH)


def test_dates_without_a_format_that_says_so_are_numbers() -> None:
    table = table_of(workbook([["Born"], [date(2026, 6, 5)]], formats=["0"]), ENGLISH)

    assert cells(table, 2) == ["46178"]
