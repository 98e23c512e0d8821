"""The judge that is kept is the one that was fitted: the same odds, and never less for a better sign (S5.3)."""

from __future__ import annotations

import random

import numpy as np
import pytest

from benchmarks import judging
from benchmarks.drift.pairs import Pair, Truth
from execution.targeting.features import NAMES, PLACES, SCREEN, completed
from execution.targeting.judge import Judge
from execution.types import Box


def samples(count: int, seed: int = 3) -> list[judging.Sample]:
    """Screens of a few places, the one that reads and looks most like the target being it, where any does."""
    rng, found = np.random.default_rng(seed), []
    for number in range(count):
        table = rng.random((6, len(PLACES))).astype(np.float32)
        table[rng.random(table.shape) < 0.2] = np.nan
        text = [feature.name for feature in PLACES].index("text")
        table[:, text] = rng.random(6) * 0.6
        here = bool(rng.random() < 0.7)
        table[0, text] = 0.95 if here else table[0, text]
        pair = Pair(
            name=f"p{number}", kind="moved", part="web", family=f"f{number % 7}", taught="a", seen="b",
            box=Box(0, 0, 9, 9), label="x", role="button", truth=Truth.HERE if here else Truth.GONE,
            dress=f"d{number % 5}",
        )  # fmt: skip
        right = np.zeros(6, bool)
        right[0] = here
        features = completed(table, rng.random(len(SCREEN)).astype(np.float32))
        found.append(judging.Sample(pair, features, right, np.zeros(6, bool), 1.0))
    return found


@pytest.fixture(scope="module")
def made() -> list[judging.Sample]:
    return samples(150)


def test_the_judge_that_is_kept_gives_the_odds_that_were_fitted(made: list[judging.Sample]) -> None:
    model, kept = judging.learned(made), Judge(judging.fit(made))
    for one in made[:40]:
        raw = model.predict(one.features, raw_score=True)
        assert np.allclose(kept.judge(one.features).log_odds, raw, atol=5e-3)


def test_a_better_sign_never_lowers_a_place(made: list[judging.Sample]) -> None:
    kept = Judge(judging.fit(made))
    column = NAMES.index("text")
    for one in made[:20]:
        before = kept.judge(one.features).log_odds
        better = one.features.copy()
        better[:, column] += 0.2
        assert (kept.judge(better).log_odds >= before - 1e-6).all()


def test_what_was_learned_is_known_again_and_none_is_an_answer(made: list[judging.Sample]) -> None:
    kept = Judge(judging.fit(made))
    answers = [(one, kept.judge(one.features).chances) for one in samples(80, seed=9)]
    here = [chances[0] for one, chances in answers if one.pair.truth is Truth.HERE]
    gone = [chances.max() for one, chances in answers if one.pair.truth is Truth.GONE]
    assert np.median(here) > 0.9
    assert np.median(gone) < 0.3
    assert all(chances.sum() <= 1.0 for _, chances in answers)


def test_what_is_unseen_leaves_the_rest_as_it_is(made: list[judging.Sample]) -> None:
    rng = random.Random(1)
    for one in made[:20]:
        blind = judging.blinded(one, rng)
        own, before = blind.features[:, : len(PLACES)], one.features[:, : len(PLACES)]
        assert (np.isnan(own) | (own == before)).all()
        assert np.isnan(own).sum() > np.isnan(before).sum()


def test_a_judge_fitted_to_other_features_is_refused(made: list[judging.Sample]) -> None:
    with pytest.raises(ValueError, match="other features"):
        Judge({**judging.fit(made[:40]), "features": ["text"]})
