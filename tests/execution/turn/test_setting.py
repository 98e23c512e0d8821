"""S6.12: after a date was put, Escape goes to a calendar at its field, and to nothing else."""

from __future__ import annotations

from calendar import monthrange
from collections.abc import Sequence
from dataclasses import replace
from datetime import date

import pytest

from execution.desktop.base import CHOOSE_ALL
from execution.turn import calendars, setting
from execution.types import Box, Element, ElementRole, Point, Resolution, ResolveStatus, ScreenState, Suggestion
from sentences.said import worded
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


def asked(date: str = "1980-03-12", form: str = "fr") -> Suggestion:
    """To put that date into the field."""
    edge = EdgeSpec(
        edge_id="e",
        source="a",
        destination="a",
        action_type="pick_date",
        params={"date": date, "format": form},
        target=TargetSpec(target_id="t", label="Born", role="field", text="Born"),
    )
    resolution = Resolution(status=ResolveStatus.FOUND, box=FIELD, point=FIELD.center)
    return Suggestion(edge=edge, node_id="a", params=edge.params, sentence="", resolution=resolution)


def pressed(before: ScreenState, after: ScreenState) -> list[tuple[str, ...]]:
    hands = Hands(after)
    assert setting.perform(hands, asked(), before) == ""
    chosen = len(CHOOSE_ALL)
    assert tuple(hands.pressed[:chosen]) == CHOOSE_ALL
    return hands.pressed[chosen:]


@pytest.mark.parametrize(
    ("then", "now"),
    [
        (("10:41", 800, 20), ("10:42", 800, 20)),
        (("Age:", 412, 106), ("Age: 46", 412, 106)),
        (("required", 206, 134), ("46 years old", 206, 134)),
    ],
    ids=["a clock", "beside", "below"],
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


@pytest.mark.parametrize(
    ("shown", "at", "form", "typed"),
    [
        ("mm/dd/yyyy", None, "fr", False),
        ("jj/mm/aaaa", None, "us", False),
        ("dd/mm/yyyy", None, "fr", True),
        ("jj/mm/aaaa", None, "", True),  # as 1980-03-12
        ("(MM/DD/YYYY)", (410, 106), "fr", False),
        ("JJ / MM / AAAA", (410, 106), "us", False),
        ("JJ/MM/AAAA", (410, 106), "fr", True),
        ("mm/dd/yyyy", (208, 140), "fr", True),  # of the field below
        ("03/04/1981", None, "fr", True),  # which may be of either order
    ],
)
def test_a_date_is_not_typed_in_another_order_than_its_field_asks_for(
    shown: str, at: tuple[int, int] | None, form: str, typed: bool
) -> None:
    """3 April would become 4 March, and stand there as it was typed."""
    before = drawn("", (shown, *at)) if at else drawn(shown)
    hands = Noting(drawn(DATE))
    why = put(hands, before, form=form)
    assert bool(hands.typed) == typed
    assert bool(why) != typed
    assert typed or shown.strip("()") in str(why)


class Noting(Hands):
    """Takes whatever is typed."""

    def __init__(self, after: ScreenState, entered: str = "") -> None:
        super().__init__(after)
        self.typed, self.entered = list[str](), entered

    def enter(self, suggestion: Suggestion, box: Box) -> str:
        return self.entered

    def type_text(self, text: str) -> None:
        self.typed.append(text)


def put(hands: Noting, before: ScreenState, date: str = "1980-03-12", form: str = "fr") -> str:
    return setting.perform(hands, asked(date, form), before)


@pytest.mark.parametrize(("shown", "form"), [("11/23/2026", "fr"), ("23/11/2026", "us")])
def test_a_date_is_not_typed_in_another_order_than_what_stands_there(shown: str, form: str) -> None:
    hands = Noting(drawn(DATE))
    assert put(hands, drawn(shown), form=form)
    assert hands.typed == []


def month(year: int, month: int, title: str, x: int = 520, y: int = 200) -> list[tuple[str, int, int]]:
    first, count = monthrange(year, month)
    days = [(str(d), x + 38 * ((first + d - 1) % 7), y + 50 + 30 * ((first + d - 1) // 7)) for d in range(1, count + 1)]
    return [(title, x + 70, y), *days]


@pytest.mark.parametrize(("shown", "asked"), [((2026, 5, "May 2026"), True), ((2026, 11, "November 2026"), False)])
def test_a_calendar_that_goes_to_day_and_month_exchanged_is_asked_about(
    shown: tuple[int, int, str], asked: bool
) -> None:
    """The field took 5 November as 11 May, and shows it as it was typed."""
    hands = Field(month(*shown))
    why = put(hands, drawn(""), "2026-11-05")
    assert bool(why) == asked
    assert hands.typed == ["05/11/2026"]
    assert not asked or "took “05/11/2026” as 2026-05-11" in worded(why)


class Field(Noting):
    """One whose calendar opens with it, and that keeps what is typed; `stuck`: whatever is typed next."""

    def __init__(self, calendar: list[tuple[str, int, int]], value: str = "", *, stuck: bool = False) -> None:
        super().__init__(drawn(value))
        self.calendar, self.value, self.stuck, self.open = calendar, value, stuck, False

    def still(self) -> ScreenState:
        return drawn(self.value, *(self.calendar if self.open else ()))

    def enter(self, suggestion: Suggestion, box: Box) -> str:
        self.open = True
        return ""

    def press(self, keys: Sequence[str]) -> None:
        super().press(keys)
        self.open = self.open and keys != ("escape",)
        if keys == ("delete",) and not self.stuck:
            assert (*CHOOSE_ALL, keys) == tuple(self.pressed[-len(CHOOSE_ALL) - 1 :])
            self.value = ""

    def type_text(self, text: str) -> None:
        assert tuple(self.pressed[-len(CHOOSE_ALL) :]) == CHOOSE_ALL
        if not (self.typed and self.stuck):
            self.value = text
        super().type_text(text)


@pytest.mark.parametrize("stood", ["", "jj/mm/aaaa", "Date (JJ/MM/AAAA)", "__/__/____", "03/04/1981", "23/11/2026"])
def test_what_stood_there_is_put_back_before_anybody_is_asked(stood: str) -> None:
    """S6.12: else the second try would find the wrong day there, and believe it."""
    hands = Field(month(2026, 5, "May 2026"), stood)
    why = put(hands, drawn(stood), "2026-11-05")
    assert worded(why) == "The calendar there took “05/11/2026” as 2026-05-11: with day and month exchanged."
    assert hands.value == (stood if "1981" in stood or "2026" in stood else "")
    assert not hands.open
    assert put(hands, hands.still(), "2026-11-05") == why, "it is asked about again"


@pytest.mark.parametrize(
    "stood",
    [
        "23/11/2026 14:30",
        "unknown",
        "about 1950",
        "23/11/2026 x y",
    ],
)
def test_what_is_no_date_is_put_back_as_it_was_shown(stood: str) -> None:
    """S6.12: nothing of a record is lost without a word, whatever people write in the field of a date."""
    hands = Field(month(2026, 5, "May 2026"), stood)
    why = worded(put(hands, drawn(stood), "2026-11-05"))
    assert hands.value == stood
    assert why == "The calendar there took “05/11/2026” as 2026-05-11: with day and month exchanged."


@pytest.mark.parametrize("stood", ["23/11/2026 x", "unknown, in the spring, as told"])
def test_what_may_not_be_all_that_stood_there_is_not_called_put_back(stood: str) -> None:
    """The letter behind a date may be the sign of the field's calendar; what ends at the field's edge may go on."""
    hands = Field(month(2026, 5, "May 2026"), stood)
    why = worded(put(hands, drawn(stood), "2026-11-05"))
    assert why.endswith("What stood there before could not be put back.")
    assert hands.value != "05/11/2026"


@pytest.mark.parametrize("is_caret", [False, True])
def test_neither_the_caret_nor_the_sign_of_a_calendar_is_taken_for_what_stood_there(is_caret: bool) -> None:
    class Signed(Field):
        def still(self) -> ScreenState:
            sign = "" if is_caret and not self.typed else " I"
            return drawn(self.value + sign, *(self.calendar if self.open else ()))

    hands = Signed(month(2026, 5, "May 2026"), "03/04/1981")
    why = worded(put(hands, hands.still(), "2026-11-05"))
    assert hands.value == "03/04/1981"
    assert "could not be put back" not in why


@pytest.mark.parametrize("stood", ["", "03/04/1981", "unknown"])
def test_what_cannot_be_put_back_is_said(stood: str) -> None:
    hands = Field(month(2026, 5, "May 2026"), stood, stuck=True)
    assert worded(put(hands, drawn(stood), "2026-11-05")).endswith("What stood there before could not be put back.")


@pytest.mark.parametrize("entered", ["", "nothing shows that it takes keys"])
def test_a_month_that_was_there_all_along_is_no_calendar_of_the_field(entered: str) -> None:
    """No day is clicked in it (`click_seen` fails), and Escape does not go to it."""
    always = month(2026, 11, "novembre 2026")
    hands = Noting(drawn("", *always, ("10:42", 800, 20), ("9 filled - it is no date", 40, 560)), entered)
    assert put(hands, drawn("", *always, ("10:41", 800, 20)), "2026-11-23") == entered
    assert ("escape",) not in hands.pressed


@pytest.mark.parametrize("lost", ["the title", "the days"])
def test_a_calendar_came_only_where_its_month_and_its_days_did(lost: str) -> None:
    now = month(2026, 11, "novembre 2026")
    before = drawn("", *(now[:1] if lost == "the title" else now[1:]), ("10:41", 800, 20))
    after = drawn("", *now, ("10:42", 540, 180), ("10:42", 480, 520))
    assert calendars.opened(FIELD, before, after) is None


class Clicking(Noting):
    def __init__(self, after: ScreenState) -> None:
        super().__init__(after)
        self.clicked = list[Box]()

    def click_seen(self, box: Box, state: ScreenState) -> str:
        self.clicked.append(box)
        return ""


def test_a_day_is_clicked_only_where_it_was_read_inside_its_calendar() -> None:
    state = drawn("", *month(2026, 11, "novembre 2026"))
    area = Box(500, 180, 300, 260)
    hands = Clicking(state)
    assert calendars.pick(hands, date(2026, 11, 23), area, state) == ""
    assert len(hands.clicked) == 1
    unread = replace(state, texts=tuple(line for line in state.texts if line.text != "23"))
    assert calendars.pick(hands, date(2026, 11, 23), area, unread)
    assert len(hands.clicked) == 1
