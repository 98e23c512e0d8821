"""S6.12: after a date was put, Escape goes to a calendar at its field, and to nothing else."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from execution.turn import setting
from execution.types import Box, Element, ElementRole, Point, Resolution, ResolveStatus, ScreenState, Suggestion
from tests.execution.perception.drawing import Canvas
from workflows.graph import EdgeSpec, TargetSpec

FIELD = Box(200, 100, 200, 30)
DATE = "12/03/1980"


def drawn(date: str, *texts: tuple[str, int, int], over: Box | None = None) -> ScreenState:
    canvas = Canvas(900, 600)
    canvas.text("Patient record", 40, 30)
    canvas.text("Born", 140, 106)
    canvas.field(FIELD, date)
    if over:
        canvas.draw.rectangle((over.x, over.y, over.right, over.bottom), fill=(255, 255, 255), outline=(90, 90, 90))
    for text, x, y in texts:
        canvas.text(text, x, y)
    return canvas.state(elements=[Element(box=FIELD, role=ElementRole.FIELD)])


CALENDAR = [
    ("March 1980", 250, 145),
    *((day, 210 + 27 * i, 170) for i, day in enumerate(("Mo", "Tu", "We", "Th", "Fr", "Sa", "Su"))),
    *((str(7 * week + i + 1), 210 + 27 * i, 195 + 25 * week) for week in range(4) for i in range(7)),
]


class Hands:
    """A form that looks so once the date was typed."""

    touched = False

    def __init__(self, after: ScreenState) -> None:
        self.after, self.pressed = after, list[tuple[str, ...]]()

    def still(self) -> ScreenState:
        return self.after

    def click(self, point: Point) -> None:
        raise AssertionError("a field is entered")

    def click_seen(self, box: Box, state: ScreenState) -> str:
        raise AssertionError("nothing else is clicked")

    def enter(self, suggestion: Suggestion, box: Box) -> str:
        return ""

    def scroll(self, point: Point, dy: int) -> None:
        raise AssertionError("nothing is scrolled")

    def type_text(self, text: str) -> None:
        assert text == DATE

    def press(self, keys: Sequence[str]) -> None:
        self.pressed.append(tuple(keys))


def pressed(before: ScreenState, after: ScreenState) -> list[tuple[str, ...]]:
    edge = EdgeSpec(
        edge_id="e",
        source="a",
        destination="a",
        action_type="pick_date",
        params={"date": "1980-03-12", "format": "fr"},
        target=TargetSpec(target_id="t", label="Born", role="field", text="Born"),
    )
    resolution = Resolution(status=ResolveStatus.FOUND, box=FIELD, point=FIELD.center)
    suggestion = Suggestion(edge=edge, node_id="a", params=edge.params, sentence="", resolution=resolution)
    hands = Hands(after)
    assert setting.perform(hands, suggestion, before) == ""
    assert hands.pressed[0] == ("ctrl", "a")
    return hands.pressed[1:]


@pytest.mark.parametrize(
    ("then", "now"),
    [
        (("10:41", 800, 20), ("10:42", 800, 20)),
        (("Age:", 200, 400), ("Age: 46", 200, 400)),
        (("Age:", 412, 106), ("Age: 46", 412, 106)),
        (("required", 206, 134), ("46 years old", 206, 134)),
        (("0 of 9 filled", 40, 560), ("1 of 9 filled", 40, 560)),
    ],
    ids=["a clock", "far below", "beside", "below", "a count"],
)
def test_what_the_form_writes_elsewhere_is_no_calendar(then: tuple[str, int, int], now: tuple[str, int, int]) -> None:
    """In a modal form Escape would close the form, and with it what was filled in."""
    assert pressed(drawn("", then), drawn(DATE, now)) == []


def test_a_calendar_at_the_field_is_closed() -> None:
    after = drawn(DATE, *CALENDAR, over=Box(200, 134, 210, 160))
    assert pressed(drawn(""), after) == [("escape",)]


def test_a_calendar_is_closed_whatever_else_changed() -> None:
    after = drawn(DATE, *CALENDAR, ("10:42", 800, 20), over=Box(200, 134, 210, 160))
    assert pressed(drawn("", ("10:41", 800, 20)), after) == [("escape",)]
