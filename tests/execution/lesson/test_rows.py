"""What stands in the line of one of several, and what of it tells it (S6.11)."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from django.utils import timezone

from execution.lesson.rows import Chosen, against, chosen_of, line_of
from execution.lesson.screens import Known
from execution.lesson.understanding import understand
from execution.types import Box, Element, ElementRole, Frame, ScreenState, TextLine
from sentences.said import worded

PEOPLE = (("Lefèvre", "Marie", "Box 2"), ("Lefebvre", "Marie", "Box 3"), ("Lefèvre", "Marine", "Box 1"))
COLUMNS = (60, 200, 340)
SURNAME, FIRST, PLACE = range(3)


def button(row: int) -> Box:
    return Box(560, 192 + 50 * row, 110, 32)


@pytest.fixture
def state() -> ScreenState:
    """A table of three people: no name stands in one line alone, but the two of each do."""
    frame = Frame(pixels=np.full((600, 900, 3), 240, np.uint8), taken_at=timezone.now())
    heads = [("Nom", COLUMNS[0], 140), ("Prénom", COLUMNS[1], 140), ("Where", COLUMNS[2], 140)]
    cells = [(text, x, 200 + 50 * n) for n, row in enumerate(PEOPLE) for text, x in zip(row, COLUMNS, strict=True)]
    texts = [TextLine(text=text, box=Box(x, y, 9 * len(text), 16)) for text, x, y in (*heads, *cells)]
    texts += [TextLine(text="Open", box=Box(590, 200 + 50 * n, 40, 16)) for n in range(3)]
    elements = tuple(Element(role=ElementRole.BUTTON, box=button(n)) for n in range(3))
    return ScreenState(frame=frame, texts=tuple(texts), elements=elements, text_method="t")


def test_a_line_says_which_others_say_it_too_and_what_heads_its_columns(state: ScreenState) -> None:
    line = line_of(button(0), [button(n) for n in range(3)], state)
    assert [(one.text, set(one.others), one.header) for one in line] == [
        ("Lefèvre", {1}, "Nom"), ("Marie", {0}, "Prénom"), ("Box 2", set(), "Where"),
    ]  # fmt: skip


def test_values_that_only_this_line_has_together_are_offered_together_and_first(state: ScreenState) -> None:
    known = Known(values={"nom": "Lefèvre", "prenom": "Marie"})
    [first, *_] = understand(state, button(0).center, known=known).answers
    assert first.row == ("{{nom}}", "{{prenom}}")
    assert worded(first.text) == "The line of “nom”, “prenom”"


def test_whose_line_it_is_is_offered_before_what_is_measured_there() -> None:
    frame = Frame(pixels=np.full((600, 900, 3), 240, np.uint8), taken_at=timezone.now())
    rows = (("High", "410", "Marie Lefevre"), ("Low", "388", "Bernard Petit"))
    texts = [
        TextLine(text=text, box=Box(x, 200 + 50 * n, 9 * len(text), 16))
        for n, row in enumerate(rows)
        for text, x in zip(row, COLUMNS, strict=True)
    ]
    texts += [TextLine(text="Open", box=Box(590, 200 + 50 * n, 40, 16)) for n in range(2)]
    elements = tuple(Element(role=ElementRole.BUTTON, box=button(n)) for n in range(2))
    now = ScreenState(frame=frame, texts=tuple(texts), elements=elements, text_method="t")
    codes = [one.code for one in understand(now, button(0).center, known=Known()).answers]
    assert codes == ["value:Marie Lefevre", "value:410", "label:High", "nth", "this_place", "something_else"]


@pytest.mark.parametrize("values", [{"nom": "Lefèvre"}, {"nom": "Lefèvre", "prenom": "Marine"}, {"bed": "ox 2"}])
def test_values_that_do_not_tell_it_are_not_offered(state: ScreenState, values: dict[str, str]) -> None:
    found = understand(state, button(0).center, known=Known(values=values))
    assert not [one for one in found.answers if any("{{" in text for text in one.row)]


@pytest.mark.parametrize(
    ("told", "taken", "why"),
    [
        ([], {}, "Choose at least one text of its line."),
        ([{"text": "Rossi"}], {}, "Choose at least one text of its line."),
        (["Lefèvre", None, {"variable": "a"}], {}, "Choose at least one text of its line."),
        ([{"text": "Lefèvre"}], {}, "Another line says that as well."),
        ([{"text": "Lefèvre"}, {"text": "Marie"}], {}, ""),
        ([{"text": "Box 2", "variable": "place"}], {}, ""),
        ([{"text": "Box 2", "variable": "place"}], {"place": "box 2"}, ""),
        ([{"text": "Box 2", "variable": "place"}], {"place": "Box 3"}, "“place” is the name of another value."),
        ([{"text": "Box 2", "variable": "pin"}], {"pin": ""}, "“pin” is the name of another value."),
        (
            [{"text": "Lefèvre", "variable": "a"}, {"text": "Marie", "variable": "a"}], {},
            "“a” is the name of another value.",
        ),
    ],
)  # fmt: skip
def test_what_does_not_tell_it_is_refused(state: ScreenState, told: list[Any], taken: dict[str, str], why: str) -> None:
    line = line_of(button(0), [button(n) for n in range(3)], state)
    said = against(line, chosen_of(line, {"line": told}), taken, list(taken))
    assert worded(said).startswith(why)
    assert bool(said) == bool(why)


def test_a_name_is_made_one_of_a_variable(state: ScreenState) -> None:
    line = line_of(button(0), [button(n) for n in range(3)], state)
    told = {"line": [{"text": "Marie", "variable": " Prénom usuel "}, {"text": "Box 2"}]}
    assert chosen_of(line, told) == (Chosen(text="Marie", variable="prenom_usuel"), Chosen(text="Box 2"))
    assert chosen_of(line, {"line": "Marie"}) == ()
