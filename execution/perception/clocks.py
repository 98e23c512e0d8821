"""Clocks on the screen: lines of text that say the time, and move on as time does (S2.6).

A time among a screen's data is told from a clock by that: it does not move with the time that passes.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import replace
from datetime import timedelta
from typing import NamedTuple

from execution.types import Box, Element, TextLine

_TIME = re.compile(r"(?<!\d)(\d{1,2}) ?[:h] ?([0-5]\d)(?: ?: ?([0-5]\d))?(?: ?([ap])\.?m\b\.?)?", re.IGNORECASE)
_HALF_DAY = 12 * 3600  # whether a clock shows 1:05 in the morning or in the afternoon need not be known

_NAMES = """
january february march april may june july august september october november december
jan feb mar apr jun jul aug sep sept oct nov dec
monday tuesday wednesday thursday friday saturday sunday mon tue tues wed thu thur thurs fri sat sun
janvier fevrier mars avril mai juin juillet aout septembre octobre novembre decembre
janv fev fevr avr juil sept
lundi mardi mercredi jeudi vendredi samedi dimanche lun mar mer jeu ven sam dim
at a le the of de utc gmt cet cest
"""
_WORDS = frozenset(_NAMES.split())
_NUMBER = re.compile(r"\d{1,4}(?:st|nd|rd|th|er|e)?")


class Clock(NamedTuple):
    """What a clock says: seconds since noon or midnight, how exactly (1 or 60 s), and the words around the time."""

    seconds: int
    exact_to: int
    rest: str


def read_clock(text: str) -> Clock | None:
    """The time that a line says; None where it says anything but a time, with or without a date."""
    plain = "".join(c for c in unicodedata.normalize("NFD", text.casefold()) if not unicodedata.combining(c))
    found = _TIME.search(plain)
    if found is None or int(found[1]) > 24:
        return None
    rest = f"{plain[: found.start()]} {plain[found.end() :]}"
    words = re.findall(r"\w+", rest)
    if not all(word in _WORDS or _NUMBER.fullmatch(word) for word in words):
        return None
    if any(c not in " ,.;/-–|()•·" for c in re.sub(r"\w", "", rest)):
        return None
    seconds = int(found[1]) * 3600 + int(found[2]) * 60 + int(found[3] or 0)
    return Clock(seconds % _HALF_DAY, 1 if found[3] else 60, " ".join(words))


def has_moved_on(before: str, after: str, *, passed: timedelta) -> bool:
    """Whether both lines are the same clock, read `passed` apart, to what the clock and its drawing are exact to."""
    one, other = read_clock(before), read_clock(after)
    if one is None or other is None or (one.rest, one.exact_to) != (other.rest, other.exact_to):
        return False
    seconds = passed.total_seconds()
    moved = (other.seconds - one.seconds) % _HALF_DAY
    off = abs(moved - seconds % _HALF_DAY)
    return moved > 0 and seconds >= 0 and min(off, _HALF_DAY - off) <= one.exact_to + 1


def moved_clocks(
    clocks: Iterable[TextLine], before: Iterable[TextLine], now: Iterable[TextLine], *, passed: timedelta
) -> list[tuple[TextLine, TextLine]] | None:
    """Each of `clocks`, lines of `before`, with the line that it is among `now`; None unless all else reads the same
    and all clocks have moved on with the time that passed."""
    left, fresh = list(before), list(now)
    pairs = []
    for clock in clocks:
        moved = next((line for line in fresh if _same_place(line.box, clock.box)), None)
        if moved is None or not has_moved_on(clock.text, moved.text, passed=passed):
            return None
        left.remove(clock)
        fresh.remove(moved)
        pairs.append((clock, moved))
    return pairs if sorted(line.text for line in left) == sorted(line.text for line in fresh) else None


def told_anew(element: Element, clock: TextLine, now: TextLine) -> Element:
    """The element, with the text of the clock that it holds, or is, as it reads now."""
    if clock.text not in element.text or not element.box.intersection(clock.box).area:
        return element
    box = now.box if element.box == clock.box else element.box
    return replace(element, box=box, text=element.text.replace(clock.text, now.text))


def _same_place(one: Box, other: Box) -> bool:
    """Whether two boxes are one place; they are as wide as their digits are."""
    return one.intersection(other).area > 0.5 * min(one.area, other.area)
