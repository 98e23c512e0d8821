"""Which few of very many nodes a screen can be: those that share rare texts with it, and those that look like it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from execution.language.fuzzy import words

_BY_SUM, _BY_SHARE, _BY_LOOK = 8, 5, 4
_VERY_MANY, _DIRECTIONS, _LOOKED_AT = 1000, 64, 60
_EVERYWHERE = 0.5  # a text on more of the screens than that leads nowhere, where there are rarer ones


def found_by(texts: Iterable[str]) -> list[str]:
    """The keys by which a screen is found: its lines, and the longer words of its lines."""
    keys = []
    for text in texts:
        made = words(text)
        spans = zip(made.starts, made.starts[1:], strict=False)
        keys += [made.key, *(f" {made.key[a:b]}" for a, b in spans if b - a > 3)]
    return [key for key in keys if key]


class TextIndex:
    """Texts by the nodes that they stand on. A node's score is what the texts it shares with the screen are worth."""

    def __init__(self, nodes: Mapping[str, Sequence[str]]) -> None:
        """`nodes`: the keys of each node's lines and words."""
        self.ids = tuple(nodes)
        holders: dict[str, list[int]] = {}
        for number, keys in enumerate(nodes.values()):
            for key in set(keys):
                holders.setdefault(key, []).append(number)
        self._postings = {key: np.array(numbers, np.int32) for key, numbers in holders.items()}
        self._worth = {key: math.log((1 + len(self.ids)) / len(numbers)) for key, numbers in holders.items()}
        whole = np.zeros(len(self.ids))
        for key, numbers in self._postings.items():
            whole[numbers] += self._worth[key]
        self._whole = np.maximum(whole, 1e-6)

    def scores(self, keys: Iterable[str]) -> np.ndarray:
        """What each node shares with a screen of these keys, in the order of `ids`."""
        found = [key for key in set(keys) if key in self._postings]
        rare = [key for key in found if len(self._postings[key]) <= _EVERYWHERE * len(self.ids)] or found
        if not rare:
            return np.zeros(len(self.ids))
        lists = [self._postings[key] for key in rare]
        worth = np.repeat([self._worth[key] for key in rare], [len(numbers) for numbers in lists])
        return np.bincount(np.concatenate(lists), weights=worth, minlength=len(self.ids))

    def best(self, keys: Iterable[str]) -> list[str]:
        """The nodes that share most with the screen, and those of whose texts most are on it."""
        scores = self.scores(keys)
        chosen = [*_top(scores, _BY_SUM), *_top(scores / self._whole, _BY_SHARE)]
        return list(dict.fromkeys(self.ids[i] for i in chosen if scores[i] > 0))


class Looks:
    """How alike one screen and the nodes look: `best` are those most alike."""

    def __init__(self, index: LookIndex, vector: np.ndarray) -> None:
        self._index, self._vector = index, vector
        numbers = index.near(vector)
        order = np.argsort(-(index.vectors[numbers] @ vector), kind="stable")
        self.best = [index.ids[numbers[i]] for i in order[:_BY_LOOK]]

    def cosine(self, node_id: str) -> float | None:
        """None for a node whose picture this model did not see."""
        number = self._index.numbers.get(node_id)
        return None if number is None else float(self._index.vectors[number] @ self._vector)


class LookIndex:
    """The vectors of one model, all compared at once.

    Of very many the nearest are looked for among projections to a few random directions (Johnson and Lindenstrauss
    1984), which keep distances roughly and fit into the processor's cache; those found are then compared exactly.
    """

    def __init__(self, vectors: Mapping[str, np.ndarray]) -> None:
        self.ids = tuple(vectors)
        self.numbers = {node_id: number for number, node_id in enumerate(self.ids)}
        rows = list(vectors.values())
        self.vectors = np.stack(rows).astype(np.float32) if rows else np.zeros((0, 0), np.float32)
        self._short: np.ndarray | None = None
        if len(self.ids) > _VERY_MANY:
            size = self.vectors.shape[1]
            self._directions = np.random.default_rng(1984).normal(0, 1, (size, _DIRECTIONS)).astype(np.float32)
            self._centre = self.vectors.mean(axis=0)
            self._short = (self.vectors - self._centre) @ self._directions

    def looks(self, vector: np.ndarray) -> Looks | None:
        """The screen of this vector compared; None where there is nothing that compares."""
        return Looks(self, vector) if len(self.ids) and vector.shape == self.vectors.shape[1:] else None

    def near(self, vector: np.ndarray) -> list[int]:
        """The numbers of the nodes among which the nearest are, in no order."""
        if self._short is None:
            return list(range(len(self.ids)))
        away = self._short - (vector - self._centre) @ self._directions
        return _top(-np.einsum("ij,ij->i", away, away), _LOOKED_AT)


def _top(scores: np.ndarray, count: int) -> list[int]:
    """The numbers of the highest scores, best first."""
    if len(scores) <= count:
        return [int(i) for i in np.argsort(-scores, kind="stable")]
    some = np.argpartition(-scores, count)[:count]
    return [int(i) for i in some[np.argsort(-scores[some], kind="stable")]]
