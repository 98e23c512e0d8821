"""Radio buttons that are pointed at are known by the label of their group (S6.12)."""

from __future__ import annotations

import pytest

from execution.lesson.acts import Act
from execution.lesson.controls import understand_control
from execution.lesson.screens import Known
from execution.types import Box, Element, ElementRole
from tests.execution.perception.drawing import Canvas


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
