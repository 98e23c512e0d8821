"""S6.12: where what a control opened is, and what else changed on the screen when it was opened."""

from __future__ import annotations

from execution.turn.options import popup
from execution.types import Box, Element, ElementRole, ScreenState
from tests.execution.perception.drawing import Canvas

NAME, WARD = Box(60, 100, 240, 34), Box(316, 100, 240, 34)  # side by side
OPTIONS = ("Cardiology", "Neurology", "Surgery")


def form(*, focus: Box, name: str = "Anna", is_open: bool = False, tint: bool = False) -> ScreenState:
    canvas = Canvas(700, 400)
    canvas.text("Planned for", 60, 160)
    canvas.field(NAME, "" if tint else name)
    if tint:
        canvas.draw.rectangle((NAME.x + 1, NAME.y + 1, NAME.right - 2, NAME.bottom - 2), fill=(240, 245, 250))
        canvas.text(name, NAME.x + 8, NAME.y + 9)
    canvas.field(WARD, "Choose")
    canvas.draw.rectangle(
        (focus.x - 4, focus.y - 4, focus.right + 3, focus.bottom + 3), outline=(80, 140, 240), width=4
    )
    if is_open:
        canvas.draw.rectangle(
            (WARD.x, WARD.bottom, WARD.right, WARD.bottom + 90), fill=(255, 255, 255), outline=(90,) * 3
        )
        for number, option in enumerate(OPTIONS):
            canvas.text(option, WARD.x + 10, WARD.bottom + 8 + 28 * number)
    return canvas.state(elements=[Element(box=box, role=ElementRole.FIELD) for box in (NAME, WARD)])


def test_the_focus_that_left_the_field_beside_it_is_no_part_of_the_list_that_opened() -> None:
    area = popup(WARD, form(focus=NAME), form(focus=WARD, is_open=True))
    assert area is not None
    assert area.x >= WARD.x - 6, "the list alone, or the rows of other columns are taken for its own"
    assert area.y >= NAME.y - 6
    assert all(area.contains(line.box.center) for line in form(focus=WARD, is_open=True).texts if line.text in OPTIONS)


def test_nor_is_a_field_that_has_another_ground_without_the_focus() -> None:
    area = popup(WARD, form(focus=NAME), form(focus=WARD, is_open=True, tint=True))
    assert area is not None
    assert area.x >= WARD.x - 6


def test_a_field_that_says_something_else_now_changed_itself() -> None:
    area = popup(WARD, form(focus=NAME), form(focus=WARD, name="Annabel", is_open=True))
    assert area is not None
    assert area.x < WARD.x, "that is no ring around it"


def test_a_focus_that_moves_alone_opened_nothing() -> None:
    assert popup(WARD, form(focus=NAME), form(focus=WARD)) is None
