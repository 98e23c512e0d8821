"""Texts of a given shape are found as a reader gives them, and no pattern takes long (S10.4)."""

from __future__ import annotations

import time

import pytest
from django.core.exceptions import ValidationError
from hypothesis import given
from hypothesis import strategies as st

from workflows.mask_patterns import LONGEST, WINDOW, Patterns, mask_pattern_list

pytestmark = pytest.mark.security


def left(text: str, *patterns: str) -> str:
    for a, b in reversed(Patterns(patterns).spans(text)):
        text = text[:a] + "•" + text[b:]
    return text


@pytest.mark.parametrize(
    ("pattern", "text", "kept"),
    [
        ("email", "Contact: anna.martin@example.fr today", "Contact: • today"),
        ("email", "anna @example.fr", "•"),
        ("email", "Paid 3 @ noon", "Paid •"),  # rather too much than half an address
        ("national_number", "NIR 1 84 12 75 123 456 78", "NIR •"),
        ("national_number", "NIR 184127512345678", "NIR •"),
        ("national_number", "NIR 2 55 08 2A 123 456 78", "NIR •"),
        ("national_number", "1841275l23456", "•"),
        ("national_number", "Order 5521 of 12/04/2026", "Order 5521 of 12/04/2026"),
        ("phone", "Tel. 06 12 34 56 78", "Tel. •"),
        ("phone", "+33 6 12 34 56 78", "•"),
        ("phone", "Room 0612", "Room 0612"),
        ("iban", "FR76 3000 6000 0112 3456 7890 189", "•"),
        (r"\d{13}", "IPP 1234567890123, born", "IPP •, born"),
        (r"\d{13}", "IPP 123 456 789 012 3", "IPP •"),
        (r"\d{13}", "IPP 12345678901Z3", "IPP 12345678901Z3"),
        (r"\d{13}", "IPP 12345O7890l23", "IPP •"),
        (r"IPP-\d{4}", "IPP-8812", "•"),
    ],
)
def test_texts_of_a_shape_are_found_as_they_were_read(pattern: str, text: str, kept: str) -> None:
    assert left(text, pattern) == kept


@pytest.mark.parametrize(
    "pattern",
    [
        "(a+)+$", "(a|aa)+$", r"(\d+\s*)*x", "(x+x+)+y", r"(.)\1", "a*b*c*d*e", "[", "", " ", "a*", "x" * (LONGEST + 1),
        "(?:(?:a{1,30}){1,30}){1,30}", r"(\w?){50}x", "((((((((((a*)*)*)*)*)*)*)*)*)*",
    ],
)  # fmt: skip
def test_a_pattern_that_could_take_long_or_says_nothing_is_refused_in_words(pattern: str) -> None:
    with pytest.raises(ValidationError) as refused:
        mask_pattern_list([pattern])
    assert refused.value.messages[0].endswith((".", ")", "0")) or ":" in refused.value.messages[0]


@pytest.mark.parametrize("value", ["email", [1], {"email": 1}, ["email"] * 21])
def test_what_is_no_list_of_patterns_is_refused(value: object) -> None:
    with pytest.raises(ValidationError):
        mask_pattern_list(value)


def test_what_people_write_is_taken() -> None:
    mask_pattern_list(["email", "phone", "national_number", "iban", r"\d{13}", r"IPP\s?\d{6,8}", r"[A-Z]{2}-\d+-[A-Z]"])


@given(st.text(alphabet="0aA .-@\u00a0", max_size=3 * WINDOW))
def test_looking_is_quick_whatever_stands_on_the_screen(text: str) -> None:
    patterns = Patterns(["email", "phone", "national_number", "iban", r"\w+@\w+\.\w+"])
    began = time.thread_time()
    patterns.spans(text)
    assert time.thread_time() - began < 2


@given(st.text(max_size=300), st.from_regex(r"[a-z]{1,8}@[a-z]{1,8}\.fr", fullmatch=True), st.text(max_size=300))
def test_wherever_it_stands_it_is_found(before: str, address: str, after: str) -> None:
    assert address not in left(f"{before} {address} {after}", "email")
