"""The compact form in which screens are compared: keys with weights and places, elements with roles and places."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import zip_longest

import numpy as np

from execution.matching.sheet import Shapes, Sheet

_KNOWN = 5  # screens on which a text stands: more make it no more familiar
_COMMON = 0.25  # the weight of a text that is on every screen, beside 1 for one that is on this one alone


class _Count:
    """On how many screens something stands, and on how many of them as data."""

    def __init__(self) -> None:
        self._all: Counter[str] = Counter()
        self._as_data: Counter[str] = Counter()

    def add(self, things: Iterable[str], as_data: Iterable[str]) -> None:
        self._all.update(set(things))
        self._as_data.update(set(as_data))

    def __getitem__(self, thing: str) -> int:
        return self._all[thing]

    def shares(self, thing: str, *, counted: bool, as_data: bool) -> tuple[float, float]:
        """How known it is (5 screens are 1), and on what share of them as data, the asking screen left out."""
        count = self._all[thing] - counted
        data = self._as_data[thing] - (counted and as_data)
        return min(1.0, count / _KNOWN), max(0, data) / max(1, count)


class Vocabulary:
    """What stands on the workflow's screens: a text on few of them says more, one that is data elsewhere says less."""

    def __init__(self, sheets: Iterable[Sheet], *, of: Iterable[str] | None = None) -> None:
        """`of` names each sheet's screen, where some are further looks of the same one: they count as one."""
        several = dict[object, list[Sheet]]()
        for number, (sheet, name) in enumerate(zip_longest(sheets, of or ())):
            several.setdefault(number if name is None else name, []).append(sheet)
        self.screens = len(several)
        self._lines, self._words = _Count(), _Count()
        for looks in several.values():
            lines = [(k, d) for sheet in looks for k, d in zip(sheet.keys, _as_data(sheet), strict=True)]
            self._lines.add((key for key, _ in lines), (key for key, is_data in lines if is_data))
            words = [
                (word, is_data)
                for sheet in looks
                for line, is_data in zip(sheet.words, _as_data(sheet), strict=True)
                for word in line
            ]
            self._words.add((word for word, _ in words), (word for word, is_data in words if is_data))

    def familiar(self, sheet: Sheet, *, counted: bool) -> np.ndarray:
        """Of each line, how known it is and how much as data; and the same of its words, on the average.

        `counted` where the sheet is one of the vocabulary's own. Shape (lines, 4).
        """
        rows = []
        for key, line, is_data in zip(sheet.keys, sheet.words, _as_data(sheet), strict=True):
            shares = [self._words.shares(w, counted=counted, as_data=bool(is_data)) for w in line if len(w) > 2]
            many = max(1, len(shares))
            words = sum(known for known, _ in shares) / many, sum(data for _, data in shares) / many
            rows.append((*self._lines.shares(key, counted=counted, as_data=bool(is_data)), *words))
        return np.array(rows).reshape(-1, 4)

    def rarity(self, key: str) -> float:
        """1 for a text on one screen or none, 0 for one that is on all."""
        if self.screens < 2:
            return 1.0
        return 1.0 - math.log(max(1, self._lines[key])) / math.log(self.screens)


def _as_data(sheet: Sheet) -> np.ndarray:
    data = sheet.trait("table") + sheet.trait("in_field") + sheet.trait("name")
    return np.asarray(data > 0)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Profile:
    """One screen; arrays have one row a line, lengths are pixels, `unit` is the usual height of a line.

    `where` gives the lines of each key, `columns` numbers lines that begin at the same place alike. `lasting` is how
    likely a line is to be there again with another record, `weights` that times the line's rarity.
    """

    keys: tuple[str, ...]
    texts: tuple[str, ...]
    digits: tuple[str, ...]
    words: tuple[tuple[str, ...], ...]
    where: dict[str, list[int]]
    edges: np.ndarray  # left, right, centre y
    columns: np.ndarray
    lasting: np.ndarray
    weights: np.ndarray
    tall: np.ndarray
    unit: float
    shapes: Shapes


def profile(sheet: Sheet, vocabulary: Vocabulary, lasting: np.ndarray) -> Profile:
    """The sheet as it is compared; `lasting` as `Calibration.lasting` rates its lines."""
    rarity = np.array([vocabulary.rarity(key) for key in sheet.keys])
    where: dict[str, list[int]] = {}
    for index, key in enumerate(sheet.keys):
        where.setdefault(key, []).append(index)
    boxes = sheet.boxes
    return Profile(
        keys=sheet.keys,
        texts=sheet.texts,
        digits=tuple("".join(c for c in text if c.isdigit()) for text in sheet.texts),
        words=sheet.words,
        where=where,
        edges=np.stack([boxes[:, 0], boxes[:, 0] + boxes[:, 2], sheet.centres[:, 1]], axis=1),
        columns=_columns(boxes[:, 0], 0.4 * sheet.unit),
        lasting=lasting,
        weights=lasting * (_COMMON + (1 - _COMMON) * rarity),
        tall=sheet.trait("tall"),
        unit=sheet.unit,
        shapes=sheet.shapes,
    )


def _columns(left: np.ndarray, gap: float) -> np.ndarray:
    order = np.argsort(left, kind="stable")
    columns = np.zeros(len(left), np.int64)
    columns[order[1:]] = np.cumsum(np.diff(left[order]) > gap)
    return columns
