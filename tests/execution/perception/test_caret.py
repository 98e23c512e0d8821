"""A text cursor beside a word is not read as a letter (S2.6: a blinking caret does not matter)."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from execution.perception.ocr.caret import without_caret


def line(text: str, *, dark: bool = False) -> tuple[np.ndarray, int, int, int]:
    """A line of text with a margin; gives its pixels, where the text ends, and the rows that its letters fill."""
    ground, ink = (30, 220) if dark else (255, 20)
    pixels = np.full((28, 20 + 12 * len(text), 3), ground, np.uint8)
    cv2.putText(pixels, text, (5, 19), cv2.FONT_HERSHEY_SIMPLEX, 0.5, (ink, ink, ink), 1, cv2.LINE_AA)
    rows, columns = np.nonzero(np.abs(pixels[:, :, 0].astype(int) - ground) > 60)
    return pixels, int(columns.max()), int(rows.min()), int(rows.max())


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("text", ["hopital.example", "gap", "2026-11-21", "Lefevre"])
def test_a_cursor_at_the_end_is_painted_over_and_the_word_is_not(text: str, dark: bool) -> None:
    plain, end, top, bottom = line(text, dark=dark)
    typed = plain.copy()
    typed[top - 2 : bottom + 3, end + 2] = 235 if dark else 0
    assert not np.array_equal(typed, plain)
    assert np.array_equal(without_caret(typed), plain)


@pytest.mark.parametrize("text", ["real", "Illegal", "11:11", "null", "T1l"])
def test_a_line_without_a_cursor_is_left_as_it_is(text: str) -> None:
    plain, *_rest = line(text)
    assert without_caret(plain) is plain


def test_a_cursor_that_ends_where_the_descenders_do_is_painted_over() -> None:
    """So browsers draw it: "Rhesus phenotype" was read as "Rhesus phenotypel"."""
    plain, end, top, bottom = line("Rhesus phenotype")
    typed = plain.copy()
    typed[top - 3 : bottom + 1, end + 2] = 0
    assert np.array_equal(without_caret(typed), plain)


@pytest.mark.parametrize(("text", "past", "down"), [("annex", 4, 0), ("names", 4, 0), ("page", 4, -4), ("page", 1, 0)])
def test_a_bar_that_could_be_the_last_letter_stays(text: str, past: int, down: int) -> None:
    """It stands on the line of the letters, or is no higher than an "l" among them."""
    plain, end, top, bottom = line(text)
    typed = plain.copy()
    typed[top - past : bottom + 1 + down, end + 3] = 0
    assert without_caret(typed) is typed


def test_a_bracket_behind_descenders_stays() -> None:
    plain, end, top, bottom = line("a page of happy apes")
    typed = plain.copy()
    typed[top - 3 : bottom + 1, end + 3] = typed[top - 3, end + 3 : end + 6] = typed[bottom, end + 3 : end + 6] = 0
    assert without_caret(typed) is typed


@pytest.mark.parametrize("shape", [(1, 1, 3), (3, 200, 3), (40, 2, 3)])
def test_tiny_pictures_are_left_as_they_are(shape: tuple[int, int, int]) -> None:
    pixels = np.zeros(shape, np.uint8)
    assert without_caret(pixels) is pixels


def test_a_cursor_that_touches_a_letter_is_painted_over_where_it_reaches_clearly_past_it():
    """As at the beginning of a line, right before its first letter."""
    crop = np.full((27, 60, 3), 255, np.uint8)
    crop[10:16, 8:10] = crop[7:10, 10:20] = crop[16:19, 10:20] = 0
    with_cursor = crop.copy()
    with_cursor[4:22, 7] = 0
    assert np.array_equal(without_caret(with_cursor), crop)


def test_letters_of_the_line_above_do_not_hide_a_cursor():
    """A found line reaches to the descenders of the one above it, higher than the cursor does."""
    plain, end, top, bottom = line("Noel")
    plain[0:2, 8:10] = 20
    typed = plain.copy()
    typed[top - 3 : bottom + 4, end + 2] = 0
    assert np.array_equal(without_caret(typed), plain)


@pytest.mark.parametrize("at", [1, -2], ids=["above", "below"])
def test_the_frame_of_its_field_does_not_hide_a_cursor(at: int) -> None:
    """The first line of a field of several stands near its frame, and was read as "Line onel"."""
    plain, end, top, bottom = line("Line one")
    plain[at, :] = 0
    typed = plain.copy()
    typed[top - 2 : bottom + 3, end + 2] = 0
    assert np.array_equal(without_caret(typed), plain)
    assert without_caret(plain) is plain


def test_a_frame_that_begins_within_the_line_does_not_hide_a_cursor_and_stays() -> None:
    """A label and its field are found as one line; the frame's corners are round."""
    crop = np.full((34, 300, 3), 239, np.uint8)
    cv2.putText(crop, "Name", (6, 22), cv2.FONT_HERSHEY_SIMPLEX, 0.45, (20, 20, 20), 1, cv2.LINE_AA)
    crop[4:30, 61:300] = 255
    crop[3, 63:300] = crop[30, 63:300] = crop[6:28, 60] = (160, 110, 40)
    cv2.putText(crop, "Ada Wong", (64, 22), cv2.FONT_HERSHEY_SIMPLEX, 0.45, (20, 20, 20), 1, cv2.LINE_AA)
    end = 64 + int(np.flatnonzero((crop[8:26, 64:] < 150).all(axis=2).any(axis=0)).max())
    typed = crop.copy()
    typed[8:27, end + 2] = 0
    assert np.array_equal(without_caret(typed), crop)


def framed(text: str) -> tuple[np.ndarray, int]:
    """A field whose line was found with its frame; where its text ends."""
    crop = np.full((30, 90, 3), 217, np.uint8)
    crop[2:28, 3:] = 255
    crop[2:4, 3:] = crop[26:28, 3:] = crop[2:28, 3:5] = 110
    cv2.putText(crop, text, (9, 21), cv2.FONT_HERSHEY_SIMPLEX, 0.5, (20, 20, 20), 1, cv2.LINE_AA)
    return crop, 9 + int(np.flatnonzero((crop[5:25, 9:] < 150).all(axis=2).any(axis=0)).max(initial=0))


@pytest.mark.parametrize("text", ["77", "B7", "9", "A12"])
def test_the_side_of_the_frame_beside_a_short_value_does_not_hide_a_cursor(text: str) -> None:
    """It was read as "7]" and "77|", and nobody knew whether the value was typed."""
    plain, end = framed(text)
    typed = plain.copy()
    typed[5:25, end + 3] = 0
    assert np.array_equal(without_caret(typed), plain)
    assert without_caret(plain) is plain


def test_a_bar_alone_beside_the_side_of_a_frame_may_be_a_letter() -> None:
    crop, _end = framed("")
    crop[7:23, 12] = 0
    assert without_caret(crop) is crop
