"""Targets of programs known by what this run is about: a row, an item or a tab whose name was never taught."""

from __future__ import annotations

import random
import zlib
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from benchmarks.drift.app_screens import Control, Shown
from benchmarks.drift.pairs import Truth
from execution.types import ElementRole

_LEAST, _LONGEST = 3, 40  # of one group; letters of a value
_SMALLEST, _HIGHEST = 9, 60  # pixels
_OTHERS = ("Archiver", "Oberon", "Transfer", "Kimono", "Lambda", "Relevés", "Ulysses", "Quartz")
Given = tuple[tuple[Any, ...], dict[str, Any]]


def options(both: Sequence[tuple[Shown, Shown]]) -> dict[str, list[Given]]:
    """What `_pair` is made from, of each kind: place and control, screens and truth; the choice and its box by name."""
    made: dict[str, list[Given]] = {"option": [], "option absent": []}
    for taught, seen in both:
        rng = random.Random(zlib.crc32(f"{taught.screen.name} {seen.screen.name} option".encode()))
        for group in groups(taught):
            path = rng.choice(group)
            control = taught.elements[path]
            there = [p for p in group if p != path and _is_once(seen, p, taught)]
            if there:
                right = rng.choice(there)
                name, box = taught.elements[right].text, seen.elements[right].box
                given = (path, control, taught, seen, Truth.HERE)
                made["option"].append((given, {"choice": name, "boxes": (box,)}))
            value = _unheard_of(taught.elements[rng.choice(group)].text, rng)
            if len(there) >= _LEAST - 1 and not _holds(seen, value):
                made["option absent"].append(((path, control, taught, seen, Truth.GONE), {"choice": value}))
    return made


def groups(shown: Shown) -> Iterator[list[str]]:
    """Places of elements that stand beside each other in the tree, of one kind and height, each with its own words."""
    texts = Counter(control.text.casefold() for control in shown.elements.values())
    found: dict[tuple[str, str, int], list[str]] = {}
    for path, control in shown.elements.items():
        if _is_worded(control) and shown.is_clear(control) and texts[control.text.casefold()] == 1:
            key = (path.rpartition("/")[0], control.role, round(control.box.h / 4))
            found.setdefault(key, []).append(path)
    for group in found.values():
        columns: dict[int, list[str]] = {}
        for path in group:
            columns.setdefault(shown.elements[path].box.x, []).append(path)
        best = max(columns.values(), key=len)  # a column of a table rather than all its cells
        if len(best) >= _LEAST:
            yield best
        elif len(group) >= _LEAST:
            yield group


def _is_worded(control: Control) -> bool:
    box = control.box
    short = 1 < len(control.text) <= _LONGEST and any(sign.isalnum() for sign in control.text)
    return short and control.role != ElementRole.FIELD and min(box.w, box.h) >= _SMALLEST and box.h <= _HIGHEST


def _is_once(seen: Shown, path: str, taught: Shown) -> bool:
    other = seen.elements.get(path)
    text = taught.elements[path].text.casefold()
    alike = sum(control.text.casefold() == text for control in seen.elements.values())
    return other is not None and seen.is_clear(other) and other.text.casefold() == text and alike == 1


def _holds(seen: Shown, value: str) -> bool:
    said = [name for _, name in seen.nodes.values()] + [control.text for control in seen.elements.values()]
    return any(value.casefold() in text.casefold() for text in said)


def _unheard_of(model: str, rng: random.Random) -> str:
    """A value like those of the group that is none of them."""
    if any(sign.isdigit() for sign in model):
        return "".join(str(rng.randint(0, 9)) if sign.isdigit() else sign for sign in model)
    if rng.random() < 0.4:
        return f"{model} {rng.choice(('2', 'B', 'II', 'bis'))}"
    return rng.choice(_OTHERS)
