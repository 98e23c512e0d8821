"""The compact form in which screens are compared: keys with weights and places, elements with roles and places."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from execution.matching.sheet import Shapes, Sheet
from execution.navigation.words import words
from execution.types import Window

_COMMON = 0.25  # the weight of a text that is on every screen, beside 1 for one that is on this one alone


class Vocabulary:
    """On how many of the workflow's screens each text stands, and how often as data; one on few of them says more."""

    def __init__(self, sheets: Iterable[Sheet]) -> None:
        self.screens = 0
        self._counts: Counter[str] = Counter()
        self._as_data: Counter[str] = Counter()
        for sheet in sheets:
            self.screens += 1
            self._counts.update(set(sheet.keys))
            self._as_data.update({key for key, data in zip(sheet.keys, _as_data(sheet), strict=True) if data})

    def shared(self, sheet: Sheet, *, counted: bool) -> np.ndarray:
        """Of each line: on how many other screens it stands (5 or more are 1), and on what share of them as data.

        `counted` where the sheet is one of the vocabulary's own. Shape (lines, 2).
        """
        own = _as_data(sheet) if counted else np.zeros(len(sheet.keys), bool)
        counts = np.array([self._counts[key] for key in sheet.keys], np.float64) - counted
        data = np.array([self._as_data[key] for key in sheet.keys], np.float64) - own
        return np.column_stack([np.minimum(1.0, counts / 5), np.clip(data, 0, None) / np.maximum(1.0, counts)])

    def rarity(self, key: str) -> float:
        """1 for a text on one screen or none, 0 for one that is on all."""
        if self.screens < 2:
            return 1.0
        return 1.0 - math.log(max(1, self._counts[key])) / math.log(self.screens)


def _as_data(sheet: Sheet) -> np.ndarray:
    return np.asarray((sheet.trait("table") + sheet.trait("in_field") + sheet.trait("twice")) > 0)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Profile:
    """One screen. Arrays have one row a line: centre (x, y), height of a line in `unit`, all in pixels.

    `lasting` is how likely a line is to be there again with another record, `weights` that times the line's rarity.
    """

    keys: tuple[str, ...]
    texts: tuple[str, ...]
    digits: tuple[str, ...]
    words: tuple[tuple[str, ...], ...]
    where: dict[str, list[int]]
    edges: np.ndarray  # left, right, centre y
    columns: np.ndarray  # which lines begin at the same place
    lasting: np.ndarray
    weights: np.ndarray
    tall: np.ndarray
    unit: float
    shapes: Shapes
    window: Window | None
    size: tuple[int, int]


def profile(sheet: Sheet, vocabulary: Vocabulary, lasting: np.ndarray) -> Profile:
    """The sheet as it is compared; `lasting` as `Lasting` rates its lines."""
    rarity = np.array([vocabulary.rarity(key) for key in sheet.keys])
    where: dict[str, list[int]] = {}
    for index, key in enumerate(sheet.keys):
        where.setdefault(key, []).append(index)
    boxes = sheet.boxes
    return Profile(
        keys=sheet.keys,
        texts=sheet.texts,
        digits=tuple("".join(c for c in text if c.isdigit()) for text in sheet.texts),
        words=tuple(_words(text) for text in sheet.texts),
        where=where,
        edges=np.stack([boxes[:, 0], boxes[:, 0] + boxes[:, 2], sheet.centres[:, 1]], axis=1),
        columns=_columns(boxes[:, 0], 0.4 * sheet.unit),
        lasting=lasting,
        weights=lasting * (_COMMON + (1 - _COMMON) * rarity),
        tall=sheet.trait("tall"),
        unit=sheet.unit,
        shapes=sheet.shapes,
        window=sheet.window,
        size=sheet.size,
    )


def _columns(left: np.ndarray, gap: float) -> np.ndarray:
    order = np.argsort(left, kind="stable")
    columns = np.zeros(len(left), np.int64)
    columns[order[1:]] = np.cumsum(np.diff(left[order]) > gap)
    return columns


def _words(text: str) -> tuple[str, ...]:
    made = words(text)
    return tuple(made.key[a:b] for a, b in zip(made.starts, made.starts[1:], strict=False))
