"""Which of two answers is the better one: only what was right before can break (S6.17)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from execution.replay.answers import BREAKS, Truth, Verdict, is_same_place, of_places, of_screens

NAMES = st.sampled_from(["", "list", "card"])
SIDE = st.floats(0, 1, width=32)
Box = tuple[float, float, float, float]
BOX = st.tuples(SIDE, SIDE, st.floats(0.0009765625, 0.5, width=32), st.floats(0.0009765625, 0.5, width=32))


@pytest.mark.parametrize(
    ("was", "now", "right", "wrong", "verdict"),
    [
        ("list", "list", "list", None, Verdict.SAME),
        ("list", "", "list", None, Verdict.WORSE),
        ("list", "card", "list", None, Verdict.WRONG),
        ("", "card", "list", None, Verdict.WRONG),
        ("", "list", "list", None, Verdict.BETTER),
        ("card", "list", "list", None, Verdict.BETTER),
        ("card", "", "list", None, Verdict.BETTER),
        ("card", "card", "list", None, Verdict.SAME),
        ("list", "", None, "list", Verdict.BETTER),
        ("list", "list", None, "list", Verdict.SAME),
        ("", "list", None, "list", Verdict.WRONG),
        ("list", "card", None, "list", Verdict.OTHER),
        ("", "card", None, None, Verdict.OTHER),
        ("", "", None, None, Verdict.SAME),
    ],
)
def test_a_verdict(was: str, now: str, right: str | None, wrong: str | None, verdict: Verdict) -> None:
    assert of_screens(was, now, Truth(right=right, wrong=wrong)) is verdict


@given(was=NAMES, now=NAMES, right=st.none() | st.sampled_from(["list", "card"]))
def test_what_stays_never_breaks_and_what_is_right_never_does(was: str, now: str, right: str | None) -> None:
    found = of_screens(was, now, Truth(right=right))
    if was == now:
        assert found is Verdict.SAME
    if right is not None and now == right:
        assert found not in BREAKS
    if right is not None and was == right and now != right:
        assert found in BREAKS


@given(one=BOX, other=BOX)
def test_a_place_is_known_by_where_it_would_be_clicked(one: Box, other: Box) -> None:
    assert is_same_place(one, one)
    x, y = one[0] + one[2] / 2, one[1] + one[3] / 2
    inside = other[0] <= x <= other[0] + other[2] and other[1] <= y <= other[1] + other[3]
    assert is_same_place(one, other) == inside


def test_a_button_in_a_row_of_many_is_not_its_neighbour_and_a_point_is_in_it_or_not() -> None:
    one, next_one = (0.1, 0.1, 0.1, 0.05), (0.21, 0.1, 0.1, 0.05)
    assert not is_same_place(one, next_one)
    assert is_same_place(one, (0.11, 0.1, 0.1, 0.05))
    assert not is_same_place((0.0, 0.0, 1.0, 1.0), one)  # the whole screen holds it, and would be clicked elsewhere
    assert is_same_place((0.12, 0.12, 0.01, 0.01), one)  # the mark of a check box, where its whole was clicked
    assert of_places(one, one, Truth(right=(0.15, 0.12, 0.0, 0.0))) is Verdict.SAME
    assert of_places(one, None, Truth(right=(0.15, 0.12, 0.0, 0.0))) is Verdict.WORSE
    assert of_places(one, next_one, Truth(right=(0.25, 0.12, 0.0, 0.0))) is Verdict.BETTER
