"""Prototypes (S6.6) move, by little, and never across to another screen."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from execution.learning.prototypes import REACH, SHARE, STRIDE, angle, moved, reach, unit

SIZE = 6
SLACK = 1e-9


def vectors() -> st.SearchStrategy[np.ndarray]:
    numbers = st.lists(st.floats(-1, 1), min_size=SIZE, max_size=SIZE).map(np.array)
    return numbers.filter(lambda v: np.linalg.norm(v) > 0.1).map(unit)


@given(vectors(), st.lists(vectors(), max_size=4), st.lists(vectors(), min_size=1, max_size=12))
def test_whatever_is_seen_it_stays_within_a_quarter_of_the_way_to_any_other(
    taught: np.ndarray, others: list[np.ndarray], seen: list[np.ndarray]
) -> None:
    prototype = taught
    for one in [one for one in seen for _ in range(12)]:  # each often enough to go as far as it can
        later = moved(prototype, one, taught=taught, others=others)
        assert angle(prototype, later) <= STRIDE + SLACK
        prototype = later
        assert abs(np.linalg.norm(prototype) - 1) < SLACK
        assert angle(prototype, taught) <= REACH + SLACK
        for other in others:
            assert angle(prototype, taught) <= SHARE * angle(taught, other) + SLACK


@given(vectors(), vectors(), st.integers(1, 400))
def test_a_series_of_another_screen_carries_nothing_across(a: np.ndarray, b: np.ndarray, times: int) -> None:
    """Neither by its own picture, nor by one that is made to lie just on this side of half the way."""
    if angle(a, b) < 0.05:
        return
    poisons = [b, unit(0.51 * a + 0.49 * b)] if np.linalg.norm(a + b) > 0.1 else [b]
    for poison in poisons:
        mine = a
        for _ in range(times):
            mine = moved(mine, poison, taught=a, others=[b])
        its = b
        for _ in range(times):
            its = moved(its, a, taught=b, others=[a])
        assert angle(mine, a) <= SHARE * angle(a, b) + SLACK
        assert angle(mine, b) > angle(its, b)  # the other screen, as it was taught, is still the other's
        assert angle(its, a) > angle(mine, a)


def test_what_changes_slowly_is_followed() -> None:
    taught, now = unit(np.array([1.0, 0, 0])), unit(np.array([1.0, 0.15, 0]))
    prototype = taught
    for _ in range(60):
        prototype = moved(prototype, now, taught=taught)
    assert angle(prototype, now) < 0.01 < angle(taught, now)


def test_a_screen_that_is_more_like_another_is_no_word_about_this_one() -> None:
    taught, other = unit(np.array([1.0, 0, 0])), unit(np.array([0, 1.0, 0]))
    wrong = unit(np.array([0.4, 1.0, 0]))
    assert np.array_equal(moved(taught, wrong, taught=taught, others=[other]), taught)
    assert not np.array_equal(moved(taught, wrong, taught=taught), taught)


def test_alike_screens_leave_less_room() -> None:
    taught = unit(np.array([1.0, 0, 0]))
    assert reach(taught, []) == REACH
    near = unit(np.array([1.0, 0.1, 0]))
    assert reach(taught, [near]) == pytest.approx(SHARE * angle(taught, near))
    assert reach(taught, [taught]) == 0.0


def test_a_vector_without_a_direction_is_refused() -> None:
    with pytest.raises(ValueError, match="no direction"):
        moved(np.ones(3), np.zeros(3), taught=np.ones(3))
    with pytest.raises(ValueError, match="no direction"):
        unit(np.array([np.nan, 1]))
