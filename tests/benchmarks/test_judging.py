"""The judge that is kept is the one that was fitted, and each family is judged by one that does not know it (S5.3)."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from benchmarks import judging
from execution.targeting.comparison import NAMES, Compared
from execution.targeting.judge import HERE_NAMES, HERE_SIGNS, Judge, Trees

SAID, LOOK = NAMES.index("similar"), NAMES.index("look")


def samples(count: int, seed: int = 3) -> list[judging.Sample]:
    """Screens of six places each; the one that reads as the target does is it, where any does."""
    rng, found = np.random.default_rng(seed), []
    for number in range(count):
        features = rng.random((6, len(NAMES))).astype(np.float32)
        features[rng.random(features.shape) < 0.2] = np.nan
        features[:, SAID] = rng.random(6) * 0.6
        is_there = bool(rng.random() < 0.7)
        features[0, SAID] = 0.95 if is_there else features[0, SAID]
        right = np.zeros(6, bool)
        right[0] = is_there
        compared = Compared((), features, np.eye(6, dtype=bool))
        found.append(judging.Sample(f"s{number}", "drift", f"f{number % 20}", "moved", is_there, compared, right))
    return found


@pytest.fixture(scope="module")
def made() -> list[judging.Sample]:
    return samples(400)


@pytest.fixture(scope="module")
def fitted(made: list[judging.Sample]) -> tuple[dict[str, Any], list[judging.Fold]]:
    return judging.fit(made)


def test_trees_that_are_kept_give_the_odds_that_were_fitted(made: list[judging.Sample]) -> None:
    rows = np.concatenate([one.found.features for one in made])
    right = np.concatenate([one.right for one in made])
    signs = [0] * len(NAMES)
    models = [
        judging._learned({**judging.WHICH, "seed": n}, rows, right, np.ones(len(right)), signs, 40) for n in (1, 2)
    ]
    kept = Trees(judging.trees_of(models, NAMES), NAMES)
    mean = np.mean([model.predict(rows, raw_score=True) for model in models], axis=0)
    assert np.allclose(kept.score(kept.leaves(rows)), mean, atol=5e-3)


def test_a_better_sign_never_lowers_a_place(fitted: Any, made: list[judging.Sample]) -> None:
    for trees, names, signs, width in (
        ("which", NAMES, judging.FEATURES, len(NAMES)), ("here", HERE_NAMES, HERE_SIGNS, len(HERE_NAMES)),
    ):  # fmt: skip
        kept = Trees(fitted[0][trees], names)
        column = names.index("similar")
        assert getattr(signs[column], "sign", signs[column]) == 1
        rows = np.random.default_rng(1).random((200, width)).astype(np.float32)
        better = rows.copy()
        better[:, column] += 0.2
        assert (kept.score(kept.leaves(better)) >= kept.score(kept.leaves(rows)) - 1e-9).all()


def test_what_was_learned_is_known_again_and_none_is_an_answer(fitted: Any) -> None:
    kept = Judge(fitted[0])
    answers = [(one, kept.judge(one.found).chances) for one in samples(80, seed=9)]
    assert np.median([chances[0] for one, chances in answers if one.is_there]) > 0.9
    assert np.median([chances.max() for one, chances in answers if not one.is_there]) < 0.3
    assert all(chances.sum() <= 1.0 for _, chances in answers)


def test_each_family_is_judged_by_what_does_not_know_it(fitted: Any, made: list[judging.Sample]) -> None:
    folds = fitted[1]
    assert len(folds) > 1
    seen = [answer.sample.name for fold in folds for answer in fold.answers]
    assert sorted(seen) == sorted(one.name for one in made)
    families = [{answer.sample.family for answer in fold.answers} for fold in folds]
    assert sum(map(len, families)) == len(set.union(*families)) == 20


def test_a_table_counts_what_is_found_and_what_is_clicked_wrongly(fitted: Any) -> None:
    there, absent = samples(1), samples(40)
    one = next(s for s in there if s.is_there)
    gone = next(s for s in absent if not s.is_there)
    said = judging.table([judging.Answer(one, 0.96, True), judging.Answer(gone, 0.92, False)])
    rows = {line[:40].strip(): line[40:].split() for line in said.splitlines()[1:]}
    assert rows["drift"] == ["1", "100.0%", "100.0%", "0", "100.0%", "0", "100.0%", "0"]
    assert rows["drift, absent"] == ["1", "0.0%", "0.0%", "1", "0.0%", "1", "0.0%", "0"]


def test_a_judge_fitted_to_other_features_is_refused(fitted: Any) -> None:
    with pytest.raises(ValueError, match="other features"):
        Judge({**fitted[0], "which": {**fitted[0]["which"], "features": ["similar"]}})
