"""How alike the titles and applications of two windows are."""

from __future__ import annotations

import re
from collections.abc import Collection

from execution.navigation.words import folded
from execution.types import Window

_WORD = re.compile(r"[^\W_]+")


def title_alike(taught: str, seen: str, others: Collection[str]) -> float:
    """1 for the same title, -1 for one that was taught for other screens alone, between for titles that share words.

    `others` are the folded titles of the workflow's other screens. Numbers are left out: they name records.
    """
    one, other = folded(taught), folded(seen)
    if one == other:
        return 1.0
    if other in others and one != other:
        return -1.0
    ours, theirs = _words(one), _words(other)
    if not ours or not theirs:
        return 0.0
    shared = sum(len(word) for word in ours & theirs)
    return shared / sum(len(word) for word in ours | theirs) - 0.25


def app_alike(taught: str, seen: str) -> float:
    """1 for the same application, -1 for another, 0 where one is not known."""
    one, other = folded(taught), folded(seen)
    if not one or not other:
        return 0.0
    return 1.0 if one in other or other in one else -1.0


def _words(title: str) -> set[str]:
    return {word for word in _WORD.findall(title) if not any(c.isdigit() for c in word)}


def title_of(window: Window | None) -> str:
    return folded(window.title) if window else ""
