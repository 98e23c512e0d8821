"""Targets of programs in the row of a record: the button beside the patient whom this run is about."""

from __future__ import annotations

import random
import zlib
from collections.abc import Sequence
from typing import Any

from benchmarks.drift.app_options import Given
from benchmarks.drift.app_screens import Shown
from benchmarks.drift.pairs import Truth
from benchmarks.drift.ward import PATIENTS

_EACH = 3  # pairs of two screens
_COLUMNS, _BUTTONS = 4, 2  # of a row, as `ward` draws it; the first line of labels is the table's head


def records(both: Sequence[tuple[Shown, Shown]]) -> dict[str, list[Given]]:
    """What a pair is made from, of each kind: place and control, screens and truth; the record and its box by name."""
    made: dict[str, list[Given]] = {"rows": [], "record absent": []}
    for taught, seen in both:
        before, after = rows(taught), rows(seen)
        if not before or not after:
            continue
        rng = random.Random(zlib.crc32(f"{taught.screen.name} {seen.screen.name} rows".encode()))
        there = sorted(after)
        absent = [told for patient in PATIENTS for told in patient if told not in after]
        for kind, truth, wanted in (("rows", Truth.HERE, there), ("record absent", Truth.GONE, absent)):
            for record in rng.sample(wanted, _EACH):
                other = rng.choice([one for one in sorted(before) if before[one] != before.get(record)])
                which = rng.randrange(_BUTTONS)
                path = before[other][which]
                more: dict[str, Any] = {"record": record}
                if truth is Truth.HERE:
                    more["boxes"] = (seen.elements[after[record][which]].box,)
                made[kind].append(((path, taught.elements[path], taught, seen, truth), more))
    return made


def rows(shown: Shown) -> dict[str, tuple[str, ...]]:
    """For each record, by name and by number, the places of its buttons; rows that are partly hidden are left out."""
    found: dict[str, tuple[str, ...]] = {}
    for path, (role, _) in shown.nodes.items():
        table, _, last = path.rpartition("/")
        if shown.app != "ward" or role != "label" or last != f"label:{_COLUMNS}":
            continue
        row = 1
        while f"{table}/label:{row * _COLUMNS}" in shown.nodes:
            buttons = tuple(f"{table}/push button:{(row - 1) * _BUTTONS + number}" for number in range(_BUTTONS))
            if all(button in shown.elements for button in buttons):
                for column in range(2):
                    found[shown.nodes[f"{table}/label:{row * _COLUMNS + column}"][1]] = buttons
            row += 1
    return found
