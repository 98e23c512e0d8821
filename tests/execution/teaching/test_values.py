"""What of a screen's texts is a run's data (S6.1)."""

from __future__ import annotations

import pytest

from execution.targeting.records import may_name_somebody
from execution.teaching.values import by_variable, is_data, looks_like_data, stands_among_names
from tests.execution.perception.drawing import Canvas

VALUES = {"patient": "Paul Durand", "ward": "Ward 3", "bed": "4", "name": "Durand"}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Paul Durand", "{{patient}}"),
        ("PAUL  DURAND", "{{patient}}"),
        ("Dr. Paul Durand (absent)", "Dr. {{patient}} (absent)"),
        ("Paul Durand, Ward 3", "{{patient}}, {{ward}}"),
        ("Mme Durand", "Mme {{name}}"),
        ("4", "{{bed}}"),
        ("Room 4", "Room {{bed}}"),
        ("Step 4 of 7", "Step {{bed}} of 7"),
        ("Paul Durandal", ""),
        ("4b", "{{bed}}"),  # a frame read as a letter
        ("43", ""),
        ("4 or 3", "{{bed}} or 3"),
        ("Save", ""),
        ("Paul Durand 1961-03-02", "{{patient}}"),
        ("Paul Durand, bed 7", "{{patient}}"),
        ("", ""),
    ],
)
def test_the_text_of_a_target_that_holds_a_value_is_that_variable(text: str, said: str) -> None:
    assert by_variable(text, VALUES) == said


def test_a_variable_that_holds_nothing_stands_nowhere() -> None:
    assert by_variable("Paul Durand", {"patient": " "}) == ""


def test_no_variable_is_in_a_text_without_values() -> None:
    assert by_variable("Paul Durand", {}) == by_variable("Paul Durand", {"patient": ""}) == ""


@pytest.mark.parametrize(
    ("text", "role", "is_data"),
    [
        ("DURAND Paul", "", True),
        ("Durand, Paul", "link", True),
        ("K-48213", "", True),
        ("12/03/1961", "", True),
        ("1250,00 €", "", True),
        ("DURAND Paul", "button", False),
        ("DURAND Paul", "menu_item", True),
        ("100 %", "menu_item", False),
        ("14", "button", False),
        ("Save", "", False),
        ("Departments", "link", False),
        ("Ward 3", "", False),
    ],
)
def test_what_looks_like_data_of_one_run(text: str, role: str, *, is_data: bool) -> None:
    assert looks_like_data(text, role) is is_data


@pytest.mark.parametrize(
    ("column", "is_list"),
    [
        (("Bernard Petit", "Marie Lefevre", "Sophie Blanc"), True),
        (("Zoom In", "Zoom Out", "Copy"), False),
        (("Word Wrap", "Line Numbers", "Font…"), False),
        (("Marie Lefevre", "Ward 3", "since Monday"), False),
    ],
)
def test_a_row_among_names_may_be_another_one_in_the_next_run(column: tuple[str, ...], *, is_list: bool) -> None:
    canvas = Canvas(600, 300)
    for number, text in enumerate(column):
        canvas.text(text, 40, 40 + 22 * number)
    state = canvas.state()
    assert stands_among_names(state.texts[0], state) is is_list


@pytest.mark.parametrize(
    ("heads", "column", "is_list"),
    [
        (("Name", "Date"), ("Bernard Petit", "Marie Lefevre", "Sophie Blanc"), True),
        (("Name",), ("Word Wrap", "Line Numbers", "Full Screen"), False),
        (("Name", "Date"), ("Word Wrap", "Line Numbers", "Copy"), False),
    ],
)
def test_the_head_of_its_column_makes_no_menu_of_a_list(
    heads: tuple[str, ...], column: tuple[str, ...], *, is_list: bool
) -> None:
    """“Name” is a word of programs, and so are the entries of a menu."""
    canvas = Canvas(600, 300)
    for number, text in enumerate(column):
        canvas.text(text, 40, 62 + 22 * number)
    for number, text in enumerate(heads):
        canvas.text(text, 40 + 200 * number, 40)
    state = canvas.state()
    assert stands_among_names(state.texts[0], state) is is_list


@pytest.mark.parametrize(("text", "may"), [("Marie Lefevre", True), ("Save As", False), ("marie", False), ("X", False)])
def test_words_with_capitals_that_no_program_has_may_name_somebody(text: str, *, may: bool) -> None:
    assert may_name_somebody(text) is may


@pytest.mark.parametrize(
    ("captions", "is_list"),
    [
        (("Paul Durand", "Marie Lefevre", "Sophie Blanc"), True),
        (("Paul Durand", "Marie|Lefevre", "Sophie|Blanc"), True),  # wrapped, as captions of pictures are
        (("Blood Pressure", "File", "Edit"), False),
        (("Paul Durand", "Results", "Letters"), False),
    ],
)
def test_a_caption_among_names_in_a_row_may_be_another_one_in_the_next_run(
    captions: tuple[str, ...], *, is_list: bool
) -> None:
    """S6.1: patients' folders in a file manager."""
    canvas = Canvas(900, 400)
    for number, caption in enumerate(captions):
        for below, part in enumerate(caption.split("|")):
            canvas.text(part, 60 + 160 * number - 6 * below, 100 + 17 * below)
    state = canvas.state()
    assert stands_among_names(state.texts[0], state) is is_list


@pytest.mark.parametrize(
    ("beside", "role", "in_table"),
    [
        (("2026-12-01", "2026-12-03"), "text", True),
        (("2026-12-01", "Room 3"), "text", False),  # of a form: a date, and something else below it
        (("Room 1", "Room 3"), "text", False),
        (("2026-12-01", "2026-12-03"), "button", False),
        (("30 Nov 2026 1...", "28 Nov 2026 0..."), "text", True),  # too narrow a column
        (("1 Nov...", "2 Nov..."), "text", False),  # what a day is of nobody sees
        (("https://lab.exa...", "https://csd.example"), "text", True),
    ],
)
@pytest.mark.parametrize("column", [20, 480], ids=["before it", "behind it"])
def test_what_stands_beside_a_date_in_a_table_may_be_another_one_in_the_next_run(
    beside: tuple[str, str], role: str, *, in_table: bool, column: int
) -> None:
    """A list of devices, of which no name is anybody's: a run has other lines."""
    canvas = Canvas(600, 300)
    canvas.text("Due", 320, 20)
    for row, (name, told) in enumerate(zip(("Syringe pump", "Bed scale"), beside, strict=True)):
        canvas.text(name, column, 50 + 22 * row)
        canvas.text(told, 300, 50 + 22 * row)
    state = canvas.state()
    line = next(line for line in state.texts if line.text == "Syringe pump")
    assert is_data(line.text, role, [line], state) is in_table
