"""CSV, TSV and pasted text (S12.3)."""

from __future__ import annotations

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from execution.worklists.intake.cells import Unreadable
from execution.worklists.intake.delimited import ALONE, table_of
from execution.worklists.intake.encodings import Text
from execution.worklists.intake.preview import read
from tests.execution.worklists.intake.given import FILES


def rows_of(text: str, delimiter: str = "") -> list[list[str]]:
    return [list(row.cells) for row in table_of(Text(text, "utf-8", True), delimiter).rows]


@pytest.mark.parametrize(
    ("text", "delimiter"),
    [
        ("Name;Weight\nDurand;12,5\nMartin;70,1\n", ";"),
        ("Name,Weight\nDurand,12.5\n", ","),
        ("Name\tWeight\nDurand, Paul\t12,5\nMartin; Anne\t70,1\n", "\t"),
        ("Name|Weight\nDurand|12,5\n", "|"),
        ("Number\n0012345\n0000678\n", ALONE),
        ("12,5;13,5\n14,5;15,5\n", ";"),
    ],
)
def test_the_delimiter_is_found(text: str, delimiter: str) -> None:
    assert table_of(Text(text, "utf-8", True)).source.delimiter == delimiter


def test_a_chosen_delimiter_is_taken() -> None:
    assert rows_of("a;b,c\n", ",") == [["a;b", "c"]]
    assert rows_of("a;b\n", ALONE) == [["a;b"]]


def test_the_line_in_which_excel_names_the_delimiter_is_obeyed_and_left_out() -> None:
    assert rows_of("sep=|\na;b|c\n") == [["a;b", "c"]]


def test_line_breaks_delimiters_and_marks_in_quotes_are_part_of_the_cell() -> None:
    assert rows_of('Name;Note\r\nDurand;"two\r\nlines; and ""marks"""\r\n') == [
        ["Name", "Note"],
        ["Durand", 'two\nlines; and "marks"'],
    ]


def test_marks_that_are_letters_are_letters() -> None:
    """What is copied from a spreadsheet is quoted only where a cell has a line break."""
    assert rows_of('Size\tName\n"5 inch" tube\tA\n7"\tB\n') == [["Size", "Name"], ['"5 inch" tube', "A"], ['7"', "B"]]


def test_a_mark_that_never_closes_is_named_with_its_row() -> None:
    with pytest.raises(Unreadable, match="row 3"):
        rows_of('Name;Note\nDurand;x\nMartin;"open\nLefèvre;y\nNoël;z;z\n')


def test_blank_rows_at_the_end_are_left_out_and_rows_keep_their_numbers() -> None:
    table = table_of(Text("Name;Ward\n\nDurand;A\n;;\n;\n\n", "utf-8", True))

    assert [row.number for row in table.rows if not row.is_blank] == [1, 3]
    assert len(table.rows) == 3


@pytest.mark.parametrize("text", ["\n\n", ";;\n;;\n", " \t \n"])
def test_a_text_without_a_cell_is_refused(text: str) -> None:
    with pytest.raises(Unreadable, match="empty"):
        rows_of(text)


@pytest.mark.parametrize(
    ("name", "encoding", "delimiter"),
    [
        ("libreoffice-semicolon-windows.csv", "windows-1252", ";"),
        ("libreoffice-comma-utf8.csv", "utf-8", ","),
        ("libreoffice-tab-utf16.csv", "utf-16", "\t"),
    ],
)
def test_a_file_of_libreoffice_is_read(name: str, encoding: str, delimiter: str) -> None:
    table = read((FILES / name).read_bytes())

    assert (table.source.encoding, table.source.delimiter) == (encoding, delimiter)
    assert [list(row.cells) for row in table.rows] == [
        ["Numéro", "Nom", "Né le", "Remarque"],
        ["0012345", "Lefèvre; Zoë", "31/12/1998", "dit «5 \" » et plus"],
        ["0000678", "Garçon", "01/02/1950", "deux\nlignes"],
        ["", "", "", ""],
        ["0000009", "Noël", "28/02/2026", ""],
    ]  # fmt: skip


CELL = st.text(st.characters(categories=["L", "N", "P", "S"], include_characters=' ;,"\n'), max_size=8)


@given(
    st.lists(st.lists(CELL.map(lambda cell: "x" + cell + "x"), min_size=3, max_size=3), min_size=2, max_size=6),
    st.sampled_from([";", ",", "\t", "|"]),
)
def test_what_was_written_is_read(rows: list[list[str]], delimiter: str) -> None:
    out = io.StringIO()
    csv.writer(out, delimiter=delimiter, quoting=csv.QUOTE_ALL).writerows(rows)

    assert rows_of(out.getvalue(), delimiter) == rows
