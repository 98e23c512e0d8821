"""Gradient-boosted trees as they are kept in JSON, without the library that fitted them."""

from __future__ import annotations

from typing import Any

import numpy as np


class Trees:
    """Gradient-boosted trees made ready: `names` are the features they were fitted to, in order."""

    def __init__(self, fitted: dict[str, Any], names: tuple[str, ...]) -> None:
        if fitted["features"] != list(names):
            raise ValueError("the trees were fitted to other features: fit them again")
        trees = fitted["trees"]
        most = max(len(tree["feature"]) for tree in trees)

        def table(name: str, kind: type) -> np.ndarray:
            return np.array([tree[name] + [0] * (most - len(tree[name])) for tree in trees], kind)

        self._feature, self._threshold = table("feature", int), table("threshold", float)
        self._left, self._right = table("left", int), table("right", int)
        self._missing_left, self._mean = table("missing_left", bool), table("mean", float)
        self._base = float(fitted["base"])

    def leaves(self, features: np.ndarray) -> np.ndarray:
        """Where each row (rows, features) comes to in each tree: (rows, trees), indices into all nodes."""
        count, trees = len(features), len(self._feature)
        # All nodes lie in one row, those of a tree from `first` on; `on` are the ways that have not come to a leaf.
        nodes, values = self._feature.shape[1], np.ascontiguousarray(features).ravel()
        first = np.tile(np.arange(trees) * nodes, count)
        row = np.repeat(np.arange(count) * features.shape[1], trees)
        at, on = first.copy(), np.arange(count * trees)
        while len(on := on[self._left.take(at[on]) > 0]):
            now = at[on]
            value = values.take(row[on] + self._feature.take(now))
            left = np.where(np.isnan(value), self._missing_left.take(now), value <= self._threshold.take(now))
            at[on] = first[on] + np.where(left, self._left.take(now), self._right.take(now))
        return at.reshape(count, trees)

    def score(self, leaves: np.ndarray) -> np.ndarray:
        """The sum of all trees for each row."""
        return np.asarray(self._base + self._mean.take(leaves).sum(axis=1))

    def on_the_way(self, kind_of: np.ndarray, kinds: int) -> np.ndarray:
        """How much each kind of sign moved the mean on the way to every node: shape (all nodes, kinds)."""
        found = np.zeros((*self._feature.shape, kinds))
        for tree, (lefts, rights) in enumerate(zip(self._left.tolist(), self._right.tolist(), strict=True)):
            for node, then in ((n, t) for n in range(len(lefts)) if lefts[n] > 0 for t in (lefts[n], rights[n])):
                found[tree, then] = found[tree, node]  # a node comes before those it leads to
                found[tree, then, kind_of[self._feature[tree, node]]] += self._mean[tree, then] - self._mean[tree, node]
        return found.reshape(-1, kinds)
