"""S1.10: what a coach points at."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from execution.teaching.evidence import resolve_correction
from execution.types import Box, Point, ResolveStatus
from tests.execution.perception.drawing import Canvas


def page():
    canvas = Canvas(1000, 500)
    canvas.text("Save", 100, 100)
    canvas.text("Save As...", 100, 140)
    canvas.text("Delete", 100, 200)
    canvas.text("Delete", 400, 200)
    return canvas.state()


def test_a_box_is_taken_with_its_middle():
    found = resolve_correction({"box": [0.1, 0.2, 0.3, 0.06]}, page())
    assert (found.status, found.box, found.point) == (ResolveStatus.FOUND, Box(100, 100, 300, 30), Point(250, 115))
    assert (found.rung, found.score) == ("coach", 1.0)


def test_a_point_is_taken_as_it_is_with_the_box_of_what_is_there():
    state = page()
    found = resolve_correction({"point": [0.111, 0.215]}, state)
    assert found.point == Point(111, 107)
    assert found.box.contains(found.point)
    assert found.box.iou(state.texts[0].box) > 0.5


def test_the_last_pixel_is_on_the_screen():
    assert resolve_correction({"point": [1, 1.0]}, page()).point == Point(999, 499)


def test_a_point_may_come_with_its_box():
    found = resolve_correction({"box": [0.1, 0.2, 0.3, 0.1], "point": [0.12, 0.21]}, page())
    assert found.point == Point(120, 105)
    with pytest.raises(ValueError, match="outside the corrected box"):
        resolve_correction({"box": [0.1, 0.2, 0.3, 0.1], "point": [0.9, 0.9]}, page())


def test_a_box_over_several_rows_is_no_place_and_a_point_in_it_is_its_own():
    """S1.10, S6.11: the middle of a list is some other record's."""
    canvas = Canvas(1000, 500)
    for row, (name, number) in enumerate((("DUPONT Marie", "8812"), ("DUPONT Marie", "8821"), ("MARTIN Paul", "7701"))):
        canvas.text(name, 100, 100 + 40 * row)
        canvas.text(number, 300, 100 + 40 * row)
    state, drawn = canvas.state(), [0.09, 0.18, 0.4, 0.24]
    for shown in ({"box": drawn}, {"box": drawn, "point": [0.29, 0.3]}):
        with pytest.raises(ValueError, match="several things that could be meant"):
            resolve_correction(shown, state)
    found = resolve_correction({"box": drawn, "point": [0.31, 0.215]}, state)
    assert found.point == Point(310, 107)
    assert found.box.iou(state.texts[1].box) > 0.5


def test_a_text_is_found_where_it_is_read_once():
    state = page()
    assert resolve_correction({"text": "save"}, state).point == state.texts[0].box.center
    twice = resolve_correction({"text": "Delete"}, state)
    assert (twice.status, twice.point) == (ResolveStatus.AMBIGUOUS, None)
    assert twice.message == "'Delete' is read 2 times on this screen"
    none = resolve_correction({"text": "Print"}, state)
    assert (none.status, none.message) == (ResolveStatus.NOT_FOUND, "'Print' is not read on this screen")


@pytest.mark.parametrize(
    "nonsense",
    [
        {},
        {"text": "  "},
        {"point": [0.5]},
        {"point": [1.2, 0.5]},
        {"point": [float("nan"), 0.5]},
        {"point": [True, 0.5]},
        {"box": [0.1, 0.1, 0, 0.1]},
        {"box": [0.9, 0.9, 0.5, 0.05]},
        {"box": [1, 0, 0.1, 0.1]},
        {"box": [0.1, 0.1, 0.0001, 0.0001]},
        {"box": {"x": 1}},
    ],
)
def test_nonsense_is_refused_with_a_sentence(nonsense):
    with pytest.raises(ValueError, match=r"corrected .*\."):
        resolve_correction(nonsense, page())


@given(st.dictionaries(st.sampled_from(["box", "point", "text"]), st.none() | st.text(max_size=5) | st.integers()
                       | st.lists(st.floats(allow_nan=True) | st.integers(-2, 2), max_size=5)))  # fmt: skip
def test_anything_at_all_is_a_place_on_the_screen_or_a_refusal(correction):
    state = page()
    try:
        found = resolve_correction(correction, state)
    except ValueError:
        return
    if found.status is ResolveStatus.FOUND:
        assert Box(0, 0, *state.frame.size).contains(found.point)
        assert found.box.contains(found.point)
