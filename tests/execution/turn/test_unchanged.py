"""The glance before an action: what has changed since the place was chosen, and what only blinks."""

from __future__ import annotations

import time
from dataclasses import replace
from datetime import UTC, datetime

import numpy as np
import pytest

from execution.desktop.acts import to_input
from execution.turn.unchanged import Glance, what_changed
from execution.types import Box, Frame, Point, Resolution, ResolveStatus, Suggestion, Window
from tests.execution.screens import frame
from workflows.graph import EdgeSpec

BUTTON = Box(300, 200, 80, 24)
WINDOW = Window(title="Notes", app_name="notes", box=Box(0, 0, 600, 400))


def suggestion(box: Box | None = BUTTON) -> Suggestion:
    edge = EdgeSpec(edge_id="e", source="a", destination="b", action_type="click")
    status = ResolveStatus.FOUND if box else ResolveStatus.NOT_NEEDED
    resolution = Resolution(status=status, box=box, point=box.center if box else None)
    return Suggestion(edge=edge, node_id="a", sentence="Click", params={}, resolution=resolution)


def glance(*patches: tuple[Box, int], window: Window | None = WINDOW) -> Glance:
    return Glance(frame=frame(*patches), window=window)


def test_the_same_screen_may_be_acted_on() -> None:
    assert what_changed(suggestion(), glance((BUTTON, 90)), glance((BUTTON, 90))) == ""


@pytest.mark.parametrize(
    "now",
    [
        glance(),  # the button is gone
        glance((Box(300, 170, 80, 24), 90)),  # it moved
        glance((BUTTON, 90), (Box(330, 205, 6, 10), 20)),  # one letter of its label is another
        glance((BUTTON, 90), (Box(370, 190, 60, 30), 20)),  # something came over its edge
        glance((BUTTON, 90), (Box(290, 226, 100, 4), 20)),  # or close to it
    ],
)
def test_a_target_that_is_not_what_it_was_is_noticed(now: Glance) -> None:
    assert "place of the target" in what_changed(suggestion(), glance((BUTTON, 90)), now)


@pytest.mark.parametrize(
    "now", [glance((BUTTON, 90), (Box(320, 202, 2, 20), 0)), glance((BUTTON, 90), (Box(0, 0, 90, 90), 0))]
)
def test_a_blinking_caret_and_what_is_elsewhere_do_not_matter(now: Glance) -> None:
    assert what_changed(suggestion(), glance((BUTTON, 90)), now) == ""


def test_for_an_identity_the_whole_window_must_be_the_same() -> None:
    """S9.6: the record shown may have changed while the button stays what it is."""
    then, now = glance((BUTTON, 90)), glance((BUTTON, 90), (Box(20, 20, 90, 14), 0))
    assert what_changed(suggestion(), then, now, whole=True) == "The window does not show what it did."


@pytest.mark.parametrize("box", [BUTTON, None])
@pytest.mark.parametrize(
    ("window", "says"),
    [
        (None, "“Notes” is gone"),
        (replace(WINDOW, title="Mail"), "“Mail” is the window in front now, not “Notes”"),
        (replace(WINDOW, box=Box(9, 9, 600, 400)), "has moved"),
    ],
)
def test_another_window_in_front_is_noticed_for_clicks_and_for_keys(box: Box | None, window: Window, says: str) -> None:
    """A window that closed between looking and acting: what is behind it gets neither the click nor the text."""
    assert says in what_changed(suggestion(box), glance(), glance(window=window))


def test_what_is_unsteady_is_borne_the_second_time() -> None:
    then, now = glance((BUTTON, 90)), glance((BUTTON, 90), (Box(330, 205, 6, 8), 20))
    assert what_changed(suggestion(), then, now, strict=False) == ""
    assert what_changed(suggestion(), then, glance(), strict=False) != ""


def test_a_screen_of_another_size_is_noticed() -> None:
    small = Frame(pixels=np.zeros((300, 400, 3), np.uint8), taken_at=datetime.now(UTC), digest="other")
    assert "another size" in what_changed(suggestion(), glance(), Glance(frame=small, window=WINDOW))


@pytest.mark.timing
def test_the_comparison_costs_less_than_15_ms_on_a_large_screen() -> None:
    pixels = np.random.default_rng(1).integers(0, 255, (1600, 2560, 3), dtype=np.uint8)
    other = pixels.copy()
    other[0, 0] ^= 255
    then, now = (
        Glance(frame=Frame(pixels=p, taken_at=datetime.now(UTC), digest=d), window=WINDOW)
        for p, d in ((pixels, "one"), (other, "other"))
    )
    took = []
    for _ in range(9):
        began = time.perf_counter()
        assert what_changed(suggestion(), then, now) == ""
        took.append(time.perf_counter() - began)
    assert sorted(took)[4] < 0.015


@pytest.mark.parametrize(
    ("origin", "scale", "expected"),
    [
        (Point(0, 0), 1.0, Point(340, 212)),
        (Point(1920, 0), 2.0, Point(2090, 106)),
        (Point(-1280, 40), 1.25, Point(-1008, 209)),
    ],
)
def test_a_click_goes_where_the_monitor_lies_and_by_its_scale(origin: Point, scale: float, expected: Point) -> None:
    """Two monitors with different scale: a frame says where it lies in input coordinates, and how dense it is."""
    place = to_input(BUTTON.center, origin=origin, scale=scale)
    assert max(abs(place.x - expected.x), abs(place.y - expected.y)) <= 1
