"""Comparing one side of an element with the target's: what is written on it, its role, its size, its place."""

from __future__ import annotations

import re

from execution.language.fuzzy import SEEN, folded, similarity
from execution.targeting.boxes import text_lines_in
from execution.targeting.context import Context
from execution.types import Box, Element, ElementRole, Size

_SIDE = 1.4  # an element may be so much longer or shorter than the taught one and still be it
_FAR = 0.3  # of the window: from here on the place says nothing
_BESIDE = 2.0  # heights of a check box to the text at its right
_WORD = re.compile(r"[^\W\d_]{3,}")

TICKED = frozenset({ElementRole.CHECKBOX, ElementRole.RADIO})
_PRESSED = frozenset({ElementRole.BUTTON, ElementRole.LINK, ElementRole.ICON, ElementRole.TAB, ElementRole.MENU_ITEM})
_CHOSEN = frozenset({*TICKED, ElementRole.ICON})


def other_title(context: Context) -> str:
    """The title of the window in front, if it has no word in common with the taught one; "" otherwise."""
    taught, window = context.target.window_title, context.state.window
    if not taught or window is None or not window.title or similarity(taught, window.title) >= SEEN:
        return ""
    words, others = set(_WORD.findall(folded(taught))), set(_WORD.findall(folded(window.title)))
    return window.title if words and others and not words & others else ""


def text_of(element: Element, context: Context) -> str:
    """What is written on a control, or right of it where it is a box to tick."""
    inside = element.text or " ".join(line.text for line in text_lines_in(element.box, context.state))
    if inside or element.role not in TICKED:
        return inside
    box = element.box
    beside = [
        line
        for line in context.words.lines
        if 0 <= line.box.x - box.right <= _BESIDE * box.h and abs(line.box.center.y - box.center.y) <= box.h / 2
    ]
    return min(beside, key=lambda line: line.box.x).text if beside else ""


def role_likeness(taught: str, now: str) -> float:
    """1 for the same role, less for one that a detector takes for it."""
    if not taught or taught == now:
        return 1.0
    if {taught, now} <= _PRESSED:
        return 0.7
    return 0.5 if {taught, now} <= _CHOSEN else 0.0


def size_likeness(taught: Size, box: Box, *, scale: float = 1.0) -> float:
    """1 for the same height, 0 from 1.8 times; a label that got longer makes its control wider, not higher."""
    high = _ratio(box.h, taught.height * scale)
    wide = _ratio(box.w, taught.width * scale)
    return max(0.0, 1.0 - (high - 1.0) / (2 * (_SIDE - 1.0))) * (1.0 if wide <= _SIDE else 0.7 if wide <= 2.5 else 0.3)


def place_likeness(box: Box, context: Context) -> float:
    """How near to where it was taught, of the window's size; 0.5 where nobody knows."""
    places = context.taught_places()
    if not places:
        return 0.5
    window = context.state.window.box if context.state.window else None
    size = Size(window.w, window.h) if window else context.state.frame.size
    away = min(
        max(abs(box.center.x - p.center.x) / max(1, size.width), abs(box.center.y - p.center.y) / max(1, size.height))
        for p in places
    )
    return max(0.0, 1.0 - away / _FAR)


def sized(box: Box, size: Size, scale: float) -> Box:
    """A box of that size, drawn so large, around the middle of the other."""
    w, h = round(size.width * scale), round(size.height * scale)
    return Box(box.center.x - w // 2, box.center.y - h // 2, w, h)


def _ratio(one: float, other: float) -> float:
    low, high = sorted((max(1.0, one), max(1.0, other)))
    return high / low
