"""S6.1: the elements around a target, and which of its like it is."""

from __future__ import annotations

from execution.teaching.structure import MOST_SHAPES, alike, number_of, shapes_around
from execution.types import Box, Element, ElementRole, Window
from tests.execution.perception.drawing import Canvas
from workflows.graph import ShapeSpec

BUTTON, FIELD, LINK = ElementRole.BUTTON, ElementRole.FIELD, ElementRole.LINK


def records() -> tuple[Canvas, list[Element]]:
    """A list of five records, each with an Open and a Delete."""
    canvas, elements = Canvas(1000, 500), []
    for row in range(5):
        canvas.text(f"Patient {4711 + row}", 60, 106 + 40 * row)
        for column, text in enumerate(("Open", "Delete")):
            box = canvas.button(text, Box(500 + 120 * column, 100 + 40 * row, 100, 28))
            elements.append(Element(box=box, role=BUTTON, text=text))
    return canvas, elements


def test_the_third_of_five_is_the_third_of_five():
    canvas, elements = records()
    box = Box(500, 180, 100, 28)
    found = alike(box, text="Open", role="button", state=canvas.state(elements=elements))
    assert (number_of(box, found), len(found)) == (3, 5)


def test_the_same_word_in_a_menu_is_a_twin_whatever_it_was_taken_for():
    """What is left of the two is not it: a view's tab was looked for, and the entry that opens it was found."""
    canvas, box = Canvas(1000, 500), Box(500, 400, 100, 28)
    entry = Element(box=canvas.text("SQL Log", 60, 100), role=ElementRole.TEXT, text="SQL Log")
    canvas.button("SQL Log", box)
    state = canvas.state(elements=[entry, Element(box=box, role=ElementRole.TAB, text="SQL Log")])
    found = alike(box, text="SQL Log", role="tab", state=state)
    assert (number_of(box, found), len(found)) == (2, 2)


def test_a_heading_in_larger_letters_is_no_twin():
    """A page is called as the entry that leads to it: nobody has to be asked which of them is meant."""
    canvas, box = Canvas(1000, 500), Box(60, 200, 120, 28)
    heading = Element(box=canvas.text("Patients", 300, 60, size=26), role=ElementRole.TEXT, text="Patients")
    canvas.button("Patients", box)
    state = canvas.state(elements=[heading, Element(box=box, role=LINK, text="Patients")])
    assert alike(box, text="Patients", role="link", state=state) == [box]


def test_the_same_word_in_another_window_is_no_twin():
    canvas, elements = records()
    canvas.text("Open", 60, 20)
    heading = Element(box=canvas.lines[-1].box, role=ElementRole.TEXT, text="Open")
    window = Window(title="Records", box=Box(40, 90, 900, 120))
    state = canvas.state(elements=[*elements, heading], window=window)
    box = Box(500, 140, 100, 28)
    assert [b.y for b in alike(box, text="Open", role="button", state=state)] == [100, 140, 180]


def test_pictures_are_alike_where_they_are_the_same_picture():
    canvas = Canvas(800, 400)
    for place, seed in ((100, 1), (200, 2), (300, 1), (400, 3), (500, 1)):
        canvas.icon(place, 120, seed=seed)
    found = alike(Box(300, 120, 24, 24), text="", role="icon", state=canvas.state())
    assert [b.x for b in found] == [100, 300, 500]


def test_fields_are_alike_that_have_the_same_label():
    canvas, elements = Canvas(900, 600), []
    for block in (0, 1):
        for row, text in enumerate(("Name:", "Street:")):
            canvas.text(text, 60, 106 + 40 * row + 200 * block)
            box = canvas.field(Box(180, 100 + 40 * row + 200 * block, 300, 28))
            elements.append(Element(box=box, role=FIELD))
    state = canvas.state(elements=elements)
    second = elements[3].box
    found = alike(second, text="", role="field", state=state, named_by="Street:")
    assert (number_of(second, found), len(found)) == (2, 2)
    assert len(alike(second, text="", role="field", state=state)) == 4


def test_a_target_of_one_colour_is_the_only_one():
    state = Canvas(400, 200).state()
    assert alike(Box(50, 50, 40, 20), text="", role="", state=state) == [Box(50, 50, 40, 20)]


def test_the_shapes_around_are_the_nearest_controls_with_their_ways_and_sizes():
    canvas, elements = records()
    texts = [Element(box=line.box, role=ElementRole.TEXT, text=line.text) for line in canvas.lines]
    shapes = shapes_around(Box(500, 180, 100, 28), canvas.state(elements=[*elements, *texts]))
    assert len(shapes) == len(elements) - 1 <= MOST_SHAPES
    assert set(shapes[:3]) == {
        ShapeSpec(role="button", dx=0, dy=-40, w=100, h=28),
        ShapeSpec(role="button", dx=0, dy=40, w=100, h=28),
        ShapeSpec(role="button", dx=120, dy=0, w=100, h=28),
    }


def test_only_the_window_of_the_target_is_its_structure():
    canvas, elements = records()
    window = Window(title="Records", box=Box(40, 90, 900, 50))
    shapes = shapes_around(Box(500, 100, 100, 28), canvas.state(elements=elements, window=window))
    assert [(s.dx, s.dy) for s in shapes] == [(120, 0)]
