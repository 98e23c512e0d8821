"""Whether the window in front is the one a target was taught in."""

from __future__ import annotations

import re

from execution.navigation.words import SEEN, folded, similarity
from execution.targeting.context import Context
from execution.targeting.signs import Signs

_WORD = re.compile(r"[^\W\d_]{3,}")
_SEPARATOR = re.compile(r"\s+[-|:·]\s+")
_SURE = 0.5  # of the neighbours
_SAME_SHAPES = 0.8  # of the controls around: in another language titles and neighbours change alike


def window_problem(context: Context, signs: Signs) -> str:
    """A sentence where another window has the focus than the taught one, and what is around does not say otherwise."""
    taught = context.target.window_title
    now = context.state.window.title if context.state.window else ""
    if not taught or not now or _related(taught, now):
        return ""
    known = signs.around.seen >= 2 and signs.around.share >= _SURE
    if known or (signs.shapes or 0.0) >= _SAME_SHAPES:
        return ""
    return f"the window in front is '{now}', not '{taught}'"


def _related(one: str, other: str) -> bool:
    """True for titles of one program: "a.txt - Editor" and "b.txt - Editor"; its name comes last where there are two."""
    if similarity(one, other) >= SEEN:
        return True
    names = [_SEPARATOR.split(folded(title)) for title in (one, other)]
    if all(len(parts) > 1 for parts in names):
        one, other = (parts[-1] for parts in names)
    words, others = set(_WORD.findall(folded(one))), set(_WORD.findall(folded(other)))
    return not words or not others or bool(words & others)
