"""What is kept of a control that was brought to a value: nothing of the value, which is another in each run (S6.12)."""

from __future__ import annotations

from dataclasses import replace

import pytest

from execution.lesson.acts import Act
from execution.lesson.controls import understand_control, without_its_value
from execution.lesson.screens import Known
from execution.lesson.understanding import Understood
from execution.types import Box, Element, ElementRole, Point
from tests.execution.perception.drawing import Canvas
from workflows.graph import NeighbourSpec, TargetSpec

LABEL = NeighbourSpec(text="Ward:", dx=-200, dy=0)
BOX = Box(240, 100, 200, 30)
FOUND = Understood(box=BOX, point=Point(250, 110), role="button", text="", named_by=LABEL, alike=(BOX,))
TAUGHT = TargetSpec(target_id="t", label="Ward", role="button", text="Ward 1", picture="a" * 64, number=3, alike=5)
CHOOSE = Act(id="1", kind="choose", given={"option": "Ward 4"})


def test_a_combo_box_goes_by_its_label_and_not_by_what_was_chosen_in_it() -> None:
    kept = without_its_value(TAUGHT, FOUND, CHOOSE, shows_value=True)
    assert (kept.text, kept.picture, kept.named_by, kept.number, kept.alike) == ("", "", LABEL, 1, 1)


def test_without_a_label_its_picture_is_all_that_there_is() -> None:
    kept = without_its_value(TAUGHT, replace(FOUND, named_by=None), CHOOSE, shows_value=True)
    assert (kept.text, kept.picture) == ("", TAUGHT.picture)


def test_a_menu_goes_by_what_is_written_on_it() -> None:
    assert without_its_value(TAUGHT, FOUND, CHOOSE, shows_value=False) == TAUGHT


def test_a_box_that_is_ticked_looks_otherwise_when_it_is_not() -> None:
    act = Act(id="1", kind="set_state", given={"state": "on"})
    assert without_its_value(TAUGHT, FOUND, act, shows_value=False).picture == ""
    nameless = replace(TAUGHT, text="")
    assert without_its_value(nameless, FOUND, act, shows_value=False).picture == TAUGHT.picture


@pytest.mark.parametrize("lower", [-2, 0, 2], ids=["higher", "level", "lower"])
def test_the_label_left_of_radio_buttons_names_them_however_its_letters_reach(lower: int) -> None:
    canvas = Canvas(700, 200)
    canvas.text("Urgency", 40, 100 + lower)
    marks = []
    for x, text in ((200, "Today"), (300, "This week"), (440, "Later")):
        canvas.text(text, x + 20, 100)
        marks.append(Element(box=Box(x, 101, 13, 13), role=ElementRole.RADIO))
    act = Act(id="1", kind="choose", point=marks[0].box.center, given={"option": "Today"})
    assert understand_control(canvas.state(elements=marks), act, known=Known()).text == "Urgency"
