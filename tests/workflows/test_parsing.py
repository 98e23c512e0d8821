"""Numbers and JSON in text from outside."""

from __future__ import annotations

from typing import Any

import pytest

from workflows.parsing import BIGGEST, finite_number, json_object, parsed_json, whole_number


@pytest.mark.parametrize(
    ("text", "number"),
    [("0", 0), ("007", 7), (str(BIGGEST), BIGGEST), (str(BIGGEST + 1), None)]
    + [(text, None) for text in ("", "²", "१२", "-1", "+1", "1_0", " 1", "1.0", "9" * 5000)],
)
def test_whole_numbers_are_ascii_digits_that_the_database_can_hold(text: str, number: int | None) -> None:
    assert whole_number(text) == number


def test_a_whole_number_has_a_limit_of_its_own() -> None:
    assert (whole_number("400", most=400), whole_number("401", most=400)) == (400, None)


@pytest.mark.parametrize(
    ("text", "number"),
    [("0.5", 0.5), ("-3", -3.0), (" 1e-3 ", 0.001), (".5", 0.5), ("5.", 5.0)]
    + [(text, None) for text in ("", "nan", "inf", "-Infinity", "1e999", "1_0", "१", "²", "0x1", "1e99999")],
)
def test_numbers_are_finite_and_ascii(text: str, number: float | None) -> None:
    assert finite_number(text) == number


@pytest.mark.parametrize(
    "text",
    ["NaN", '{"x": Infinity}', "[1e999]", "[-1e999]", str(BIGGEST + 1), "9" * 5000, "[" * 100_000, "{", b"\xff", ""],
)
def test_json_with_numbers_that_are_none_is_no_json(text: str | bytes) -> None:
    with pytest.raises(ValueError, match="."):
        parsed_json(text)
    assert json_object(text) == {}


@pytest.mark.parametrize(("text", "value"), [('{"a": [1, 0.5, null]}', {"a": [1, 0.5, None]}), ("[1]", {}), ("1", {})])
def test_an_object_or_an_empty_one(text: str, value: dict[str, Any]) -> None:
    assert json_object(text) == value
