"""Boxes on a screen: their order, and which are of one thing."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from execution.targeting.boxes import ends_it, reading_order, same_box
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


@pytest.mark.parametrize(
    ("box", "ends"),
    [
        (Box(291, 102, 13, 20), True),
        (Box(304, 101, 20, 22), True),
        (Box(310, 100, 160, 24), False),
        (Box(340, 102, 13, 20), False),
        (Box(291, 132, 13, 20), False),
    ],
    ids=["its arrow", "a button beside it", "the second field", "farther off", "the arrow below"],
)
def test_what_ends_a_field(box: Box, ends: bool) -> None:
    """The label of a combo box stands left of its field and of its arrow: they are no two of that name."""
    assert ends_it(box, Box(120, 100, 172, 24)) is ends
