"""What a server says is read for what it is, whatever stands there (A.5)."""

from __future__ import annotations

import json
from typing import Any

import pytest

from gpu.wire.contents import count_of, mapping_of, text_of


@pytest.mark.parametrize(
    ("said", "count"),
    [
        ("7", 7), ("7.9", 7), ("-3", 0), ("true", 0), ("null", 0), ('"7"', 0), ("[]", 0),
        ("Infinity", 0), ("-Infinity", 0), ("NaN", 0), ("1e400", 0), ("9223372036854775807", 2**63 - 1),
    ],
)  # fmt: skip
def test_a_count_is_a_whole_number_from_zero(said: str, count: int) -> None:
    assert count_of(json.loads(said)) == count


@pytest.mark.parametrize(
    ("said", "text"),
    [
        ('"Größe 5 €"', "Größe 5 €"), ("3", ""), ("null", ""), ('["a"]', ""),
        ('"half \\ud800 of one"', "half ? of one"), ('"zero\\u0000byte"', "zerobyte"),
        ('"two \\ud83d\\ude00 halves"', "two 😀 halves"),
    ],
)  # fmt: skip
def test_a_text_can_be_written_to_files_and_rows(said: str, text: str) -> None:
    """A database refuses zero bytes, and no file takes half a character."""
    assert text_of(json.loads(said)) == text


@pytest.mark.parametrize("value", [None, 3, "x", [], ["a"]])
def test_what_is_no_mapping_is_an_empty_one(value: Any) -> None:
    assert mapping_of(value) == {}
