"""Dates written as texts: in which order day and month stand is found from the whole column, or asked."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from enum import StrEnum

from execution.worklists.intake.cells import Cell
from execution.worklists.intake.habits import ENGLISH, FRENCH
from sentences.said import say


class Order(StrEnum):
    """In which order the three numbers of a date stand."""

    DAY_FIRST = "day_first"
    MONTH_FIRST = "month_first"


_SHORT = re.compile(r"(\d{1,2})[./\-\s](\d{1,2})[./\-\s](\d{4}|\d{2})(?!\d)")
_YEAR_FIRST = re.compile(r"(\d{4})[./\-](\d{1,2})[./\-](\d{1,2})(?!\d)|((?:19|20)\d\d)(\d\d)(\d\d)(?!\d)")
_NAMED_DAY_FIRST = re.compile(
    r"(?:[^\W\d]+\.?,? )?(\d{1,2})(?:er|st|nd|rd|th)?[ .\-]+([^\W\d]+)\.?[ ,\-]+(\d{4}|\d{2})(?!\d)"
)
_NAMED_MONTH_FIRST = re.compile(r"(?:[^\W\d]+\.?,? )?([^\W\d]+)\.? (\d{1,2})(?:st|nd|rd|th)?,? (\d{4}|\d{2})(?!\d)")
_MIDNIGHT = re.compile(r"(?:[T ]0?0[:h]00(?::00(?:\.0+)?)?)?")  # a time behind the date that says nothing


def _key(name: str) -> str:
    plain = unicodedata.normalize("NFKD", name.casefold()).rstrip(".")
    return "".join(letter for letter in plain if not unicodedata.combining(letter))


_MONTHS = {
    _key(name): number
    for habits in (ENGLISH, FRENCH)
    for number, names in enumerate(habits.months, 1)
    for name in names
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What a column of dates says of its order. `example` is the row number and text of a date that either order reads
    as another day, or of two rows that contradict each other in `against`; `order` is None where it stays open."""

    order: Order | None
    is_needed: bool
    example: tuple[int, str] | None = None
    against: tuple[int, str] | None = None


def is_date(text: str) -> bool:
    """True if the text is written as a date, whatever it says."""
    return any(pattern.match(text) for pattern in (_SHORT, _YEAR_FIRST, _NAMED_DAY_FIRST))


def find_order(cells: Iterable[tuple[int, str]]) -> Found:
    """The order of a column's dates, given as row numbers and texts."""
    proofs: dict[Order, tuple[int, str]] = {}
    example = None
    is_needed = False
    for number, text in cells:
        if (isinstance(text, Cell) and text.moment) or not (found := _SHORT.match(text)):
            continue
        is_needed = True
        first, second = int(found[1]), int(found[2])
        if first > 12 >= second:
            proofs.setdefault(Order.DAY_FIRST, (number, text))
        elif second > 12 >= first:
            proofs.setdefault(Order.MONTH_FIRST, (number, text))
        elif first != second and example is None:
            example = (number, text)
    if len(proofs) == 2:
        one, other = sorted(proofs.values())
        return Found(order=None, is_needed=True, example=one, against=other)
    if proofs:
        order, proof = next(iter(proofs.items()))
        return Found(order=order, is_needed=True, example=example or proof)
    return Found(order=None, is_needed=is_needed and example is not None, example=example)


def read_date(text: str, order: Order | None) -> date | str:
    """The day that a text says, or why it says none, as a sentence. Without an order one that both read alike."""
    if found := _YEAR_FIRST.match(text):
        parts = found.group(1, 2, 3) if found[1] else found.group(4, 5, 6)
        year, month, day = parts
    elif found := _SHORT.match(text):
        year = found[3]
        if order is None and int(found[1]) != int(found[2]):
            return say("intake.order_open", text=text)
        day, month = (found[2], found[1]) if order == Order.MONTH_FIRST else (found[1], found[2])
    elif (found := _NAMED_DAY_FIRST.match(text)) and (number := _MONTHS.get(_key(found[2]))):
        day, month, year = found[1], str(number), found[3]
    elif (found := _NAMED_MONTH_FIRST.match(text)) and (number := _MONTHS.get(_key(found[1]))):
        month, day, year = str(number), found[2], found[3]
    else:
        return say("intake.no_date", text=text)
    if len(year) < len("2026"):
        return say("intake.short_year", text=text)
    if not _MIDNIGHT.fullmatch(text[found.end() :]):
        return say("intake.date_with_time", text=text)
    try:
        return date(int(year), int(month), int(day))
    except ValueError:
        return say("intake.no_such_day", text=text)
