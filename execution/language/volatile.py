"""What a text says that changes by itself: a count, a date, a time, an amount, a page, the number of a record.

None of it is evidence for a target (S6.1): the next run shows another. Formats are those of English and French screens.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection
from enum import StrEnum
from typing import NamedTuple

from workflows.text import VARIABLE


class Kind(StrEnum):
    """What a changing part of a text is."""

    DATE = "date"
    TIME = "time"
    AMOUNT = "amount"
    PAGE = "page"
    COUNT = "count"
    RECORD = "record"
    NUMBER = "number"


class VolatilePart(NamedTuple):
    """The part text[start:end] that changes by itself."""

    start: int
    end: int
    kind: Kind


_MONTHS = (
    "january|february|march|april|may|june|july|august|september|october|november|december|"
    "jan|feb|mar|apr|jun|jul|aug|sept|sep|oct|nov|dec|"
    "janvier|fevrier|mars|avril|mai|juin|juillet|aout|septembre|octobre|novembre|decembre|janv|fevr|fev|avr|juil"
)
_DAYS = (
    "monday|tuesday|wednesday|thursday|friday|saturday|sunday|mon|tues|tue|wed|thurs|thu|fri|sat|sun|"
    "lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche|lun|mar|mer|jeu|ven|sam|dim"
)
_SPACE = r"[ \u00a0\u202f]"
_MINUS = r"[-+\u2212]"
_NUMBER = r"(?:\d{1,3}(?:[ \u00a0\u202f.,']\d{3})+|\d+)(?:[.,]\d+)?"
_UNIT = r"(?:[€$£¥]|eur|euros?|usd|gbp|chf|dollars?)"
_SIZE = r"(?:bytes?|octets?|[kmgt]i?[bo]|ko|mo|go|to)"
_THINGS = (
    r"(?:(?:new|unread|selected|nouveaux|nouvelles|autres|other|more){_S}+)?(?:items?|elements?|results?|resultats?|files?|fichiers?|folders?|dossiers?|messages?|records?|rows?|lignes?|"
    r"lines?|pages?|words?|mots?|characters?|caracteres?|unread|non lus?|new|nouveaux?|nouvelles?|selected|"
    r"selectionnes?|selectionnees?|patients?|entries|entrees?|notifications?|tasks?|taches?|minutes?|min|hours?|"
    r"heures?|seconds?|secondes?|days?|jours?|weeks?|semaines?|months?|mois|years?|ans)"
    r"(?:{_S}+(?:selected|found|left|unread|total|in total|selectionnee?s?|trouvee?s?|restante?s?|non lus?|au total))?"
).replace("{_S}", _SPACE)

# In the order in which they claim their part of a text: "12:30" of a date with a time is no page, "3" of it no count.
_PATTERNS: tuple[tuple[Kind, re.Pattern[str]], ...] = tuple(
    (kind, re.compile(pattern))
    for kind, pattern in (
        (Kind.DATE, r"\b\d{4}-\d{1,2}-\d{1,2}(?:t\d{1,2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:z|[+-]\d{2}:?\d{2})?)?\b"),
        (Kind.DATE, r"(?<![\d/.-])\d{1,2}([/.-])\d{1,2}\1(?:\d{4}|\d{2})(?![\d/-]|[.]\d)"),
        (Kind.DATE, r"(?<![\d/.-])\d{4}([/.])\d{1,2}\1\d{1,2}(?![\d/-]|[.]\d)"),
        (
            Kind.DATE,
            rf"(?:\b(?:{_DAYS})\b[.,]?{_SPACE}*)?(?:\ble{_SPACE}+|\bthe{_SPACE}+)?\b\d{{1,2}}(?:st|nd|rd|th|er)?[.]?"
            rf"{_SPACE}+(?:of{_SPACE}+)?(?:{_MONTHS})\b[.,]?(?:{_SPACE}*\d{{4}}\b)?",
        ),
        (
            Kind.DATE,
            rf"(?:\b(?:{_DAYS})\b[.,]?{_SPACE}*)?\b(?:{_MONTHS})\b[.]?{_SPACE}+"
            rf"(?:\d{{1,2}}(?:st|nd|rd|th)?\b(?:,?{_SPACE}*\d{{4}}\b)?|\d{{4}}\b)",
        ),
        (Kind.DATE, r"\b(?:yesterday|tomorrow|hier|demain|avant-hier)\b"),
        (Kind.TIME, rf"(?<![\d:])\d{{1,2}}:[0-5]\d(?::[0-5]\d(?:[.,]\d+)?)?(?:{_SPACE}*[ap][.]?m\b[.]?)?(?![\d]|:\d)"),
        (Kind.TIME, rf"(?<![\d\w])\d{{1,2}}{_SPACE}?h{_SPACE}?(?:[0-5]\d)?(?![\d\w])"),
        (Kind.TIME, rf"(?<![\d.,])\b\d{{1,2}}{_SPACE}*[ap][.]?m\b[.]?"),
        (Kind.AMOUNT, rf"{_MINUS}?{_UNIT}{_SPACE}*{_MINUS}?{_NUMBER}(?![\d\w])"),
        (Kind.AMOUNT, rf"(?<![\w.,]){_MINUS}?{_NUMBER}{_SPACE}*(?:{_UNIT}(?!\w)|{_SIZE}\b|%)"),
        (Kind.PAGE, rf"\bpages?{_SPACE}*\d+(?:{_SPACE}*(?:/|of|sur|de|-|–|a){_SPACE}*\d+)?\b"),
        (
            Kind.PAGE,
            rf"(?<![\d/.,-])\d+{_SPACE}*(?:-|–){_SPACE}*\d+{_SPACE}+(?:of|sur|de|/){_SPACE}*{_NUMBER}(?![\d/])",
        ),
        (
            Kind.PAGE,
            rf"(?<![\d/.,-])\d+{_SPACE}*(?:/|{_SPACE}of{_SPACE}|{_SPACE}sur{_SPACE}){_SPACE}*{_NUMBER}(?:{_SPACE}pages?)?(?![\d/])",
        ),
        (Kind.COUNT, rf"[(\[]{_SPACE}*{_NUMBER}[+]?{_SPACE}*(?:{_THINGS}{_SPACE}*)?[)\]]"),
        (Kind.COUNT, rf"(?<![\w.,]){_NUMBER}[+]?{_SPACE}+{_THINGS}\b"),
        (Kind.RECORD, rf"(?<!\w)(?:no|n°|nº|nr|num|numero|id|ref)[.:]?{_SPACE}*[a-z]{{0,4}}[-/]?\d[\w/-]*"),
        (Kind.RECORD, r"#\d[\w-]*"),
        (Kind.RECORD, r"(?<![\w.,])[a-z]{0,5}[-/]?\d{4,}(?:[-/]\w+)*(?![\w,]|[.]\d)"),
        (Kind.RECORD, r"(?<![\w.,])[a-z]{1,5}-\d+(?:[-/]\d+)+(?![\w,]|[.]\d)"),
        (
            Kind.NUMBER,
            rf"(?<![\w.,/-]){_MINUS}?(?:\d{{1,3}}(?:[ \u00a0\u202f.,']\d{{3}})+(?:[.,]\d+)?|\d+[.,]\d+)(?![\w/])",
        ),
    )
)
_LEAST_LETTERS = 2
_LEFTOVERS = " \u00a0\u202f\t-–—:;,.·•|/()[]"
_BARE_NUMBER = re.compile(r"^\W*?((?:[A-Za-z]{0,5}[-/]?)\d+(?:[-/]\w+)*)\W*$")
_SHORT_LABEL = re.compile(r"[-+\u2212]?\d{1,3} ?%?")


def volatile_parts(text: str, *, but: Collection[Kind] = ()) -> tuple[VolatilePart, ...]:
    """The parts of `text` that change by themselves, from left to right, those of the kinds in `but` left out.

    A number of up to three digits behind a word belongs to a name ("Room 3"); one that is all of a text is a NUMBER.
    """
    plain = _plain(text)
    taken = [(m.start(), m.end()) for m in VARIABLE.finditer(text)]  # a variable is put in anew each time
    parts: list[VolatilePart] = []
    for kind, pattern in _PATTERNS:
        for found in pattern.finditer(plain):
            start, end = found.span()
            if all(end <= first or start >= last for first, last in taken):
                taken.append((start, end))
                parts.append(VolatilePart(start, end, kind))
    if not parts and not taken and re.fullmatch(r"\W*\d+(?:\W+\d+)*\W*", plain):
        parts.append(VolatilePart(0, len(text), Kind.NUMBER))
    return tuple(sorted(p for p in parts if p.kind not in but))


def lasting_span(text: str, *, but: Collection[Kind] = ()) -> tuple[int, int]:
    """Where the longest run of `text` stands that does not change by itself; (0, 0) where nothing is left.

    Only one run of it is kept: "From 12/03 to 15/03" must be looked for as it can be read, in one piece.
    """
    parts = volatile_parts(text, but=but)
    if not parts:
        return _trimmed(text, 0, len(text)) if any(c.isalnum() for c in text) else (0, 0)
    edges = [0, *(edge for part in parts for edge in (part.start, part.end)), len(text)]
    runs = [_trimmed(text, edges[i], edges[i + 1]) for i in range(0, len(edges), 2)]
    start, end = max(runs, key=lambda run: sum(c.isalpha() for c in text[run[0] : run[1]]))
    return (start, end) if sum(c.isalpha() for c in text[start:end]) >= _LEAST_LETTERS else (0, 0)


def lasting(text: str, *, but: Collection[Kind] = ()) -> str:
    """`text` without what changes by itself ("Inbox (12)" is "Inbox"); "" where nothing is left."""
    start, end = lasting_span(text, but=but)
    return text[start:end]


def record_span(text: str) -> tuple[int, int]:
    """The same with what names a record in its row: its number stays, be it all that the text says."""
    span = lasting_span(text, but=(Kind.RECORD,))
    bare = _BARE_NUMBER.search(text)
    if span != (0, 0) or bare is None or any(p.kind not in (Kind.RECORD, Kind.NUMBER) for p in volatile_parts(text)):
        return span
    return bare.span(1)


def own_text(text: str) -> str:
    """What of a target's own text tells it: a short number is a label (a key of a calculator, a day, a page)."""
    return text.strip() if _SHORT_LABEL.fullmatch(text.strip()) else _kept_whole(text)


def _kept_whole(text: str) -> str:
    """The lasting part, a record's number with it: "Dossier 48213" is one of many, and no other."""
    return lasting(text, but=(Kind.RECORD,)) or (text.strip() if not volatile_parts(text) else "")


def _plain(text: str) -> str:
    """Lower case without accents, each character in its place."""
    return "".join(_base(c) for c in text)


def _base(character: str) -> str:
    """One character for one, so that places in the text stay what they are."""
    plain = unicodedata.normalize("NFD", character)[0].lower()
    return plain if len(plain) == 1 else character


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    """The run without the spaces and separators that stood between it and what was taken away."""
    first, last = start, end
    while first < last and text[first] in _LEFTOVERS and first > 0:
        first += 1
    while last > first and text[last - 1] in _LEFTOVERS and last < len(text):
        last -= 1
    run = text[first:last]
    first += len(run) - len(run.lstrip())
    return first, first + len(run.strip())
