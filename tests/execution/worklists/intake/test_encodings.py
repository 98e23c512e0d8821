"""In which encoding a text was written (S12.3)."""

from __future__ import annotations

import codecs

import pytest
from hypothesis import given
from hypothesis import strategies as st

from execution.worklists.intake.cells import Unreadable
from execution.worklists.intake.encodings import ENCODINGS, text_of

FRENCH = "Nom;Prénom;Âge\nLefèvre;Zoë;12\nGarçon;François;44\n"


@pytest.mark.parametrize(
    ("data", "encoding"),
    [
        (FRENCH.encode(), "utf-8"),
        (codecs.BOM_UTF8 + FRENCH.encode(), "utf-8"),
        (FRENCH.encode("utf-16"), "utf-16"),
        (codecs.BOM_UTF16_BE + FRENCH.encode("utf-16-be"), "utf-16"),
        (FRENCH.encode("utf-16-le"), "utf-16"),
        (FRENCH.encode("utf-16-be"), "utf-16"),
        (FRENCH.encode("cp1252"), "windows-1252"),
        (FRENCH.encode("cp850"), "cp850"),
        (FRENCH.encode("mac-roman"), "mac-roman"),
        ("Prix;5 €;œuf\n".encode("cp1252"), "windows-1252"),
        (b"Name;Ward\nDurand;A\n", "utf-8"),
    ],
)
def test_the_encoding_is_found(data: bytes, encoding: str) -> None:
    found = text_of(data)

    assert found.encoding == encoding
    assert "\ufeff" not in found.text
    assert found.text.encode() in (FRENCH.encode(), "Prix;5 €;œuf\n".encode(), b"Name;Ward\nDurand;A\n")


def test_a_letter_that_is_one_in_two_encodings_leaves_it_open() -> None:
    """A byte that is Ž in one and é in the other: the person who looks knows."""
    assert not text_of(b"Durand\n\x8ela\n").is_sure
    assert text_of(FRENCH.encode("cp1252")).is_sure


def test_a_chosen_encoding_is_taken_or_refused() -> None:
    assert text_of(FRENCH.encode("cp850"), "cp850").text == FRENCH
    assert text_of(FRENCH.encode("utf-16"), "utf-16").text == FRENCH
    with pytest.raises(Unreadable, match="not written in utf-8"):
        text_of(FRENCH.encode("cp1252"), "utf-8")


def test_bytes_that_are_no_text_are_refused() -> None:
    with pytest.raises(Unreadable, match="neither text nor|not written in"):
        text_of(b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x01\x00\xd8\x00")


@given(st.binary(max_size=200), st.sampled_from(["", *ENCODINGS]))
def test_any_bytes_become_a_text_or_are_refused(data: bytes, encoding: str) -> None:
    try:
        assert "\0" not in text_of(data, encoding).text
    except Unreadable:
        pass


@given(st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=50))
def test_unicode_comes_back_as_it_was(text: str) -> None:
    assert text_of(text.encode()).text.lstrip("\ufeff") == text.lstrip("\ufeff")
    assert text_of(text.encode("utf-16")).text == text
