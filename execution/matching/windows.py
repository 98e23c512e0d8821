"""Whether a window is the one that is declared, and whether its title or application speaks against a taught one."""

from __future__ import annotations

import math
import re
from collections.abc import Collection

from execution.language.fuzzy import folded
from execution.types import Window

UNSAVED = "*•●"  # by which a title says that something is not saved: the screen is the same


def without_mark(title: str) -> str:
    """The title without the sign that something is not saved."""
    return title.lstrip(f"{UNSAVED} ")


def title_matches(pattern: str, title: str) -> bool:
    """True if the whole title is the pattern, with * for any run of characters; case and accents aside."""
    parts = [re.escape(part) for part in folded(pattern).split("*")]
    return re.fullmatch(".*".join(parts), folded(title), re.DOTALL) is not None


def title_speaks(taught: str, seen: str, known: Collection[str]) -> float:
    """-1 for a title that was taught for other screens alone, 0 for any other, nan where either is not known.

    `known` are the folded titles of all of the workflow's screens. The same title says nothing: many programs have one.
    """
    one, other = folded(taught), folded(seen)
    if not one or not other:
        return math.nan
    return -1.0 if one != other and other in known else 0.0


def app_speaks(taught: str, seen: str) -> float:
    """-1 for another application, 0 for the same, nan where one is not known."""
    one, other = folded(taught), folded(seen)
    if not one or not other:
        return math.nan
    return 0.0 if one in other or other in one else -1.0


def folded_title(window: Window | None) -> str:
    return folded(window.title) if window else ""
