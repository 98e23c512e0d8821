"""Every bad cell is named, and nothing else is (S12.3, S12.4)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from execution.worklists.intake.cells import Row, Source, Table
from execution.worklists.intake.checking import Checked, check
from execution.worklists.intake.dates import Order
from execution.worklists.intake.preview import Choices, preview, read
from sentences.said import Said
from tests.execution.worklists.intake.given import FILES, graph, text, workbook
from workflows.graph import GraphSpec, VariableSpec

NUMBER, NAME = VariableSpec(name="number"), VariableSpec(name="name", required=False)
BORN = VariableSpec(name="born", kind="date", required=False)
WEIGHT = VariableSpec(name="weight", kind="number", required=False)


def checked(
    data: bytes | str, variables: Sequence[VariableSpec], choices: Choices | None = None, **more: Any
) -> Checked:
    table = read(data.encode() if isinstance(data, str) else data, choices)
    return check(table, preview(table, variables, choices).plan, graph(*variables), **more)


def reasons(found: Checked) -> list[tuple[int, str, str, str]]:
    return [(cell.row, cell.column, cell.value, cell.reason) for cell in found.bad]


def test_good_rows_have_the_values_that_a_run_is_started_with() -> None:
    found = checked(
        "Number;Name;Born;Weight;Ward\n0012345;Durand;31/12/1998;1 234,5;A\n0000678;;;;B\n",
        (NUMBER, NAME, BORN, WEIGHT),
        Choices(keys=(0,)),
    )

    assert not found.bad
    assert [(row.number, row.reference, row.values) for row in found.rows] == [
        (2, "0012345", {"number": "0012345", "name": "Durand", "born": "1998-12-31", "weight": "1234,5"}),
        (3, "0000678", {"number": "0000678", "name": "", "born": "", "weight": ""}),
    ]


def test_a_row_can_be_told_by_the_names_of_its_columns() -> None:
    data = "Name;Name;Born\nDurand;x;31/12/1998\n"
    choices = Choices(mapping={0: "number", 2: "born"})
    table = read(data.encode())
    plan = preview(table, (NUMBER, BORN), choices).plan
    (row,) = check(table, plan, graph(NUMBER, BORN)).rows

    assert plan.column_of == {"number": "Name (A)", "born": "Born"}
    assert plan.data_of(row) == {"Name (A)": "Durand", "Born": "1998-12-31"}


def test_every_bad_cell_is_named_with_its_row_column_value_and_reason() -> None:
    variables = (
        NUMBER,
        BORN,
        WEIGHT,
        text("mail", kind="email", required=False),
        text("ward", choices=("A", "B"), required=False),
        text("note", required=False),
    )
    found = checked(
        "Number;Born;Weight;Mail;Ward;Note\n"
        "1;31/12/1998;12;a@example.org;A;x\n"
        ';31/02/1998;heavy;nobody;C;"two\nlines"\n'
        "3;;;;;with\u00adhyphen\n",
        variables,
    )

    assert [row.number for row in found.rows] == [2]
    assert found.bad_rows == {3, 4}
    assert reasons(found) == [
        (3, "A", "", "The cell is empty, and every row needs this value."),
        (3, "B", "31/02/1998", "There is no such day: 31/02/1998."),
        (3, "C", "heavy", "“heavy” is no number."),
        (3, "D", "nobody", "“nobody” is no e-mail address."),
        (3, "E", "C", "“C” is not allowed here. Allowed: “A”, “B”."),
        (
            3,
            "F",
            "two\nlines",
            "A line break may confirm what is not finished. Take it out, or make this a text of several lines.",
        ),
        (4, "F", "with\u00adhyphen", "The text holds U+00AD, a character that nobody sees. Write it anew."),
    ]
    assert all(isinstance(cell.reason, Said) for cell in found.bad)
    assert found.bad[0].head == "Number"


def test_a_text_of_several_lines_may_have_them() -> None:
    found = checked('Number;Note\n1;"two\nlines"\n', (NUMBER, text("note", kind="lines")))

    assert found.rows[0].values["note"] == "two\nlines"


def test_a_default_stands_in_for_an_empty_cell() -> None:
    assert not checked("Number;Ward\n1;\n", (NUMBER, text("ward", default="A"))).bad


def test_a_reference_twice_in_the_file_or_in_the_list_is_refused() -> None:
    found = checked("Number\n1\n2\n1\n3\n1\n", (NUMBER,), Choices(keys=(0,)), in_list={"3"})

    assert [row.reference for row in found.rows] == ["1", "2"]
    assert [(row, said) for row, _column, _value, said in reasons(found)] == [
        (4, "Row 2 has the reference “1” too."),
        (5, "The list has a row with the reference “3” already."),
        (6, "Row 2 has the reference “1” too."),
    ]


def test_a_row_that_is_bad_elsewhere_has_its_reference_all_the_same() -> None:
    found = checked("Number;Weight\n1;heavy\n1;2\n", (NUMBER, WEIGHT), Choices(keys=(0,)))

    assert [(row, column) for row, column, _value, _said in reasons(found)] == [(2, "B"), (3, "A")]


def test_a_reference_of_several_columns_is_all_of_them() -> None:
    found = checked("Number;Ward\n1;A\n1;B\n1;\n1;A\n", (NUMBER,), Choices(keys=(0, 1)))

    assert [row.reference for row in found.rows] == ["1 · A", "1 · B"]
    assert [(row, column) for row, column, _value, _said in reasons(found)] == [(4, "B"), (5, "A")]


def test_a_reference_has_a_longest_length() -> None:
    assert "longer than 200" in checked(f"Number\n{'1' * 201}\n", (NUMBER,), Choices(keys=(0,))).bad[0].reason


@pytest.mark.parametrize(
    ("variables", "mapping", "said"),
    [
        ((NUMBER, text("pin")), {0: "number", 1: "pin"}, "“pin” is a secret"),
        ((NUMBER, text("code", kind="secret", label="Code")), {0: "number", 1: "code"}, "“Code” is a secret"),
        ((NUMBER, text("ward")), {0: "number", 1: "ward"}, "“Pin” is a secret"),
        ((NUMBER,), {0: "number", 1: "number"}, "Two columns are chosen"),
        ((NUMBER,), {0: "number", 1: "gone"}, "no variable “gone”"),
        ((NUMBER,), {0: "number", 7: "number"}, "no column 8"),
        ((NUMBER, text("ward", label="Ward")), {0: "number"}, "No column is chosen for “Ward”"),
    ],
)
def test_a_mapping_that_cannot_be_is_refused(variables, mapping, said) -> None:
    found = checked("Number;Pin\n1;2\n", variables, Choices(mapping=mapping))

    assert not found.rows
    assert any(said in one for one in found.refused)


def test_a_secret_needs_no_column() -> None:
    assert checked("Number\n1\n", (NUMBER, text("code", kind="secret"))).rows


def test_cells_of_a_workbook_are_what_they_show() -> None:
    """A patient number stored as 12345 and shown as 0012345 comes in as 0012345."""
    data = (FILES / "libreoffice-cells.xlsx").read_bytes()
    variables = (
        text("numéro"), text("né_le", kind="date"), text("poids", kind="number"), text("montant", kind="number"),
        text("service"), text("total", required=False), text("arrivée", kind="date"),
    )  # fmt: skip
    found = checked(data, variables, Choices(with_hidden=True))

    assert [(row.number, row.values["numéro"], row.values["né_le"], row.values["montant"]) for row in found.rows] == []
    assert {(cell.row, cell.column): cell.reason for cell in found.bad if cell.row < 8} == {
        (4, "H"): "“05/06/2026 02:30” holds a time besides the date.",
        (5, "D"): "The cell is joined with D4. Divide them and write the value into each row.",
        (5, "H"): "“05/06/2026 14:05” holds a time besides the date.",
        (6, "D"): "The cell is joined with D4. Divide them and write the value into each row.",
        (7, "I"): "The cell holds the error #DIV/0!.",
    }
    fewer = checked(data, variables[:4], Choices(with_hidden=False))
    assert [row.values for row in fewer.rows][:2] == [
        {"numéro": "0012345", "né_le": "1950-06-05", "poids": "71.5", "montant": "1234.50"},
        {"numéro": "0000678", "né_le": "1998-12-31", "poids": "68.0", "montant": "-1234567.89"},
    ]
    assert [row.number for row in fewer.rows] == [4, 5, 6, 8]


def test_a_date_that_shows_no_time_is_a_day() -> None:
    found = checked(workbook([["Number", "Born"], ["1", 46178.5]], formats=["@", "dd/mm/yyyy"]), (NUMBER, BORN))

    assert found.rows[0].values["born"] == "2026-06-05"


@pytest.mark.parametrize(
    ("cell", "value"),
    [("1 234,50", "1234,50"), ("1.234,50", "1234,50"), ("1,234.50", "1234.50"), ("1,5", "1,5"), ("12", "12")],
)
def test_a_number_loses_only_what_orders_its_digits(cell: str, value: str) -> None:
    assert checked(f"Number\tWeight\n1\t{cell}\n", (NUMBER, WEIGHT)).rows[0].values["weight"] == value


@pytest.mark.parametrize("cell", ["1,234,567", "1 23", "12 %", "1 234 €"])
def test_a_number_that_is_none_or_two_is_bad(cell: str) -> None:
    assert "is no number" in checked(f"Number\tWeight\n1\t{cell}\n", (NUMBER, WEIGHT)).bad[0].reason


def test_the_order_that_a_person_chose_counts() -> None:
    data = "Number;Born\n1;05/06/2026\n"

    for order, day in ((Order.DAY_FIRST, "2026-06-05"), (Order.MONTH_FIRST, "2026-05-06")):
        assert checked(data, (NUMBER, BORN), Choices(orders={1: order})).rows[0].values["born"] == day


def test_a_day_whose_order_is_open_is_never_guessed() -> None:
    """Also where nobody asked the questions of the preview."""
    found = checked("Number;Born\n1;05/06/2026\n2;05/05/2026\n", (NUMBER, BORN))

    assert [row.number for row in found.rows] == [3]
    assert "which number is the day" in found.bad[0].reason


def test_progress_is_told_and_may_end_the_work() -> None:
    told: list[int] = []
    data = "Number\n" + "".join(f"{number}\n" for number in range(2500))

    assert len(checked(data, (NUMBER,), on_progress=told.append).rows) == 2500
    assert told == [0, 1000, 2000, 2500]

    def stop(count: int) -> None:
        raise InterruptedError

    with pytest.raises(InterruptedError):
        checked(data, (NUMBER,), on_progress=stop)


CELLS = st.sampled_from(["", "1", "2", "x", "31/12/1998", "05/06/2026", "a\tb"])


@given(st.lists(st.lists(CELLS, min_size=3, max_size=3)))
def test_each_row_is_good_or_has_a_bad_cell(rows: list[list[str]]) -> None:
    table = Table(source=Source(kind="text"), rows=[Row(number, row) for number, row in enumerate(rows, 1)])
    variables = (NUMBER, BORN, WEIGHT)
    choices = Choices(head=0, mapping={0: "number", 1: "born", 2: "weight"}, keys=(0,))
    plan = preview(table, variables, choices).plan
    found = check(table, plan, GraphSpec(workflow_id="w", name="W", learning_state="", variables=variables))

    if not found.refused:
        assert sorted({row.number for row in found.rows} | found.bad_rows) == [
            number for number, row in enumerate(rows, 1) if any(row)
        ]
        assert not {row.number for row in found.rows} & found.bad_rows
        references = [row.reference for row in found.rows]
        assert len(set(references)) == len(references)
