"""S6.12: an option is that of its own group, whole, and with its signs; what may be another one is asked about."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from execution.turn import options
from execution.types import Box, Element, ElementRole, Point, ScreenState, TextLine, Window
from execution.verification.chosen import group_area, radio_of, reads
from tests.execution.perception.drawing import Canvas


class Form:
    """Labels and radio buttons, as a perfect reader and detector see them."""

    def __init__(self, width: int = 900) -> None:
        self.canvas, self.marks = Canvas(width, 500), list[Element]()
        self.width = width

    def label(self, text: str, x: int, y: int) -> Box:
        return self.canvas.text(text, x, y)

    def radio(self, text: str, x: int, y: int) -> Box:
        mark = Box(x, y + 1, 14, 14)
        self.canvas.draw.ellipse((mark.x, mark.y, mark.right - 1, mark.bottom - 1), outline=(60, 60, 60))
        self.marks.append(Element(box=mark, role=ElementRole.RADIO))
        if text:
            self.canvas.text(text, x + 22, y)
        return mark

    def state(self) -> ScreenState:
        window = Window(title="", box=Box(0, 0, self.width, 500))
        return self.canvas.state(window=window, elements=self.marks)


def found(option: str, label: Box, state: ScreenState) -> Box | None:
    return radio_of(option, group_area(label, state), state)[0]


# Where the labels of two groups stand, and their options.
GROUPS = {
    "in a row": ((40, 100), (140, 100), (240, 100), (440, 100), (540, 100), (640, 100)),
    "side by side under their labels": ((40, 100), (40, 124), (40, 148), (440, 100), (440, 124), (440, 148)),
    "close below each other": ((40, 100), (40, 118), (40, 136), (40, 154), (40, 172), (40, 190)),
}


@pytest.mark.parametrize("unread", [False, True])
@pytest.mark.parametrize("places", GROUPS.values(), ids=GROUPS)
def test_of_two_groups_each_has_its_own_options(places: tuple[tuple[int, int], ...], unread: bool) -> None:
    """Also where an option of one could not be read: that of the other is none of its."""
    form = Form()
    smoker, own = form.label("Smoker", *places[0]), form.radio("" if unread else "Yes", *places[1])
    form.radio("No", *places[2])
    allergic, other = form.label("Allergic", *places[3]), form.radio("Yes", *places[4])
    form.radio("No", *places[5])
    state = form.state()
    smoker, allergic = (Box(box.x, box.y - 4, box.w, 18) for box in (smoker, allergic))  # as readers box a line
    assert found("Yes", smoker, state) == (None if unread else own)
    assert found("Yes", allergic, state) == other


@pytest.mark.parametrize(
    ("more", "is_its"),
    [((), True), ((("Isolation", 40, 121),), False), ((("Transport", 140, 108),), False)],
    ids=["of no label", "with a label before it", "with a label above it"],
)
def test_a_group_goes_on_below_where_its_row_is_full(more: tuple[tuple[str, int, int], ...], *, is_its: bool) -> None:
    """S6.12: in a narrow window the third of three options was said to be none."""
    form = Form()
    urgency = form.label("Urgency", 40, 100)
    form.radio("Routine", 140, 100)
    form.radio("Soon", 300, 100)
    wrapped = form.radio("Urgent", 140, 121)
    for text, x, y in more:
        form.label(text, x, y)
    label = Box(urgency.x, urgency.y - 4, urgency.w, 18)
    assert found("Urgent", label, form.state()) == (wrapped if is_its else None)


def test_what_is_written_behind_a_label_begins_no_other_group_and_behind_a_caption_it_may() -> None:
    form = Form()
    smoker = form.label("Smoker", 40, 100)
    form.label("(required)", 140, 100)
    own = form.radio("Yes", 240, 100)
    other = form.radio("No", 440, 100)
    assert found("Yes", smoker, form.state()) == own
    assert found("No", smoker, form.state()) == other
    form.label("daily", 300, 100)  # a remark on “Yes”, or the label of what follows: a person is asked
    assert found("Yes", smoker, form.state()) == own
    assert found("No", smoker, form.state()) is None


def test_a_caption_at_the_edge_of_its_window_may_go_on_behind_it() -> None:
    form = Form(width=300)
    label = form.label("Ward", 20, 100)
    form.radio("Ward 2", 80, 100)
    edge = form.radio("Ward 1", 200, 100)
    state = form.state()
    line = next(t for t in state.texts if t.text == "Ward 1")
    assert found("Ward 1", label, state) == edge
    cut = Window(title="", box=Box(0, 0, line.box.right + 2, 500))

    assert found("Ward 1", label, replace(state, window=cut)) is None


def test_a_caption_with_a_sign_is_another_option() -> None:
    form = Form()
    label = form.label("Group", 40, 100)
    plain, _ = form.radio("Type A", 140, 100), form.radio("Type A+", 300, 100)
    assert found("Type A", label, form.state()) == plain
    for other in ("Type A+", "Type A…"):
        alone = Form()
        label = alone.label("Group", 40, 100)
        alone.radio(other, 140, 100)
        assert found("Type A", label, alone.state()) is None


@pytest.mark.parametrize(
    ("text", "option"),
    [
        ("Aspirin 50…", "Aspirin 50"), ("Aspirin 50...", "Aspirin 50"), ("Type A+", "Type A"), ("Type A-", "Type A"),
        ("Type A −", "Type A"), ("< 5", "> 5"), ("≤ 5", "< 5"), ("> 5", "5"),
    ],
)  # fmt: skip
def test_a_sign_makes_another_option(text: str, option: str) -> None:
    assert not reads(text, option)
    assert not reads(option, text)


@pytest.mark.parametrize(
    ("text", "option"), [("Other...", "Other…"), ("Type A−", "Type A-"), ("Sainte Anne", "SAINTE ANNE")]
)
def test_the_same_sign_written_otherwise_is_the_same_option(text: str, option: str) -> None:
    assert reads(text, option)


AREA = Box(100, 100, 200, 100)
PITCH = 20


class Listed:
    """A list of rows that is scrolled by pixels, so that rows are cut at its edges; a cut one may be misread."""

    def __init__(self, *rows: str, misread: dict[str, str] | None = None, step: int = 50, left: int = 110) -> None:
        self.rows, self.misread, self.step, self.left = rows, misread or {}, step, left
        self.offset, self.clicked = 0, list[str]()

    def still(self) -> ScreenState:
        canvas, lines = Canvas(400, 300), []
        for number, row in enumerate(self.rows):
            y = AREA.y + 4 + PITCH * number - self.offset
            top, bottom = max(y, AREA.y), min(y + 16, AREA.bottom)
            canvas.text(row, self.left, y + 3)
            if bottom - top < 8:
                continue
            text = self.misread.get(row, row) if bottom - top < 16 else row
            lines.append(TextLine(text=text, box=Box(self.left, top, 9 * len(row), bottom - top)))
        for outside in ((0, 0, 400, AREA.y - 1), (0, AREA.bottom, 400, 300)):
            canvas.draw.rectangle(outside, fill=(255, 255, 255))
        state = canvas.state()
        return type(state)(frame=state.frame, texts=tuple(lines), text_method="known")

    def scroll(self, point: Point, dy: int) -> None:
        most = max(0, PITCH * len(self.rows) + 8 - AREA.h)
        self.offset = min(most, max(0, self.offset + self.step * dy))

    def click(self, point: Point) -> None:
        raise AssertionError("a row is clicked where it was seen")

    def click_seen(self, box: Box, state: ScreenState) -> str:
        y = box.center.y + self.offset - AREA.y
        self.clicked.append(self.rows[(y - 2) // PITCH])
        return ""

    def press(self, keys: Sequence[str]) -> None:
        raise AssertionError("nothing is pressed")


def picked(hands: Listed, option: str) -> tuple[str, list[str]]:
    return options._pick(hands, option, AREA, hands.still()), hands.clicked  # type: ignore[arg-type]


def wards(*numbers: int) -> list[str]:
    return [f"Ward {number}" for number in numbers]


def test_a_row_that_the_edge_of_its_list_cuts_is_not_clicked_for_what_it_seems_to_say() -> None:
    """Half of “Ward 8” reads “Ward 3”, which stands elsewhere in the list."""
    for step in (30, 35, 45, 50):
        hands = Listed(*wards(3, 1, 2, 4, 5, 6, 7, 8, 9, 10, 11, 12), misread={"Ward 8": "Ward 3"}, step=step)
        _why, clicked = picked(hands, "Ward 3")
        assert clicked in (["Ward 3"], []), step


@pytest.mark.slow
def test_a_row_is_found_on_the_first_page_in_the_middle_and_on_the_last() -> None:
    for wanted in (1, 6, 12):
        assert picked(Listed(*wards(*range(1, 13)), step=PITCH), f"Ward {wanted}") == ("", [f"Ward {wanted}"])


@pytest.mark.slow
def test_a_row_that_goes_on_behind_the_edge_of_its_list_is_nobodys() -> None:
    hands = Listed("Aspirin 50", "Ibuprofen", left=AREA.right - 9 * len("Aspirin 50") - 2)
    why, clicked = picked(hands, "Aspirin 50")
    assert why
    assert clicked == []


@pytest.mark.parametrize("gap", [16, 24, 60])
def test_an_option_of_the_next_group_close_in_the_row_is_not_taken(gap: int) -> None:
    form = Form()
    isolated = form.label("Isolated", 40, 100)
    form.radio("No", 120, 100)
    own = form.radio("Yes", 190, 100)
    end = next(t.box.right for t in form.state().texts if t.text == "Yes")
    allergic = form.label("Allergic", end + gap, 100)
    other = form.radio("Unknown", allergic.right + 14, 100)
    state = form.state()
    assert found("Yes", isolated, state) == own
    assert found("Unknown", isolated, state) is None
    assert found("Unknown", allergic, state) == other


def test_a_caption_at_the_edge_of_the_picture_may_go_on_behind_it_in_a_window_that_reaches_further() -> None:
    form = Form(width=300)
    label = form.label("Ward", 20, 100)
    form.radio("Ward 2", 80, 100)
    form.radio("Ward 1", 200, 100)
    state = form.state()
    line = next(t for t in state.texts if t.text == "Ward 1")
    frame = replace(state.frame, pixels=state.frame.pixels[:, : line.box.right + 1].copy())
    window = Window(title="", box=Box(0, 0, 900, 500))
    assert found("Ward 1", label, replace(state, frame=frame, window=window)) is None


@pytest.mark.slow
def test_options_that_their_signs_alone_tell_apart_are_two() -> None:
    assert picked(Listed("< 5", "> 5", "12"), "> 5") == ("", ["> 5"])
    why, clicked = picked(Listed("> 5", "< 5", "> 5"), "> 5")
    assert why
    assert clicked == []
