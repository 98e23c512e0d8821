"""What shows that an option is chosen, and what only reads like it (S6.12)."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import numpy as np
import pytest

from execution.perception.elements.builtin import FrameDetector
from execution.types import Answer, Box, Element, ElementRole, Frame, ScreenState, TextLine
from execution.verification.chosen import captions_in, is_one_line, radio_of, stands_as_wanted
from tests.execution.perception.drawing import Canvas

PLACE = Box(100, 60, 120, 30)


def drawn(
    *texts: tuple[str, Box], role: ElementRole | None = ElementRole.FIELD, said: str = "", at: Box = PLACE
) -> ScreenState:
    """Texts, and a control of that role or none."""
    lines = tuple(TextLine(text=text, box=box) for text, box in texts)
    elements = (Element(box=at, role=role, text=said),) if role else ()
    frame = Frame(pixels=np.full((200, 400, 3), 255, np.uint8), taken_at=datetime.now(UTC))
    return ScreenState(frame=frame, texts=lines, elements=elements, text_method="known")


def screen(text: str, role: ElementRole | None = ElementRole.FIELD) -> ScreenState:
    return drawn((text, Box(108, 66, 12 * len(text), 18)), role=role, said=text)


@pytest.mark.parametrize(
    ("role", "caption", "answer"),
    [
        (ElementRole.FIELD, "", Answer.YES),
        (ElementRole.BUTTON, "", Answer.YES),  # as eyes see a list that is closed
        (ElementRole.BUTTON, "High", Answer.CANNOT_TELL),  # a button of that name
        (None, "", Answer.CANNOT_TELL),  # the caption of a radio button, say
    ],
)
def test_a_text_that_reads_like_the_option_is_not_yet_the_choice(
    role: ElementRole | None, caption: str, answer: Answer
) -> None:
    """Only a control that shows its value says what is chosen in it."""
    seen = screen("High", role)
    got = stands_as_wanted("choose", {"option": "High"}, PLACE, seen, seen, caption=caption)
    assert got.answer is answer, got


@pytest.mark.parametrize("shown", ["Ward 1", "Ward 100", "Ward"])
def test_another_option_is_not_the_choice(shown: str) -> None:
    """To the letter: “Ward 10” is neither “Ward 1” nor “Ward 100”."""
    seen = screen(shown)
    assert stands_as_wanted("choose", {"option": "Ward 10"}, PLACE, seen, seen).answer is not Answer.YES


def with_arrow(value: str, sign: str, at: int) -> ScreenState:
    """A combo box whose value and arrow are two texts, and one whose eyes made one text of them where `at` is 0."""
    if not at:
        return drawn((f"{value} {sign}", Box(108, 66, 106, 18)))
    return drawn((value, Box(108, 66, 60, 18)), (sign, Box(at, 70, 10, 8)))


@pytest.mark.parametrize("sign", ["V", "v", "▼", "⌄"])
def test_the_arrow_of_a_combo_box_that_was_read_as_a_letter_is_no_part_of_its_value(sign: str) -> None:
    seen = with_arrow("Ward", sign, 204)
    assert is_one_line(PLACE, seen), "not a list of two rows"
    assert stands_as_wanted("choose", {"option": "Ward"}, PLACE, seen, seen).answer is Answer.YES


def test_a_letter_that_is_no_arrow_is_a_row_of_the_list() -> None:
    assert not is_one_line(PLACE, with_arrow("Ward", "5", 204)), "no arrow looks like that"
    assert not is_one_line(PLACE, with_arrow("Ward", "V", 110)), "not at the end of the control"


@pytest.mark.parametrize("option", ["Ward", "Ward V"])
def test_what_may_be_the_value_or_the_arrow_beside_it_is_no_choice(option: str) -> None:
    """A person is asked: it may be “Ward” with its arrow, and it may be “Ward V”."""
    seen = with_arrow("Ward", "V", 0)
    assert stands_as_wanted("choose", {"option": option}, PLACE, seen, seen).answer is Answer.CANNOT_TELL


@pytest.mark.parametrize(("y", "one_line"), [(74, True), (62, False)], ids=["in its middle", "at its top"])
def test_a_high_control_whose_text_stands_in_its_middle_has_one_line(y: int, one_line: bool) -> None:
    """What has room for three rows, and its only text at the top, is a list."""
    high = Box(100, 60, 120, 46)
    assert is_one_line(high, drawn(("Choose", Box(108, y, 60, 16)), at=high)) is one_line


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("2026-12-31", Answer.YES),
        ("2026-12-31 J", Answer.YES),  # the caret behind it
        ("2026-12-31 1", Answer.CANNOT_TELL),
        ("2026-12-3 J", Answer.CANNOT_TELL),
        ("2026-12-31 JAN", Answer.CANNOT_TELL),
    ],
)
def test_the_caret_behind_a_date_is_no_part_of_it(text: str, answer: Answer) -> None:
    seen = screen(text)
    assert stands_as_wanted("pick_date", {"date": "2026-12-31"}, PLACE, seen, seen).answer is answer


LIST, BLUE, GREY = Box(100, 60, 120, 100), (200, 90, 40), (225, 225, 225)


def chosen_in_list(right: int, *, bar: int = 0) -> Answer:
    """Of a list whose second row is chosen, and whose text goes to `right`; with a scroll bar so wide."""
    rows = [("Ward 9", 64, 156), ("Ward 1", 87, right), ("Ward 2", 110, 156)]
    seen = drawn(*((text, Box(106, y, end - 106, 16)) for text, y, end in rows), at=LIST)
    seen.frame.pixels[84:106, LIST.x : LIST.right] = BLUE
    if bar:
        seen.frame.pixels[LIST.y : LIST.bottom, LIST.right - bar : LIST.right] = GREY
    return stands_as_wanted("choose", {"option": "Ward 1"}, LIST, seen, seen).answer


@pytest.mark.parametrize(
    ("right", "bar", "answer"),
    [
        (156, 0, Answer.YES),
        (156, 16, Answer.YES),
        (202, 0, Answer.YES),
        (218, 0, Answer.CANNOT_TELL),
    ],
)
def test_a_chosen_row_that_may_go_on_behind_its_edge_is_no_choice(right: int, bar: int, answer: Answer) -> None:
    assert chosen_in_list(right, bar=bar) is answer


def in_combo(right: int, *, arrow: int = 0, ring: bool = False) -> Answer:
    """Of a combo box whose value goes to `right`, and whose arrow is drawn from there on, or nowhere. `ring`: of the
    focus."""
    seen = drawn(("Ward 1", Box(108, 66, right - 108, 18)))
    if ring:
        for y in (PLACE.y + 5, PLACE.bottom - 6):
            seen.frame.pixels[y, PLACE.x + 5 : PLACE.right - 5 : 2] = 60
    if arrow:
        seen.frame.pixels[72:78, arrow : arrow + 8] = 60
    return stands_as_wanted("choose", {"option": "Ward 1"}, PLACE, seen, seen).answer


@pytest.mark.parametrize(
    ("right", "arrow", "answer"),
    [
        (170, 0, Answer.YES),
        (188, 0, Answer.CANNOT_TELL),  # where its arrow is wherever it is not seen
        (196, 204, Answer.YES),
        (200, 204, Answer.CANNOT_TELL),
        (218, 0, Answer.CANNOT_TELL),
    ],
)
def test_a_value_that_may_go_on_behind_the_arrow_of_its_combo_box_is_no_choice(
    right: int, arrow: int, answer: Answer
) -> None:
    assert in_combo(right, arrow=arrow) is answer
    assert in_combo(right, arrow=arrow, ring=True) is answer


AREA = Box(0, 80, 700, 60)


def group(*captions: str, read: str = "", gap: int = 16, marks: int | None = None) -> tuple[ScreenState, list[Box]]:
    """Radio buttons in a row as the eyes see them, and their line as it was read."""
    canvas, rings, x = Canvas(700, 200), list[Box](), 40
    for number, caption in enumerate(captions):
        ring = Box(x, 101, 13, 13)
        if marks is None or number < marks:
            canvas.draw.ellipse(
                (ring.x, ring.y, ring.right - 1, ring.bottom - 1), fill="white", outline=(110, 110, 110)
            )
            rings.append(ring)
        x = canvas.text(caption, ring.right + 4, 98, size=16).right + gap
    line = TextLine(text=read or " ".join(captions), box=Box(38, 98, x - gap - 38, 20))
    canvas.lines[:] = [line]
    elements = FrameDetector().detect(canvas.pixels, [line])
    assert [e.box for e in elements if e.role is ElementRole.RADIO] == rings
    return canvas.state(elements=elements), rings


@pytest.mark.parametrize("chosen", [True, False])
def test_a_mark_that_was_read_with_its_caption_and_the_ring_of_the_focus_is_seen(chosen: bool) -> None:
    """As Tk lights up the radio button that was clicked: the eyes see no radio button there."""
    canvas = Canvas(700, 200, background=(220, 218, 213))
    marks = []
    for caption, x in (("Hospital", 40), ("Rented", 150), ("Donated", 240)):
        if caption == "Rented":
            canvas.draw.rectangle((x - 8, 88, x + 76, 122), fill=(238, 235, 231))
            canvas.draw.rectangle((x + 16, 94, x + 70, 118), outline=(0, 0, 0))
        mark = Box(x, 100, 11, 11)
        canvas.draw.ellipse((x, 100, x + 10, 110), fill="white", outline=(110, 110, 110))
        if caption == "Rented" and chosen:
            canvas.draw.ellipse((x + 3, 103, x + 7, 107), fill=(0, 0, 0))
        canvas.text(caption, x + 18, 98)
        marks.append(mark)
    captions = [line.box for line in canvas.lines]
    rented = canvas.lines[1]
    canvas.lines[1] = replace(rented, box=Box(146, 94, 75, 25))
    elements = [
        Element(box=box, role=ElementRole.TEXT, text=t.text) for box, t in zip(captions, canvas.lines, strict=True)
    ]
    elements += [Element(box=marks[at], role=ElementRole.RADIO) for at in (0, 2)]
    state = canvas.state(elements=elements)
    found = stands_as_wanted("choose", {"option": "Rented"}, Box(0, 84, 700, 40), state, state)
    assert found.answer is (Answer.YES if chosen else Answer.NO)


@pytest.mark.parametrize(
    ("captions", "read"),
    [
        (("Courier", "Tube mail", "Pick up"), "Courier Tube mail Pick up"),
        (("Courier", "Tube mail", "Pick up"), "O Courier O Tube mail O Pick up"),
        (("Courier", "Tube mail", "Pick up"), "Courier O Tube mail O Pick up"),
        (("Yes", "No"), "Yes No"),
        (("Today", "Within the week", "Later"), "Today Within the week Later"),
    ],
)
def test_each_caption_goes_with_the_mark_before_it(captions: tuple[str, ...], read: str) -> None:
    state, rings = group(*captions, read=read)
    assert captions_in(state.texts[0], state) == list(zip(rings, captions, strict=True))
    for ring, caption in zip(rings, captions, strict=True):
        assert radio_of(caption, AREA, state) == (ring, 1)


@pytest.mark.parametrize("option", ["mail", "Courier Tube", "Tube"])
def test_a_part_of_a_caption_is_no_option(option: str) -> None:
    state, _rings = group("Courier", "Tube mail", "Pick up")
    assert radio_of(option, AREA, state) == (None, 0)


def test_two_captions_that_read_alike_are_nobodys() -> None:
    state, _rings = group("Yes", "No", "Yes")
    assert radio_of("Yes", AREA, state) == (None, 2)


@pytest.mark.parametrize("read", ["Courier Tube", "C Tube mail Pick up", "Courier Tube mail Pick up of the order"])
def test_what_was_read_and_what_is_drawn_must_agree(read: str) -> None:
    state, _rings = group("Courier", "Tube mail", "Pick up", read=read)
    assert captions_in(state.texts[0], state) == []


def test_a_caption_that_was_read_in_part_is_none() -> None:
    state, _rings = group("Yes", "No answer given", read="Yes No")
    assert captions_in(state.texts[0], state) == []


def test_one_mark_alone_divides_nothing() -> None:
    state, _rings = group("Courier", "Tube mail", marks=1)
    assert captions_in(state.texts[0], state) == []
    assert radio_of("Tube mail", AREA, state) == (None, 0)
