"""A taught picture beside a screen, as people are shown it (S2.10)."""

from __future__ import annotations

import numpy as np
import pytest

from execution.matching.side_by_side import COLOURS, Beside, Found, beside, painted
from tests.execution.matching.screens import record
from tests.execution.matching.test_comparison import FREE, MENU, shown


def places(found: Beside) -> list[set[Found]]:
    return [{line.found for line in lines} for lines in found.lines]


def has(picture: np.ndarray, where: Found) -> bool:
    return bool((picture == COLOURS[where]).all(axis=2).any())


def test_the_same_screen_is_all_green_and_likely() -> None:
    taught = record("Summary").state()
    found = beside(taught, taught, name="Summary")
    assert found.probability > 0.9
    assert found.differs is None
    assert places(found) == [{Found.BOTH}, {Found.BOTH}]


def test_what_lies_on_top_is_purple_on_the_side_that_has_it() -> None:
    taught = record("Summary").state()
    found = beside(taught, shown(taught, FREE, MENU), name="Summary")
    assert found.differs is not None
    mine, theirs = places(found)
    assert Found.ON_TOP in theirs
    assert Found.ON_TOP not in mine


def test_another_screen_has_lines_of_its_own_in_red_on_both_sides() -> None:
    found = beside(record("Summary").state(), record("Letters").state(), name="Summary")
    assert found.differs is not None  # another tab is chosen
    assert all(Found.ALONE in side for side in places(found))


def test_the_lines_are_painted_where_they_stand() -> None:
    taught = record("Summary").state()
    seen = shown(taught, FREE, MENU)
    picture = painted(beside(taught, seen, name="Summary"), taught, seen)
    middle = picture.shape[1] // 2
    assert picture.shape[1] >= 2 * taught.frame.size[0]
    assert has(picture[:, :middle], Found.BOTH)
    assert not has(picture[:, :middle], Found.ON_TOP)
    assert has(picture[:, middle:], Found.ON_TOP)


def test_the_shares_make_the_probability() -> None:
    found = beside(record("Summary").state(), record("Letters").state(), name="Summary")
    odds = np.log(found.probability / (1 - found.probability))
    same = beside(record("Summary").state(), record("Summary").state(), name="Summary")
    more = sum(same.shares.values()) - sum(found.shares.values())
    assert np.log(same.probability / (1 - same.probability)) - odds == pytest.approx(more, abs=1e-6)
