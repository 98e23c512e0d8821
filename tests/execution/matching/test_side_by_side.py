"""A taught picture beside a screen, as people are shown it (S2.10)."""

from __future__ import annotations

import numpy as np
import pytest

from execution.matching.side_by_side import beside
from tests.execution.matching.screens import record
from tests.execution.matching.test_comparison import FREE, MENU, shown

GREEN, RED, PURPLE = (62, 138, 43), (42, 42, 201), (181, 54, 156)


def has(picture: np.ndarray, colour: tuple[int, int, int]) -> bool:
    return bool((picture == colour).all(axis=2).any())


def test_the_same_screen_is_all_green_and_likely() -> None:
    taught = record("Summary").state()
    found = beside(taught, taught, name="Summary")
    assert found.probability > 0.9
    assert found.differs is None
    assert found.picture.shape[1] >= 2 * taught.frame.size[0]
    assert has(found.picture, GREEN)
    assert not has(found.picture, RED)
    assert not has(found.picture, PURPLE)


def test_what_lies_on_top_is_purple_on_the_side_that_has_it() -> None:
    taught = record("Summary").state()
    found = beside(taught, shown(taught, FREE, MENU), name="Summary")
    assert found.differs is not None
    middle = found.picture.shape[1] // 2
    assert has(found.picture[:, middle:], PURPLE)
    assert not has(found.picture[:, :middle], PURPLE)


def test_another_screen_has_lines_of_its_own_in_red_on_both_sides() -> None:
    found = beside(record("Summary").state(), record("Letters").state(), name="Summary")
    assert found.differs is not None  # another tab is chosen
    middle = found.picture.shape[1] // 2
    assert has(found.picture[:, :middle], RED)
    assert has(found.picture[:, middle:], RED)


def test_the_shares_make_the_probability() -> None:
    found = beside(record("Summary").state(), record("Letters").state(), name="Summary")
    odds = np.log(found.probability / (1 - found.probability))
    same = beside(record("Summary").state(), record("Summary").state(), name="Summary")
    more = sum(same.shares.values()) - sum(found.shares.values())
    assert np.log(same.probability / (1 - same.probability)) - odds == pytest.approx(more, abs=1e-6)
