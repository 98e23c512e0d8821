"""A text cursor that reaches from border to border parts no field (S2.9); what parts controls and tables still does."""

from __future__ import annotations

from dataclasses import replace

import pytest

from execution.perception.elements import FrameDetector
from execution.perception.elements.cursor import without_parting
from execution.perception.elements.selection import without_selection
from execution.types import Box, ElementRole, Size
from tests.execution.perception.drawing import Canvas

FIELD = Box(266, 169, 314, 26)
DARK = (0, 0, 0)


def a_field(text: str, *, gap: int = 5, size: int = 15) -> Canvas:
    """Drawn as Tk draws the one that is typed into; its cursor leaves one pixel of its ground above and below."""
    canvas = Canvas(700, 300, background=(217, 217, 217))
    canvas.text("File number", 142, 174)
    canvas.draw.rectangle((FIELD.x, FIELD.y, FIELD.right - 1, FIELD.bottom - 1), fill=(255, 255, 255), outline=DARK)
    left = canvas.text(text, FIELD.x + 4, FIELD.y + (FIELD.h - size) // 2, size=size, ink=DARK).right + gap
    canvas.draw.rectangle((left, FIELD.y + 2, left + 1, FIELD.bottom - 3), fill=DARK)
    return canvas


def boxes(canvas: Canvas, role: ElementRole) -> list[Box]:
    found = FrameDetector().detect(canvas.pixels, canvas.lines)
    return [e.box for e in found if e.role is role]


APART = [(text, 15, gap) for text in ("004711", "Anna Berger", "A12", "B7", "01/12/2026") for gap in (2, 5)]
TOUCHING = [("Clear soup", 17, 0), ("Clear soup", 19, 1), ("120", 17, 0), ("Dr Robb", 19, -1), ("0053083", 19, -2)]


@pytest.mark.parametrize("larger", [0, 4])
@pytest.mark.parametrize(("text", "size", "gap"), [*APART, *TOUCHING])
def test_a_field_with_a_cursor_behind_its_text_is_one_field(text: str, size: int, gap: int, larger: int) -> None:
    canvas = a_field(text, gap=gap, size=size)
    canvas.lines = [replace(line, box=line.box.grown(larger, Size(700, 300))) for line in canvas.lines]
    [field] = boxes(canvas, ElementRole.FIELD)
    assert field.iou(FIELD) > 0.9
    assert boxes(canvas, ElementRole.BUTTON) == []


def test_a_line_that_goes_on_beyond_the_row_parts_the_cells_of_a_table() -> None:
    canvas = Canvas(700, 300, background=(255, 255, 255))
    for row in range(4):
        top = 60 + 26 * row
        canvas.draw.rectangle((40, top, 440, top + 26), outline=(90, 90, 90))
        end = canvas.text(f"Row {row}", 46, top + 6).right
        canvas.draw.line((end + 4, top, end + 4, top + 26), fill=(90, 90, 90))
    before = canvas.pixels
    assert without_parting(before, canvas.lines) is before


def test_what_parts_a_button_from_its_arrow_is_no_cursor() -> None:
    canvas = a_field("Save", gap=6)
    arrow = canvas.lines[-1].box.right + 14
    canvas.draw.polygon([(arrow, 178), (arrow + 8, 178), (arrow + 4, 184)], fill=DARK)
    before = canvas.pixels
    assert without_parting(before, canvas.lines) is before


def an_option(*, border: bool = True, room: int = 0, relief: bool = True) -> Canvas:
    """A combo box of Tk whose option was just taken: its text is chosen."""
    canvas, box = Canvas(700, 300, background=(217, 217, 217)), FIELD
    canvas.text("Diet", 142, 174)
    if border:
        canvas.draw.rectangle((box.x, box.y, box.right - 1, box.bottom - 1), outline=(130, 130, 130))
        canvas.draw.rectangle((box.right - 16, box.y + 1, box.right - 2, box.bottom - 2), outline=(90, 90, 90))
    end = canvas.text("Vegetarian", box.x + 3 + room, box.y + 5, size=15, ink=(255, 255, 255)).right
    line = canvas.lines[-1]
    patch = (box.x + 1, box.y + 1, end + 1 + room, box.bottom - 2)
    canvas.draw.rectangle(patch, fill=(74, 105, 132), outline=(40, 60, 80) if relief else None)
    canvas.lines.pop()
    canvas.text("Vegetarian", line.box.x, box.y + 5, size=15, ink=(255, 255, 255))
    canvas.lines[-1] = line
    return canvas


@pytest.mark.parametrize("relief", [True, False])
def test_a_combo_box_whose_text_is_chosen_is_one_field(relief: bool) -> None:
    fields = boxes(an_option(relief=relief), ElementRole.FIELD)
    assert len(fields) == 1
    assert fields[0].iou(FIELD) > 0.85


@pytest.mark.parametrize("other", [{"border": False}, {"room": 8}], ids=["no field around", "a button with room"])
def test_words_on_a_colour_of_their_own_are_as_they_are_where_no_field_holds_them(other: dict[str, int]) -> None:
    canvas = an_option(**other)
    before = canvas.pixels
    assert without_selection(before, canvas.lines) is before
