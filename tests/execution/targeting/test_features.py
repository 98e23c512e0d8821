"""What is measured of a place beside the others follows from what is measured of each."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from execution.targeting.features import NAMES, OWN, PLACES, SCREEN, completed

GIVEN = np.zeros(len(SCREEN), np.float32)
SHARES = st.one_of(st.just(float("nan")), st.floats(0, 1, width=16))
TABLES = st.integers(1, 6).flatmap(lambda count: arrays(np.float32, (count, len(PLACES)), elements=SHARES))


def table(**columns: list[float]) -> np.ndarray:
    """Places by what is told of them; all else is not told."""
    made = np.full((len(next(iter(columns.values()))), len(PLACES)), np.nan, np.float32)
    for name, values in columns.items():
        made[:, [f.name for f in PLACES].index(name)] = values
    return made


def told(features: np.ndarray, name: str) -> list[float]:
    return [round(float(value), 4) for value in features[:, NAMES.index(name)]]


def test_the_best_is_ahead_of_the_second_and_the_others_are_behind_the_best() -> None:
    features = completed(table(text=[0.5, 1.0, 0.75]), GIVEN)
    assert told(features, "text_ahead") == [-0.5, 0.25, -0.25]


def test_a_place_alone_is_ahead_of_nothing_by_all_it_has() -> None:
    assert told(completed(table(grey=[0.9]), GIVEN), "grey_ahead") == [0.9]


def test_what_is_not_told_of_a_place_is_not_told_beside_the_others() -> None:
    lead = completed(table(eye=[0.9, np.nan, 0.4]), GIVEN)[:, NAMES.index("eye_ahead")]
    assert np.isnan(lead).tolist() == [False, True, False] and round(float(lead[0]), 4) == 0.5


def test_less_is_better_where_it_speaks_against() -> None:
    features = completed(table(high=[0.0, 0.6]), GIVEN)
    assert told(features, "high_ahead") == [0.6, -0.6]


def test_signs_that_agree_are_more_than_one_sign() -> None:
    features = completed(table(text=[1.0, 1.0], standing=[1.0, 0.0], label=[1.0, 0.0]), GIVEN)
    agreement, weakest = told(features, "agreement"), told(features, "weakest")
    assert agreement[0] == 1.0 > agreement[1] and weakest == [1.0, 0.0]
    assert told(features, "as_good") == [0.0, 1.0]


def test_no_place_has_no_features() -> None:
    assert completed(table(text=[]), GIVEN).shape == (0, len(NAMES))


@given(TABLES, st.randoms())
def test_the_order_of_the_places_does_not_matter(places: np.ndarray, random: object) -> None:
    order = list(range(len(places)))
    random.shuffle(order)  # type: ignore[attr-defined]
    np.testing.assert_allclose(completed(places[order], GIVEN), completed(places, GIVEN)[order], rtol=1e-5, atol=1e-6)


@given(TABLES)
def test_each_feature_has_a_name_of_its_own(places: np.ndarray) -> None:
    features = completed(places, GIVEN)
    assert features.shape == (len(places), len(NAMES)) and len(set(NAMES)) == len(NAMES)
    np.testing.assert_array_equal(features[:, : len(PLACES)], places)
    assert not np.isinf(features[:, : len(OWN)]).any()
