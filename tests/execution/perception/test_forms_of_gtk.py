"""What a form of GTK holds besides plain fields (S2.9): combo boxes, fields that count, the ring of the focus."""

from __future__ import annotations

import pytest

from execution.perception.elements import FrameDetector
from execution.types import Box, Element, ElementRole, ElementState
from tests.execution.perception.drawing import Canvas

GROUND, LINE, INK, WHITE, GREY = (246, 245, 244), (205, 199, 194), (46, 52, 54), (255, 255, 255), (146, 149, 149)
COMBO, COUNT = Box(150, 120, 126, 34), Box(150, 170, 118, 34)


def framed(canvas: Canvas, box: Box, fill: tuple[int, int, int]) -> None:
    canvas.draw.rectangle((box.x, box.y, box.right - 1, box.bottom - 1), fill=fill, outline=LINE)


def arrow(canvas: Canvas, box: Box, ink: tuple[int, int, int] = INK) -> None:
    x, y = box.right - 24, box.center.y - 3
    canvas.draw.polygon([(x, y), (x + 12, y), (x + 6, y + 6)], fill=ink)


def form(*, chosen: str = "", ink: tuple[int, int, int] = INK) -> Canvas:
    """A field, a combo box as grey as a button, a field that counts, and a button with another beside it."""
    canvas = Canvas(700, 420, background=GROUND)
    canvas.text("Visitor", 80, 86, ink=INK)
    framed(canvas, Box(150, 76, 258, 34), WHITE)
    canvas.text("Carla Mendez", 158, 86, ink=INK)
    canvas.text("Reason", 80, 130, ink=INK)
    framed(canvas, COMBO, (238, 237, 236))
    if chosen:
        canvas.text(chosen, COMBO.x + 10, 130, ink=ink)
    arrow(canvas, COMBO, ink)
    canvas.text("Persons", 80, 180, ink=INK)
    framed(canvas, COUNT, WHITE)
    canvas.text("1", COUNT.x + 8, 180, ink=INK)
    for left, is_plus in ((199, False), (234, True)):
        framed(canvas, Box(left, COUNT.y, 35, COUNT.h), WHITE)
        canvas.draw.line((left + 10, COUNT.center.y, left + 24, COUNT.center.y), fill=INK, width=2)
        if is_plus:
            canvas.draw.line((left + 17, COUNT.center.y - 7, left + 17, COUNT.center.y + 7), fill=INK, width=2)
    return canvas


def at(canvas: Canvas, box: Box) -> Element:
    """The element that has that box."""
    found = FrameDetector().detect(canvas.pixels, canvas.lines)
    return max(found, key=lambda e: e.box.iou(box))


@pytest.mark.parametrize("chosen", ["", "Delivery"])
def test_a_combo_box_is_a_field_whether_something_is_chosen_or_not(chosen: str) -> None:
    found = at(form(chosen=chosen), COMBO)
    assert (found.role, found.text) == (ElementRole.FIELD, chosen)
    assert ElementState.DISABLED not in found.states


def test_a_combo_box_that_is_written_faintly_is_out_of_use() -> None:
    assert ElementState.DISABLED in at(form(chosen="Delivery", ink=GREY), COMBO).states


def test_a_field_that_counts_up_and_down_is_one_field() -> None:
    found = at(form(), COUNT)
    assert (found.role, found.text) == (ElementRole.FIELD, "1")


@pytest.mark.parametrize(
    ("text", "x"), [("Save", 173), ("Save", 206)], ids=["in the middle of its part", "in the last part"]
)
def test_a_button_with_another_one_beside_it_is_no_field(text: str, x: int) -> None:
    canvas = Canvas(700, 420, background=GROUND)
    framed(canvas, COUNT, WHITE)
    framed(canvas, Box(COUNT.x, COUNT.y, 80, COUNT.h), WHITE)
    framed(canvas, Box(COUNT.x + 79, COUNT.y, 39, COUNT.h), WHITE)
    canvas.text(text, x if x < 200 else COUNT.x + 82, 180, ink=INK)
    assert at(canvas, COUNT).role is not ElementRole.FIELD


@pytest.mark.parametrize("around", ["both", "its caption"])
def test_a_ring_around_a_choice_or_its_caption_is_no_button(around: str) -> None:
    canvas = Canvas(700, 420, background=GROUND)
    for number, name in enumerate(("Main door", "Yard", "Roof")):
        x = 150 + 110 * number
        canvas.draw.ellipse((x, 300, x + 15, 315), outline=INK, fill=WHITE)
        caption = canvas.text(name, x + 22, 301, ink=INK)
        if name == "Yard":
            canvas.draw.ellipse((x + 4, 304, x + 11, 311), fill=INK)
            left = x - 5 if around == "both" else x + 19
            canvas.draw.rectangle((left, 297 if around == "both" else 299, caption.right + 3, 319), outline=LINE)
    found = FrameDetector().detect(canvas.pixels, canvas.lines)
    assert [e.text for e in found if e.role is ElementRole.RADIO] == ["Main door", "Yard", "Roof"]
    assert [e.text for e in found if e.role is ElementRole.RADIO and ElementState.CHECKED in e.states] == ["Yard"]
    assert not [e for e in found if e.role is ElementRole.BUTTON]
