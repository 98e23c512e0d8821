"""Heads: found, missing, there twice, empty (S12.3)."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from execution.worklists.intake.cells import Row, Source, Table, letter
from execution.worklists.intake.heads import NONE, below, columns, head_row


def table(*rows: Sequence[str], hidden: frozenset[int] = frozenset()) -> Table:
    return Table(
        source=Source(kind="text"),
        rows=[Row(number, cells) for number, cells in enumerate(rows, 1)],
        hidden_rows=hidden,
    )


@pytest.mark.parametrize(
    ("rows", "head"),
    [
        ([["Number", "Name"], ["0012345", "Durand"]], 1),
        ([["List of 5 June"], [], ["Number", "Name"], ["0012345", "Durand"], ["0000678", "Martin"]], 3),
        ([["0012345", "Durand"], ["0000678", "Martin"]], NONE),
        ([["Durand", "05/06/2026"], ["Martin", "01/02/1950"]], NONE),
        ([["0012345"], ["0000678"]], NONE),
        ([["Name"], ["Durand"]], 1),
        ([["Number", "", "Name"], ["1", "2", "Durand"]], 1),
        ([["Name"]], 1),
    ],
)
def test_the_head_is_found(rows: list[list[str]], head: int) -> None:
    assert head_row(table(*rows)) == head


def test_columns_have_their_heads_and_those_without_one_their_cells() -> None:
    found = columns(table(["Name", "", "Ward", "name", ""], ["Durand", "", "A", "x", "note"]), 1)

    assert [(one.letter, one.head, one.is_repeated) for one in found] == [
        ("A", "Name", True),
        ("C", "Ward", False),
        ("D", "name", True),
        ("E", "", False),
    ]


def test_rows_below_the_head_are_neither_blank_nor_hidden() -> None:
    given = table(["Name"], ["Durand"], [""], ["Martin"], hidden=frozenset({4}))

    assert [row.number for row in below(given, 1, hidden=False)] == [2]
    assert [row.number for row in below(given, 1, hidden=True)] == [2, 4]


@pytest.mark.parametrize(("index", "name"), [(0, "A"), (25, "Z"), (26, "AA"), (701, "ZZ"), (702, "AAA")])
def test_columns_are_named_as_in_a_spreadsheet(index: int, name: str) -> None:
    assert letter(index) == name
