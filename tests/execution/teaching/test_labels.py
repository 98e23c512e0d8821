"""S6.1: the label that names a target, by where labels stand on forms."""

from __future__ import annotations

import pytest

from execution.perception.elements import FrameDetector
from execution.teaching.labels import naming_label
from execution.types import Box, Element, ElementRole, ScreenState, TextLine
from tests.execution.perception.drawing import Canvas

FIELD, CHECKBOX, BUTTON = ElementRole.FIELD, ElementRole.CHECKBOX, ElementRole.BUTTON


def named(canvas: Canvas, box: Box, role: str, *others: Element) -> str:
    state = canvas.state(elements=[Element(box=box, role=ElementRole(role)), *others])
    label = naming_label(box, role, state)
    return label.text if label else ""


def test_a_field_is_named_by_the_text_left_of_it_in_its_row():
    canvas = Canvas(900, 400)
    for row, text in enumerate(("First name:", "Last name:", "Town:")):
        canvas.text(text, 40, 106 + 50 * row)
    assert named(canvas, canvas.field(Box(180, 150, 300, 28), "Ana"), FIELD) == "Last name:"


def test_a_field_is_named_by_the_text_above_its_left_edge():
    canvas = Canvas(900, 400)
    canvas.text("Street", 200, 100)
    canvas.text("Town", 520, 100)
    assert named(canvas, canvas.field(Box(200, 120, 300, 28)), FIELD) == "Street"
    assert named(canvas, canvas.field(Box(520, 120, 300, 28)), FIELD) == "Town"


def test_of_two_fields_in_a_row_each_has_its_own_label():
    canvas = Canvas(900, 200)
    canvas.text("From:", 40, 56)
    first = canvas.field(Box(100, 50, 120, 28))
    canvas.text("To:", 240, 56)
    second = canvas.field(Box(280, 50, 120, 28))
    both = [Element(box=b, role=FIELD) for b in (first, second)]
    assert named(canvas, first, FIELD, *both) == "From:"
    assert named(canvas, second, FIELD, *both) == "To:"


def test_what_a_field_holds_names_no_other_field():
    canvas = Canvas(900, 200)
    holding = canvas.field(Box(40, 50, 120, 28), "Paris")
    empty = canvas.field(Box(200, 50, 120, 28))
    assert named(canvas, empty, FIELD, Element(box=holding, role=FIELD, text="Paris")) == ""


def test_a_check_box_is_named_by_the_text_right_of_it_not_by_that_of_the_one_before():
    canvas = Canvas(900, 200)
    canvas.text("Bold", 60, 50)
    canvas.text("Italic", 160, 50)
    assert named(canvas, Box(136, 50, 16, 16), CHECKBOX) == "Italic"


def test_what_a_check_box_says_names_no_field_below_it():
    """The label of a field of several lines stands in a column at its left."""
    canvas = Canvas(900, 300)
    canvas.text("Remark", 40, 138)
    canvas.text("Isolation needed", 212, 98)
    box, tick = canvas.field(Box(200, 120, 300, 52)), Element(box=Box(196, 98, 13, 13), role=CHECKBOX)
    assert named(canvas, box, FIELD, tick) == "Remark"
    assert named(canvas, box, FIELD) == "Isolation needed", "else it is a label above"


def test_a_count_in_a_label_is_not_kept_and_the_way_leads_to_what_is():
    canvas = Canvas(900, 200)
    line = canvas.text("Unread (12)", 60, 50)
    state = canvas.state()
    label = naming_label(Box(36, 50, 16, 16), CHECKBOX, state)
    assert label is not None and label.text == "Unread"
    assert line.x < 36 + 8 + label.dx < line.center.x


def test_a_small_picture_is_named_by_its_caption():
    canvas = Canvas(900, 200)
    icon = canvas.icon(100, 50)
    width = int(canvas.draw.textlength("Trash", font_size=13))
    canvas.text("Trash", icon.center.x - width // 2, 80)
    assert named(canvas, icon, ElementRole.ICON) == "Trash"


def test_nothing_names_a_field_that_stands_alone():
    canvas = Canvas(900, 600)
    canvas.text("Far away", 40, 20)
    assert named(canvas, canvas.field(Box(300, 400, 300, 28)), FIELD) == ""


@pytest.mark.parametrize("role", list(ElementRole))
def test_an_empty_screen_names_nothing(role):
    state: ScreenState = Canvas(200, 100).state()
    assert naming_label(Box(10, 10, 50, 20), role, state) is None


def test_on_a_drawn_form_the_detector_and_the_labels_agree():
    canvas = Canvas(900, 600)
    truth = {}
    for row, text in enumerate(("Nom du client", "Prénom", "Ville")):
        canvas.text(text, 60, 106 + 60 * row)
        truth[canvas.field(Box(220, 100 + 60 * row, 400, 28), "Alice" if row else "")] = text
    state = canvas.state(elements=FrameDetector().detect(canvas.pixels, canvas.lines))
    for box, text in truth.items():
        element = max(state.elements, key=lambda e, box=box: e.box.iou(box))
        label = naming_label(element.box, element.role, state)
        assert (element.role, label.text if label else "") == ("field", text)


def test_a_line_that_the_reader_began_with_the_box_itself_still_names_it():
    canvas = Canvas(900, 200)
    line = canvas.text("Female", 60, 50)
    canvas.lines[-1] = TextLine(text="Female", box=Box(34, line.y, line.right - 34, line.h))
    assert named(canvas, Box(36, 50, 16, 16), ElementRole.RADIO) == "Female"


def test_of_a_label_and_a_value_in_one_line_the_label_names_the_field_below() -> None:
    """The value is another one each time."""
    canvas = Canvas(900, 300)
    canvas.text("Subject: Re: Holidays", 40, 100)
    assert named(canvas, canvas.field(Box(40, 120, 300, 60)), FIELD) == "Subject:"


def test_a_value_is_named_by_the_label_before_it_in_its_own_line() -> None:
    canvas = Canvas(900, 300)
    line = canvas.text("Phone: 158361 Paris", 40, 100)
    assert named(canvas, Box(line.x + 60, line.y, line.w - 60, line.h), "link") == "Phone"


def test_a_value_in_a_list_of_labels_is_named_by_its_own_and_not_by_the_value_above() -> None:
    canvas, values = Canvas(700, 300), list[Box]()
    for row, (label, value) in enumerate((("Ward", "Ward South"), ("Blood group", "AB neg"), ("Physician", "Kessler"))):
        canvas.text(label, 40, 60 + 24 * row)
        values.append(canvas.text(value, 240, 60 + 24 * row))
    assert [named(canvas, box, ElementRole.TEXT) for box in values] == ["Ward", "Blood group", "Physician"]


def test_a_field_that_a_mark_switches_on_is_named_by_the_caption_of_the_mark():
    canvas = Canvas(900, 400)
    mark = Element(box=Box(100, 103, 16, 16), role=CHECKBOX, text="Expires:")
    canvas.text("Expires:", 124, 103)
    box = canvas.field(Box(200, 97, 300, 28))
    assert named(canvas, box, FIELD, mark) == "Expires:"
    canvas.text("Valid", 200, 77)
    assert named(canvas, box, FIELD, mark) == "Valid", "a label of its own names it rather"
