"""How probable it is that a place is the target: fitted trees over the features of all places, with a null answer.

Gradient-boosted trees (Friedman 2001, fitted by LightGBM, monotone in each sign) give every place its odds; places
compete with each other and with "none of these", whose odds are 1: P(i) = odds_i / (1 + the sum of all odds), a
conditional logit (McFadden 1974), and by that likelihood they are fitted. A last logistic step (Platt 1999), fitted
where the trees were not, makes a P of 0.9 right nine times in ten. `python -m benchmarks.judging --fit` writes
`fitted.json`.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from execution.targeting.features import ALL, NAMES
from workflows.choices import EffectClass

FITTED = Path(__file__).with_name("fitted.json")

# What asking a person costs, as a share of what a wrong click costs there: act where P >= 1 - share (S5.3). The share
# of what only reads is that of the setting; the less can be taken back, the smaller it is. Set by hand: from 0.75,
# 0.90 and 0.95 on, 0.8, 0.4 and 0.3 of a hundred targets of unseen programs were clicked wrongly. What may be done
# again in its place is not cheap in another one: a value typed over another field's.
_DEARNESS = {EffectClass.READ: 1.0, EffectClass.IDEMPOTENT: 0.4, EffectClass.OBSERVABLE: 0.4, EffectClass.OPAQUE: 0.2}
_WIDEST = 20.0  # logarithms of odds


def needed(threshold: float, effect: EffectClass) -> float:
    """The P from which on to act; `threshold` is what an act that only reads needs."""
    return 1.0 - (1.0 - threshold) * _DEARNESS[effect]


@dataclass(frozen=True, slots=True, eq=False)
class Judgement:
    """`log_odds` (places,) of each place; `chances` (places,) is P of each, their sum at most 1.

    `weights` (places, kinds of evidence, in the order of `kinds`) is what made the odds so: a positive one spoke for
    the place, in logarithms of its odds, beside the usual place.
    """

    log_odds: np.ndarray
    chances: np.ndarray
    weights: np.ndarray
    kinds: tuple[str, ...]

    @property
    def order(self) -> list[int]:
        """The places, the most probable first."""
        return [int(i) for i in np.argsort(-self.chances, kind="stable")]


class Judge:
    """Trees and their calibration, made ready; ValueError where they were fitted to other features."""

    def __init__(self, fitted: dict[str, Any]) -> None:
        if fitted["features"] != list(NAMES):
            raise ValueError("the judge was fitted to other features; python -m benchmarks.judging --fit")
        trees = fitted["trees"]
        most = max(len(tree["feature"]) for tree in trees)

        def table(name: str, kind: type) -> np.ndarray:
            return np.array([tree[name] + [0] * (most - len(tree[name])) for tree in trees], kind)

        self._feature, self._threshold = table("feature", int), table("threshold", float)
        self._left, self._right = table("left", int), table("right", int)
        self._missing_left, self._mean = table("missing_left", bool), table("mean", float)
        self._base, self._calibration = float(fitted["base"]), fitted["calibration"]
        self._kinds = tuple(dict.fromkeys(f.of for f in ALL))
        self._kind_of = np.array([self._kinds.index(f.of) for f in ALL])
        self._weights = self._on_the_way()

    def judge(self, table: np.ndarray) -> Judgement:
        """The places of one screen, by their features: shape (places, features)."""
        count, trees = len(table), len(self._feature)
        if not count:
            return Judgement(np.zeros(0), np.zeros(0), np.zeros((0, len(self._kinds))), self._kinds)
        # All nodes lie in one row, those of a tree from `first` on; `on` are the ways that have not come to a leaf.
        nodes, values = self._feature.shape[1], np.ascontiguousarray(table).ravel()
        first = np.tile(np.arange(trees) * nodes, count)
        row = np.repeat(np.arange(count) * table.shape[1], trees)
        at, on = first.copy(), np.arange(count * trees)
        while len(on := on[self._left.take(at[on]) > 0]):
            now = at[on]
            value = values.take(row[on] + self._feature.take(now))
            left = np.where(np.isnan(value), self._missing_left.take(now), value <= self._threshold.take(now))
            at[on] = first[on] + np.where(left, self._left.take(now), self._right.take(now))
        log_odds = self._base + self._mean.take(at).reshape(count, trees).sum(axis=1)
        weights = self._weights.reshape(-1, len(self._kinds)).take(at, axis=0).reshape(count, trees, -1).sum(axis=1)
        return Judgement(log_odds, self.chances(log_odds), weights, self._kinds)

    def _on_the_way(self) -> np.ndarray:
        """How much each kind of sign moved the mean on the way to every node: shape (trees, nodes, kinds)."""
        found = np.zeros((*self._feature.shape, len(self._kinds)))
        for tree, (lefts, rights) in enumerate(zip(self._left.tolist(), self._right.tolist(), strict=True)):
            for node, then in ((n, t) for n in range(len(lefts)) if lefts[n] > 0 for t in (lefts[n], rights[n])):
                found[tree, then] = found[tree, node]  # a node comes before those it leads to
                found[tree, then, self._kind_of[self._feature[tree, node]]] += (
                    self._mean[tree, then] - self._mean[tree, node]
                )
        return found

    def chances(self, log_odds: np.ndarray) -> np.ndarray:
        """P of each place by the logarithms of all their odds."""
        odds = np.exp(np.clip(log_odds, -_WIDEST, _WIDEST))
        chances, (slope, offset) = odds / (1.0 + odds.sum()), self._calibration
        bounded = np.clip(chances, 1e-9, 1 - 1e-9)
        fair = 1.0 / (1.0 + np.exp(-(slope * np.log(bounded / (1 - bounded)) + offset)))
        return np.asarray(fair / max(1.0, float(fair.sum())))


@cache
def fitted_judge() -> Judge:
    """The judge of this product; read once."""
    return Judge(json.loads(FITTED.read_text()))
