"""What a text that was read says as a number or a date, French or US; what may be two things is neither (S6.12).

“1 234,56” is a French number and “1,234.56” a US one; “03/04/2026” is a day in April there and in March here. Without
a format only what has one meaning is taken.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Any, Literal

from execution.language.written_forms import dates, numbers
from sentences.said import say

FRENCH, US = "fr", "us"
Kind = Literal["text", "number", "date"]

_BLANKS = "[ \u00a0\u202f\u2009]"
_CURRENCY = "€$£¥%"
# Letters that a reader takes for digits are no unit: “12 O” may be 120. Neither is what makes it another number: “5 k”
# is 5000, “8 h” may go on in minutes, “2 x” in its factor, “200 CR” is owed. Nor is a text with digits, but for these.
_WITH_DIGITS = r"10⁹/L|10\^9/L|10¹²/L|10\^12/L|[cdk]?m[23]|mm[23]|kg/m2|(?:mL|ml)/min/1[.,]73 ?m[2²]"
_OF_ANOTHER = (
    r"[OoIlSBZ]|[kKMhHxX]|[kKM](?:EUR|USD|CHF|GBP)|(?i:Mio|Mds?|Mrds?|bn|mn|tsd|cr|dr|ct|mille|dozens?|douzaines?)|"
    r"(?i:(?:hundred|thousand|million|milliard|billion)s?)"
)
_UNIT = re.compile(
    rf"{_BLANKS}+(?:{_WITH_DIGITS}|(?!(?:{_OF_ANOTHER})\.?$)[A-Za-zµμ°][A-Za-zÀ-ÖØ-öø-ÿµμ°²³/]{{0,9}}\.?)$"
)
_MILLIONS = re.compile(rf"[€$£¥].*[mM]$|[mM]{_BLANKS}*[€$£¥]$")  # of a currency: no metres
_GROUPED = {
    FRENCH: re.compile(rf"[-+−]?(?:\d{{1,3}}(?:{_BLANKS}\d{{3}})+|\d+)(?:,\d+)?"),
    US: re.compile(r"[-+−]?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?"),
}
_IN_THREES = re.compile(rf"[-+−]?\d{{1,3}}(?:{_BLANKS}\d{{3}})+(?:[.,]\d+)?")
_NUMERIC_DATE = re.compile(r"(\d{1,2})([/.\-])(\d{1,2})\2(\d{4})")
_ISO_DATE = re.compile(r"(\d{4})-(\d{2})-(\d{2})")
_PARTED = re.compile(r"\d+ ?([/.\-]) ?\d+ ?\1 ?\d+")
_SHORT_YEAR = re.compile(r"(?<!\d)\d{1,2}[/.\- ](?:\d{1,2}|[^\W\d]+\.?)[/.\- ],?\s?\d{2}$")


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadValue:
    """`text` as it stood there, without currency and unit; `value` the same for programs: 1234.56, 2026-12-31.

    `problem`: why it is none, in a sentence.
    """

    text: str = ""
    value: str = ""
    problem: str = ""


def read_value(shown: str, kind: Kind, form: str = "") -> ReadValue:
    """What `shown` says; `form` is "fr", "us" or "" where only what has one meaning counts."""
    text = " ".join(shown.split())
    if not text:
        return ReadValue(problem=say("turn.value_empty"))
    if kind == "number":
        return _number(text, form)
    return _date(text, form) if kind == "date" else ReadValue(text=text, value=text)


def given_value(params: Mapping[str, Any], shown: str) -> ReadValue:
    """The same for an act that reads a value with these parameters."""
    kind = str(params.get("kind") or "text")
    return read_value(shown, kind if kind in ("number", "date") else "text", str(params.get("format") or ""))  # type: ignore[arg-type]


def parsed_date(text: str, form: str = "") -> date | None:
    """The one day that the text means; None where it means none, or two."""
    plain = " ".join(text.split())
    if _PARTED.fullmatch(plain):  # a field of three parts is read with gaps between them
        plain = plain.replace(" ", "")
    if hit := _ISO_DATE.fullmatch(plain):
        return _day(int(hit[1]), int(hit[2]), int(hit[3]))
    hit = _NUMERIC_DATE.fullmatch(plain)
    if hit and form:
        first, second, year = int(hit[1]), int(hit[3]), int(hit[4])
        month, day = (first, second) if form == US else (second, first)
        return _day(year, month, day)
    if _SHORT_YEAR.search(plain):
        return None  # of which century?
    found = dates(plain, whole=True)
    return next(iter(found)) if len(found) == 1 else None


def _number(text: str, form: str) -> ReadValue:
    if _MILLIONS.search(text):
        return ReadValue(problem=say("turn.value_no_number", text=text))
    bare = _UNIT.sub("", text.strip(_CURRENCY + " \u00a0\u202f")).strip(_CURRENCY + " \u00a0\u202f")
    if form:
        meant = {_decimal(bare, form)} if _GROUPED[form].fullmatch(bare) else set()
    elif not re.search(_BLANKS, bare) or _IN_THREES.fullmatch(bare):
        meant = set(numbers(bare.replace("−", "-")))
    else:
        meant = set()
    if len(meant) != 1:
        code = "turn.value_two_numbers" if len(meant) > 1 else "turn.value_no_number"
        return ReadValue(problem=say(code, text=text))
    return ReadValue(text=bare, value=f"{meant.pop():f}")


def _decimal(bare: str, form: str) -> Decimal:
    plain = re.sub(_BLANKS, "", bare).replace("−", "-")
    return Decimal(plain.replace(",", ".") if form == FRENCH else plain.replace(",", ""))


def _date(text: str, form: str) -> ReadValue:
    day = parsed_date(text, form)
    if day is None:
        return ReadValue(problem=say("turn.value_no_date", text=text))
    return ReadValue(text=text, value=day.isoformat())


def _day(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None
