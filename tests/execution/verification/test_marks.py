"""S6.12: a tick is on, however small; a dash (“some of them”) is neither on nor off."""

from __future__ import annotations

import pytest

from execution.types import Box, Element, ElementRole, ElementState, ScreenState
from execution.verification.marks import is_on
from tests.execution.perception.drawing import LIGHT, Canvas

BOX = Box(40, 40, 16, 16)
BLUE, WHITE = (13, 110, 253), (255, 255, 255)
STROKES = {  # what is light in the middle of the box
    "a tick as a page of Bootstrap draws it": """
        ........
        .......#
        ......##
        ##..###.
        ######..
        .####...
        ..##....
        ........""",
    "a dash": """
        ........
        ........
        ........
        ########
        ########
        ........
        ........
        ........""",
    "nothing": "",
}


def filled(stroke: str) -> ScreenState:
    canvas = Canvas(200, 100, background=LIGHT)
    canvas.draw.rounded_rectangle((BOX.x, BOX.y, BOX.right - 1, BOX.bottom - 1), 4, fill=BLUE)
    for y, row in enumerate(stroke.split()):
        light = [(BOX.x + 4 + x, BOX.y + 4 + y) for x, sign in enumerate(row) if sign == "#"]
        canvas.draw.point(light, fill=WHITE)
    element = Element(box=BOX, role=ElementRole.CHECKBOX, states=frozenset({ElementState.CHECKED}))
    return canvas.state(elements=[element])


@pytest.mark.parametrize(("drawn", "on"), list(zip(STROKES, (True, None, True), strict=True)))
def test_a_filled_box_says_by_its_stroke_whether_it_is_on(drawn: str, on: bool | None) -> None:
    assert is_on(BOX, filled(STROKES[drawn])) is on


def test_an_empty_box_is_off() -> None:
    canvas = Canvas(200, 100)
    canvas.field(BOX)
    state = canvas.state(elements=[Element(box=BOX, role=ElementRole.CHECKBOX)])
    assert is_on(BOX, state) is False
