"""How a sentence is written down, and all that the apps have written down, by their codes."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

_PLACE = re.compile(r"%\((\w+)\)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Sentence:
    """Words in English, to be translated, with %(places)s for values.

    With `plural` the value `count` decides. Of the values, `shares` are fractions told as percentages, and `quoted` are
    lists whose members stand in quotation marks.
    """

    text: str
    plural: str = ""
    count: str = ""
    shares: Collection[str] = ()
    quoted: Collection[str] = ()

    @property
    def places(self) -> frozenset[str]:
        """The names of its values."""
        return _places(self.text + self.plural)


@cache
def _places(text: str) -> frozenset[str]:
    return frozenset(_PLACE.findall(text))


Words = Mapping[str, str | Sentence]


def ngettext(singular: str, plural: str, count: str) -> Sentence:
    """One of two sentences, by the value `count`; named so that translators are given both."""
    return Sentence(text=singular, plural=plural, count=count)


SENTENCES: dict[str, Sentence] = {}
WORDED: dict[str, Callable[[Mapping[str, Any]], str]] = {}  # codes whose words are made of their values, by no sentence
READ: list[Callable[[str], str]] = []  # what is made of a text among the values for its reader
_ROOMS: set[str] = set()


def register(*files: Words) -> None:
    """An app's own sentences. A code is kept with rows: it is never given anew, and none is given twice."""
    for words in files:
        if twice := words.keys() & (SENTENCES.keys() | WORDED.keys()):
            raise ValueError(f"given twice: {', '.join(sorted(twice))}")
        SENTENCES.update(
            (code, one if isinstance(one, Sentence) else Sentence(text=one)) for code, one in words.items()
        )
        _ROOMS.update(code.partition(".")[0] for code in words)


def register_worded(code: str, words: Callable[[Mapping[str, Any]], str]) -> None:
    """`words` makes the sentence of that code out of its values, in the active language."""
    WORDED[code] = words
    _ROOMS.add(code.partition(".")[0])


def register_reading(read: Callable[[str], str]) -> None:
    """`read` makes of a text among the values what its reader is told, in the active language."""
    READ.append(read)


def is_code(code: object) -> bool:
    """Whether it is a code of a room that there is; the sentence itself may be of another version."""
    return isinstance(code, str) and code.partition(".")[0] in _ROOMS
