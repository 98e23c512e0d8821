"""What is known of each line of a screen: whether it belongs to the screen or to the record that it shows (S9.6)."""

from __future__ import annotations

from dataclasses import replace

import pytest

from execution.matching.sheet import MOST_LINES, Sheet
from execution.types import Box, Element, ElementRole, ElementState, TextLine, Window
from tests.execution.matching.screens import line, listing, record


def sheet(*texts: TextLine, elements: tuple[Element, ...] = ()) -> Sheet:
    return Sheet(texts=texts, elements=elements, size=(1600, 1000))


def of(drawn) -> Sheet:
    state = drawn.state(look=False)
    return Sheet(texts=state.texts, elements=state.elements, size=state.frame.size)


def data(made: Sheet) -> set[str]:
    return {text for text, fixed in zip(made.texts, made.fixed, strict=True) if not fixed}


def test_what_stands_in_fields_is_data_and_their_labels_are_not():
    made = of(record("Summary", number=100))
    assert data(made) == {f"DUPO {100 + 13 * i}" for i in range(6)}


def test_the_rows_of_a_table_are_data_and_its_head_is_not():
    made = of(listing("Patients", ("Name", "Number", "Bed", "Priority")))
    assert {"DUPONT Marie", "1103", "1134"} <= data(made)
    assert not {"Patients", "New", "Settings", "Name", "Number", "Bed", "Priority"} & data(made)


def test_a_row_of_a_table_is_data_though_two_of_its_cells_are_read_as_one():
    """A key before the name and a cut text: of five cells three are lines, and two stand where those of others do."""
    cells = [("Title", 440), ("User", 556), ("Address", 675), ("Notes", 794), ("Modified", 913)]
    read = [line(text, x, 100) for text, x in cells]
    for y, of in (
        (130, ("Laboratory", "diallo", "lab", "ext", "today")),
        (160, ("Roster", "roster", "duty", "x", "today")),
    ):
        read += [line(text, x, y) for text, (_, x) in zip(of, cells, strict=True)]
    for y, name in ((190, "Pharmacy rossi"), (220, "Radiology nguyen")):
        read += [line(name, 464, y), line("address desk", 675, y), line("today", 913, y)]
    made = sheet(*read)
    assert {"Pharmacy rossi", "Radiology nguyen", "Roster"} <= data(made)
    assert not {text for text, _ in cells} & data(made)


def test_menus_are_no_tables():
    items = [line(text, 20, 60 + 30 * i) for i, text in enumerate(("New", "Open", "Save", "Print", "Quit"))]
    assert data(sheet(*items)) == set()


@pytest.mark.parametrize(
    ("text", "fixed"), [("12/03/2026", False), ("4711", False), ("Save as", True), ("Ward 2 East", True)]
)
def test_a_number_is_data(text, fixed):
    assert sheet(line(text, 10, 10), line("Neighbour", 10, 60)).fixed[0] == fixed


def test_a_line_that_was_hardly_read_is_none_to_go_by():
    unsure = replace(line("Insurance", 10, 10), confidence=0.6)
    assert data(sheet(unsure, line("Neighbour", 10, 60))) == {"Insurance"}


def test_what_stands_beside_a_known_window_is_not_the_screen_s() -> None:
    lines = (line("Save", 300, 300), line("Another window", 900, 780))
    window = Window(title="Ward", box=Box(100, 100, 600, 400))
    assert data(Sheet(texts=lines, elements=(), size=(1600, 1000), window=window)) == {"Another window"}
    assert data(sheet(*lines)) == set()


def test_the_chosen_tab_is_known_and_a_checked_box_is_none():
    tab = Element(
        box=Box(0, 0, 90, 30), role=ElementRole.TAB, text="Résultats", states=frozenset({ElementState.CHECKED})
    )
    box = Element(box=Box(0, 50, 14, 14), role=ElementRole.CHECKBOX, text="Yes", states=tab.states)
    assert sheet(elements=(tab, box)).shapes.chosen == {"resultats"}


def test_a_screen_of_five_thousand_words_is_cut_and_an_empty_one_is_empty():
    many = [line(f"word {i}", 10 + 60 * (i % 20), 5 + 15 * (i // 20)) for i in range(5000)]
    assert len(sheet(*many).keys) == MOST_LINES
    assert len(sheet()) == 0
    assert sheet(line("-", 5, 5)).keys == ()  # nothing that says anything


def test_what_stands_beside_a_known_window_is_nothing_to_go_by() -> None:
    """Wherever that window lies today, the one behind it shows other parts."""
    lines = (line("Save", 300, 300), line("Another window", 900, 780))
    buttons = tuple(Element(box=one.box, role=ElementRole.BUTTON, text=one.text) for one in lines)
    window = Window(title="Ward", box=Box(100, 100, 600, 400))
    made = Sheet(texts=lines, elements=buttons, size=(1600, 1000), window=window)
    assert made.sure.tolist() == [True, False]
    assert made.times == {"save": 1}  # whose card it is stands in the list behind it, too, and is no entry of a menu
    assert len(made.shapes.roles) == 1
