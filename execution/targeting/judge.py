"""How probable it is that a place is the target: one model for which place it is, one for whether it is here (S5.3).

*Which* gives every candidate of a screen its odds beside the others, a conditional logit (McFadden 1974) of
gradient-boosted trees (Friedman 2001, fitted by LightGBM, monotone in each sign). *Here* looks at the best of them, at
how far it is ahead and at the screen as a whole, and says how probable it is that this one is right at all: the right
place is the best in 96 to 99 of 100, and without *here* only half of them would be surely enough.
`python -m benchmarks.judging --fit` writes `fitted.json`.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from execution.matching.trees import Trees
from execution.targeting.comparison import FEATURES, NAMES, Compared
from workflows.choices import EffectClass

FITTED = Path(__file__).with_name("fitted.json")

# What asking a person costs, as a share of what a wrong click costs there: act where P >= 1 - share (S5.3). The share
# of what only reads is that of the setting; the less can be taken back, the smaller it is. What may be done again in
# its place is not cheap in another one: a value typed over another field's.
_DEARNESS = {EffectClass.READ: 1.0, EffectClass.IDEMPOTENT: 0.4, EffectClass.OBSERVABLE: 0.4, EffectClass.OPAQUE: 0.2}
_WIDEST = 12.0  # logarithms of odds
_FARTHEST = -8.0  # of a second place
_SUREST = 1e-4  # from certainty

STANDING = ("best", "second", "margin", "share")  # of the best place beside the others
HERE_NAMES = (*STANDING, *NAMES)
HERE_SIGNS = (1, 0, 1, 1, *(f.sign for f in FEATURES))


def needed(threshold: float, effect: EffectClass) -> float:
    """The P from which on to act; `threshold` is what an act that only reads needs."""
    return 1.0 - (1.0 - threshold) * _DEARNESS[effect]


@dataclass(frozen=True, slots=True, eq=False)
class Judgement:
    """`log_odds` (places,) of each place against all others and none; `chances` (places,) is P of each, their sum at
    most 1.

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
    """Both models, as `fitted.json` has them; ValueError where they were fitted to other features."""

    def __init__(self, fitted: dict[str, Any]) -> None:
        self._which, self._here = Trees(fitted["which"], NAMES), Trees(fitted["here"], HERE_NAMES)
        self._kinds = tuple(dict.fromkeys(f.of for f in FEATURES))
        kind_of = np.array([self._kinds.index(f.of) for f in FEATURES])
        self._weights = self._which.on_the_way(kind_of, len(self._kinds))

    def judge(self, found: Compared) -> Judgement:
        """The candidates of one screen. Those of one place share its chance: the best of them has it."""
        if not len(found.features):
            nothing = np.zeros(0)
            return Judgement(nothing, nothing, np.zeros((0, len(self._kinds))), self._kinds)
        leaves = self._which.leaves(found.features)
        score, weights = self._which.score(leaves), self._weights.take(leaves, axis=0).sum(axis=1)
        best = int(score.argmax())
        row = standing(found, score, best)[None]
        here = _logistic(float(self._here.score(self._here.leaves(row))[0]))
        chances = np.zeros(len(score))
        chances[best] = min(here, 1.0 - _SUREST)
        others = ~found.one_place[best]
        odds = np.exp(np.clip(score, -_WIDEST, _WIDEST)) * others
        if odds.sum() > 0:  # what is left, as far as it is one of these and not none
            chances += (1.0 - chances[best]) * odds / (1.0 + odds.sum())
        return Judgement(self.log_odds(chances), chances, weights, self._kinds)

    @staticmethod
    def log_odds(chances: np.ndarray) -> np.ndarray:
        """The logarithms of the odds that make these chances, see `chances`."""
        none = max(1e-9, 1.0 - float(chances.sum()))
        return np.asarray(np.log(np.maximum(chances, 1e-9) / none))

    @staticmethod
    def chances(log_odds: np.ndarray) -> np.ndarray:
        """P of each place by the logarithms of all their odds; those of none of them are 1."""
        odds = np.exp(np.clip(log_odds, -20.0, 20.0))
        return np.asarray(odds / (1.0 + odds.sum()))


def standing(found: Compared, score: np.ndarray, best: int) -> np.ndarray:
    """What *here* looks at: how the best candidate stands beside the others, and its features."""
    rivals = np.where(found.one_place[best], -np.inf, score)
    second = max(float(rivals.max(initial=_FARTHEST)), _FARTHEST)
    odds = np.exp(np.clip(score, -_WIDEST, _WIDEST))
    share = odds[best] / (odds[best] + odds[~found.one_place[best]].sum())
    return np.concatenate([[score[best], second, score[best] - second, share], found.features[best]])


def _logistic(value: float) -> float:
    return float(1.0 / (1.0 + np.exp(-np.clip(value, -_WIDEST, _WIDEST))))


@cache
def fitted_judge() -> Judge:
    """The judge of this product; read once."""
    return Judge(json.loads(FITTED.read_text()))
