"""How alike the titles and applications of two windows are."""

from __future__ import annotations

import re
from collections.abc import Collection

from execution.language.fuzzy import folded
from execution.types import Window

_WORD = re.compile(r"[^\W_]+")
_PARTLY = 0.25  # titles that share so much of their words speak neither for nor against


def title_alike(taught: str, seen: str, known: Collection[str]) -> float:
    """1 for the same title, -1 for one that was taught for other screens alone, between for titles that share words.

    `known` are the folded titles of all of the workflow's screens. Words with digits are left out: they name records.
    0 where either title is not known.
    """
    one, other = folded(taught), folded(seen)
    if not one or not other:
        return 0.0
    if one == other:
        return 1.0
    if other in known:
        return -1.0
    ours, theirs = _words(one), _words(other)
    if not ours or not theirs:
        return 0.0
    shared = sum(len(word) for word in ours & theirs)
    return shared / sum(len(word) for word in ours | theirs) - _PARTLY


def app_alike(taught: str, seen: str) -> float:
    """1 for the same application, -1 for another, 0 where one is not known."""
    one, other = folded(taught), folded(seen)
    if not one or not other:
        return 0.0
    return 1.0 if one in other or other in one else -1.0


def folded_title(window: Window | None) -> str:
    return folded(window.title) if window else ""


def _words(title: str) -> set[str]:
    return {word for word in _WORD.findall(title) if not any(c.isdigit() for c in word)}
