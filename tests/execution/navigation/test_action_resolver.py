"""Fractions, frame pixels and input coordinates, whatever the resolution, the scale and the monitor (S5.5)."""

from __future__ import annotations

import math
from datetime import UTC, datetime

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from execution.desktop.base import DesktopError
from execution.navigation import action_resolver as resolver
from execution.types import Box, Frame, Point, ScreenState, Size, Window

sizes = st.builds(Size, st.integers(1, 8000), st.integers(1, 5000))
scales = st.sampled_from([1.0, 1.25, 1.5, 1.75, 2.0, 2.5, 3.0])
fractions = st.floats(0, 1)
ORIGIN = Point(0, 0)


def frame_of(size: Size, *, origin: Point = ORIGIN, scale: float = 1.0) -> Frame:
    pixels = np.broadcast_to(np.zeros(3, np.uint8), (size.height, size.width, 3))  # no memory for the picture
    return Frame(pixels=pixels, taken_at=datetime(2026, 1, 1, tzinfo=UTC), origin=origin, scale=scale)


@st.composite
def wholes(draw: st.DrawFn) -> tuple[Box, Size]:
    """A frame's size and a window at least one pixel of which is on it."""
    size = draw(sizes)
    box = Box(
        draw(st.integers(-900, size.width - 1)),
        draw(st.integers(-900, size.height - 1)),
        draw(st.integers(901, 9000)),
        draw(st.integers(901, 9000)),
    )
    return box, size


@given(wholes(), fractions, fractions)
def test_a_stored_point_is_on_the_window_and_on_the_frame_and_comes_back(
    place: tuple[Box, Size], x: float, y: float
) -> None:
    whole, size = place
    pixel = resolver.to_pixels((x, y), whole=whole, size=size)
    assert whole.contains(pixel) and resolver.screen_of(frame_of(size)).contains(pixel)
    assert resolver.to_pixels(resolver.to_normalised(pixel, whole=whole), whole=whole, size=size) == pixel


@given(wholes(), st.data())
def test_a_pixel_survives_being_stored_exactly(place: tuple[Box, Size], data: st.DataObject) -> None:
    whole, size = place
    part = whole.intersection(Box(0, 0, *size))
    pixel = Point(data.draw(st.integers(part.x, part.right - 1)), data.draw(st.integers(part.y, part.bottom - 1)))
    assert resolver.to_pixels(resolver.to_normalised(pixel, whole=whole), whole=whole, size=size) == pixel


@given(sizes, sizes, fractions, fractions)
def test_on_a_screen_of_another_size_a_point_is_at_the_same_fraction(one: Size, two: Size, x: float, y: float) -> None:
    """Off by at most one pixel of the coarser screen."""
    here = resolver.to_pixels((x, y), whole=Box(0, 0, *one), size=one)
    there = resolver.to_pixels(resolver.to_normalised(here, whole=Box(0, 0, *one)), whole=Box(0, 0, *two), size=two)
    assert abs(there.x - x * two.width) <= 1 + max(1, two.width / one.width)
    assert abs(there.y - y * two.height) <= 1 + max(1, two.height / one.height)


@given(wholes(), st.data())
def test_a_box_survives_being_stored_and_is_never_outside(place: tuple[Box, Size], data: st.DataObject) -> None:
    whole, size = place
    part = whole.intersection(Box(0, 0, *size))
    left, top = data.draw(st.integers(part.x, part.right - 1)), data.draw(st.integers(part.y, part.bottom - 1))
    box = Box(left, top, data.draw(st.integers(1, part.right - left)), data.draw(st.integers(1, part.bottom - top)))
    back = resolver.box_to_pixels(resolver.box_to_normalised(box, whole=whole), whole=whole, size=size)
    assert all(abs(a - b) <= 1 for a, b in zip(back, box, strict=True))
    assert back.area and back.intersection(part) == back


@given(wholes(), st.tuples(*[st.floats(-2, 3)] * 4))
def test_any_stored_box_becomes_at_least_one_pixel_of_the_window(
    place: tuple[Box, Size], box: tuple[float, float, float, float]
) -> None:
    whole, size = place
    part = whole.intersection(Box(0, 0, *size))
    found = resolver.box_to_pixels(box, whole=whole, size=size)
    assert found.w >= 1 and found.h >= 1 and found.intersection(part) == found


@given(sizes, scales, st.integers(-9000, 9000), st.integers(-9000, 9000), st.data())
def test_a_click_stays_on_its_monitor_and_lands_on_its_pixel(
    size: Size, scale: float, left: int, top: int, data: st.DataObject
) -> None:
    """The last pixel of a screen at scale 2 must not become the first one of the monitor beside it."""
    frame = frame_of(size, origin=Point(left, top), scale=scale)
    pixel = Point(data.draw(st.integers(0, size.width - 1)), data.draw(st.integers(0, size.height - 1)))
    at = resolver.to_input(pixel, frame)
    assert left <= at.x < left + math.ceil(size.width / scale)
    assert top <= at.y < top + math.ceil(size.height / scale)
    assert abs((at.x - left + 0.5) * scale - (pixel.x + 0.5)) <= scale
    assert abs((at.y - top + 0.5) * scale - (pixel.y + 0.5)) <= scale


@given(scales, st.integers(-3000, 3000), st.data())
def test_input_coordinates_and_pixels_lead_to_each_other(scale: float, left: int, data: st.DataObject) -> None:
    """With as many pixels as a system makes of a whole number of coordinates."""
    wide = data.draw(st.integers(1, 4000))
    frame = frame_of(Size(round(wide * scale), round(900 * scale)), origin=Point(left, 0), scale=scale)
    at = Point(left + data.draw(st.integers(0, max(0, int(frame.size.width / scale) - 1))), 7)
    assert resolver.to_input(resolver.from_input(at, frame), frame) == at


def test_two_monitors_of_different_scale_each_take_their_own_points() -> None:
    left = frame_of(Size(3840, 2160), origin=Point(-1920, 0), scale=2.0)
    right = frame_of(Size(1280, 1024), origin=Point(0, 56), scale=1.0)
    assert resolver.to_input(Point(3839, 2159), left) == (-1, 1079)
    assert resolver.to_input(Point(0, 0), right) == (0, 56)
    assert resolver.frame_at(Point(-1, 1079), [left, right]) is left
    assert resolver.frame_at(Point(0, 56), [left, right]) is right
    assert resolver.frame_at(Point(0, 55), [left, right]) is None
    assert resolver.from_input(Point(-1, 1079), left) == (3839, 2159)


def test_a_point_beside_the_frame_is_refused() -> None:
    frame = frame_of(Size(100, 50))
    for point in (Point(100, 0), Point(0, 50), Point(-1, 3)):
        with pytest.raises(DesktopError, match="outside the desktop"):
            resolver.to_input(point, frame)
    with pytest.raises(DesktopError):
        resolver.from_input(Point(100, 0), frame)


@pytest.mark.parametrize("value", [math.nan, math.inf])
def test_what_is_no_number_is_refused(value: float) -> None:
    with pytest.raises(ValueError, match="no fraction of a screen"):
        resolver.to_pixels((value, 0.5), whole=Box(0, 0, 9, 9), size=Size(9, 9))


def test_a_window_that_is_not_on_the_screen_holds_no_point() -> None:
    with pytest.raises(ValueError, match="nothing of"):
        resolver.to_pixels((0.5, 0.5), whole=Box(200, 0, 50, 50), size=Size(100, 100))
    with pytest.raises(ValueError, match="has no size"):
        resolver.to_normalised(Point(1, 1), whole=Box(0, 0, 0, 10))
    with pytest.raises(ValueError, match="lies outside"):
        resolver.box_to_normalised(Box(50, 50, 5, 5), whole=Box(0, 0, 10, 10))


def test_the_window_is_known_where_some_of_it_is_on_the_screen() -> None:
    frame = frame_of(Size(100, 100))
    there = Window(title="x", box=Box(-20, 10, 50, 50))
    assert resolver.window_of(ScreenState(frame=frame, window=there)) == Box(-20, 10, 50, 50)
    gone = Window(title="x", box=Box(100, 10, 50, 50))
    assert resolver.window_of(ScreenState(frame=frame, window=gone)) is None
    assert resolver.window_of(ScreenState(frame=frame, window=Window(title="x"))) is None
    assert resolver.window_of(ScreenState(frame=frame)) is None


# --- What text readers answer ----------------------------------------------------------------------------------------
PART = Box(100, 50, 200, 80)
CORNERS = [[10, 5], [60, 7], [60, 22], [9, 20]]


def test_easyocr_answers_become_lines_of_the_whole_picture() -> None:
    found = [(CORNERS, " Save  As… ", 0.93), (np.array(CORNERS), "  ", 0.9), ([[300, 5]] * 4, "beside it", 0.9)]
    (line,) = resolver.easyocr_lines(found, part=PART)
    assert (line.text, line.box, line.confidence) == ("Save As…", Box(109, 55, 51, 17), 0.93)


def test_rapidocr_answers_become_the_same_lines() -> None:
    found = resolver.rapidocr_lines(np.array([CORNERS]), ("Save As…",), (np.float32(0.5),), part=PART)
    assert [(line.text, line.box, line.confidence) for line in found] == [("Save As…", Box(109, 55, 51, 17), 0.5)]
    assert resolver.rapidocr_lines(None, None, None, part=PART) == []
    with pytest.raises(ValueError, match=r"argument|longer|shorter"):
        resolver.rapidocr_lines([CORNERS], [], [1.0], part=PART)


COLUMNS = {
    "level": [1, 5, 5, 5],
    "page_num": [1, 1, 1, 1],
    "block_num": [0, 1, 1, 1],
    "par_num": [0, 1, 1, 1],
    "line_num": [0, 1, 1, 2],
    "word_num": [0, 1, 2, 1],
    "left": [0, 20, 80, 20],
    "top": [0, 10, 12, 60],
    "width": [400, 50, 30, 50],
    "height": [160, 20, 20, 20],
    "conf": ["-1", 90, 70.0, 95],
    "text": ["", "Save", "As", '"Open'],
}


def test_tesseract_words_are_joined_to_lines_from_its_table_and_from_a_dictionary() -> None:
    rows = ["\t".join(COLUMNS), *("\t".join(map(str, row)) for row in zip(*COLUMNS.values(), strict=True))]
    from_table = resolver.tesseract_lines("\n".join(rows), part=PART, scale=2)
    assert from_table == resolver.tesseract_lines(COLUMNS, part=PART, scale=2)
    assert [(line.text, line.box, line.confidence) for line in from_table] == [
        ("Save As", Box(110, 55, 45, 11), 0.8),
        ('"Open', Box(110, 80, 25, 10), 0.95),
    ]
