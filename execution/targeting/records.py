"""Texts that name a record, a person or a number, and the lines that belong to one record of a list.

What names a record is compared to the letter: one like it is another record (S9.6).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from execution.language.fuzzy import words
from execution.language.lexicon import known_words
from execution.language.volatile import Kind, volatile_parts
from execution.types import Box, ElementRole, ScreenState

# "Dupont, Marie" and "DUPONT Marie" name somebody.
PERSON = re.compile(
    r"(?<!\w)(?:[A-ZÀ-Ý][\w'’-]+, [A-ZÀ-Ý][\w'’-]+"
    r"|[A-ZÀ-Ý][A-ZÀ-Ý'’-]+(?: [A-ZÀ-Ý'’-]+)* [A-ZÀ-Ý][a-zà-ÿ][\w'’-]*)(?!\w)"
)
_NAMED = re.compile(r"[A-ZÀ-Ý][\w'’-]+(?: [A-ZÀ-Ý][\w'’-]+){1,3}")
_HIGHEST_CARD = 14.0  # heights of the target: what is higher holds more than one record
_LEAST_CARD = 2  # texts


@lru_cache(4096)
def names_record(text: str) -> bool:
    """True for a text that holds somebody's name, or the number of a record."""
    if PERSON.search(text):
        return True
    return any(part.kind is Kind.RECORD for part in volatile_parts(text)) or text.strip().isdigit()


@lru_cache(4096)
def may_name_somebody(text: str) -> bool:
    """True where words that no program has follow each other, each with a capital: in a list, or a card, they are a
    name."""
    return any(_is_a_name(found) for found in _NAMED.finditer(text))


def is_name(text: str) -> bool:
    """Whether a text is such a name and nothing else, but for a label before it."""
    found = _NAMED.fullmatch(text.rsplit(":", 1)[-1].strip())
    return PERSON.fullmatch(text.strip()) is not None or (found is not None and _is_a_name(found))


def people_in(text: str) -> list[tuple[int, int]]:
    """Where names of people stand in it."""
    return [found.span() for found in (*PERSON.finditer(text), *filter(_is_a_name, _NAMED.finditer(text)))]


def goes_on(words: Sequence[str], first: int, last: int) -> bool:
    """Whether a name or a number of which the words from `first` to before `last` are a part goes on in their line."""
    line = " ".join(words)
    start, end = len(" ".join([*words[:first], ""])), len(" ".join(words[:last]))
    if any(a < end and start < b and (a < start or b > end) for a, b in people_in(line)):
        return True
    before, after = (words[first - 1] if first else ""), (words[last] if last < len(words) else "")
    numbers = (words[first][0], before[-1:]), (words[last - 1][-1], after[:1])
    return any(own.isdigit() and other.isdigit() for own, other in numbers)


def _is_a_name(found: re.Match[str]) -> bool:
    return not any(words(word).key in known_words() for word in found.group().split())


def card_of(box: Box, state: ScreenState) -> Box | None:
    """The smallest frame around a target that holds texts beside it, one of several alike; None where there is none."""
    groups = [e.box for e in state.elements if e.role == ElementRole.GROUP]
    around = [
        g
        for g in groups
        if g.contains(box.center)
        and g.intersection(box).area >= 0.9 * box.area
        and g.area > 1.5 * box.area
        and g.h <= _HIGHEST_CARD * box.h
        and sum(g.contains(t.box.center) and not box.contains(t.box.center) for t in state.texts) >= _LEAST_CARD
    ]
    card = min(around, key=lambda g: g.area, default=None)
    alike = card and any(g != card and abs(g.w - card.w) <= 3 and abs(g.h - card.h) <= 3 for g in groups)
    return card if alike else None
