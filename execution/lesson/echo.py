"""Whether what was typed can be read where it was typed. What cannot may be a password (S6.2, S10.4)."""

from __future__ import annotations

import re

from rapidfuzz import fuzz

from execution.language.fuzzy import folded
from execution.types import ScreenState, TextLine

_ALIKE = 75.0  # of 100: the reader gets a letter wrong, and a field shows the end of a long text alone
_LEAST_SHOWN = 0.4  # of a text, in the end that a narrow field shows
# Three and more of one sign, circles that were read as letters, or a line of nothing but signs.
_DOTS = re.compile(r"([^\w\s])(\s?\1){2,}|([oO0])\3{3,}|^[\s•●∙·*.]+$")
_SAME_PLACE = 0.5
LEAST = 3  # characters: fewer are in a clock, a counter or a price that changed by itself
_FEW = 6  # with fewer than these one that is read wrongly is too much: as they stand, and between words


def is_echoed(text: str, before: ScreenState, after: ScreenState) -> bool:
    """Whether the screen shows the text now and did not before. Dots in its place are no text.

    Of fewer than three characters nobody can tell, so they are none.
    """
    typed = folded(text)
    came = [line for line in after.texts if not _was_there(line, before)]
    if len(typed) < LEAST or any(_are_dots(line.text, text) for line in came):
        return False
    shown = folded(" ".join(line.text for line in came))
    if len(typed) < _FEW:
        return re.search(rf"(?<![\w:.,/-]){re.escape(typed)}(?![\w:.,/-])", shown) is not None
    return len(shown) >= _LEAST_SHOWN * len(typed) and fuzz.partial_ratio(typed, shown) >= _ALIKE


def _was_there(line: TextLine, before: ScreenState) -> bool:
    return any(folded(old.text) == folded(line.text) and _meet(old, line) for old in before.texts)


def _meet(one: TextLine, other: TextLine) -> bool:
    return one.box.intersection(other.box).area > _SAME_PLACE * min(one.box.area, other.box.area)


def _are_dots(shown: str, typed: str) -> bool:
    found = _DOTS.search(shown)
    return found is not None and found.group() not in typed
