"""Boxes on a screen: their order, and which are of one thing."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from execution.targeting.boxes import reading_order, same_box
from execution.types import Box


@given(st.integers(1, 6), st.integers(1, 6), st.randoms(use_true_random=False), st.integers(0, 3))
def test_reading_order_is_row_by_row_however_uneven(rows, columns, random, jitter):
    grid = [
        Box(40 + 100 * x, 40 + 40 * y + random.randint(0, jitter), 80, 24) for y in range(rows) for x in range(columns)
    ]
    shuffled = grid.copy()
    random.shuffle(shuffled)
    assert reading_order(shuffled) == grid


def test_what_is_a_pixel_lower_is_of_the_next_row_only_by_its_height():
    """Two lines of one list whose boxes were read 14 and 15 pixels high."""
    upper, lower = Box(400, 593, 60, 14), Box(400, 613, 60, 15)
    assert reading_order([lower, upper]) == [upper, lower]


def test_a_row_is_not_the_button_in_it():
    row, button = Box(0, 100, 600, 30), Box(500, 102, 90, 26)
    assert not same_box(row, button)
    assert same_box(button, Box(502, 104, 88, 24))
