from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from execution.perception.changes import find_changes, merged, plan_reading, same_pixels
from execution.types import Box, Point, Size, TextLine

SIZE = Size(320, 200)
boxes = st.builds(Box, st.integers(0, 280), st.integers(0, 180), st.integers(6, 120), st.integers(6, 24)).map(
    lambda b: b.intersection(Box(0, 0, *SIZE))
)
pixels = st.builds(Point, st.integers(0, SIZE.width - 1), st.integers(0, SIZE.height - 1))


def blank() -> np.ndarray:
    return np.full((SIZE.height, SIZE.width, 3), 240, np.uint8)


def line(box: Box) -> TextLine:
    return TextLine(text=f"{box.x},{box.y}", box=box)


@given(boxes=st.lists(boxes, max_size=12), changed=st.lists(pixels, min_size=1, max_size=8), by=st.integers(1, 255))
def test_no_line_with_a_changed_pixel_is_carried_over(boxes, changed, by):
    """S2.11: however small the change; what is carried over lies outside every region that is read again."""
    after = blank()
    for x, y in set(changed):
        after[y, x, 0] ^= by
    difference = find_changes(blank(), after)
    plan = plan_reading(difference, [line(b) for b in boxes], SIZE)
    for kept in plan.kept:
        assert not any(kept.box.contains(point) for point in changed)
        assert plan.regions is not None
        assert all(not kept.box.intersection(region).area for region in plan.regions)
    if plan.regions is not None:
        assert all(any(region.contains(point) for region in plan.regions) for point in changed)
        again = [b for b in boxes if line(b) not in plan.kept]
        assert all(any(b.intersection(region) == b for region in plan.regions) for b in again)


@given(changed=st.lists(pixels, max_size=10))
def test_the_regions_hold_every_changed_pixel_and_reach_no_further(changed):
    after = blank()
    for x, y in changed:
        after[y, x] = 0
    difference = find_changes(blank(), after)
    assert difference.area == len(set(changed))
    assert all(any(region.contains(point) for region in difference.regions) for point in changed)
    for region in difference.regions:
        assert difference.touches(Box(region.x, region.y, 1, region.h))
        assert difference.touches(Box(region.x, region.y, region.w, 1))


@given(st.lists(boxes, max_size=12))
def test_merged_boxes_are_apart_and_cover_all(given_boxes):
    apart = merged(given_boxes)
    assert all(not a.intersection(b).area for i, a in enumerate(apart) for b in apart[i + 1 :])
    assert all(any(b.intersection(a) == b for a in apart) for b in given_boxes)


def test_pictures_of_two_sizes_cannot_be_compared_and_all_is_read():
    assert find_changes(blank(), np.zeros((10, 10, 3), np.uint8)) is None
    plan = plan_reading(None, [line(Box(5, 5, 50, 12))], SIZE)
    assert (plan.kept, plan.regions) == ((), None)


def test_a_change_of_most_of_the_screen_is_read_as_a_whole():
    after = blank()
    after[10:190, 10:310] = 0
    assert plan_reading(find_changes(blank(), after), [], SIZE).regions is None


def test_a_change_in_any_colour_channel_counts():
    for channel in range(3):
        after = blank()
        after[50, 50, channel] += 1
        assert find_changes(blank(), after).regions == (Box(50, 50, 1, 1),)
        assert not same_pixels(blank(), after)


@pytest.mark.parametrize(("box", "caret"), [(Box(40, 40, 1, 16), True), (Box(40, 40, 2, 20), True),
                                            (Box(40, 40, 6, 12), False), (Box(40, 40, 2, 120), False)])  # fmt: skip
def test_a_caret_is_told_from_a_letter(box, caret):
    after = blank()
    after[box.y : box.bottom, box.x : box.right] = 0
    assert find_changes(blank(), after).is_caret_only is caret
