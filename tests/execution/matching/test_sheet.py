"""What is known of each line of a screen: whether it belongs to the screen or to the record that it shows (S9.6)."""

from __future__ import annotations

import numpy as np
import pytest

from execution.matching.sheet import MOST_LINES, TRAITS, Sheet
from execution.types import Box, Element, ElementRole, ElementState, TextLine, Window
from tests.execution.matching.screens import line, listing, record


def sheet(*texts: TextLine, elements: tuple[Element, ...] = (), window: Window | None = None) -> Sheet:
    return Sheet(texts=texts, elements=elements, window=window)


def of(drawn) -> Sheet:
    state = drawn.state(look=False)
    return Sheet(texts=state.texts, elements=state.elements, window=state.window)


def having(made: Sheet, trait: str) -> set[str]:
    return {text for text, value in zip(made.texts, made.trait(trait), strict=True) if value > 0}


def test_what_stands_in_fields_is_told_from_their_labels():
    made = of(record("Summary", number=100))
    assert having(made, "in_field") == {f"DUPO {100 + 13 * i}" for i in range(6)}
    assert having(made, "in_button") == {"Save", "Cancel"}
    assert having(made, "in_tab") == {"Summary", "Prescriptions", "Results", "Letters"}
    assert "Patients" in having(made, "in_menu")


def test_a_label_stands_above_its_field_or_left_of_it():
    above, left = Box(100, 130, 200, 30), Box(200, 300, 200, 30)
    fields = tuple(Element(box=box, role=ElementRole.FIELD) for box in (above, left))
    made = sheet(line("Family name", 100, 110), line("Town", 150, 306), line("Elsewhere", 600, 306), elements=fields)
    assert having(made, "labels_field") == {"Family name", "Town"}


def test_the_rows_of_a_table_are_told_from_its_head():
    made = of(listing("Patients", ("Name", "Number", "Bed", "Priority")))
    assert having(made, "table_head") == {"Name", "Number", "Bed", "Priority"}
    assert {"DUPONT Marie", "1103", "1134"} <= having(made, "table")
    assert not {"Patients", "New", "Settings"} & having(made, "table")


def test_a_table_whose_head_is_covered_has_no_head():
    rows = [
        line(text, 40 + 220 * c, 300 + 34 * r) for r in range(4) for c, text in enumerate((f"B{r}", "12", f"x{r}y"))
    ]
    made = sheet(*rows)
    assert having(made, "table_head") == set()


def test_menus_are_no_tables():
    items = [line(text, 20, 60 + 30 * i) for i, text in enumerate(("New", "Open", "Save", "Print", "Quit"))]
    assert having(sheet(*items), "table") == set()


@pytest.mark.parametrize(
    ("text", "trait", "value"),
    [
        ("12/03/2026", "digits", 0.8),
        ("LEMAÎTRE Thérèse", "name", 1.0),
        ("Pemberton, Grace", "name", 1.0),
        ("Save as", "name", 0.0),
        ("Save", "name", 0.0),
        ("A text that goes on and on for much longer than any label would", "long", 0.93),
        ("no", "short", 1.0),
    ],
)
def test_what_is_written_tells_too(text, trait, value):
    made = sheet(line(text, 10, 10), line("Neighbour", 10, 60))
    assert made.traits[0, TRAITS.index(trait)] == pytest.approx(value, abs=0.02)


def test_what_lies_outside_the_window_and_in_its_title_bar_is_known():
    window = Window(title="Ward", box=Box(100, 100, 600, 400))
    made = sheet(line("Ward", 110, 104), line("Save", 300, 300), line("12:40 panel", 900, 780), window=window)
    assert having(made, "top") == {"Ward"}
    assert having(made, "outside") == {"12:40 panel"}
    assert having(sheet(line("Ward", 110, 104)), "top") == set()


def test_the_chosen_tab_is_known_and_a_checked_box_is_none():
    tab = Element(
        box=Box(0, 0, 90, 30), role=ElementRole.TAB, text="Résultats", states=frozenset({ElementState.CHECKED})
    )
    box = Element(box=Box(0, 50, 14, 14), role=ElementRole.CHECKBOX, text="Yes", states=tab.states)
    assert sheet(elements=(tab, box)).shapes.chosen == {"resultats"}


def test_a_screen_of_five_thousand_words_is_cut_and_an_empty_one_is_empty():
    many = [line(f"word {i}", 10 + 60 * (i % 20), 5 + 15 * (i // 20)) for i in range(5000)]
    assert len(sheet(*many).keys) == MOST_LINES
    assert sheet().traits.shape == (0, len(TRAITS))
    assert sheet(line("-", 5, 5)).keys == ()  # nothing that says anything
    assert np.isfinite(sheet(line("one", 5, 5)).traits).all()
