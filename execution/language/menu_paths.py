"""What a place is called: a menu path taken apart, and whether a text on the screen is the label that was asked for."""

from __future__ import annotations

import re

from execution.language.fuzzy import SAME, folded, similarity, words
from execution.language.shortcuts import without_shortcut
from sentences.said import say

MOST_LEVELS = 8
LONGEST = 120

_SEPARATOR = re.compile(r"\s*(?:[-=]>|[>→›▸▶⇒⟩])\s*")
_GUILLEMET = re.compile(r"\s*»\s*")  # a separator too, where it does not close a quotation
_QUOTES = "\"'“”«»‘’ \t"
_MARKS = " ✓✔☑☐●○◉•·▸►▶▾▼›>‣"
_DESTRUCTIVE = frozenset(
    {
        "delete", "remove", "erase", "clear", "discard", "format", "reset", "quit", "exit", "uninstall", "overwrite",
        "supprimer", "effacer", "vider", "abandonner", "formater", "reinitialiser", "quitter", "desinstaller",
        "ecraser",
    }
)  # fmt: skip


class BadPlace(ValueError):
    """A place that cannot be gone to, whatever the screen; the message says why."""


def levels_of(place: str) -> tuple[str, ...]:
    """The labels of a path such as "File > Save As…", one for a plain label. Raises BadPlace.

    >, →, › and the like part the levels; / does not, it stands in labels ("Find/Replace").
    """
    path = _SEPARATOR.sub(" > ", place.strip())
    if "«" not in path:
        path = _GUILLEMET.sub(" > ", path)
    parts = [part.strip(_QUOTES) for part in path.split(" > ")]
    while parts and not words(parts[-1]).key:  # "Next >" is a button
        parts.pop()
    if not parts:
        raise BadPlace(say("place.unnamed"))
    if any(not words(part).key for part in parts):
        raise BadPlace(say("place.level_unnamed", place=place[:LONGEST]))
    if len(parts) > MOST_LEVELS:
        raise BadPlace(say("place.too_many_levels", place=place[:LONGEST], count=len(parts), most=MOST_LEVELS))
    if any(len(part) > LONGEST for part in parts):
        raise BadPlace(say("place.level_too_long", place=place[:LONGEST]))
    return tuple(parts)


def likeness(label: str, text: str, *, exact: bool = False) -> float:
    """How surely `text`, as it stands on the screen, is the label: 1 the same, from SAME up nearly, else 0.

    A key shortcut, a tick or an arrow beside it do not count; what destroys is not taken for what nearly reads so.
    """
    bare = bare_label(text)
    score = similarity(label, bare, strict=exact)
    if score >= 1.0:
        return 1.0
    if score < SAME or words(label).negated != words(bare).negated or _destroys(label) != _destroys(bare):
        return 0.0
    return score


def bare_label(text: str) -> str:
    """A menu item's text without its shortcut and marks."""
    return without_shortcut(text).strip(_MARKS)


def _destroys(text: str) -> frozenset[str]:
    return _DESTRUCTIVE & set(folded(text).replace("...", " ").split())
