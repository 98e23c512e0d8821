"""What every run may close by itself, of what came over the screen of a lesson (S6.14)."""

from __future__ import annotations

from execution.lesson.came_over import may_be_closed
from execution.matching.dialogs import Dialog
from execution.types import Box, Element, ElementRole, Point
from tests.execution.perception.drawing import Canvas

AT = Box(100, 100, 360, 260)
FIELD, BUTTON = ElementRole.FIELD, ElementRole.BUTTON


def over(*, button: str = "Store") -> Dialog:
    pressed = Element(box=Box(300, 320, 80, 28), role=BUTTON, text=button)
    return Dialog(title="", texts=("The session ends soon.", button), box=AT, buttons=(pressed,))


def test_a_notice_and_a_question_may_be_closed() -> None:
    canvas = Canvas(600, 500)
    canvas.text("The session ends soon.", 120, 140)
    assert may_be_closed(over(), canvas.state(), before=None, clicked=None)


def test_a_form_is_a_screen_in_which_the_work_goes_on() -> None:
    canvas = Canvas(600, 500)
    canvas.text("Serial", 120, 146)
    field = Element(box=canvas.field(Box(200, 140, 200, 28)), role=FIELD)
    assert not may_be_closed(over(), canvas.state(elements=(field,)), before=None, clicked=None)


def test_the_list_of_a_control_belongs_to_the_control() -> None:
    before, after = Canvas(600, 500), Canvas(600, 500)
    for canvas in (before, after):
        canvas.text("Category", 20, 86)
        control = Element(box=canvas.field(Box(100, 80, 360, 28)), role=FIELD)
    after.field(Box(100, 108, 360, 240))
    for row, option in enumerate(("Monitor", "Pump", "Scale", "Bed")):
        after.text(option, 110, 120 + 50 * row)
    was, now = before.state(elements=(control,)), after.state(elements=(control,))
    assert not may_be_closed(over(button="4"), now, before=was, clicked=Point(200, 94))
    assert may_be_closed(over(), now, before=was, clicked=Point(20, 400)), "another place was clicked"
