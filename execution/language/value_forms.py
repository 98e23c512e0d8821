"""Where a value stands in a text, in whatever form: its words in another order, case or accents, a date or a number
written otherwise.

It is asked what must not be kept, so what may be the value counts as it: rather too much is found than too little.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from execution.language.fuzzy import folded, words
from execution.language.whole_values import TITLES
from execution.language.written_forms import MONTH_OF, dates_in, numbers

_WORD = re.compile(r"[^\W_]+")
_DIGITS = re.compile(r"\d+")
_MISREAD = str.maketrans("oil|", "0111")  # digits that a reader takes for letters, in a text without case
_LIKE_A_NUMBER = re.compile(r"(?<![\w|])[\doil|]+(?![\w|])")
_BETWEEN_WORDS = re.compile(r"[ \t,.;:'\"’_/()&+-]*")
_BETWEEN_DIGITS = re.compile(r"[ .,'/()-]{1,3}")
_DAY_OF_MONTH = re.compile(
    r"(?<!\d)(\d{1,2})[/.-](\d{1,2})(?![\d/-])|(?<!\d)(\d{1,2})(?:st|nd|rd|th|er)?[ .-]+([a-z]{3,9})"
)
_MONTH_AND_DAY = re.compile(r"\b([a-z]{3,9})\.? +(\d{1,2})(?!\d)")
_TELLING = 4  # digits, or letters within a longer word: fewer stand anywhere by chance
PARTICLES = frozenset({"d", "da", "de", "del", "der", "des", "di", "du", "l", "la", "le", "les", "van", "von"})
_SAYS_NOTHING = TITLES | PARTICLES | {
    "a", "and", "at", "au", "aux", "en", "et", "for", "of", "ou", "par", "pour", "st", "the", "to", "un", "une",
}  # fmt: skip


@dataclass(frozen=True, slots=True, order=True)
class Place:
    """Characters of a text in which a value stands; not `whole` where it is but a part that tells of it."""

    start: int
    end: int
    whole: bool = True


def places(value: str, text: str) -> list[Place]:
    """Where the value, or a part of it, stands in the text, from left to right; none lies within another."""
    form, plain = _form(value), _Plain.of(text)
    found = [*_as_it_is(form, text)]
    if form.words:
        found += [plain.place(*one) for one in _as_words(form, plain.text)]
    for read in dict.fromkeys((plain.text, _as_misread(plain.text))):
        if form.digits or form.days:
            found += [plain.place(*one) for one in _as_digits(form, read) if _may_be_number(plain.text, *one)]
        if form.days:
            found += [plain.place(*one) for one in _as_date(form, read)]
    kept: list[Place] = []
    for place in sorted(found, key=lambda p: (p.start - p.end, not p.whole, p.start)):
        if all(place.end <= other.start or place.start >= other.end for other in kept):
            kept.append(place)
    return sorted(kept)


def is_glued_in(value: str, text: str) -> bool:
    """Whether the value, or a word that tells of it, stands within what a reader wrote without spaces."""
    form = _form(value)
    glued = _bare(text).translate(_MISREAD)
    turns = [form.bare, *(form.bare[n:] + form.bare[:n] for n in form.seams)]
    if any(len(one) >= _TELLING and one.translate(_MISREAD) in glued for one in turns):
        return True
    telling = [one for one in form.telling if len(one) > _TELLING and not one.isdigit()]
    return any(one in piece for piece in _WORD.findall(folded(text)) for one in telling if len(piece) > len(one))


@dataclass(frozen=True, slots=True)
class _Form:
    """A value taken apart. `telling` are its words that tell of it by themselves, `digits` the same of its numbers;
    `days` the dates in it, of which `is_day` says that they are all of it."""

    text: str
    words: tuple[str, ...]
    telling: frozenset[str]
    digits: tuple[str, ...]
    numeric: bool
    days: frozenset[tuple[int, int, int]]
    is_day: bool
    bare: str
    seams: tuple[int, ...]


@lru_cache(maxsize=4096)
def _form(value: str) -> _Form:
    value = value.strip()
    plain = _Plain.of(value).text.strip()
    own = tuple(_WORD.findall(plain))
    days = dates_in(plain)
    is_day = len(days) == 1 and days[0][0] == (0, len(plain))
    numeric = bool(own) and all(one.isdigit() for one in own)
    many = len(own) > 1
    telling = {one for one in own if not one.isdigit() and (len(one) > 1 or not many) and one not in _SAYS_NOTHING}
    runs = tuple("".join(_DIGITS.findall(run)) for run in re.findall(r"\d[\d .,'/()-]*", plain))
    seams, at = [], 0
    for one in own[:-1]:
        at += len(one)
        seams.append(at)
    return _Form(
        text=value,
        words=() if numeric or is_day else own,
        telling=frozenset(telling or ({one for one in own if not one.isdigit()} if not numeric else ())),
        digits=tuple(run for run in runs if numeric or len(run) >= _TELLING),
        numeric=numeric,
        days=frozenset((day.year % 100, day.month, day.day) for _span, found in days for day in found),
        is_day=is_day,
        bare="".join(own),
        seams=tuple(seams),
    )


@dataclass(frozen=True, slots=True)
class _Plain:
    """A text without case and accents, and of each of its characters where that is in the text."""

    text: str
    at: tuple[int, ...]

    @classmethod
    def of(cls, text: str) -> _Plain:
        said, at = list[str](), list[int]()
        for index, sign in enumerate(text):
            plain = folded(sign) or (" " if sign.isspace() and sign != "\n" else "\n" if sign == "\n" else "")
            said.append(plain)
            at += [index] * len(plain)
        return cls("".join(said), (*at, len(text)))

    def place(self, start: int, end: int, whole: bool) -> Place:
        return Place(self.at[start], max(self.at[end - 1] + 1, self.at[end]), whole)


def _as_it_is(form: _Form, text: str) -> Iterator[Place]:
    if form.text:
        for hit in re.finditer(rf"(?<!\w){re.escape(form.text)}(?!\w)", text, re.IGNORECASE):
            yield Place(hit.start(), hit.end())


def _as_words(form: _Form, text: str) -> Iterator[tuple[int, int, bool]]:
    """Runs of its words, in any order; but for one of them an initial suffices."""
    tokens = list(_WORD.finditer(text))
    first = 0
    while first < len(tokens):
        left, last, told = Counter(form.words), first, False
        while last < len(tokens):
            if last > first and not _BETWEEN_WORDS.fullmatch(text, tokens[last - 1].end(), tokens[last].start()):
                break
            word = _taken(tokens[last][0], left)
            if word is None:
                break
            left[word] -= 1
            told = told or (word in form.telling and tokens[last][0] != word[:1]) or tokens[last][0] == form.bare
            last += 1
        if told:
            while _is_nothing(tokens[last - 1][0], form):
                last -= 1  # "Ana de" of "Ana de Costa"
            start, end = tokens[first].start(), tokens[last - 1].end()
            short = len(tokens[last - 1][0]) == 1 and text[end : end + 1] == "."
            whole = not any(count for word, count in left.items() if word not in _SAYS_NOTHING)
            yield start, end + short, whole
        first = max(last, first + 1)


def _is_nothing(word: str, form: _Form) -> bool:
    return word in _SAYS_NOTHING and word not in form.telling and len(form.words) > 1 and word != form.words[-1]


def _taken(token: str, left: Counter[str]) -> str | None:
    """The word of the value that the token is: the same, as a reader may read it, or its initial."""
    still = [word for word, count in left.items() if count]
    if token in still:
        return token
    for word in still:
        if word.isdigit() and token.isdigit() and int(word) == int(token):
            return word
        if len(word) >= _TELLING and not token.isdigit() and words(token).key == words(word).key:
            return word
    return next((word for word in still if len(token) == 1 and len(word) > 1 and word[0] == token), None)


def _as_digits(form: _Form, text: str) -> Iterator[tuple[int, int, bool]]:
    """Its numbers, however their digits are set apart, with leading zeros or without."""
    wanted = {run.lstrip("0") or "0": run for run in form.digits}
    days = {d for day in form.days for d in _in_digits(day)}
    values = numbers(form.text) if form.numeric or form.digits else frozenset()
    for run in _digit_runs(text):
        for first in range(len(run)):
            for last in range(first, min(len(run), first + 8)):
                start, end = run[first].start(), run[last].end()
                joined = "".join(one[0] for one in run[first : last + 1])
                bare = joined.lstrip("0") or "0"
                inside = text[start - 1 : start].isalpha() or text[end : end + 1].isalpha()
                if len(joined) < _TELLING and (inside or last > first):
                    is_it = False
                else:
                    is_it = bare in wanted or (len(joined) in (6, 8) and joined in days)
                if is_it or (values and last > first and values & numbers(text[start:end])):
                    yield start, end, form.numeric or (form.is_day and bare not in wanted)


def _as_misread(text: str) -> str:
    """The text with digits where a reader may have taken them for letters: in words of nothing else."""
    return _LIKE_A_NUMBER.sub(lambda word: word[0].translate(_MISREAD), text)


def _may_be_number(text: str, start: int, end: int, whole: bool) -> bool:
    """Whether what was read there is no word: “il” is no 11, “lOOl” is 1001."""
    return end - start >= _TELLING or any(sign.isdigit() for sign in text[start:end])


def _in_digits(day: tuple[int, int, int]) -> Iterator[str]:
    year, month, number = day
    for century in ("19", "20", ""):
        full = f"{century}{year:02}"
        yield from (f"{full}{month:02}{number:02}", f"{number:02}{month:02}{full}", f"{month:02}{number:02}{full}")


def _digit_runs(text: str) -> Iterator[Sequence[re.Match[str]]]:
    run: list[re.Match[str]] = []
    for hit in _DIGITS.finditer(text):
        if run and not _BETWEEN_DIGITS.fullmatch(text, run[-1].end(), hit.start()):
            yield run
            run = []
        run.append(hit)
    if run:
        yield run


def _as_date(form: _Form, text: str) -> Iterator[tuple[int, int, bool]]:
    for (start, end), found in dates_in(text):
        if any((day.year % 100, day.month, day.day) in form.days for day in found):
            yield start, end, form.is_day
    days = {(month, day) for _year, month, day in form.days}
    for hit in _DAY_OF_MONTH.finditer(text):
        one = (int(hit[1]), int(hit[2])) if hit[1] else (MONTH_OF.get(hit[4], 0), int(hit[3]))
        if one in days or (one[1], one[0]) in days:
            yield hit.start(), hit.end(), False
    for hit in _MONTH_AND_DAY.finditer(text):
        if (MONTH_OF.get(hit[1], 0), int(hit[2])) in days:
            yield hit.start(), hit.end(), False


def _bare(text: str) -> str:
    return "".join(_WORD.findall(folded(text)))
