"""S6.12: where what a control opened is, and what else changed on the screen when it was opened."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from types import SimpleNamespace

import pytest

from execution.desktop import capture
from execution.turn import options, wheel
from execution.turn.options import choose, popup
from execution.types import Box, Element, ElementRole, Point, ScreenState, Suggestion, TextLine
from sentences.said import say
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


def test_what_is_marked_in_the_field_that_lost_the_focus_is_no_list() -> None:
    """The wheel would turn what is chosen there: a click into the field of a combo box of Tk opens nothing."""
    before, after = form(focus=NAME, name="Ward 7"), form(focus=WARD, name="Ward1")
    assert popup(WARD, before, after) is None


def test_a_field_that_says_something_else_now_changed_itself() -> None:
    area = popup(WARD, form(focus=NAME), form(focus=WARD, name="Annabel", is_open=True))
    assert area is not None
    assert area.x < WARD.x, "that is no ring around it"


def test_a_focus_that_moves_alone_opened_nothing() -> None:
    assert popup(WARD, form(focus=NAME), form(focus=WARD)) is None


class Hands:
    """On a desktop whose list opens `late` looks after the click; what is clicked is written down."""

    touched = False

    def __init__(self, *, late: int) -> None:
        self.late, self.looks, self.clicked = late, 0, list[Point]()
        self.chosen: list[Box] = []

    def still(self) -> ScreenState:
        self.looks += 1
        return form(focus=WARD, is_open=bool(self.clicked) and self.looks > self.late)

    def click(self, point: Point) -> None:
        self.clicked.append(point)

    def click_seen(self, box: Box, state: ScreenState) -> str:
        self.chosen.append(box)
        return ""

    def enter(self, suggestion: Suggestion, box: Box) -> str:
        raise AssertionError("nothing is entered")

    def scroll(self, point: Point, dy: int) -> None: ...

    def type_text(self, text: str) -> None: ...

    def press(self, keys: Sequence[str]) -> None: ...


def test_a_list_that_opens_late_is_waited_for_and_the_control_is_clicked_once() -> None:
    """S5.1: on a slow desktop; a second click would close it again, or lie on one of its options."""
    hands = Hands(late=3)
    assert choose(hands, "Neurology", WARD, form(focus=NAME)) == ""
    assert hands.clicked == [WARD.center]
    assert len(hands.chosen) == 1


def test_a_control_that_opens_nothing_is_given_up_after_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(options, "OPENS_S", 0.0)
    hands = Hands(late=99)
    assert choose(hands, "Neurology", WARD, form(focus=NAME)) == say("turn.list_not_opened")
    assert (len(hands.clicked), hands.looks) == (2, 2)


ROWS = ("Blood count", "Glucose", "Creatinine", "Sodium", "Potassium", "Iron", "Ferritin", "Lipase", "Urea", "Iron")
TESTS, PITCH, IN_SIGHT = Box(60, 60, 300, 202), 40, 5


class LateList(Hands):
    """A list that stands open; the wheel is answered so many looks late."""

    def __init__(self, *, late: int) -> None:
        super().__init__(late=late)
        self.top, self.turns = 0, list[int]()
        self.answered = 0  # the look at which the next turn is drawn

    def still(self) -> ScreenState:
        self.looks += 1
        if self.turns and self.looks >= self.answered:
            self.top = max(0, min(len(ROWS) - IN_SIGHT, self.top + self.turns.pop(0)))
            self.answered = self.looks + self.late
        return self.seen()

    def seen(self) -> ScreenState:
        canvas = Canvas(700, 400)
        canvas.draw.rectangle((TESTS.x, TESTS.y, TESTS.right, TESTS.bottom), fill=(255, 255, 255), outline=(90,) * 3)
        for number, row in enumerate(ROWS[self.top : self.top + IN_SIGHT]):
            canvas.text(row, TESTS.x + 10, TESTS.y + 10 + PITCH * number)
        return canvas.state()

    def scroll(self, point: Point, dy: int) -> None:
        if not self.turns:
            self.answered = self.looks + self.late
        self.turns.append(dy)


@pytest.mark.parametrize("option", ["Blood count", "Potassium", "Urea"])
def test_an_option_is_clicked_where_it_is_drawn_once_the_list_was_scrolled_back(
    option: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A turn that is still under way would carry another row under the pointer."""
    hands = LateList(late=3)
    monkeypatch.setattr(capture, "time", SimpleNamespace(monotonic=lambda: hands.looks * wheel.ANSWERS_S / 8))
    assert choose(hands, option, TESTS, hands.seen()) == ""
    (box,) = hands.chosen
    assert [line.text for line in hands.seen().texts if line.box == box] == [option]
    assert not hands.turns, "nothing is under way"


def test_an_option_is_not_alone_because_the_rest_of_its_list_is_scrolled_late(monkeypatch: pytest.MonkeyPatch) -> None:
    hands = LateList(late=3)
    monkeypatch.setattr(capture, "time", SimpleNamespace(monotonic=lambda: hands.looks * wheel.ANSWERS_S / 8))
    assert choose(hands, "Iron", TESTS, hands.seen()) == say("turn.option_often", option="Iron", n=2)
    assert not hands.chosen


CARRIERS = ("Aramex", "Bpost", "Chronopost", "Colissimo", "Correos", "DHL Express", "DPD", "FedEx", "GLS", "Hermes")


class Misread(LateList):
    """A list of small letters, of which a click of the wheel turns three of five rows; some are read otherwise on each
    page."""

    rows = CARRIERS

    def still(self) -> ScreenState:
        self.top = max(0, min(len(self.rows) - IN_SIGHT, self.top + 3 * sum(self.turns)))
        self.turns.clear()
        return self.seen()

    def seen(self) -> ScreenState:
        canvas = Canvas(700, 400)
        for number, row in enumerate(self.rows[self.top : self.top + IN_SIGHT]):
            canvas.text(row, TESTS.x + 10, TESTS.y + 10 + PITCH * number)
        state = canvas.state()
        odd = [replace(t, text=t.text.replace("C", "G")) if n == self.top % 2 else t for n, t in enumerate(state.texts)]
        return replace(state, texts=tuple(odd))


@pytest.mark.parametrize("option", ["Colissimo", "Hermes", "Aramex"])
def test_pages_are_joined_by_what_is_drawn_however_a_row_of_them_is_read(option: str) -> None:
    hands = Misread(late=0)
    assert choose(hands, option, TESTS, hands.seen()) == ""
    (box,) = hands.chosen
    assert [line.text for line in hands.seen().texts if line.box == box] == [option]


@pytest.mark.parametrize("names", [CARRIERS, tuple(f"Examination room {n}" for n in range(1, 20))], ids=len)
def test_pages_that_share_no_row_are_no_list_that_was_looked_through(names: tuple[str, ...]) -> None:
    """However alike their rows are drawn."""

    class Leaps(Misread):
        rows = names

        def still(self) -> ScreenState:
            self.turns = [2 * dy for dy in self.turns]
            return super().still()

    hands = Leaps(late=0)
    assert choose(hands, names[-1], TESTS, hands.seen()) == say("turn.list_not_read")


LONG = Box(60, 20, 220, 590)


class Barred(LateList):
    """Thirty wards, twenty of them in sight, beside a scroll bar that is as dark as they are; they go by four."""

    def still(self) -> ScreenState:
        self.top = max(0, min(10, self.top + 4 * sum(self.turns)))
        self.turns.clear()
        return self.seen()

    def seen(self) -> ScreenState:
        canvas = Canvas(400, 640)
        for number in range(20):
            canvas.text(f"Ward {self.top + number + 1}", LONG.x + 12, LONG.y + 6 + 29 * number, size=16)
        top = LONG.y + 20 + 18 * self.top
        canvas.draw.rectangle((LONG.right - 14, top, LONG.right - 4, top + 364), fill=(139,) * 3)
        return canvas.state()


def test_a_list_is_looked_through_whatever_its_scroll_bar_does(monkeypatch: pytest.MonkeyPatch) -> None:
    """It goes the other way than the rows, and between them there is nothing else to see."""
    monkeypatch.setattr(wheel, "ANSWERS_S", 0.0)
    hands = Barred(late=0)
    assert choose(hands, "Ward 27", LONG, hands.seen()) == ""
    (box,) = hands.chosen
    assert [line.text for line in hands.seen().texts if line.box == box] == ["Ward 27"]


def test_an_option_that_no_radio_button_of_a_group_has_is_absent_and_nothing_is_clicked() -> None:
    """S6.12: before it was clicked, and said that no list had opened."""
    canvas = Canvas(700, 300)
    label = canvas.text("Kind:", 40, 60)
    marks = [Box(120, 60, 16, 16), Box(260, 60, 16, 16)]
    for mark, caption in zip(marks, ("Inpatient", "Outpatient"), strict=True):
        canvas.draw.ellipse((mark.x, mark.y, mark.right - 1, mark.bottom - 1), outline=(90,) * 3)
        canvas.text(caption, mark.right + 8, 60)
    radios = [
        Element(box=mark, role=ElementRole.RADIO, text=caption)
        for mark, caption in zip(marks, ("Inpatient", "Outpatient"), strict=True)
    ]
    state = canvas.state(elements=radios)
    hands = SimpleNamespace()  # without a click: an attribute that it has not would be asked for
    why = choose(hands, "Day case", label, state)  # type: ignore[arg-type]
    assert why == say("turn.option_absent", option="Day case", known=["Inpatient", "Outpatient"])


def test_a_combo_box_whose_arrow_was_read_as_a_digit_is_opened_and_not_turned_by_the_wheel(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """S6.12: “4” is its arrow in a style of Qt."""
    monkeypatch.setattr(options, "OPENS_S", 0.0)
    canvas = Canvas(700, 300)
    box = canvas.field(Box(60, 60, 400, 30), "Cough")
    canvas.lines.append(TextLine(text="4", box=Box(438, 67, 12, 16)))
    state = canvas.state(elements=[Element(box=box, role=ElementRole.FIELD)])
    clicks: list[Point] = []
    hands = SimpleNamespace(click=clicks.append, still=lambda: state)  # nothing that turns a wheel
    assert choose(hands, "Fever", box, state) == say("turn.list_not_opened")  # type: ignore[arg-type]
    assert clicks[0] == box.center
