"""What several demonstrations read at one place: the same, the same in other words, or each run's data (S6.1)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from execution.language.fuzzy import SAME, folded, similarity
from execution.language.lexicon import mean_the_same
from workflows.text import names

_MOST_NAMED = 12  # texts that one text may be told as


@dataclass(frozen=True, slots=True)
class Saying:
    """What was read in one demonstration, and the values that its run had; `others` are what it is called as well."""

    text: str
    values: Mapping[str, str]
    others: tuple[str, ...] = ()

    @property
    def every(self) -> tuple[str, ...]:
        return (self.text, *self.others)


def agreed(sayings: Sequence[Saying]) -> str:
    """The text of the last one if all say the same, in one language or another, but for a reader's slips; else the text
    with the variables whose values they differ in; "" where they differ in more than that."""
    last = sayings[-1].text
    if all(same(one, sayings[-1]) for one in sayings):
        return last
    told = [_by_data(saying) for saying in sayings]
    shared = [text for text in told[-1] if all(any(_is_one(text, other) for other in group) for group in told[:-1])]
    return max(shared, key=lambda text: len(names(text)), default="")


def same(one: Saying, other: Saying) -> bool:
    """True for the same text, or one that is known to mean the same."""
    if not one.text or not other.text:
        return one.text == other.text
    if names(one.text) or names(other.text):
        return one.text == other.text
    return any(similarity(a, b) >= SAME or mean_the_same(a, b) for a in one.every for b in other.every)


def contradicted(one: Saying, other: Saying) -> bool:
    """True where one is told by variables whose values, as the other's run had them, it does not say."""
    for told, seen in ((one, other), (other, one)):
        asked = names(told.text)
        if asked and asked <= set(seen.values) and seen.text and not names(seen.text):
            return not any(_is_one(told.text, text) for text in _by_data(seen))
    return False


def called(sayings: Sequence[Saying]) -> tuple[str, ...]:
    """What else the last one is called: the words of all the others that are not its own but for a reader's slips."""
    found: list[str] = []
    for text in (text for saying in reversed(sayings) for text in saying.every):
        if all(similarity(text, known) < SAME for known in (sayings[-1].text, *found)):
            found.append(text)
    return tuple(sorted(found))


def _by_data(saying: Saying) -> list[str]:
    """The text with any of its run's values as variables; a text that has variables is told by them already."""
    if names(saying.text):
        return [saying.text]
    told = [saying.text]
    for name, value in saying.values.items():
        told += [text for known in told for text in _put(name, value, known)]
    return [text for text in told[:_MOST_NAMED] if names(text)]


def _put(name: str, value: str, text: str) -> Iterator[str]:
    variable = "{{" + name + "}}"
    if not value.strip():
        return
    if not names(text) and similarity(text, value, strict=True):
        yield variable
        return
    whole = re.compile(rf"(?<!\w){re.escape(value.strip())}(?!\w)", re.IGNORECASE)
    if whole.search(text):
        yield whole.sub(lambda _: variable, text)


def _is_one(one: str, other: str) -> bool:
    return folded(one) == folded(other)
