"""The number format of a spreadsheet, taken apart: sections for signs, each a list of marks."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

LITERAL, DIGIT, POINT, GROUP, PERCENT, DATE, ELAPSED, HALF_DAY, TEXT, GENERAL, EXPONENT = (
    "literal", "digit", "point", "group", "percent", "date", "elapsed", "half_day", "text", "general", "exponent",
)  # fmt: skip
_MARK = re.compile(
    r"""
    "(?P<quoted>[^"]*)"
    | \\(?P<escaped>.)
    | _(?P<gap>.)
    | \*(?P<fill>.)
    | \[(?P<bracket>[^\]]*)\]
    | (?P<general>General|Standard)
    | (?P<half_day>AM/PM|A/P)
    | (?P<exponent>E[+-])
    | (?P<digit>[0\#?])
    | (?P<point>\.)
    | (?P<group>,)
    | (?P<percent>%)
    | (?P<text>@)
    | (?P<date>y+|m+|d+|h+|s+)
    | (?P<plain>[-$€£¥+():!^&'~{}<>=\s\u00a0\u202f])
    | (?P<slash>/)
    """,
    re.VERBOSE | re.IGNORECASE | re.DOTALL,
)
_COLOUR = re.compile(r"black|blue|cyan|green|magenta|red|white|yellow|color ?\d+", re.IGNORECASE)
_CONDITION = re.compile(r"(<=|>=|<>|<|>|=)(-?\d+(?:\.\d+)?)")
_MACHINE_FORMS = frozenset({0xF400, 0xF800})  # the time and the long date as the machine has them
_CURRENCY = re.compile(r"\$([^-]*)(?:-([0-9A-F]+))?", re.IGNORECASE)


class Mark(NamedTuple):
    kind: str
    text: str


class Section(NamedTuple):
    """`language` is a Windows language id or 0, `condition` a comparison with a number, if there is one."""

    marks: tuple[Mark, ...]
    kinds: frozenset[str]
    condition: tuple[str, float] | None
    language: int


class Unfollowed(Exception):
    """The format holds something whose look we do not know."""


@lru_cache(maxsize=4096)
def sections_of(code: str) -> tuple[Section, ...]:
    """The sections of a format code. Raises Unfollowed."""
    return tuple(_section(part) for part in _parts(code))


def _parts(code: str) -> list[str]:
    """The code cut at semicolons that are no text."""
    parts, start, position = [], 0, 0
    while position < len(code):
        if code[position] == ";":
            parts.append(code[start:position])
            start = position = position + 1
            continue
        mark = _MARK.match(code, position)
        position = mark.end() if mark else position + 1
    return [*parts, code[start:]]


def _section(code: str) -> Section:
    marks: list[Mark] = []
    condition, language, position = None, 0, 0
    while position < len(code):
        found = _MARK.match(code, position)
        if found is None:
            if code[position].isascii():
                raise Unfollowed(code)
            marks.append(Mark(LITERAL, code[position]))
            position += 1
            continue
        position = found.end()
        kind, text = found.lastgroup or "", found[found.lastgroup or 0]
        if kind == "bracket":
            bracket = _bracket(text)
            if isinstance(bracket, Mark):
                marks.append(bracket)
            elif isinstance(bracket, tuple):
                condition = bracket
            elif bracket:
                language = bracket
                if currency := _CURRENCY.fullmatch(text):
                    marks.append(Mark(LITERAL, currency[1]))
        else:
            marks += _marks(kind, text)
    return Section(tuple(marks), frozenset(mark.kind for mark in marks), condition, language)


def _marks(kind: str, text: str) -> list[Mark]:
    if kind in ("quoted", "escaped", "plain", "slash"):
        return [Mark(LITERAL, text)]
    if kind == "gap":
        return [Mark(LITERAL, " ")]
    if kind == "fill":
        return []
    if kind in (DATE, HALF_DAY):
        return [Mark(kind, text.lower() if kind == DATE else text.upper())]
    return [Mark(kind, text)]


def _bracket(text: str) -> Mark | tuple[str, float] | int:
    """A currency or elapsed time, a condition, a language; 0 for a colour. Raises Unfollowed."""
    if _COLOUR.fullmatch(text):
        return 0
    if condition := _CONDITION.fullmatch(text):
        return condition[1], float(condition[2])
    if text.lower() in ("h", "hh", "m", "mm", "s", "ss"):
        return Mark(ELAPSED, text.lower())
    if currency := _CURRENCY.fullmatch(text):
        language = int(currency[2] or "0", 16)
        if language > 0xFFFF or language in _MACHINE_FORMS:  # another calendar, other digits
            raise Unfollowed(text)
        return language or Mark(LITERAL, currency[1])
    raise Unfollowed(text)
