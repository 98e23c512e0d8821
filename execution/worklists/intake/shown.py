"""A number as its cell shows it: the number formats of spreadsheets, followed or said not to be."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from decimal import ROUND_HALF_UP, Decimal
from functools import lru_cache
from itertools import takewhile
from operator import eq, ge, gt, le, lt, ne
from typing import NamedTuple

from openpyxl.styles.numbers import is_date_format
from openpyxl.utils.datetime import WINDOWS_EPOCH, from_excel

from execution.worklists.intake.cells import Cell, seen
from execution.worklists.intake.format_code import (
    DATE,
    DIGIT,
    ELAPSED,
    EXPONENT,
    GENERAL,
    GROUP,
    HALF_DAY,
    LITERAL,
    PERCENT,
    POINT,
    TEXT,
    Mark,
    Section,
    Unfollowed,
    sections_of,
)
from execution.worklists.intake.habits import Habits, named_by
from sentences.said import say

_GENERAL_WIDTH = 11  # characters that a spreadsheet gives a number without a format, the sign not counted
_EXACT = 15  # digits of a number that a spreadsheet keeps
_COMPARE = {"<": lt, "<=": le, ">": gt, ">=": ge, "=": eq, "<>": ne}
_MACHINE_DATES = {"mm-dd-yy": "{date}", "m/d/yy h:mm": "{date} hh:mm"}  # codes that stand for the machine's own form
Number = int | float


def shown(number: Number, code: str, habits: Habits, epoch: datetime = WINDOWS_EPOCH) -> str:
    """The text that a cell with this number and format shows; a `Cell` where its file knows more than the text."""
    if abs(number) >= 10**_EXACT:
        return Cell(general(number, habits), problem=say("intake.too_many_digits", n=_EXACT))
    if code in ("", "General"):
        return general(number, habits)
    own = _MACHINE_DATES.get(code)
    code = own.format(date=habits.short_date) if own else code
    try:
        section, value = _section_for(number, sections_of(code))
        if section is None:
            return Cell("", plain=general(number, habits))
        if section.kinds & {DATE, ELAPSED, HALF_DAY}:
            moment = _moment(number, epoch) if section.kinds & {DATE} and _has_day(section) else None
            text = _date_text(section, value, moment or _moment(number, epoch), habits)
            return Cell(seen(text), moment=moment, unfollowed=code if own else "")
        text, plain = _number_text(section, value, habits)
    except (Unfollowed, OverflowError, ValueError):
        return Cell(general(number, habits), moment=_date_of(number, code, epoch), unfollowed=code)
    text = seen(text)
    return Cell(text, plain=plain) if plain != text else text


def general(number: Number, habits: Habits) -> str:
    """As a cell without a format shows it; all digits of a whole number."""
    if isinstance(number, int) or number.is_integer():
        return str(int(number))
    exact = Decimal(f"{number:.15g}")
    whole = len(str(abs(int(exact))))
    if whole > _GENERAL_WIDTH or (exact and abs(exact) < Decimal("1e-9")):
        mantissa, power = f"{exact:.5E}".split("E")
        return f"{mantissa.rstrip('0').rstrip('.')}E{power[0]}{power[1:]:0>2}".replace(".", habits.decimal)
    places = max(0, _GENERAL_WIDTH - 1 - whole)
    text = f"{_rounded(exact, places):f}"
    return (text.rstrip("0").rstrip(".") if "." in text else text).replace(".", habits.decimal)


def text_shown(text: str, code: str) -> str:
    """A text in a cell with a format: most show it as it is."""
    if code in ("General", "@"):
        return text
    try:
        sections = sections_of(code)
    except Unfollowed:
        return text
    chosen = next((section for section in sections if TEXT in section.kinds), None)
    if chosen is None:
        return text if len(sections) < 4 else ""
    return "".join(text if mark.kind == TEXT else mark.text for mark in chosen.marks)


# --- which section -----------------------------------------------------------------------------------------------
def _section_for(number: Number, sections: Sequence[Section]) -> tuple[Section | None, Number]:
    """The section for this number, and the number as it is put there: without its sign where the section says it."""
    numeric = [section for section in sections[:3] if TEXT not in section.kinds or len(sections) == 1]
    if any(section.condition for section in sections):
        return _conditional(number, sections)
    if not numeric:
        raise Unfollowed(str(number))
    if len(numeric) >= 2 and number < 0:
        return _unless_empty(numeric[1]), abs(number)
    if len(numeric) == 3 and number == 0:
        return _unless_empty(numeric[2]), number
    return _unless_empty(numeric[0]) if len(sections) > 1 else numeric[0], number


def _conditional(number: Number, sections: Sequence[Section]) -> tuple[Section | None, Number]:
    if number < 0:  # whether the sign is shown depends on what the conditions leave over
        raise Unfollowed(str(number))
    for section in sections:
        if section.condition is None or _COMPARE[section.condition[0]](number, section.condition[1]):
            return _unless_empty(section), number
    raise Unfollowed(str(number))


def _unless_empty(section: Section) -> Section | None:
    return section if section.marks else None


# --- numbers -----------------------------------------------------------------------------------------------------
def _rounded(value: Decimal, places: int) -> Decimal:
    return value.quantize(Decimal(1).scaleb(-places), ROUND_HALF_UP)


def _number_text(section: Section, number: Number, habits: Habits) -> tuple[str, str]:
    """The text, and the number in it alone, without what orders or names it."""
    marks = section.marks
    if GENERAL in section.kinds or TEXT in section.kinds:
        text = general(number, habits)
        return "".join(text if mark.kind in (GENERAL, TEXT) else mark.text for mark in marks), text
    if DIGIT not in section.kinds:
        sign = "-" if number < 0 else ""
        return sign + "".join(mark.text for mark in marks if mark.kind in (LITERAL, PERCENT)), ""
    layout = _layout(marks)
    value = _rounded(Decimal(f"{number:.15g}").scaleb(layout.power), layout.places)
    whole, _, rest = f"{abs(value):f}".partition(".")
    head = _whole_part(layout.before, "" if whole == "0" else whole, habits.group if layout.is_grouped else "")
    tail, decimals = _decimals(layout.behind, rest, habits.decimal)
    sign = "-" if value < 0 else ""
    plain = sign + head.digits + (habits.decimal + decimals if decimals else "") + "%" * layout.percents
    return sign + head.text + tail, plain


class _Layout(NamedTuple):
    """The marks before the decimal sign and from it on; the number is shown times ten to the `power`."""

    before: tuple[Mark, ...]
    behind: tuple[Mark, ...]
    places: int
    power: int
    percents: int
    is_grouped: bool


@lru_cache(maxsize=4096)
def _layout(marks: tuple[Mark, ...]) -> _Layout:
    """Raises Unfollowed for fractions and powers of ten."""
    kinds = [mark.kind for mark in marks]
    if EXPONENT in kinds or _is_fraction(marks):
        raise Unfollowed
    first, last = kinds.index(DIGIT), len(kinds) - 1 - kinds[::-1].index(DIGIT)
    thousands = sum(1 for _ in takewhile(lambda kind: kind == GROUP, kinds[last + 1 :]))
    percents = kinds.count(PERCENT)
    point = kinds.index(POINT) if POINT in kinds else len(kinds)
    return _Layout(
        before=marks[:point],
        behind=marks[point:],
        places=kinds[point:].count(DIGIT),
        power=2 * percents - 3 * thousands,
        percents=percents,
        is_grouped=GROUP in kinds[first : min(last, point)],
    )


class _Whole(NamedTuple):
    """What stands before the decimal sign, and its digits alone."""

    text: str
    digits: str


def _whole_part(marks: Sequence[Mark], whole: str, group: str) -> _Whole:
    """Digits fill their places from the right; what is left over stands before the first."""
    places = [mark.text for mark in marks if mark.kind == DIGIT]
    filled = _filled(places, whole)
    pieces, left = [], list(filled)
    count = sum(len(piece) for piece in filled)
    for mark in marks:
        if mark.kind == DIGIT:
            for character in left.pop(0):
                pieces.append(character)
                count -= 1
                if group and count and count % 3 == 0 and character.isdigit():
                    pieces.append(group)
        elif mark.kind in (LITERAL, PERCENT):
            pieces.append(mark.text)
    return _Whole("".join(pieces), "".join(filled).strip())


def _filled(places: Sequence[str], whole: str) -> list[str]:
    """What stands at each place; the first takes all digits beyond."""
    filled, left = [], whole
    for number, place in enumerate(reversed(places), 1):
        take = left if number == len(places) else left[-1:]
        left = left[: len(left) - len(take)]
        filled.append(take or {"0": "0", "?": " "}.get(place, ""))
    return filled[::-1]


def _decimals(marks: Sequence[Mark], rest: str, sign: str) -> tuple[str, str]:
    """What stands from the decimal sign on, and its digits; places marked # lose zeros at the end."""
    places = [mark.text for mark in marks if mark.kind == DIGIT]
    kept = len(rest)
    while kept and rest[kept - 1] == "0" and places[kept - 1] != "0":
        kept -= 1
    shown_digits = [rest[at] if at < kept else (" " if places[at] == "?" else "") for at in range(len(places))]
    pieces, left = [], list(shown_digits)
    for mark in marks:
        if mark.kind == POINT:
            pieces.append(sign)
        elif mark.kind == DIGIT:
            pieces.append(left.pop(0))
        elif mark.kind in (LITERAL, PERCENT):
            pieces.append(mark.text)
    return "".join(pieces), rest[:kept]


def _is_fraction(marks: Sequence[Mark]) -> bool:
    """Whether a stroke divides digits: # ?/?"""
    stroke = next((place for place, mark in enumerate(marks) if mark == Mark(LITERAL, "/")), None)
    if stroke is None:
        return False
    kinds = [mark.kind for mark in marks]
    return DIGIT in kinds[:stroke] and (DIGIT in kinds[stroke:] or stroke + 1 < len(marks))


# --- dates and times ---------------------------------------------------------------------------------------------
def _has_day(section: Section) -> bool:
    return any(mark.kind == DATE and mark.text[0] in "yd" for mark in section.marks)


@lru_cache(maxsize=1024)
def _is_date(code: str) -> bool:
    return bool(is_date_format(code))


def _date_of(number: Number, code: str, epoch: datetime) -> datetime | None:
    """The date of a cell whose format says that it is one, though it cannot be followed."""
    if not _is_date(code):
        return None
    try:
        return _moment(number, epoch)
    except (OverflowError, ValueError):
        return None


def _moment(number: Number, epoch: datetime) -> datetime:
    """Raises OverflowError or ValueError for a number that is no date."""
    if number < 0:
        raise ValueError(number)
    if number < 1:
        return epoch + timedelta(days=number)
    found: datetime = from_excel(number, epoch)
    return found


def _date_text(section: Section, number: Number, moment: datetime, habits: Habits) -> str:
    if number < 0 or section.kinds & {GROUP, PERCENT, TEXT, GENERAL, EXPONENT}:
        raise Unfollowed(str(number))
    names = (named_by(section.language) if section.language else habits) or None
    marks = _minutes_named(section.marks)
    seconds = _seconds(number) if ELAPSED in section.kinds else 0
    twelve = HALF_DAY in section.kinds
    pieces = []
    for place, mark in enumerate(marks):
        if mark.kind == DATE:
            pieces.append(_part(mark.text, moment, names, twelve=twelve))
        elif mark.kind == ELAPSED:
            unit = {"h": 3600, "m": 60, "s": 1}[mark.text[0]]
            pieces.append(f"{seconds // unit:0{len(mark.text)}d}")
        elif mark.kind == HALF_DAY:
            both = ("AM", "PM") if len(mark.text) > 3 else ("A", "P")
            pieces.append(both[moment.hour >= 12])
        elif mark.kind == POINT and place + 1 < len(marks) and marks[place + 1].kind == DIGIT:
            raise Unfollowed(str(number))  # parts of a second
        elif mark.kind == DIGIT:
            raise Unfollowed(str(number))
        else:
            pieces.append(mark.text)
    return "".join(pieces)


def _seconds(number: Number) -> int:
    return round(number * 86_400)


def _minutes_named(marks: Sequence[Mark]) -> list[Mark]:
    """`m` behind hours or before seconds is minutes: written as n from here on."""
    found = list(marks)
    times = [place for place, mark in enumerate(found) if mark.kind in (DATE, ELAPSED)]
    for position, place in enumerate(times):
        before = found[times[position - 1]].text[0] if position else ""
        after = found[times[position + 1]].text[0] if position + 1 < len(times) else ""
        mark = found[place]
        if mark.kind == DATE and mark.text in ("m", "mm") and (before == "h" or after == "s"):
            found[place] = Mark(DATE, "n" * len(mark.text))
    return found


def _part(text: str, moment: datetime, names: Habits | None, *, twelve: bool) -> str:
    letter, length = text[0], len(text)
    if letter in "md" and length > 2:
        if names is None:
            raise Unfollowed(text)
        both = names.months[moment.month - 1] if letter == "m" else names.days[moment.isoweekday() % 7]
        return both[0][:1].upper() if length > 4 else both[length == 3]
    if letter == "y":
        return f"{moment.year % 100:02d}" if length < 3 else f"{moment.year:04d}"
    hour = (moment.hour % 12 or 12) if twelve else moment.hour
    value = {"m": moment.month, "d": moment.day, "h": hour, "n": moment.minute, "s": moment.second}[letter]
    return f"{value:0{length}d}" if length < 3 else f"{value:02d}"
