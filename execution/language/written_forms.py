"""Other ways in which an application may write a date or a number that was typed: 21/11/2026 as 21 Nov 2026."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import date
from decimal import Decimal

from execution.language.fuzzy import folded

_MONTHS = {
    1: ("jan", "january", "janv", "janvier"), 2: ("feb", "february", "fevr", "fev", "fevrier"),
    3: ("mar", "march", "mars"), 4: ("apr", "april", "avr", "avril"), 5: ("may", "mai"),
    6: ("jun", "june", "juin"), 7: ("jul", "july", "juil", "juillet"), 8: ("aug", "august", "aout"),
    9: ("sep", "sept", "september", "septembre"), 10: ("oct", "october", "octobre"),
    11: ("nov", "november", "novembre"), 12: ("dec", "december", "decembre"),
}  # fmt: skip
MONTH_OF = {name: number for number, names in _MONTHS.items() for name in names}
_NUMERIC = re.compile(r"(?<![\d/.-])(\d{1,4})([/.\-])(\d{1,2})\2(\d{1,4})(?![\d/-]|\.\d)")
_DAY_FIRST = re.compile(r"(?<!\d)(\d{1,2})(?:st|nd|rd|th|er)?[ .\-]+([a-z]{3,9})\.?,?[ .\-]+(\d{4}|\d{2})(?!\d)")
_MONTH_FIRST = re.compile(r"\b([a-z]{3,9})\.? +(\d{1,2})(?:st|nd|rd|th)?,? +(\d{4}|\d{2})(?!\d)")
_NUMBER = re.compile(r"(?<![\w.,])[-+]?\d[\d .,'\u00a0\u202f]*(?!\w)")
_SEPARATED = re.compile(r"[\s.\-/()\u00a0\u202f]")
_WORD = re.compile(r"[a-z]+|\d+")
_YEAR = re.compile(r"(?:19|20|21)\d\d")
_FEWEST_DIGITS = 6  # a number of fewer digits with its separators taken away is found by chance


def same_value(typed: str, shown: str) -> bool:
    """Whether `shown` holds what was typed as a date, a number or a row of digits, written otherwise.

    Where the day and the month of a typed date may be taken for each other, only their own order counts.
    """
    when = dates(typed, whole=True)
    if when:
        return any(len(found) == 1 and (len(when) == 1 and found == when) for found in _date_sets(shown)) or (
            _in_order(typed) in {_in_order(hit.group()) for hit in _NUMERIC.finditer(shown)}
        )
    bare = _SEPARATED.sub("", typed)
    if bare.lstrip("+").isdigit() and len(bare) >= _FEWEST_DIGITS and bare in _digit_runs(shown):
        return True
    values = numbers(typed.strip())
    return len(values) == 1 and any(values <= numbers(hit.group().strip(" .,'")) for hit in _NUMBER.finditer(shown))


def dates(text: str, *, whole: bool = False) -> frozenset[date]:
    """The dates that `text` may mean: several where day and month may be taken for each other, none for no date."""
    plain = folded(text)
    for pattern in (_NUMERIC, _DAY_FIRST, _MONTH_FIRST):
        hit = pattern.fullmatch(plain) if whole else pattern.search(plain)
        if hit:
            return _dates_of(pattern, hit)
    return frozenset()


def dates_in(text: str) -> list[tuple[tuple[int, int], frozenset[date]]]:
    """Where dates stand in a text without case and accents, and which each of them may mean."""
    hits = [(pattern, hit) for pattern in (_NUMERIC, _DAY_FIRST, _MONTH_FIRST) for hit in pattern.finditer(text)]
    found = [(hit.span(), _dates_of(pattern, hit)) for pattern, hit in hits]
    return [(span, meant) for span, meant in found if meant]


def months_and_years(texts: Sequence[str]) -> tuple[frozenset[int], frozenset[int]]:
    """The months and the years that texts say, as the head of a calendar does."""
    said = [word for text in texts for word in _WORD.findall(folded(text))]
    months = frozenset(MONTH_OF[word] for word in said if word in MONTH_OF)
    return months, frozenset(int(word) for word in said if _YEAR.fullmatch(word))


def _date_sets(shown: str) -> Iterator[frozenset[date]]:
    plain = folded(shown)
    for pattern in (_NUMERIC, _DAY_FIRST, _MONTH_FIRST):
        for hit in pattern.finditer(plain):
            yield _dates_of(pattern, hit)


def _dates_of(pattern: re.Pattern[str], hit: re.Match[str]) -> frozenset[date]:
    if pattern is _NUMERIC:
        first, second, third = int(hit[1]), int(hit[3]), int(hit[4])
        year_last = [(third, second, first), (third, first, second)]
        tries = [(first, second, third)] if len(hit[1]) == 4 else year_last
    elif pattern is _DAY_FIRST:
        tries = [(int(hit[3]), MONTH_OF.get(hit[2], 0), int(hit[1]))]
    else:
        tries = [(int(hit[3]), MONTH_OF.get(hit[1], 0), int(hit[2]))]
    return frozenset(d for year, month, day in tries if (d := _date(year, month, day)))


def _date(year: int, month: int, day: int) -> date | None:
    try:
        return date(year + 2000 if year < 100 else year, month, day)
    except ValueError:
        return None


def _in_order(text: str) -> tuple[int, ...]:
    """The parts of a date as they were written, the year in full."""
    parts = [int(part) for part in re.findall(r"\d+", text)]
    return tuple(part + 2000 if index == 2 and part < 100 else part for index, part in enumerate(parts))


def _digit_runs(shown: str) -> set[str]:
    """The rows of digits in `shown`, separators taken away."""
    return {_SEPARATED.sub("", hit) for hit in re.findall(r"(?<!\w)\+?\d[\d\s.\-/()\u00a0\u202f]*\d(?!\w)", shown)}


def numbers(text: str) -> frozenset[Decimal]:
    """The numbers that `text` may mean: "1,234" is one thing in English and another in French."""
    bare = re.sub(r"[ '\u00a0\u202f]", "", text)
    found = set()
    for thousands, point in ((",", "."), (".", ",")):
        whole, _, fraction = bare.partition(point)
        grouped = re.fullmatch(rf"[-+]?\d{{1,3}}(?:\{thousands}\d{{3}})+|[-+]?\d+", whole)
        if grouped and (fraction.isdigit() or not fraction) and not (point in bare and not fraction):
            found.add(Decimal(whole.replace(thousands, "") + ("." + fraction if fraction else "")))
    return frozenset(found)
