"""Rows of records: which text names the record of a row, the same control of another row, and rows that are new."""

from __future__ import annotations

import re
from collections.abc import Sequence

from benchmarks.drift.board import Control
from benchmarks.drift.turn import Turn, teachable


def in_row(control: Control) -> bool:
    return bool(control.cells) and not control.data


def record_key(control: Control, turn: Turn) -> int | None:
    """The cell that names the record of this control's row: a text that no other row has; None where there is none."""
    every = {c.cells for c in turn.view.controls if c.cells}
    for column in _columns(control.cells, turn):
        if sum(control.cells[column] == cells[column] for cells in every if len(cells) > column) == 1:
            return column
    return None


def _columns(cells: Sequence[str], turn: Turn) -> list[int]:
    """Cells that could name a record: words or a number of its own, no amount, hour or day."""
    fitting = [i for i, text in enumerate(cells) if len(text) >= 5 and not re.search(r"[€:%/]|\d{4}-", text)]
    named = [i for i in fitting if re.search(r"\d{5}|, |[A-ZÉÈ]{3,} ", cells[i])]
    return named or fitting


def same_place_in_another_row(control: Control, turn: Turn) -> Control | None:
    groups: dict[tuple[str, ...], list[Control]] = {}
    for one in turn.view.controls:
        if one.cells:
            groups.setdefault(one.cells, []).append(one)
    own = [c.number for c in groups[control.cells]].index(control.number)
    column = record_key(control, turn)
    rest = [
        g[own] for cells, g in groups.items() if cells != control.cells and len(g) > own and g[own].role == control.role
    ]
    rest = [c for c in rest if teachable(c) and record_key(c, turn) == column]
    return turn.rng.choice(rest) if rest else None


def fresh_row(turn: Turn) -> list[str]:
    """Texts for a new row, made of those that are there; it is nobody's record."""
    lines = [c.cells for c in turn.view.controls if c.cells]
    taken = {text for cells in lines for text in cells}
    return [_fresh_text(text, taken, turn) for text in turn.rng.choice(lines)] if lines else []


def _fresh_text(text: str, taken: set[str], turn: Turn) -> str:
    """Another text of that sort; what is short and without a number stays."""
    if not re.search(r"\d", text) and len(text) <= 4:
        return text
    fresh = text
    while fresh in taken:
        number = re.sub(r"\d", lambda _: str(turn.rng.randint(1, 9)), text)
        fresh = number if re.search(r"\d", text) else turn.words.person()
    return fresh
