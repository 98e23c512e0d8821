"""A screen as matching compares it: its lines with what is known of each, its elements, as arrays.

A line's traits say how likely it is to belong to the screen itself rather than to the record that happens to be shown:
what stands in a field or in the rows of a table, a date, a number, a name.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

import numpy as np

from execution.language.fuzzy import words
from execution.types import Box, Element, ElementRole, ElementState, TextLine, Window

MOST_LINES = 240  # of one screen; a page of 5 000 words has no more to say about which page it is
TRAITS = (
    "digits", "in_field", "in_button", "in_tab", "in_menu", "in_link", "choice", "table", "table_head", "labels_field",
    "right_of_label", "tall", "small", "long", "short", "name", "comma", "top", "outside", "repeated", "twice",
    "unsure",
)  # fmt: skip
_ACTED_ON = (
    ElementRole.BUTTON, ElementRole.FIELD, ElementRole.CHECKBOX, ElementRole.RADIO, ElementRole.TAB,
    ElementRole.MENU_ITEM, ElementRole.LINK, ElementRole.ICON,
)  # fmt: skip
ROLES = {role: index for index, role in enumerate(_ACTED_ON)}
_CHOSEN = (ElementRole.TAB, ElementRole.MENU_ITEM)
_NAME = re.compile(r"^[^\W\d_a-z][\w'’.-]+(?:[ ,-]+[^\W\d_a-z][\w'’.-]*)+$")


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


class Sheet:
    """One screen, made ready to be compared. Lengths are pixels of its picture."""

    def __init__(self, *, texts: Sequence[TextLine], elements: Sequence[Element], window: Window | None) -> None:
        self.window = window
        self.unit = _unit(texts)
        kept = _kept(texts)
        self.lines = kept
        self.texts = tuple(line.text for line in kept)
        self.keys = tuple(key_of(text) for text in self.texts)
        self.words = tuple(_words_of(text) for text in self.texts)
        self.boxes = np.array([line.box for line in kept], np.float64).reshape(-1, 4)
        self.centres = self.boxes[:, :2] + self.boxes[:, 2:] / 2
        self.shapes = _shapes(elements)
        self.traits = _Traits(self, elements).all()

    def trait(self, name: str) -> np.ndarray:
        return np.asarray(self.traits[:, TRAITS.index(name)])


def _unit(texts: Sequence[TextLine]) -> float:
    """The usual height of a line."""
    return float(np.median([line.box.h for line in texts])) if texts else 16.0


def _kept(texts: Sequence[TextLine]) -> list[TextLine]:
    """Lines that say something; of very many the first from above, as they head the page."""
    saying = [line for line in texts if len(key_of(line.text)) >= 2]
    return saying[:MOST_LINES]


def _shapes(elements: Sequence[Element]) -> Shapes:
    used = [e for e in elements if e.role in ROLES][: 2 * MOST_LINES]
    boxes = np.array([e.box for e in used], np.float64).reshape(-1, 4)
    boxes[:, :2] += boxes[:, 2:] / 2
    chosen = {key_of(e.text) for e in used if e.role in _CHOSEN and ElementState.CHECKED in e.states}
    return Shapes(
        roles=np.array([ROLES[e.role] for e in used], np.int64),
        boxes=boxes,
        chosen=frozenset(chosen - {""}),
    )


class _Traits:
    """What is known of each line of a sheet, one column a trait."""

    def __init__(self, sheet: Sheet, elements: Sequence[Element]) -> None:
        self.sheet, self.elements = sheet, elements
        self.columns = {name: np.zeros(len(sheet.keys)) for name in TRAITS}

    def all(self) -> np.ndarray:
        """Shape (lines, traits)."""
        if self.sheet.keys:
            self._of_texts()
            self._of_places()
            self._of_elements()
            self._of_tables()
        return np.stack([self.columns[name] for name in TRAITS], axis=1)

    def _of_texts(self) -> None:
        sheet, seen = self.sheet, dict[str, int]()
        for key in sheet.keys:
            seen[key] = seen.get(key, 0) + 1
        for i, text in enumerate(sheet.texts):
            letters = [c for c in text if not c.isspace()]
            self.columns["digits"][i] = sum(c.isdigit() for c in letters) / max(1, len(letters))
            self.columns["long"][i] = min(1.0, max(0, len(letters) - 22) / 30)
            self.columns["short"][i] = float(len(letters) < 4)
            self.columns["name"][i] = float(_NAME.match(text.strip()) is not None)
            self.columns["comma"][i] = float("," in text)
            self.columns["unsure"][i] = min(1.0, max(0.0, (0.97 - sheet.lines[i].confidence) / 0.25))
            self.columns["repeated"][i] = float(seen[sheet.keys[i]] > 2)

    def _of_places(self) -> None:
        sheet = self.sheet
        height = sheet.boxes[:, 3] / sheet.unit
        self.columns["tall"] = np.clip((height - 1.2) / 0.6, 0.0, 1.0)
        self.columns["small"] = np.clip((0.85 - height) / 0.2, 0.0, 1.0)
        window = sheet.window.box if sheet.window else None
        if window is not None and window.area:
            x, y = sheet.centres.T
            inside = (x >= window.x) & (x < window.right) & (y >= window.y) & (y < window.bottom)
            self.columns["outside"] = (~inside).astype(float)
            self.columns["top"] = (inside & (y < window.y + 2.5 * sheet.unit)).astype(float)

    def _of_elements(self) -> None:
        sheet = self.sheet
        names = {
            ElementRole.FIELD: "in_field", ElementRole.BUTTON: "in_button", ElementRole.TAB: "in_tab",
            ElementRole.MENU_ITEM: "in_menu", ElementRole.LINK: "in_link",
        }  # fmt: skip
        x, y = sheet.centres.T
        for element in self.elements:
            box = element.box
            if element.role in names:
                inside = (x >= box.x) & (x < box.right) & (y >= box.y) & (y < box.bottom)
                self.columns[names[element.role]][inside] = 1.0
            if element.role is ElementRole.FIELD:
                self._label(box)
            if element.role in (ElementRole.CHECKBOX, ElementRole.RADIO):
                gap = sheet.boxes[:, 0] - box.right
                beside = (np.abs(y - box.center.y) < sheet.unit) & (gap > -box.w) & (gap < 1.5 * sheet.unit)
                self.columns["choice"][beside] = 1.0

    def _label(self, field: Box) -> None:
        """The lines just above a field's left edge, and just left of it, are its label."""
        sheet = self.sheet
        left, right = sheet.boxes[:, 0], sheet.boxes[:, 0] + sheet.boxes[:, 2]
        bottom, y = sheet.boxes[:, 1] + sheet.boxes[:, 3], sheet.centres[:, 1]
        gap = field.y - bottom
        above = (gap > -0.3 * sheet.unit) & (gap < 1.2 * sheet.unit) & (np.abs(left - field.x) < 1.5 * sheet.unit)
        before = field.x - right
        beside = (np.abs(y - field.center.y) < 0.6 * sheet.unit) & (before > 0) & (before < 4 * sheet.unit)
        self.columns["labels_field"][above | beside] = 1.0

    def _of_tables(self) -> None:
        """Rows that begin where other rows begin, in two places or more, are a table; its first row heads it."""
        sheet, unit = self.sheet, self.sheet.unit
        row = _rows(sheet.centres[:, 1], 0.45 * unit)
        left = sheet.boxes[:, 0]
        aligned = np.abs(left[:, None] - left[None, :]) < 0.35 * unit
        same_row = row[:, None] == row[None, :]
        count = int(row.max()) + 1
        # links[r, s]: in how many places rows r and s begin alike
        links = np.zeros((count, count), np.int64)
        np.add.at(links, (row[:, None].repeat(len(row), 1)[aligned], row[None, :].repeat(len(row), 0)[aligned]), 1)
        np.fill_diagonal(links, 0)
        width = np.bincount(row, minlength=count)
        alike = (links >= 2) & (links >= np.minimum(3, np.minimum(width[:, None], width[None, :])))
        in_table = alike.sum(axis=1) >= 2
        partner = aligned & ~same_row & alike[row][:, row]
        member = partner.any(axis=1) & in_table[row]
        above = partner & (sheet.centres[:, 1][None, :] < sheet.centres[:, 1][:, None])
        lower = np.bincount(row, weights=above.any(axis=1), minlength=count) > 0  # rows with a row of their kind above
        numbers = np.bincount(row, weights=self.columns["digits"] > 0.5, minlength=count) > 0  # a row of data
        head = member & ~lower[row] & ~numbers[row]
        self.columns["table"][member & ~head] = 1.0
        self.columns["table_head"][head] = 1.0
        keys = np.array(sheet.keys)
        # what is written large is a heading, where it is not a field or a cell that was found with its frame
        self.columns["tall"] = self.columns["tall"] * (1 - self.columns["in_field"]) * (1 - self.columns["table"])
        twice = ((keys[:, None] == keys[None, :]) & aligned & ~same_row).any(axis=1)
        self.columns["twice"] = self.columns["table"] * twice
        self._of_pairs(row)

    def _of_pairs(self, row: np.ndarray) -> None:
        """What stands right of one short text, alone with it in its row, is that text's value."""
        left = self.sheet.boxes[:, 0]
        for number in np.flatnonzero(np.bincount(row) == 2):
            one, two = sorted(np.flatnonzero(row == number), key=lambda i: left[i])
            if len(self.sheet.texts[one]) <= 28:
                self.columns["right_of_label"][two] = 1.0


def _rows(y: np.ndarray, gap: float) -> np.ndarray:
    """Which row each height belongs to: rows are parted by gaps."""
    order = np.argsort(y, kind="stable")
    number = np.concatenate([[0], np.cumsum(np.diff(y[order]) > gap)]) if len(y) else np.zeros(0)
    rows = np.empty(len(y), np.int64)
    rows[order] = number.astype(np.int64)
    return rows
