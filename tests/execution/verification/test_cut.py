"""A value as wide as its combo box ends just before the arrow, and is no button's caption (S5.4)."""

from __future__ import annotations

import pytest

from execution.types import Box, Element, ElementRole, ScreenState, TextLine
from execution.verification.chosen import shown, value_lines
from execution.verification.cut import is_value_cut
from tests.execution.perception.drawing import DARK, Canvas
from tests.execution.perception.test_elements import detected

BOX = Box(60, 60, 108, 30)


def combo(text: str = "Emergency", *, room: int = 9, arrow: bool = True) -> tuple[Canvas, Box]:
    """With so many pixels between its value and its arrow."""
    canvas = Canvas(400, 200, background=(255, 255, 255))
    said = canvas.text(text, BOX.x + 10, BOX.y + 8)
    x, y = said.right + room, BOX.center.y - 2
    box = BOX._replace(w=x + 10 + 5 - BOX.x if arrow else said.w + 20)
    canvas.draw.rounded_rectangle((box.x, box.y, box.right - 1, box.bottom - 1), radius=4, outline=(140, 140, 140))
    if arrow:
        canvas.draw.line(((x, y), (x + 4, y + 4), (x + 8, y)), fill=DARK, width=2)
    return canvas, box


@pytest.mark.parametrize(("arrow", "role"), [(True, ElementRole.FIELD), (False, ElementRole.BUTTON)])
def test_the_arrow_tells_a_combo_box_from_a_button_though_its_value_is_as_wide(
    role: ElementRole, *, arrow: bool
) -> None:
    canvas, box = combo(arrow=arrow)
    assert [e.role for e in detected(canvas) if e.box.iou(box) > 0.9] == [role]


def test_a_letter_that_comes_to_a_point_is_no_arrow() -> None:
    canvas, box = combo("Prev", arrow=False)
    assert [e.role for e in detected(canvas) if e.box.iou(box) > 0.9] == [ElementRole.BUTTON]


def read(canvas: Canvas, box: Box, *more: TextLine, into: int = 0) -> ScreenState:
    """As a reader sees it that takes so much of what follows for the value's last letter."""
    [line] = canvas.lines
    wider = TextLine(text=line.text, box=line.box._replace(w=line.box.w + into))
    state = canvas.state(elements=[Element(box=box, role=ElementRole.FIELD)])
    return ScreenState(frame=state.frame, texts=(wider, *more), elements=state.elements, text_method="known")


@pytest.mark.parametrize(
    ("room", "is_cut"),
    [(9, False), (3, True), (-6, True)],
    ids=["as a browser draws it", "as it cuts it off", "under it"],
)
def test_a_value_is_whole_that_ends_before_the_arrow(room: int, *, is_cut: bool) -> None:
    canvas, box = combo(room=room)
    state = read(canvas, box, into=8)
    assert is_value_cut(state.texts[0], box, state) is is_cut


def test_an_arrow_that_is_read_as_a_letter_is_none_of_the_value() -> None:
    canvas, box = combo()
    arrow = TextLine(text="V", box=Box(box.right - 16, box.center.y - 6, 12, 12))
    state = read(canvas, box, arrow)
    assert [line.text for line in value_lines(box, state)] == ["Emergency"]
    assert shown(box, state) == "Emergency"
