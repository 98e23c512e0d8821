"""How a sentence is written down."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cache

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
