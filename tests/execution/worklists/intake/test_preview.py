"""What a person is shown and asked before anything comes in (S12.3)."""

from __future__ import annotations

import pytest
from django.utils import translation

from execution.worklists.intake.cells import Unreadable
from execution.worklists.intake.dates import Order
from execution.worklists.intake.preview import About, Choices, Preview, preview, read
from sentences.said import worded
from tests.execution.worklists.intake.given import FILES, text, workbook
from workflows.graph import VariableSpec
from workflows.secret import HIDDEN

NUMBER, BORN = text("number"), VariableSpec(name="born", kind="date")


def shown(data: bytes | str, *variables: VariableSpec, choices: Choices | None = None) -> Preview:
    table = read(data.encode() if isinstance(data, str) else data, choices)
    return preview(table, variables, choices)


def test_a_text_is_shown_as_it_was_understood() -> None:
    found = shown("Number;Ward;Born\n0012345;A;31/12/1998\n0000678;B;05/06/2026\n", NUMBER, BORN)

    assert (found.source.encoding, found.source.delimiter) == ("utf-8", ";")
    assert (found.plan.head, found.count) == (1, 2)
    assert [column.head for column in found.plan.columns] == ["Number", "Ward", "Born"]
    assert found.plan.mapping == {0: "number", 2: "born"}
    assert [list(row.cells) for row in found.rows] == [["0012345", "A", "31/12/1998"], ["0000678", "B", "05/06/2026"]]
    assert found.notes == ("In “Born” row 3 says 05/06/2026: that is 5 June 2026.",)
    assert not found.questions


def test_the_day_is_worded_for_its_reader() -> None:
    found = shown("Number;Born\n1;31/12/1998\n2;05/06/2026\n", NUMBER, BORN)

    with translation.override("fr"):
        assert "5 juin 2026" in worded(found.notes[0])


def test_an_open_order_is_asked_in_words_of_one_row_and_an_answer_ends_it() -> None:
    data = "Number;Born\n1;05/05/2026\n2;05/06/2026\n"
    (question,) = shown(data, NUMBER, BORN).questions

    assert (question.about, question.column) == (About.DATE_ORDER, 1)
    assert "Row 3 says 05/06/2026: is it 5 June 2026 or 6 May 2026?" in question.said
    answered = shown(data, NUMBER, BORN, choices=Choices(orders={1: Order.MONTH_FIRST}))
    assert not answered.questions
    assert answered.notes == ("In “Born” row 3 says 05/06/2026: that is 6 May 2026.",)


def test_dates_that_contradict_each_other_are_shown() -> None:
    (question,) = shown("Number;Born\n1;31/12/1998\n2;12/31/1998\n", NUMBER, BORN).questions

    assert "row 2 says 31/12/1998, row 3 says 12/31/1998" in question.said


def test_hidden_rows_are_asked_about_and_hidden_columns_told() -> None:
    data = (FILES / "libreoffice-cells.xlsx").read_bytes()
    found = shown(data, text("numéro"))

    assert [question.about for question in found.questions] == [About.HIDDEN_ROWS]
    assert "hidden, row 7" in found.questions[0].said
    assert found.notes == ("These columns are hidden in the sheet: J.",)
    assert (found.plan.head, found.count) == (3, 4)
    with_them = shown(data, text("numéro"), choices=Choices(with_hidden=True))
    assert (with_them.count, with_them.questions) == (5, ())


def test_a_format_that_cannot_be_followed_is_asked_about_where_it_matters() -> None:
    data = workbook([["Number", "Part", "Born"], [1, 0.5, 46178]], formats=["0", "# ?/?", "mm-dd-yy"])

    (question,) = shown(data, NUMBER, BORN, text("part")).questions
    assert question.key == "format:1"
    assert "# ?/? cannot be followed. Row 2 comes in as “0.5”" in question.said
    assert not shown(data, NUMBER, BORN, text("part"), choices=Choices(confirmed=frozenset({"format:1"}))).questions
    assert not shown(data, NUMBER, BORN).questions
    assert [question.key for question in shown(data, NUMBER, text("born")).questions] == ["format:2"]


def test_cells_without_a_head_are_asked_about() -> None:
    """A comma that divides what is one name would lose half of it without a word."""
    (question,) = shown("Name\nDurand, Paul\nMartin, Anne\n", text("name")).questions

    assert question.key == "without_head:1"
    assert not shown("Name\nDurand, Paul\n", text("name"), choices=Choices(delimiter="none")).questions


def test_an_encoding_that_is_not_sure_is_asked_about() -> None:
    data = b"Name;Ward\n\x8ela;A\n"

    assert [question.about for question in shown(data).questions] == [About.ENCODING]
    chosen = shown(data, choices=Choices(encoding="mac-roman"))
    assert (chosen.questions, chosen.rows[0].cells[0]) == ((), "éla")


def test_each_choice_counts_instead_of_what_was_found() -> None:
    found = shown("a|b;c\n1|2;3\n", NUMBER, choices=Choices(delimiter="|", head=0, mapping={1: "number"}, keys=(0,)))

    assert [list(row.cells) for row in found.rows] == [["a", "b;c"], ["1", "2;3"]]
    assert (found.plan.mapping, found.plan.keys) == ({1: "number"}, (0,))


@pytest.mark.security
def test_a_column_that_looks_like_a_secret_is_not_shown() -> None:
    """S12.4"""
    found = shown("Number;Mot de passe\n1;Zx81-Quokka\n2;\n", NUMBER, text("mot_de_passe"))

    assert [list(row.cells) for row in found.rows] == [["1", HIDDEN], ["2", ""]]
    assert found.plan.mapping == {0: "number"}
    assert found.notes == ("These columns look like secrets. They are not shown and never kept: “Mot de passe”.",)
    assert "Quokka" not in repr(found)


@pytest.mark.parametrize("data", [b"", b"\r\n \t", b"\xef\xbb\xbf", b"\xff\xfe\r\x00\n\x00"])
def test_an_empty_file_is_refused(data: bytes) -> None:
    with pytest.raises(Unreadable, match="empty"):
        read(data)
