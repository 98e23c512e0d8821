"""A screen as matching compares it: its lines with what is known of each, its elements, as arrays."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import TypeVar

import numpy as np

from execution.language.fuzzy import words
from execution.types import Box, Element, ElementRole, ElementState, TextLine, Window

MOST_LINES = 240  # of one screen; a page of 5 000 words has no more to say about which page it is
_ACTED_ON = (
    ElementRole.BUTTON, ElementRole.FIELD, ElementRole.CHECKBOX, ElementRole.RADIO, ElementRole.TAB,
    ElementRole.MENU_ITEM, ElementRole.LINK, ElementRole.ICON,
)  # fmt: skip
_ROLES = {role: index for index, role in enumerate(_ACTED_ON)}
_CHOSEN = (ElementRole.TAB, ElementRole.MENU_ITEM)
_DATA = 0.3  # of its letters that are digits
_SURE = 0.75  # of a reader that says how sure it is
_WORD = 3  # letters: less may be an icon that was read
_TALL = 1.25  # heights of a usual line
_LARGEST_FRAME = 0.7  # of the lines: what holds more is the page itself

Placed = TypeVar("Placed", TextLine, Element)


@lru_cache(maxsize=65536)
def key_of(text: str) -> str:
    """What two lines that say the same have in common, however they were read."""
    return words(text).key


@lru_cache(maxsize=65536)
def _words_of(text: str) -> tuple[str, ...]:
    """The keys of its words."""
    made = words(text)
    return tuple(made.key[a:b] for a, b in pairwise(made.starts))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Shapes:
    """Elements that can be acted on: the numbers of their roles, boxes as (n, 4) centre x, centre y, width, height."""

    roles: np.ndarray
    boxes: np.ndarray
    chosen: frozenset[str]  # keys of what shows as the chosen tab or menu item


@dataclass(frozen=True, slots=True, eq=False)
class Framed:
    """A frame that holds some of the lines: its box, and which (lines,)."""

    box: Box
    lines: np.ndarray


class Sheet:
    """One screen, made ready to be compared. Lengths are pixels of its picture, `unit` the usual height of a line.

    Of every line: `edges` are left, right and centre y, `columns` numbers lines that begin at the same place alike, and
    flags say what it is. A `fixed` one holds no data: no number, nothing in a field, in the rows of a table, hardly
    read, or beside the window. What stands in one of `lists` is none of its lines, as another day others stand there;
    `times` counts how often each key is read in its window.
    """

    def __init__(
        self,
        *,
        texts: Sequence[TextLine],
        elements: Sequence[Element],
        size: tuple[int, int],
        window: Window | None = None,
        lists: Sequence[Box] = (),
    ) -> None:
        said = [line for line in texts if len(key_of(line.text)) >= 2][:MOST_LINES]
        # what is drawn around a list, or one of its rows, is drawn there whatever stands in it
        self.drawn = [e.box for e in elements if e.role in (ElementRole.GROUP, ElementRole.FIELD)]
        kept, elements = outside(said, lists), outside(elements, lists)
        in_front = window.box if window is not None and window.box is not None and window.box.area else None
        own = said if in_front is None else [line for line in said if in_front.contains(line.box.center)]
        self.times = Counter(key_of(line.text) for line in own)
        self.width, self.height = size
        self.unit = float(np.median([line.box.h for line in texts])) if texts else 16.0
        self.texts = tuple(line.text for line in kept)
        self.keys = tuple(key_of(text) for text in self.texts)
        self.words = tuple(_words_of(text) for text in self.texts)
        self.digits = tuple("".join(c for c in text if c.isdigit()) for text in self.texts)
        self.where: dict[str, list[int]] = {}
        for index, key in enumerate(self.keys):
            self.where.setdefault(key, []).append(index)
        boxes = np.array([line.box for line in kept], np.float64).reshape(-1, 4)
        self._left, self._middle = boxes[:, 0], boxes[:, :2] + boxes[:, 2:] / 2
        self.edges = np.stack([self._left, self._left + boxes[:, 2], self._middle[:, 1]], axis=1)
        self.columns = _columns(self._left, 0.4 * self.unit)
        self.frames = [one for e in elements if e.role is ElementRole.GROUP and (one := self._frame(e.box))]
        letters = [max(1, sum(not c.isspace() for c in text)) for text in self.texts]
        numbers = np.array([len(d) for d in self.digits], float) / np.array(letters, float) > _DATA
        in_field, label, caption = np.zeros((3, len(kept)), bool)
        for element in elements:
            if element.role is ElementRole.FIELD:
                in_field |= self.inside(element.box)
                label |= self._label(element.box)
            elif element.role is ElementRole.BUTTON:
                caption |= self.inside(element.box)
        self.sure = np.array([line.confidence >= _SURE for line in kept], bool)
        if in_front is not None:
            self.sure &= self.inside(in_front)
            elements = [e for e in elements if in_front.contains(e.box.center)]
        self.shapes = _shapes(elements)
        self.fixed = self.sure & ~(numbers | in_field | (self._in_table(numbers) & ~label))
        self.saying = self.sure & np.array([len(key) >= _WORD for key in self.keys], bool)
        self.heading = (boxes[:, 3] > _TALL * self.unit) & ~numbers
        largest = self.fixed & (boxes[:, 3] >= np.max(boxes[self.fixed, 3], initial=0.0))
        self.may_head = (self.heading | largest) & ~caption  # a button's caption heads no page

    def __len__(self) -> int:
        return len(self.keys)

    def inside(self, box: Box) -> np.ndarray:
        """Which lines have their middle in the box."""
        x, y = self._middle.T
        return np.asarray((x >= box.x) & (x < box.right) & (y >= box.y) & (y < box.bottom))

    def _frame(self, box: Box) -> Framed | None:
        lines = self.inside(box)
        return Framed(box, lines) if 1 <= lines.sum() <= _LARGEST_FRAME * len(self) else None

    def _label(self, field: Box) -> np.ndarray:
        """The lines just above a field's left edge, and just left of it."""
        left, right, y = self.edges.T
        gap, before = field.y - y - self.unit / 2, field.x - right
        above = (gap > -0.3 * self.unit) & (gap < 1.2 * self.unit) & (np.abs(left - field.x) < 1.5 * self.unit)
        beside = (np.abs(y - field.center.y) < 0.6 * self.unit) & (before > 0)
        nearest = before <= min(before[beside], default=0.0)
        return np.asarray(above | (beside & nearest))

    def _in_table(self, numbers: np.ndarray) -> np.ndarray:
        """Rows that begin where other rows begin, in two places or more, are a table; its first row heads it."""
        if not len(self):
            return np.zeros(0, bool)
        y = self._middle[:, 1]
        row = _rows(y, 0.45 * self.unit)
        aligned = np.abs(self._left[:, None] - self._left[None, :]) < 0.35 * self.unit
        same_row = row[:, None] == row[None, :]
        count = int(row.max()) + 1
        # links[r, s]: in how many places rows r and s begin alike
        links = np.zeros((count, count), np.int64)
        np.add.at(links, (row[:, None].repeat(len(row), 1)[aligned], row[None, :].repeat(len(row), 0)[aligned]), 1)
        np.fill_diagonal(links, 0)
        width = np.bincount(row, minlength=count)
        alike = links >= np.where(np.minimum(width[:, None], width[None, :]) > 3, 3, 2)  # two cells may be read as one
        partner = aligned & ~same_row & alike[row][:, row]
        member = partner.any(axis=1) & (alike.sum(axis=1) >= 2)[row]
        above = partner & (y[None, :] < y[:, None])
        lower = np.bincount(row, weights=above.any(axis=1), minlength=count) > 0  # rows with a row of their kind above
        of_data = np.bincount(row, weights=numbers, minlength=count) > 0
        head = member & ~lower[row] & ~of_data[row]
        return np.asarray(member & ~head)


def outside(things: Iterable[Placed], areas: Sequence[Box]) -> tuple[Placed, ...]:
    """Those whose middle lies in none of the areas."""
    return tuple(thing for thing in things if not any(area.contains(thing.box.center) for area in areas))


def _shapes(elements: Sequence[Element]) -> Shapes:
    used = [e for e in elements if e.role in _ROLES][: 2 * MOST_LINES]
    boxes = np.array([e.box for e in used], np.float64).reshape(-1, 4)
    boxes[:, :2] += boxes[:, 2:] / 2
    chosen = {key_of(e.text) for e in used if e.role in _CHOSEN and ElementState.CHECKED in e.states}
    roles = np.array([_ROLES[e.role] for e in used], np.int64)
    return Shapes(roles=roles, boxes=boxes, chosen=frozenset(chosen - {""}))


def _columns(left: np.ndarray, gap: float) -> np.ndarray:
    order = np.argsort(left, kind="stable")
    columns = np.zeros(len(left), np.int64)
    columns[order[1:]] = np.cumsum(np.diff(left[order]) > gap)
    return columns


def _rows(y: np.ndarray, gap: float) -> np.ndarray:
    """Which row each height belongs to: rows are parted by gaps."""
    order = np.argsort(y, kind="stable")
    rows = np.empty(len(y), np.int64)
    rows[order] = np.concatenate([[0], np.cumsum(np.diff(y[order]) > gap)]) if len(y) else np.zeros(0)
    return rows
