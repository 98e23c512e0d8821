from __future__ import annotations

import cv2
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from execution.targeting.search import peaks, usable
from execution.types import Box


def noise(width: int, height: int, seed: int) -> np.ndarray:
    """Structure as coarse as letters, unlike anywhere else."""
    small = np.random.default_rng(seed).integers(0, 255, (height // 3 + 1, width // 3 + 1), np.uint8)
    return cv2.resize(small, (width, height), interpolation=cv2.INTER_LINEAR)


@given(x=st.integers(0, 540), y=st.integers(0, 340), w=st.integers(16, 90), h=st.integers(12, 50))
def test_a_picture_is_found_to_the_pixel_wherever_it_was_cut_out(x, y, w, h):
    screen = noise(640, 400, 7)
    found = peaks(screen, screen[y : y + h, x : x + w].copy(), minimum=0.8)
    assert found[0].box == Box(x, y, w, h)
    assert found[0].correlation > 0.999
    assert found[0].contrast == pytest.approx(1.0, abs=1e-3)


def test_every_copy_is_found_and_overlapping_peaks_count_once():
    stamp, screen = noise(60, 24, 3), np.full((400, 640), 200, np.uint8)
    places = [(10, 10), (301, 57), (555, 371), (100, 203)]
    for x, y in places:
        screen[y : y + 24, x : x + 60] = stamp
    found = peaks(screen, stamp, minimum=0.8)
    assert sorted((p.box.x, p.box.y) for p in found) == sorted(places)


def test_a_region_is_searched_alone_and_answered_in_places_of_the_screen():
    stamp, screen = noise(60, 24, 3), np.full((400, 640), 200, np.uint8)
    for x, y in [(10, 10), (301, 57)]:
        screen[y : y + 24, x : x + 60] = stamp
    (only,) = peaks(screen, stamp, minimum=0.8, region=Box(280, 40, 120, 60))
    assert (only.box.x, only.box.y) == (301, 57)


def test_one_colour_is_like_nothing():
    assert peaks(np.full((100, 200), 90, np.uint8), noise(30, 20, 1), minimum=0.1) == []
    assert peaks(np.zeros((5, 5), np.uint8), noise(30, 20, 1), minimum=0.1) == []


def test_a_faded_copy_has_a_lower_contrast():
    stamp, screen = noise(60, 24, 3), np.full((200, 300), 128, np.uint8)
    screen[50:74, 80:140] = 128 + (stamp.astype(int) - 128) // 4
    found = peaks(screen, stamp, minimum=0.8)
    assert found[0].contrast == pytest.approx(0.25, abs=0.03)


def test_pictures_that_cannot_be_searched_for_say_why():
    assert usable(noise(40, 20, 1)) == ""
    assert "of one colour" in usable(np.full((20, 40), 77, np.uint8))
    assert "too small (40x5" in usable(noise(40, 5, 1))
