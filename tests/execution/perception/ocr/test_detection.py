"""S2.11: only the tiles that changed are searched, and nothing tells the result from a search of the whole picture."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from execution.perception.ocr.detection import LineFinder, detection_scale, joined_in_rows
from execution.types import Box, Size
from tests.execution.perception.drawing import Canvas

WIDTH, HEIGHT = 1300, 700


def dark_is_text(batch: np.ndarray) -> np.ndarray:
    """Stands for the network: what is dark is text."""
    return (batch.mean(axis=1, keepdims=True) < 0).astype(np.float32)


def page() -> np.ndarray:
    canvas = Canvas(WIDTH, HEIGHT)
    for row in range(12):
        canvas.text(f"Ligne {row} du dossier n° {1000 + row}", 30 + 40 * row, 20 + 55 * row)
    return canvas.pixels


boxes = st.builds(Box, st.integers(0, WIDTH - 40), st.integers(0, HEIGHT - 30), st.integers(1, 600), st.integers(1, 60))


@settings(max_examples=25)
@given(st.lists(st.tuples(boxes, st.integers(0, 255)), min_size=1, max_size=6))
@pytest.mark.slow
def test_a_picture_edited_step_by_step_has_the_lines_that_a_first_search_finds(edits):
    finder, pixels = LineFinder(dark_is_text), page()
    finder.find(pixels)
    for box, level in edits:
        pixels = pixels.copy()
        pixels[box.y : box.bottom, box.x : box.right] = level
        assert finder.find(pixels) == LineFinder(dark_is_text).find(pixels)


def test_only_tiles_that_changed_are_searched_and_those_seen_before_never_again():
    finder, pixels = LineFinder(dark_is_text), page()
    finder.find(pixels)
    whole = finder.tiles_searched
    changed = pixels.copy()
    changed[300:310, 300:310] = 0
    finder.find(changed)
    assert 1 <= finder.tiles_searched - whole <= 2
    before = finder.tiles_searched
    finder.find(pixels)
    assert finder.tiles_searched == before


def test_the_callers_picture_may_change_afterwards():
    finder, pixels = LineFinder(dark_is_text), page()
    finder.find(pixels)
    pixels[300:320, 300:500] = 0
    assert finder.find(pixels) == LineFinder(dark_is_text).find(pixels)


def test_a_picture_of_another_size_is_searched_anew():
    finder = LineFinder(dark_is_text)
    finder.find(page())
    small = page()[:300, :500].copy()
    assert finder.find(small) == LineFinder(dark_is_text).find(small)


def test_a_line_over_the_edge_of_two_tiles_is_one_line():
    pixels = np.full((400, 1200, 3), 255, np.uint8)
    pixels[250:262, 100:1100] = 0
    (line,) = LineFinder(dark_is_text).find(pixels)
    assert line.x <= 100
    assert line.right >= 1099


@pytest.mark.parametrize(
    ("size", "scale"),
    [((800, 600), 1.0), ((1366, 768), 0.75), ((1080, 1920), 0.75), ((2560, 1600), 0.75), ((7680, 4320), 0.5)],
)
def test_large_screens_are_searched_at_a_smaller_scale(size, scale):
    """S2.8: the tiles of every scale are whole pixels of the screen and of the network's input."""
    assert detection_scale(Size(*size)) == scale


def test_words_of_one_row_are_one_line_and_columns_far_apart_are_not():
    words = [Box(10, 10, 50, 20), Box(66, 11, 40, 20), Box(300, 10, 50, 20), Box(10, 40, 50, 20)]
    assert sorted(joined_in_rows(words)) == [Box(10, 10, 96, 21), Box(10, 40, 50, 20), Box(300, 10, 50, 20)]
