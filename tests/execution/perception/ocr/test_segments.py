"""S2.8: a found line is cut to texts on one ground, so that borders and neighbours do not become letters."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from execution.perception.ocr.segments import ground, segments, without_access_keys
from execution.types import Box
from tests.execution.perception.drawing import Canvas


def line(width: int = 400, height: int = 30, level: int = 255) -> np.ndarray:
    return np.full((height, width, 3), level, np.uint8)


def write(pixels: np.ndarray, text: str, x: int, level: int = 0, *, y: int = 20) -> None:
    cv2.putText(pixels, text, (x, y), cv2.FONT_HERSHEY_SIMPLEX, 0.5, (level,) * 3, 1, cv2.LINE_AA)


def test_a_crop_with_nothing_on_it_has_no_segments():
    assert segments(line()) == []


def test_one_text_on_one_ground_is_one_segment_around_its_ink():
    pixels = line()
    write(pixels, "Illumination", 40)
    (segment,) = segments(pixels)
    assert 34 <= segment.box.x <= 40
    assert segment.box.right < 170


def test_texts_on_grounds_of_different_brightness_are_segments_of_their_own():
    """Two buttons of a toolbar, light on dark and dark on light, found as one line."""
    pixels = line(level=30)
    pixels[:, 150:260] = 240
    write(pixels, "Upload", 40, 230)
    write(pixels, "Delete", 180, 20)
    assert [s.box.x > 150 for s in segments(pixels)] == [False, True]


def test_a_text_close_to_the_edge_of_its_ground_is_not_cut():
    pixels = line(level=40)
    pixels[:, 100:] = 250
    write(pixels, "20:00", 104, 20)
    (segment,) = segments(pixels)
    assert 98 <= segment.box.x <= 104


def test_an_upright_border_between_two_texts_parts_them():
    pixels = line()
    write(pixels, "left", 40)
    pixels[:, 120:122] = 120
    write(pixels, "right", 130)
    assert len(segments(pixels)) == 2


def test_a_label_and_its_rounded_field_are_segments_of_their_own():
    """The field's border is drawn over most of the crop's height only, and its corners lead to the text within."""
    pixels = line(height=40, level=245)
    write(pixels, "Name:", 20, 50, y=23)
    blue = (228, 132, 53)
    cv2.rectangle(pixels, (88, 6), (420, 34), (255, 255, 255), -1)
    cv2.rectangle(pixels, (82, 0), (88, 3), blue, -1)
    cv2.line(pixels, (81, 0), (81, 28), blue, 2)
    cv2.ellipse(pixels, (88, 28), (6, 6), 0, 90, 180, blue, 2)
    cv2.line(pixels, (88, 34), (420, 34), blue, 2)
    write(pixels, "automatic.txt", 92, 0, y=23)
    label, text = segments(pixels)
    assert label.box.right < 81 < 86 < text.box.x
    assert text.box.h < 24


def test_the_stems_of_letters_part_nothing():
    pixels = line(height=18)
    write(pixels, "lIlI Illl", 20, y=14)
    assert len(segments(pixels)) == 1


def test_a_picture_before_a_text_that_stands_out_above_and_below_it_is_left_out():
    pixels = line(height=40)
    cv2.circle(pixels, (32, 20), 12, (0, 120, 200), 3)
    write(pixels, "Patients (12)", 56, y=25)
    (text,) = segments(pixels)
    assert 46 <= text.box.x <= 56
    assert text.box.h < 22


def test_a_number_in_a_ring_before_a_text_is_not_left_out():
    pixels = line(height=40)
    cv2.circle(pixels, (32, 20), 13, (60, 60, 60), 1)
    write(pixels, "7", 27, y=25)
    write(pixels, "Dupont Marie", 56, y=25)
    assert min(segment.box.x for segment in segments(pixels)) <= 27


@pytest.mark.parametrize(
    "text", ["O pos, young", "(a) once more", "Q am Morgen", "I am on my way", "Enregistrer sous", "By me"]
)
def test_a_large_letter_before_others_parts_nothing(text):
    pixels = line(height=40)
    write(pixels, text, 40, y=25)
    assert len(segments(pixels)) == 1


def test_borders_above_and_below_are_left_out():
    pixels = line(height=40)
    pixels[2:4] = pixels[36:38] = 120
    write(pixels, "Cancel", 40, y=25)
    (segment,) = segments(pixels)
    assert segment.box.y > 4
    assert segment.box.bottom <= 36


def test_short_texts_below_each_other_are_segments_of_their_own():
    """The finder takes a column of numbers for one upright text."""
    pixels = line(width=60, height=200)
    for index in range(5):
        write(pixels, f"{index}{index}", 20, y=30 + 38 * index)
    assert [s.box.center.y // 38 for s in segments(pixels)] == [0, 1, 2, 3, 4]


def test_where_the_crop_has_no_room_the_ground_goes_on():
    pixels = line(width=60, height=20)
    write(pixels, "Tight", 0, y=15)
    (segment,) = segments(pixels)
    assert segment.box.x < 0
    assert segment.pixels.shape[:2] == (segment.box.h, segment.box.w)
    assert (segment.pixels[0] == 255).all()


@pytest.mark.parametrize(("ground", "ink"), [(16, 46), (250, 205)])
def test_faint_text_is_made_clear_and_clear_text_is_left_as_it_is(ground, ink):
    pixels = line(level=ground)
    write(pixels, "Disabled", 40, ink)
    (segment,) = segments(pixels)
    assert np.ptp(segment.pixels) > 2 * abs(ground - ink) or np.ptp(segment.pixels) >= 90


def test_the_same_text_found_with_other_margins_is_the_same_picture():
    """S2.11: so it is known, however the finder drew its box."""
    canvas = Canvas(600, 200)
    box = canvas.text("Nom du patient", 100, 80)
    (first,), (second,) = (
        segments(canvas.pixels[b.y : b.bottom, b.x : b.right])
        for b in (Box(box.x - 9, box.y - 6, box.w + 20, box.h + 13), Box(box.x - 14, box.y - 9, box.w + 22, box.h + 16))
    )
    assert np.array_equal(first.pixels, second.pixels)


def pill(pixels: np.ndarray, text: str, box: Box, *, fill: int = 255, border: int = 90) -> None:
    """A button whose ends are half circles."""
    radius = box.h // 2
    for level, inset in ((border, 0), (fill, 1)):
        x, right, y, bottom = box.x + inset, box.right - 1 - inset, box.y + inset, box.bottom - 1 - inset
        cv2.rectangle(pixels, (x + radius, y), (right - radius, bottom), (level,) * 3, -1)
        for middle in (x + radius, right - radius):
            cv2.circle(pixels, (middle, (y + bottom) // 2), (bottom - y) // 2, (level,) * 3, -1, cv2.LINE_AA)
    write(pixels, text, box.x + radius + 2, 20, y=box.center.y + 6)


@pytest.mark.parametrize(("ground", "fill", "border"), [(237, 255, 90), (255, 255, 90), (255, 205, 205)])
@pytest.mark.parametrize("cut", [0, 5])
def test_buttons_with_round_ends_are_segments_of_their_own(ground, fill, border, cut):
    """Beside each other, outlined or filled; the line that was found may end within them."""
    pixels = line(width=260, height=36, level=ground)
    pills = {"Save": Box(2, 2, 72, 33), "Sign": Box(80, 2, 68, 33), "Delete": Box(153, 2, 88, 33)}
    for text, box in pills.items():
        pill(pixels, text, box, fill=fill, border=border)
    found = segments(pixels[cut : 36 - cut])
    assert len(found) == 3
    for box, segment in zip(pills.values(), found, strict=True):
        assert box.contains(segment.box.center)
        assert segment.box.w < box.w + 8  # its margin


@pytest.mark.parametrize("text", ["save (all) (new) files", "oO (O) Oo OOO", "f(x) (a) {o} [o] (os)"])
def test_brackets_and_round_letters_part_nothing(text):
    pixels = line(height=24)
    write(pixels, text, 20, y=17)
    assert len(segments(pixels)) == 1


def test_a_letter_before_the_border_of_a_field_is_no_round_end():
    """The border closes the rows above and below the letter."""
    pixels = line(height=30)
    write(pixels, "Phone", 20)
    cv2.rectangle(pixels, (72, 1), (399, 28), (120, 120, 120), 1)
    label, *_ = segments(pixels)
    assert label.box.right > 55


@pytest.mark.parametrize("size", [11, 13, 16, 24])
@pytest.mark.parametrize(("text", "letter"), [("File", 0), ("Édition", 2), ("Save As", 5), ("ordre", 1)])
def test_the_stroke_below_an_access_key_is_not_a_part_of_its_letter(text, letter, size):
    """Tool kits of their own underline one letter of an entry; it is the same picture without."""
    plain, keyed = Canvas(260, 40), Canvas(260, 40)
    for canvas in (plain, keyed):
        canvas.text(text, 20, 6, size=size)
    left, wide = (keyed.text(part, 20, 6, size=size).w for part in (text[:letter] or "", text[: letter + 1]))
    left = 0 if not letter else left
    stand = plain.text("H", 20, 6, size=size).bottom
    plain, keyed = Canvas(260, 40), Canvas(260, 40)
    for canvas in (plain, keyed):
        canvas.text(text, 20, 6, size=size)
    keyed.draw.rectangle((20 + left, stand + 1, 20 + wide, stand + 1 + size // 20), fill=keyed.ink)
    (one,), (other,) = segments(plain.pixels), segments(keyed.pixels)
    assert np.array_equal(one.pixels, other.pixels)


@pytest.mark.parametrize("text", ["note_new.txt", "a_b", "x = y", "≤ ±", "_private", "Ș ç ą", "a – b", "…"])
def test_what_only_looks_like_such_a_stroke_stays(text):
    canvas = Canvas(260, 40)
    canvas.text(text, 20, 8, size=16)
    pixels = canvas.pixels
    assert np.array_equal(without_access_keys(pixels, ground(pixels), 40), pixels)
