"""Where words stand. S2.12: as the ink does, whatever was read as one line."""

from __future__ import annotations

import pytest

from execution.perception.ocr.words import Letter, words_of
from execution.types import Box, TextLine
from tests.execution.perception.drawing import DARK, LIGHT, Canvas

WORDS = ("Save", "customer", "17.50", "Next", "language", "Print", "Report")


def letters(text: str, *, step: float = 8.0, start: float = 10.0) -> list[Letter]:
    """A letter every so many pixels, a space as wide as a letter."""
    return [Letter(c, start + i * step, 0.99) for i, c in enumerate(text)]


def said(text: str, *gaps: tuple[int, int], letters_at: list[Letter] | None = None) -> list[str]:
    placed = letters_at or letters(text)
    return [word for word, _, _ in words_of(placed, gaps, 6, round(placed[-1].at) + 4, height=16)]


def test_a_word_ends_where_the_gap_begins():
    words = words_of(letters("ab cd"), [(23, 31)], 6, 46, height=16)
    assert [(word, left, right) for word, left, right in words] == [("ab", 6, 23), ("cd", 31, 46)]


def test_without_a_gap_in_the_ink_words_part_in_the_middle():
    assert words_of(letters("ab cd"), [], 6, 46, height=16)[0][2] == 26


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("Name:Durand", ["Name:", "Durand"]),
        ("10:30", ["10:30"]),
        ("C:/data", ["C:/data"]),
        ("http://example", ["http://example"]),
        ("Name:", ["Name:"]),
    ],
)
def test_what_stands_behind_a_label_is_a_word_of_its_own(text, parts):
    assert said(text) == parts


def test_a_space_that_was_not_read_parts_words_but_never_a_number():
    wide = [Letter("a", 10, 0.9), Letter("b", 18, 0.9), Letter("c", 36, 0.9), Letter("d", 44, 0.9)]
    assert said("", (22, 32), letters_at=wide) == ["ab", "cd"]
    number = [Letter("1", 10, 0.9), Letter("2", 18, 0.9), Letter("3", 36, 0.9), Letter("4", 44, 0.9)]
    assert said("", (22, 32), letters_at=number) == ["1234"]


def test_a_picture_read_as_a_shape_is_no_part_of_a_word():
    words = words_of(letters("Text ▼"), [(39, 46)], 6, 54, height=16)
    assert words == [("Text", 6, 39)]


def test_ink_beside_the_outer_letters_is_no_part_of_a_word():
    [(word, left, right)] = words_of(letters("clock", start=60), [], 6, 140, height=16)
    assert word == "clock"
    assert left > 50
    assert right < 102


def test_shapes_alone_are_no_word():
    assert words_of(letters("▼▼"), [], 6, 20, height=16) == []


@pytest.mark.parametrize("background", [LIGHT, DARK], ids=["light", "dark"])
@pytest.mark.parametrize("font", ["DejaVuSans", "DejaVuSerif", "DejaVuSansMono"])
def test_words_stand_within_three_pixels_of_where_they_are_drawn(reader, background, font):
    canvas = Canvas(640, 320, background=background)
    drawn = []
    for row, size in enumerate((10, 12, 14, 16)):
        x = 20
        for word in WORDS[row : row + 4]:
            box = canvas.text(word, x, 20 + 60 * row, size=size, font=font)
            drawn.append((word, box))
            x = box.right + round(0.35 * size)
    read = [placed for line in reader.read(canvas.pixels) for placed in places(line)]
    for word, box in drawn:
        found = [b for text, b in read if text == word and b.intersection(box).area]
        assert found, f"“{word}” was not read as a word"
        assert abs(found[0].x - box.x) <= 3
        assert abs(found[0].right - box.right) <= 3


def places(line: TextLine) -> list[tuple[str, Box]]:
    x, y, _, h = line.box
    return [(w.text, Box(x + w.left, y, w.right - w.left, h)) for w in line.words]
