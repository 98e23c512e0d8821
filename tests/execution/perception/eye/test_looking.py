"""The learned eye on drawings made here, by no icon set that it has seen."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations
from pathlib import Path

import cv2
import numpy as np
import pytest

from execution.perception.eye.ink import SIDE, prepared
from execution.perception.eye.looking import NUMBERS, Eye, the_eye

Pen = Callable[[np.ndarray, int, int], None]


def _search(ground: np.ndarray, colour: int, width: int) -> None:
    side = len(ground)
    cv2.circle(ground, (int(side * 0.42), int(side * 0.42)), int(side * 0.24), colour, width, cv2.LINE_AA)
    cv2.line(
        ground, (int(side * 0.6), int(side * 0.6)), (int(side * 0.82), int(side * 0.82)), colour, width, cv2.LINE_AA
    )


def _close(ground: np.ndarray, colour: int, width: int) -> None:
    near, far = int(len(ground) * 0.22), int(len(ground) * 0.78)
    cv2.line(ground, (near, near), (far, far), colour, width, cv2.LINE_AA)
    cv2.line(ground, (near, far), (far, near), colour, width, cv2.LINE_AA)


def _menu(ground: np.ndarray, colour: int, width: int) -> None:
    side = len(ground)
    for height in (0.28, 0.5, 0.72):
        cv2.line(ground, (int(side * 0.2), int(side * height)), (int(side * 0.8), int(side * height)), colour, width)


def _document(ground: np.ndarray, colour: int, width: int) -> None:
    side = len(ground)
    left, top, right, bottom = (int(side * share) for share in (0.26, 0.18, 0.74, 0.84))
    cv2.rectangle(ground, (left, top), (right, bottom), colour, width)
    for height in (0.4, 0.55, 0.7):
        cv2.line(ground, (int(side * 0.36), int(side * height)), (int(side * 0.64), int(side * height)), colour, width)


PENS: tuple[Pen, ...] = (_search, _close, _menu, _document)
HANDS = ((32, 245, 40, 3), (48, 32, 220, 3), (24, 200, 20, 2))  # side, ground, ink, width of the pen


def drawn(pen: Pen, side: int, ground: int, ink: int, width: int) -> np.ndarray:
    picture = np.full((side, side), ground, np.uint8)
    pen(picture, ink, width)
    return picture


@pytest.mark.parametrize("pen", PENS, ids=lambda pen: pen.__name__[1:])
def test_a_thing_drawn_by_another_hand_is_more_like_itself_than_any_other(pen: Pen) -> None:
    """Another size, dark on light and light on dark, a thinner pen."""
    for one, other in combinations(HANDS, 2):
        crops = [drawn(pen, *one), *(drawn(p, *other) for p in (pen, *(p for p in PENS if p is not pen)))]
        directions = the_eye().directions(crops)
        alike = directions[1:] @ directions[0]
        assert alike[0] > alike[1:].max() + 0.1, alike


def test_what_shows_nothing_has_no_direction_and_the_others_have_length_one() -> None:
    plain = np.full((20, 60, 3), 230, np.uint8)
    found = the_eye().directions([plain, cv2.cvtColor(drawn(_close, *HANDS[0]), cv2.COLOR_GRAY2BGR), plain[:3]])
    assert found.shape == (3, NUMBERS)
    assert np.isnan(found[[0, 2]]).all()
    assert np.linalg.norm(found[1]) == pytest.approx(1.0, abs=1e-3)


def test_many_crops_are_looked_at_as_each_alone() -> None:
    crops = [drawn(pen, *hand) for pen in PENS for hand in HANDS] * 4
    together = the_eye().directions(crops)
    alone = np.concatenate([the_eye().directions([crop]) for crop in crops[: len(PENS) * len(HANDS)]])
    np.testing.assert_allclose(together[: len(alone)], alone, atol=5e-3)
    np.testing.assert_allclose(together[-len(alone) :], alone, atol=5e-3)


def test_no_crop_is_no_direction() -> None:
    assert the_eye().directions([]).shape == (0, NUMBERS)


def test_the_frame_and_the_ground_of_a_button_do_not_count() -> None:
    bare = drawn(_search, *HANDS[0])
    button = np.full((48, 60), 180, np.uint8)
    button[8:40, 14:46] = np.where(bare < 200, bare, 180)
    cv2.rectangle(button, (2, 2), (57, 45), 90, 1)
    first, second = prepared(bare), prepared(button)
    assert first is not None and second is not None and first.shape == (2, SIDE, SIDE)
    assert np.abs(first - second).mean() < 0.03


def test_weights_that_are_not_there_are_named(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="tools.eye"):
        Eye(tmp_path)
