"""S2.9: numbers on elements, for people and for a vision-language model to point at."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from execution.perception.marks import SomEngine
from execution.types import Box, Element, ElementRole
from tests.execution.perception.drawing import Canvas


def element(box: Box, role: str = "button", *, text: str = "", confidence: float = 0.8) -> Element:
    return Element(box=box, role=ElementRole(role), text=text, confidence=confidence)


def row_of_buttons(canvas: Canvas, count: int, *, width: int = 90, gap: int = 10) -> list[Element]:
    boxes = [Box(20 + i * (width + gap), 60, width, 32) for i in range(count)]
    return [element(canvas.button(f"Bouton {i}", box), text=f"Bouton {i}") for i, box in enumerate(boxes)]


def test_elements_are_numbered_in_reading_order_from_one():
    boxes = [Box(300, 62, 80, 30), Box(20, 60, 80, 30), Box(20, 200, 80, 30), Box(160, 58, 80, 34)]
    marked = SomEngine().mark(Canvas(600, 400).pixels, [element(b) for b in boxes])
    assert [m.number for m in marked.marks] == [1, 2, 3, 4]
    assert [m.element.box for m in marked.marks] == [boxes[1], boxes[3], boxes[0], boxes[2]]


def test_the_picture_is_a_copy_of_the_same_size():
    canvas = Canvas(600, 300)
    elements = row_of_buttons(canvas, 3)
    given = canvas.pixels
    marked = SomEngine().mark(given, elements)
    assert marked.picture.shape == given.shape
    assert not np.array_equal(marked.picture, given)
    assert np.array_equal(given, canvas.pixels), "the picture given stays as it was"


def test_texts_and_groups_have_no_number():
    elements = [
        element(Box(20, 20, 60, 20), "text"),
        element(Box(10, 10, 300, 200), "group"),
        element(Box(20, 60, 60, 20)),
    ]
    assert [m.element.role for m in SomEngine().mark(Canvas(600, 300).pixels, elements).marks] == ["button"]


def test_of_too_many_those_are_marked_that_a_step_acts_on():
    icons = [element(Box(20 + 40 * i, 20, 20, 20), "icon") for i in range(5)]
    buttons = [element(Box(20 + 100 * i, 100, 60, 30)) for i in range(2)]
    unsure = element(Box(20, 200, 60, 30), confidence=0.3)
    marked = SomEngine(most=3).mark(Canvas(600, 300).pixels, [*icons, unsure, *buttons])
    assert [m.element for m in marked.marks] == [*buttons, unsure]
    assert SomEngine(most=2).mark(Canvas(600, 300).pixels, [*icons, unsure, *buttons]).marks[1].element == buttons[1]


def test_labels_do_not_lie_over_each_other():
    canvas = Canvas(1200, 700)
    boxes = [Box(10 + i % 20 * 58, 10 + i // 20 * 60, 50, 24) for i in range(120)]
    marked = SomEngine().mark(canvas.pixels, [element(canvas.button("Oui", b)) for b in boxes])
    labels = [mark.place for mark in marked.marks]
    assert len(labels) == 120
    assert not any(a.intersection(b).area for a, b in itertools.combinations(labels, 2))


def test_where_there_is_no_room_for_another_number_there_is_no_mark():
    """A picture of the size of two labels: what cannot be told apart is not numbered."""
    marked = SomEngine().mark(np.full((20, 40, 3), 255, np.uint8), [element(Box(2, 2, 30, 14)) for _ in range(12)])
    assert 1 <= len(marked.marks) <= 3
    assert [m.number for m in marked.marks] == list(range(1, len(marked.marks) + 1))


def test_a_mark_is_asked_for_by_its_number():
    elements = [element(Box(20, 20, 60, 20)), element(Box(200, 20, 60, 20))]
    marked = SomEngine().mark(Canvas(600, 300).pixels, elements)
    assert marked.element(2) == elements[1]
    with pytest.raises(KeyError, match="marks 1 to 2"):
        marked.element(3)


def test_without_elements_the_picture_is_as_it_was():
    pixels = Canvas(300, 200).pixels
    marked = SomEngine().mark(pixels, [])
    assert marked.marks == ()
    assert np.array_equal(marked.picture, pixels)


def test_elements_outside_the_picture_are_left_out():
    marked = SomEngine().mark(Canvas(300, 200).pixels, [element(Box(400, 10, 20, 20)), element(Box(280, 190, 60, 60))])
    assert [m.element.box for m in marked.marks] == [Box(280, 190, 60, 60)]


def test_no_marks_at_all_is_refused():
    with pytest.raises(ValueError, match="At least one mark"):
        SomEngine(most=0)
