from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from execution.targeting.boxes import point_in, target_box
from execution.teaching.evidence import teach_target
from execution.types import Box, Element, ElementRole, Point, Size, Window
from tests.execution.perception.drawing import Canvas, Pictures


def dialog() -> Canvas:
    canvas = Canvas(1000, 600)
    canvas.text("Delete the record?", 300, 200)
    canvas.button("Yes", Box(300, 300, 100, 30))
    canvas.button("No", Box(440, 300, 100, 30))
    canvas.text("17:45", 900, 4)
    canvas.text("2026-11-21", 800, 4)
    canvas.text("Total", 300, 250)
    return canvas


def test_a_target_is_taught_with_picture_surroundings_text_neighbours_and_places():
    """S6.1: evidence, never a bare coordinate."""
    store, canvas = Pictures(), dialog()
    window = Window(title="Confirm", box=Box(250, 150, 400, 250))
    yes = Box(300, 300, 100, 30)
    state = canvas.state(window=window, elements=[Element(box=yes, role=ElementRole.BUTTON, text="Yes")])
    target = teach_target(state.frame, yes, label="Yes button", state=state, click=Point(310, 320), store=store)
    assert (target.label, target.text, target.role, target.window_title) == ("Yes button", "Yes", "button", "Confirm")
    assert np.array_equal(store[target.picture], state.frame.crop(yes))
    assert store[target.context].shape == (30 + 96, 100 + 96, 3)
    assert Box.from_normalised(target.box, state.frame.size) == yes
    assert target.window_box == pytest.approx((50 / 400, 150 / 250, 100 / 400, 30 / 250))
    assert target.screen_size == (1000, 600)
    assert point_in(yes, target.click) == Point(310, 320)
    assert [n.text for n in target.neighbours] == ["No", "Total", "Delete the record?"]
    assert target.target_id


def test_clocks_dates_and_counters_are_no_neighbours():
    canvas = Canvas(600, 200)
    for index, text in enumerate(("17:45", "2026-11-21", "1 250,50", "3 / 12", "9h05", "Room 3")):
        canvas.text(text, 20 + 90 * index, 120)
    state = canvas.state()
    target = teach_target(state.frame, Box(250, 60, 80, 30), label="x", state=state, click=None, store=Pictures())
    assert [n.text for n in target.neighbours] == ["Room 3"]
    assert [n.text for n in target.around] == ["Room 3"]


def test_more_texts_are_kept_of_where_it_lies_and_none_that_names_a_record():
    canvas = Canvas(900, 600)
    for number in range(12):
        canvas.text(f"Section {chr(65 + number)}", 40, 40 + 40 * number)
    canvas.text("DUPONT Marie", 300, 40)
    canvas.text("7715", 300, 80)
    box = Box(600, 300, 90, 28)
    state = canvas.state(elements=[Element(box=canvas.button("Open", box), role=ElementRole.BUTTON, text="Open")])
    target = teach_target(state.frame, box, label="Open", state=state, click=None, store=Pictures())
    assert {n.text for n in target.around} == {f"Section {chr(65 + number)}" for number in range(12)}
    first = next(n for n in target.around if n.text == "Section A")
    line = next(line for line in state.texts if line.text == "Section A")
    assert (first.dx, first.dy) == (line.box.center.x - box.center.x, line.box.center.y - box.center.y)
    assert (first.w, first.h) == (line.box.w, line.box.h)
    assert target.rank == (0, 1)
    left, top, wide, high = target.caption
    assert 0 < left < left + wide < 1
    assert 0 < top < top + high < 1


def test_the_same_target_has_the_same_id_and_another_box_another():
    state, store = dialog().state(), Pictures()
    ids = [
        teach_target(state.frame, box, label="Yes", state=state, click=None, store=store).target_id
        for box in (Box(300, 300, 100, 30), Box(300, 300, 100, 30), Box(440, 300, 100, 30))
    ]
    assert ids[0] == ids[1] != ids[2]


def test_a_box_that_hangs_over_the_edge_is_cut_and_one_outside_is_refused():
    state, store = dialog().state(), Pictures()
    cut = teach_target(state.frame, Box(950, 580, 100, 60), label="x", state=state, click=None, store=store)
    assert Box.from_normalised(cut.box, state.frame.size) == Box(950, 580, 50, 20)
    with pytest.raises(ValueError, match="“x” has a box that is not on the screen"):
        teach_target(state.frame, Box(2000, 0, 10, 10), label="x", state=state, click=None, store=store)


def test_a_click_means_the_smallest_control_then_the_text_then_a_small_box():
    canvas = dialog()
    yes, around = Box(300, 300, 100, 30), Box(280, 280, 300, 70)
    controls = [Element(box=around, role=ElementRole.GROUP), Element(box=yes, role=ElementRole.BUTTON, text="Yes")]
    state = canvas.state(elements=controls)
    assert target_box(state, Point(310, 310)) == yes
    text = next(line.box for line in state.texts if line.text == "Delete the record?")
    assert target_box(state, text.center) == text.grown(2, state.frame.size)
    assert target_box(state, Point(50, 500)) == Box(26, 484, 48, 32)
    assert target_box(state, Point(0, 0)) == Box(0, 0, 24, 16)


@given(
    st.builds(Box, st.integers(0, 500), st.integers(0, 500), st.integers(1, 400), st.integers(1, 400)),
    st.tuples(st.floats(0, 1), st.floats(0, 1)),
)
def test_the_place_to_click_is_always_inside_the_box(box, click):
    assert box.contains(point_in(box, click))


@given(st.data())
def test_a_taught_click_is_given_back_to_the_pixel(data):
    state = dialog().state()
    box = data.draw(st.builds(Box, st.integers(0, 800), st.integers(0, 500), st.integers(1, 200), st.integers(1, 100)))
    click = Point(box.x + data.draw(st.integers(0, box.w - 1)), box.y + data.draw(st.integers(0, box.h - 1)))
    target = teach_target(state.frame, box, label="x", state=state, click=click, store=Pictures())
    own = Box.from_normalised(target.box, state.frame.size)  # of a box that holds several things, the one clicked
    assert point_in(own, target.click) == click


def records(*, count: int = 5, names: str = "Patient {}") -> tuple[Canvas, list[Element]]:
    canvas, elements = Canvas(1000, 500), []
    canvas.text("Records (12)", 360, 40)
    for row in range(count):
        canvas.text(names.format(4711 + row), 60, 106 + 40 * row)
        canvas.text("12/03/2024", 260, 106 + 40 * row)
        box = canvas.button("Open", Box(500, 100 + 40 * row, 100, 28))
        elements.append(Element(box=box, role=ElementRole.BUTTON, text="Open"))
    return canvas, elements


def taught(canvas: Canvas, box: Box, elements: list[Element], **options):
    state = canvas.state(elements=elements, window=options.pop("window", None))
    return teach_target(state.frame, box, label="x", state=state, click=None, store=Pictures(), **options)


def test_of_twins_it_is_kept_which_one_it_was_and_what_names_its_row_but_no_date():
    """S6.1: enough to tell it from its twins; the number of a record is what tells rows apart."""
    canvas, elements = records()
    target = taught(canvas, Box(500, 180, 100, 28), elements)
    assert (target.number, target.alike) == (3, 5)
    assert [n.text for n in target.neighbours if n.dy == min(abs(m.dy) for m in target.neighbours)] == ["Patient 4713"]
    assert not any("2024" in n.text for n in target.neighbours)
    assert len(target.shapes) == 4


def test_a_target_without_twins_has_no_number_of_a_record_among_its_neighbours():
    canvas, elements = records(count=1, names="Invoice F2024-{}")
    target = taught(canvas, Box(500, 100, 100, 28), elements)
    assert sorted(n.text for n in target.neighbours) == ["Invoice", "Records"]
    assert (target.number, target.alike) == (1, 1)


def test_the_way_to_a_neighbour_leads_to_the_part_of_it_that_was_kept():
    canvas, elements = records(count=1)
    box = Box(500, 100, 100, 28)
    (heading,) = [n for n in taught(canvas, box, elements).neighbours if n.text == "Records"]
    plain = Canvas(1000, 500)
    alone = plain.text("Records", 360, 40)
    assert abs(box.center.x + heading.dx - alone.center.x) <= 3


def test_the_content_of_a_field_is_no_evidence_its_label_is():
    canvas = Canvas(900, 300)
    canvas.text("First name:", 40, 106)
    canvas.text("Town:", 40, 156)
    first, town = canvas.field(Box(180, 100, 300, 28), "Ana Costa"), canvas.field(Box(180, 150, 300, 28), "Paris")
    elements = [Element(box=b, role=ElementRole.FIELD, text=t) for b, t in ((first, "Ana Costa"), (town, "Paris"))]
    target = taught(canvas, first, elements)
    assert (target.text, target.role, target.named_by.text) == ("", "field", "First name:")
    assert (target.number, target.alike) == (1, 1)
    assert [n.text for n in target.neighbours] == ["First name:", "Town:"]


def test_a_count_in_its_own_text_and_label_is_not_kept():
    canvas = Canvas(900, 300)
    box = canvas.button("Inbox (12)", Box(100, 100, 160, 30))
    state = canvas.state(elements=[Element(box=box, role=ElementRole.BUTTON, text="Inbox (12)")])
    target = teach_target(state.frame, box, label="Inbox (12)", state=state, click=None, store=Pictures())
    assert (target.text, target.label) == ("Inbox", "Inbox")


def test_the_size_of_the_window_and_the_texts_of_the_row_are_kept():
    canvas, elements = records()
    target = taught(
        canvas, Box(500, 140, 100, 28), elements, window=Window(box=Box(40, 30, 900, 400)), row=("{{record}}",)
    )
    assert target.window_size == (900, 400)
    assert target.row == ("{{record}}",)


def test_a_window_without_a_size_and_a_target_of_one_pixel_are_taken_as_they_are():
    canvas, elements = records()
    target = taught(canvas, Box(700, 450, 1, 1), elements, window=Window(title="x", box=Box(0, 0, 0, 0)))
    assert (target.window_size, target.window_box, target.alike) == ((0, 0), None, 1)


@pytest.mark.parametrize(
    ("text", "role", "kept"),
    [
        ("Q", ElementRole.ICON, ""),
        ("00", ElementRole.ICON, ""),
        ("0", ElementRole.CHECKBOX, ""),
        ("O", ElementRole.RADIO, ""),
        ("Remember me", ElementRole.CHECKBOX, "Remember me"),
        ("OK", ElementRole.ICON, "OK"),
        ("7", ElementRole.BUTTON, "7"),
        ("AC", ElementRole.BUTTON, "AC"),
        ("+", "", ""),
        ("0", "", ""),
    ],
)
def test_a_small_picture_read_as_a_letter_has_no_text(text, role, kept):
    """S6.1: an empty check box is read as "0" and an icon as "Q"; the next reading says something else."""
    canvas, box = Canvas(400, 200), Box(100, 80, 130, 40)
    canvas.text(text, 120, 90)
    elements = [Element(box=box, role=ElementRole(role), text=text)] if role else []
    assert taught(canvas, box, elements).text == kept


def test_the_program_of_the_window_is_kept():
    canvas, elements = records()
    window = Window(title="Records", app_name="Clinic", box=Box(40, 30, 900, 400))
    assert taught(canvas, Box(500, 140, 100, 28), elements, window=window).app_name == "Clinic"


@pytest.mark.parametrize(("text", "kept"), [("0", ""), ("D", ""), ("7", "7"), ("12", "12")])
def test_one_letter_that_fills_a_box_of_no_known_kind_is_a_picture_and_a_number_is_not(text, kept):
    """S6.1: the check box of a row, which the detector passed over; the day of a calendar is read as it is."""
    canvas = Canvas(400, 200)
    assert taught(canvas, canvas.text(text, 120, 90).grown(2, Size(400, 200)), []).text == kept
