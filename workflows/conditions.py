"""Whether what a condition asks of a run's values is so (S6.13): a few tests, typed as the value is; no computing.

What cannot be told is said, never guessed: no value yet, a number that may be read in two ways, a day that is none.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping
from datetime import date
from decimal import Decimal
from typing import Any

from sentences.said import both, say
from workflows.choices import VariableKind
from workflows.graph import ConditionSpec, GraphSpec
from workflows.text import fill, names

EQUALS, IS_NOT, ONE_OF, CONTAINS = "equals", "is_not", "one_of", "contains"
EMPTY, NOT_EMPTY = "empty", "not_empty"
LESS, MORE, BEFORE, AFTER = "less", "more", "before", "after"

TESTS = (EQUALS, IS_NOT, ONE_OF, CONTAINS, EMPTY, NOT_EMPTY, LESS, MORE, BEFORE, AFTER)
COMPARED_WITH_NOTHING = frozenset({EMPTY, NOT_EMPTY})
OF_NUMBERS, OF_DATES = frozenset({LESS, MORE}), frozenset({BEFORE, AFTER})

_NUMBER = re.compile(r"[+-]?(?:\d+|\d{1,3}(?: \d{3})+)(?:[.,]\d+)?", re.ASCII)
_IN_TWO_WAYS = re.compile(r"[+-]?[1-9]\d{0,2}[.,]\d{3}", re.ASCII)  # 1,250 is English for what 1 250 is in French
_BLANKS = str.maketrans(dict.fromkeys("\u00a0\u202f\u2009", " ") | {"\u2212": "-"})


class CannotTell(Exception):
    """Nobody can say whether a condition holds; the message is a sentence that says why."""


def holds(conditions: Iterable[ConditionSpec], values: Mapping[str, Any], graph: GraphSpec) -> bool:
    """Whether all of them are so; none at all are. `graph` says the kinds of the values.

    Raises CannotTell where one cannot be told and none of the others is surely not so.
    """
    unknown: CannotTell | None = None
    for condition in conditions:
        try:
            if not is_so(condition, values, graph):
                return False
        except CannotTell as error:
            unknown = unknown or error
    if unknown:
        raise unknown
    return True


def is_so(condition: ConditionSpec, values: Mapping[str, Any], graph: GraphSpec) -> bool:
    """Whether one is so; raises CannotTell."""
    name, test = condition.value, condition.test
    if missing := [one for one in (name, *sorted(names(condition.to))) if values.get(one) is None]:
        raise CannotTell(say("ways.no_value", name=graph.label_of(missing[0])))
    value, others = str(values[name]), [str(text) for text in fill(condition.to, values)]
    if test in COMPARED_WITH_NOTHING:
        return (not value.strip()) is (test == EMPTY)
    if test == CONTAINS:
        return any(plain(other) in plain(value) for other in others)
    read = _reader(graph.kinds.get(name, VariableKind.TEXT), test, graph.label_of(name))
    ours, theirs = read(value), [read(other) for other in others]
    if test in (EQUALS, ONE_OF):
        return ours in theirs
    if test == IS_NOT:
        return ours not in theirs
    if test in (LESS, BEFORE):
        return all(ours < other for other in theirs)
    if test in (MORE, AFTER):
        return all(ours > other for other in theirs)
    raise CannotTell(say("ways.unknown_test", test=test))


def plain(text: str) -> str:
    """A text as it is compared: whether letters are capital and how many blanks stand between words says nothing."""
    return " ".join(unicodedata.normalize("NFC", text).split()).casefold()


def number_of(text: str) -> Decimal | None:
    """The number that a text surely is, with a point or a comma before its decimals; None for any other."""
    written = " ".join(text.translate(_BLANKS).split())
    if _IN_TWO_WAYS.fullmatch(written) or not _NUMBER.fullmatch(written):
        return None
    return Decimal(written.replace(" ", "").replace(",", "."))


def date_of(text: str) -> date | None:
    """The day that a text surely is, written as 2026-11-21; None for any other."""
    try:
        return date.fromisoformat(text.strip())
    except ValueError:
        return None


def _reader(kind: str, test: str, name: str) -> Callable[[str], Any]:
    """What makes of a text that with which the test compares."""
    as_date = test in OF_DATES or (kind == VariableKind.DATE and test not in OF_NUMBERS)
    as_number = test in OF_NUMBERS or (kind == VariableKind.NUMBER and not as_date)
    if not (as_number or as_date):
        return plain

    def read(text: str) -> Any:
        if not text.strip():
            raise CannotTell(say("ways.no_value", name=name))
        found: Decimal | date | None = number_of(text) if as_number else date_of(text)
        if found is None:
            raise CannotTell(say("ways.no_number" if as_number else "ways.no_date", name=name, text=text.strip()))
        return found

    return read


def say_conditions(conditions: Iterable[ConditionSpec], graph: GraphSpec) -> str:
    """In a sentence: “Amount” is more than 100 and “Ward” is one of “A”, “B”; "" for none."""
    return both(_said(condition, graph) for condition in conditions)


def _said(condition: ConditionSpec, graph: GraphSpec) -> str:
    name = graph.label_of(condition.value)
    if condition.test not in TESTS:
        return say("ways.unknown_test", test=condition.test)
    return say(f"ways.{condition.test}", name=name, to=list(condition.to))
