"""How probable it is that a screen is a node: one model of "same screen" for a pair of taught picture and view (S2.10).

Gradient-boosted trees (Friedman 2001, fitted by LightGBM, monotone in each sign) over what both sides have in common
and how far the node is ahead of the others; none of them is an answer, so the right node was left out for a part of
what they were fitted to. `python -m benchmarks.matching --fit` writes `fitted.json`.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from execution.matching.comparison import FEATURES, NAMES, OF_TEXTS, Comparison
from execution.matching.references import Reference
from execution.matching.trees import Trees

FITTED = Path(__file__).with_name("fitted.json")
KINDS = tuple(dict.fromkeys(f.of for f in FEATURES))
_LEADS = ("texts_lead", "own_lead", "look_lead")
_LONGEST_LEAD = 0.5
_TIED = 0.02  # nodes that fit so alike are one question, which the run answers
_WIDEST = 12.0  # logarithms of odds


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Compared:
    """A screen compared with one picture of a node. `comparison` is None where either was not read, the rest nan where
    it cannot be told: `cosine` of the looks, `title` and `app` of the windows, the share of `declared` texts seen.
    `look_tells`: the looks of both are of one thing, whether they can be had or not."""

    node_id: str
    reference: Reference
    comparison: Comparison | None
    cosine: float = np.nan
    look_tells: bool = True
    title: float = np.nan
    app: float = np.nan
    declared: float = np.nan

    @property
    def measures(self) -> tuple[float, float, float]:
        """What leads are counted in."""
        if self.comparison is None:
            return np.nan, np.nan, self.cosine
        return self.comparison.alike, self.comparison.alike_in_own, self.cosine


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Judged:
    """A node by the picture of it that the screen is most like. `shares` are what each kind of sign made of its odds,
    in the order of KINDS."""

    compared: Compared
    probability: float
    shares: np.ndarray


def rows_of(found: Sequence[Compared], *, none_of: Collection[str] = ()) -> np.ndarray:
    """The features (pictures, NAMES) of one screen's candidates; it is `none_of` some nodes, which lead nobody."""
    unread = np.full(len(OF_TEXTS), np.nan)
    leads = np.zeros(len(_LEADS))
    rows = [
        np.concatenate([c.comparison.row if c.comparison else unread, [c.declared, c.cosine, c.title, c.app], leads])
        for c in found
    ]
    table = np.array(rows, float).reshape(-1, len(NAMES))
    measures = np.array([c.measures for c in found], float).reshape(-1, len(_LEADS))
    for number, one in enumerate(found):
        others = [i for i, c in enumerate(found) if c.node_id != one.node_id and c.node_id not in none_of]
        apart = np.nan_to_num(np.abs(measures[others] - measures[number])).max(axis=1, initial=0.0) > _TIED
        rivals = measures[others][apart]
        for column, name in enumerate(_LEADS):
            best = np.nanmax(rivals[:, column], initial=-1.0)
            lead = measures[number, column] - best
            table[number, NAMES.index(name)] = np.clip(lead, -_LONGEST_LEAD, _LONGEST_LEAD)
    return table


class SameScreen:
    """The model, as `fitted.json` has it; ValueError where it was fitted to other features."""

    def __init__(self, fitted: dict[str, Any]) -> None:
        self._trees = Trees(fitted, NAMES)
        self._kinds = self._trees.on_the_way(np.array([KINDS.index(f.of) for f in FEATURES]), len(KINDS))

    def judge(self, found: Sequence[Compared], *, none_of: Collection[str] = ()) -> dict[str, Judged]:
        """Of each node the likeliest of its pictures; what is declared says of the screen that it is `none_of` some."""
        if not found:
            return {}
        leaves = self._trees.leaves(rows_of(found, none_of=none_of))
        odds = np.clip(self._trees.score(leaves), -_WIDEST, _WIDEST)
        shares = self._kinds.take(leaves, axis=0).sum(axis=1)
        best = dict[str, Judged]()
        for one, logit, share in zip(found, odds, shares, strict=True):
            probability = float(1.0 / (1.0 + np.exp(-logit)))
            if one.node_id not in best or probability > best[one.node_id].probability:
                best[one.node_id] = Judged(compared=one, probability=probability, shares=share)
        return best


@cache
def fitted_model() -> SameScreen:
    """The model of this product; read once."""
    return SameScreen(json.loads(FITTED.read_text()))
