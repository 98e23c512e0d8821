"""S6.12: radio buttons whose captions the reader joined to one line are told apart by their marks, or not at all."""

from __future__ import annotations

import pytest

from execution.perception.elements.builtin import FrameDetector
from execution.types import Box, ElementRole, ScreenState, TextLine
from execution.verification.captions import captions_in
from execution.verification.chosen import radio_of
from tests.execution.perception.drawing import Canvas

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
