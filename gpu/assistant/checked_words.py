"""A model's answer as it comes: steps that are not in the records are marked, a proposed correction is cut off.

What a model says is data (S10.5): it may be wrong, and it may say what a screen told it to say.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection
from typing import Any

MARK = "CORRECTION"
MOST_HELD = 120  # characters that may wait for what follows them

_NUMBER_WORDS = {
    word: number
    for number, words in enumerate(
        (
            "one un une", "two deux", "three trois", "four quatre", "five cinq", "six", "seven sept", "eight huit",
            "nine neuf", "ten dix", "eleven onze", "twelve douze", "thirteen treize", "fourteen quatorze",
            "fifteen quinze", "sixteen seize", "seventeen", "eighteen", "nineteen", "twenty vingt",
        ),
        start=1,
    )
    for word in words.split()
}  # fmt: skip
_ORDINALS = {
    word: number
    for number, words in enumerate(
        (
            "first première premiere", "second deuxième deuxieme seconde", "third troisième troisieme",
            "fourth quatrième quatrieme", "fifth cinquième cinquieme", "sixth sixième sixieme",
            "seventh septième septieme", "eighth huitième huitieme", "ninth neuvième neuvieme",
            "tenth dixième dixieme",
        ),
        start=1,
    )
    for word in words.split()
}  # fmt: skip
_STEP = r"(?:steps?|[ée]tapes?)"
_COUNT = rf"(?:\d{{1,9}}|\b(?:{'|'.join(_NUMBER_WORDS)})\b)"
_BETWEEN = r"[\s,;&/*_`]{0,6}(?:(?:and|et|or|ou|to|à|-|–)\s{0,3})?[\s*_`]{0,4}"  # bounded: it is tried at each place
_LIST = re.compile(
    rf"\b{_STEP}[\s*_`]*(?:n[o°]\s*|number\s+|numéro\s+|#\s*)?{_COUNT}(?:{_BETWEEN}{_COUNT}\b)*", re.IGNORECASE
)
_NTH = re.compile(
    rf"\b(?:(\d{{1,9}})\s?(?:st|nd|rd|th|er|re|e|ème|eme)|({'|'.join(_ORDINALS)}))\s+{_STEP}\b", re.IGNORECASE
)
_ONE = re.compile(_COUNT, re.IGNORECASE)
# How a step is said to have failed: the model is told to answer in one of these two languages.
_AFTER = r"(?:\s\[[^\]\n]{0,60}\])?[\s*_`]{1,4}(?:(?:has|have|had|also|a|ont|avait|aussi)\s){0,2}(?:failed|échoué)\b"
_LINKED = r"(?:(?:is|was|at|in|on|est|était|à|de|dans|sur|the)\s{1,3}|l['’])"
_BEFORE = rf"\b(?:failed\s{{1,3}}{_LINKED}{{0,3}}|(?:failure|error|échoué|échec|erreur)\s{{1,3}}{_LINKED}{{1,3}})"
_FAILED = re.compile(rf"(?P<first>{_LIST.pattern}){_AFTER}|{_BEFORE}(?P<then>{_LIST.pattern})", re.IGNORECASE)
_NTH_FAILED = re.compile(rf"{_NTH.pattern}{_AFTER}", re.IGNORECASE)


def _prefixes(word: str) -> str:
    pattern = ""
    for letter in reversed(word):
        pattern = f"(?:{letter}{pattern})?"
    return pattern


# The end of a text that the next piece may turn into the name of a step, or into a proposed correction.
_OPEN = re.compile(
    rf"(?:\b{_STEP}\b[^.!?\n]{{0,60}}|\b(?:s{_prefixes('teps')}|[ée]{_prefixes('tapes')})|\b\d[\w\s]{{0,12}}"
    rf"|\b(?:{'|'.join(_ORDINALS)})\s*\w{{0,7}}|\b\w{{1,12}}|(?:^|\n)[ \t*`]*{_prefixes(MARK)})$",
    re.IGNORECASE,
)
_CORRECTION = re.compile(rf"(?:^|\n)[ \t*`]*{MARK}\b")


class CheckedWords:
    """`feed` gives what may be shown of each piece, `rest` what is left at the end."""

    def __init__(self, known: Collection[int], *, unknown: str) -> None:
        self._known, self._unknown = frozenset(known), unknown
        self._held = ""
        self._proposal: str | None = None
        self.text = ""

    def feed(self, piece: str) -> str:
        if self._proposal is not None:
            self._proposal += piece
            return ""
        self._held += piece
        if found := _CORRECTION.search(self._held):
            self._proposal, self._held = self._held[found.end() :], self._held[: found.start()]
            return self._let_go(len(self._held))
        found = _OPEN.search(self._held)
        at = found.start() if found else len(self._held)
        return self._let_go(at if len(self._held) - at <= MOST_HELD else len(self._held))

    def rest(self) -> str:
        return self._let_go(len(self._held))

    @property
    def failed(self) -> set[int]:
        """The steps of which it was said that they failed."""
        claims = [claim["first"] or claim["then"] for claim in _FAILED.finditer(self.text)]
        numbers = {_number(n) for claim in claims for n in _ONE.findall(claim)}
        return numbers | {_nth(found) for found in _NTH_FAILED.finditer(self.text)}

    @property
    def proposal(self) -> dict[str, Any] | None:
        """The correction that the model proposed, None where there is none or it cannot be read."""
        found = re.search(r"\{.*\}", self._proposal or "", re.DOTALL)
        try:
            value = json.loads(found[0]) if found else None
        except (ValueError, RecursionError):
            return None
        return value if isinstance(value, dict) else None

    def _let_go(self, at: int) -> str:
        shown, self._held = self._marked(self._held[:at]), self._held[at:]
        self.text += shown
        return shown

    def _marked(self, text: str) -> str:
        text = _LIST.sub(lambda found: _ONE.sub(lambda n: self._one(n[0], _number(n[0])), found[0]), text)
        return _NTH.sub(lambda found: self._one(found[0], _nth(found)), text)

    def _one(self, words: str, number: int) -> str:
        if number in self._known:
            return words
        return f"{words} [{self._unknown}]"


def _number(word: str) -> int:
    return int(word) if word.isdigit() else _NUMBER_WORDS[word.lower()]


def _nth(found: re.Match[str]) -> int:
    return int(found[1]) if found[1] else _ORDINALS[found[2].lower()]
