"""S6.13: what a condition asks of a run's values: typed as they are, and never guessed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sentences.said import told_by
from workflows.conditions import TESTS, CannotTell, date_of, holds, number_of
from workflows.graph import ConditionSpec, GraphSpec, VariableSpec

GRAPH = GraphSpec(
    workflow_id="w",
    name="w",
    learning_state="COACHING",
    variables=tuple(
        VariableSpec(name=name, kind=kind, label=label)
        for name, kind, label in (
            ("ward", "text", "Ward"),
            ("amount", "number", "Amount"),
            ("day", "date", ""),
            ("limit", "number", ""),
        )
    ),
)


def asks(value: str, test: str, *to: str) -> ConditionSpec:
    return ConditionSpec(value=value, test=test, to=to)


def told(values: Mapping[str, Any], *conditions: ConditionSpec) -> bool | str:
    try:
        return holds(conditions, values, GRAPH)
    except CannotTell as error:
        return told_by(error)


@pytest.mark.parametrize(
    ("test", "to", "value", "expected"),
    [
        ("equals", ["B2"], " b2 ", True),
        ("equals", ["B2"], "B 2", False),
        ("is_not", ["B2"], "b2", False),
        ("is_not", ["B2"], "", True),
        ("one_of", ["A", "B2"], "b2", True),
        ("one_of", ["A", "B2"], "C", False),
        ("contains", ["card"], "Cardiology", True),
        ("contains", ["card"], "Surgery", False),
        ("empty", [], "  ", True),
        ("not_empty", [], "x", True),
    ],
)
def test_texts_are_compared_as_people_compare_them(test: str, to: list[str], value: str, expected: bool) -> None:
    assert told({"ward": value}, asks("ward", test, *to)) is expected


@pytest.mark.parametrize(
    ("test", "to", "value", "expected"),
    [
        ("more", "100", "100.5", True),
        ("more", "100", "99,5", False),
        ("more", "100", "100", False),
        ("less", "100", "-5", True),
        ("more", "9", "10", True),  # as texts 10 comes before 9
        ("equals", "1.50", "1,5", True),
        ("one_of", "7", "7.0", True),
        ("more", "1200", "1\u202f250", True),
    ],
)
def test_numbers_are_compared_as_numbers(test: str, to: str, value: str, expected: bool) -> None:
    assert told({"amount": value}, asks("amount", test, to)) is expected


@pytest.mark.parametrize("value", ["1,250", "1.250", "abc", "nan", "inf", "1e3", "12 €", "١٢"])
def test_a_number_that_may_be_read_in_two_ways_or_is_none_is_never_guessed(value: str) -> None:
    said = told({"amount": value}, asks("amount", "more", "100"))
    assert isinstance(said, str)
    assert "“Amount”" in said
    assert f"“{value}”" in said


def test_dates_are_compared_as_dates() -> None:
    values = {"day": "2026-11-21"}
    assert told(values, asks("day", "before", "2026-12-01")) is True
    assert told(values, asks("day", "after", "2026-11-21")) is False
    assert told(values, asks("day", "equals", "2026-11-21")) is True
    assert "03/04/2026" in str(told({"day": "03/04/2026"}, asks("day", "before", "2026-12-01")))


def test_without_a_value_nobody_can_tell() -> None:
    assert told({}, asks("ward", "equals", "A")) == "“Ward” has no value yet."
    assert told({}, asks("ward", "empty")) == "“Ward” has no value yet.", "what was not read yet is not empty"
    assert told({"amount": ""}, asks("amount", "less", "3")) == "“Amount” has no value yet."
    assert told({"amount": "3"}, asks("amount", "more", "{{limit}}")) == "“limit” has no value yet."
    assert told({"amount": "3", "limit": "2"}, asks("amount", "more", "{{limit}}")) is True


def test_all_must_hold_and_one_that_surely_does_not_decides() -> None:
    known, not_so, unknown = asks("ward", "equals", "A"), asks("ward", "equals", "B"), asks("amount", "more", "1")
    values = {"ward": "A", "amount": "?"}
    assert told(values) is True
    assert told(values, known, not_so) is False
    assert told(values, unknown, not_so) is False
    assert isinstance(told(values, known, unknown), str)


anything = st.text(max_size=12)


@given(st.sampled_from(TESTS), st.sampled_from(["ward", "amount", "day"]), anything, st.lists(anything, max_size=2))
def test_whatever_the_values_are_it_is_told_or_said_why_not(test: str, name: str, value: str, to: list[str]) -> None:
    assert told({name: value}, asks(name, test, *to)) in (True, False) or isinstance(
        told({name: value}, asks(name, test, *to)), str
    )


@given(st.sampled_from(["ward", "amount", "day"]), anything, anything)
def test_what_is_so_and_what_is_not_never_agree(name: str, value: str, other: str) -> None:
    one, opposite = (told({name: value}, asks(name, test, other)) for test in ("equals", "is_not"))
    assert isinstance(one, str) == isinstance(opposite, str)
    assert isinstance(one, str) or one is not opposite


@given(st.decimals(allow_nan=False, allow_infinity=False, places=2, min_value=-(10**6), max_value=10**6))
def test_a_number_is_read_as_it_is_written(number: Any) -> None:
    assert number_of(f"{number:f}") == number
    assert number_of(f"{number:f}".replace(".", ",")) == number


@given(st.dates())
def test_a_day_is_read_as_it_is_written(day: Any) -> None:
    assert date_of(day.isoformat()) == day
