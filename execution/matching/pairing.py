"""Which line of one screen is which line of another, whatever was moved, scaled, misread, split or put together."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from rapidfuzz import process
from rapidfuzz.distance import Levenshtein

from execution.language.fuzzy import SEEN
from execution.matching.sheet import Sheet

_NEAR, _FAR = 2.0, 14.0  # heights of a line: nearer is in place, farther is elsewhere
_DATA = 0.2  # of the weight of a line that holds none
_GLUED = 8  # letters of the shortest line that may be two read as one


class Pairing:
    """Which line of the screen is which line of the reference, and how the one lies over the other."""

    def __init__(self, reference: Sheet, screen: Sheet) -> None:
        self.one, self.other = reference, screen
        self._weights = np.where(reference.fixed, 1.0, _DATA)
        self.pairs: list[tuple[int, int]] = []
        self.scale, self.shift = 1.0, np.zeros(2)
        common = reference.where.keys() & screen.where.keys()
        several = []
        for key in common:
            ours, theirs = reference.where[key], screen.where[key]
            if len(ours) == len(theirs) == 1:
                self.pairs.append((ours[0], theirs[0]))
            else:
                several.append((ours, theirs))
        self._fit()
        for ours, theirs in several:
            self._nearest(ours, theirs)
        self._misread()

    def _points(self) -> tuple[np.ndarray, np.ndarray]:
        index = np.array(self.pairs, np.int64).reshape(-1, 2)
        return self.one.edges[index[:, 0]], self.other.edges[index[:, 1]]

    def _fit(self) -> None:
        """One scale and one shift for as many of the pairs as possible."""
        ours, theirs = (edges[:, [0, 2]] for edges in self._points())
        if not len(ours):
            return
        weights, best = self._weights[[i for i, _ in self.pairs]], -1.0
        for scale in (1.0, self.other.unit / self.one.unit, self._stretched(ours[:, 1], theirs[:, 1])):
            apart = theirs - scale * ours
            shift = np.sort(apart, axis=0)[len(apart) // 2]
            near = np.abs(apart - shift).sum(axis=1) < _NEAR * self.other.unit
            if (fitting := float(weights[near].sum())) > best * 1.02:
                best, self.scale, self.shift = fitting, float(scale), shift

    def _stretched(self, ours: np.ndarray, theirs: np.ndarray) -> float:
        """The scale by the heights alone: a wider window stretches what it shows across, hardly ever down."""
        order = np.argsort(ours, kind="stable")
        half = len(ours) // 2
        apart = ours[order[half:]] - ours[order[: len(ours) - half]]
        seen = theirs[order[half:]] - theirs[order[: len(ours) - half]]
        far = apart > 4 * self.one.unit
        ratios = np.sort(seen[far] / apart[far])
        return min(4.0, max(0.3, float(ratios[len(ratios) // 2]))) if len(ratios) >= 3 else 1.0

    def _nearest(self, ours: list[int], theirs: list[int]) -> None:
        """Lines of one key that are several: each with the one that lies nearest to where it should."""
        a = self.one.edges[ours][:, [0, 2]] * self.scale + self.shift
        distance = np.abs(a[:, None] - self.other.edges[theirs][:, [0, 2]][None]).sum(axis=2)
        for _ in range(min(len(ours), len(theirs))):
            i, j = np.unravel_index(int(distance.argmin()), distance.shape)
            self.pairs.append((ours[i], theirs[j]))
            distance[i, :] = distance[:, j] = np.inf

    def _misread(self) -> None:
        """Lines that differ by what a reader gets wrong; never by a digit."""
        ours, theirs = self._left()
        if not ours or not theirs:
            return
        scores = process.cdist(
            [self.one.keys[i] for i in ours], [self.other.keys[j] for j in theirs],
            scorer=Levenshtein.normalized_similarity, score_cutoff=SEEN, dtype=np.float32, workers=1,
        )  # fmt: skip
        scores[self._elsewhere(ours, theirs)] = 0.0
        for flat in np.argsort(-scores, axis=None, kind="stable"):
            i, j = divmod(int(flat), len(theirs))
            if scores[i, j] <= 0:
                break
            if ours[i] >= 0 and theirs[j] >= 0 and self.one.digits[ours[i]] == self.other.digits[theirs[j]]:
                self.pairs.append((ours[i], theirs[j]))
                ours[i] = theirs[j] = -1

    @property
    def tells_places(self) -> bool:
        """Whether enough was paired to say where the rest should be."""
        return len(self.pairs) >= 3

    def _elsewhere(self, ours: list[int], theirs: list[int]) -> np.ndarray:
        """Where a pair would be far from where it should: two texts that are nearly alike, such as a plural."""
        if not self.tells_places:
            return np.zeros((len(ours), len(theirs)), bool)
        off = self.off(ours, theirs)
        return (np.minimum(off[:, :, 0], off[:, :, 1]) > _FAR) | (off[:, :, 2] > _FAR / 2)

    def off(self, ours: Sequence[int] | np.ndarray, theirs: Sequence[int] | np.ndarray) -> np.ndarray:
        """How far each of those lines is from where ours should be: left, right and centre, in heights of a line."""
        return (
            np.abs(self.expected(self.one.edges[ours])[:, None, :] - self.other.edges[theirs][None]) / self.other.unit
        )

    def _left(self) -> tuple[list[int], list[int]]:
        mine, other = {i for i, _ in self.pairs}, {j for _, j in self.pairs}
        return (
            [i for i in range(len(self.one.keys)) if i not in mine],
            [j for j in range(len(self.other.keys)) if j not in other],
        )

    def credit(self) -> tuple[np.ndarray, np.ndarray]:
        """How much of each line, ours and theirs, was found: 1 for the pairs, a share of its letters for pieces."""
        one, other = self.one, self.other
        ours, theirs = np.zeros(len(one.keys)), np.zeros(len(other.keys))
        for i, j in self.pairs:
            ours[i] = theirs[j] = 1.0
        left, right = self._left()
        if left and right:
            _pieces(ours, left, one, right, other)
            _pieces(theirs, right, other, left, one)
        return ours, theirs

    def placed(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Of each pair, how far it is in its place: across, down, and both; 1 where nothing can tell."""
        if not self.tells_places:
            return (np.ones(len(self.pairs)),) * 3
        ours, theirs = self._points()
        off = np.abs(theirs - self.expected(ours)) / self.other.unit
        across, down = in_place(np.minimum(off[:, 0], off[:, 1])), in_place(off[:, 2])
        return across, down, across * down

    def expected(self, edges: np.ndarray) -> np.ndarray:
        """Where edges of the reference should be on the screen."""
        return np.asarray(edges * self.scale + self.shift[[0, 0, 1]])

    def back(self, edges: np.ndarray) -> np.ndarray:
        """Where edges of the screen should be on the reference."""
        return np.asarray((edges - self.shift[[0, 0, 1]]) / self.scale)


def in_place(off: np.ndarray) -> np.ndarray:
    return np.asarray(np.clip((_FAR - off) / (_FAR - _NEAR), 0.0, 1.0))


def _pieces(credit: np.ndarray, left: list[int], one: Sheet, right: list[int], other: Sheet) -> None:
    """The shares of lines that the other side has in pieces: the same words, or lines split or put together."""
    among = {word for j in right for word in other.words[j] if len(word) > 2}
    whole = {other.keys[j] for j in right if len(other.keys[j]) > 2}
    longer = "\n".join(sorted(whole))
    marked = whole | {key[1:] for key in whole}  # the ring of a radio button, read as an O
    for i in left:
        key = one.keys[i]
        if len(key) > 2 and (key in marked or key[1:] in whole):
            credit[i] = 1.0
            continue
        if len(key) > 3 and key in longer and any(key in put and len(key) <= len(put) - 3 for put in whole):
            credit[i] = 1.0  # with another text beside it: with a letter or two it would be another word
            continue
        found = sum([len(word) for word in one.words[i] if word in among])
        if found < len(key) and len(key) >= _GLUED:
            found = max(found, sum([len(shorter) for shorter in whole if shorter in key]))
        credit[i] = min(1.0, found / len(key))
