"""Things drawn over their picture, for people (S2.12)."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from execution.perception.scene import PlacedWord, Source, Thing
from execution.perception.scene.painting import _free_place, painted
from execution.types import Box

WHITE = np.full((200, 300, 3), 255, np.uint8)


def thing(box: Box, source: Source = Source.ELEMENT, kind: str = "button", says: str = "Save") -> Thing:
    return Thing(box, kind, source, (PlacedWord(says, box),) if says else ())


def colours(pixels: np.ndarray) -> set[tuple[int, ...]]:
    return set(map(tuple, pixels.reshape(-1, 3).tolist()))


def test_a_picture_of_nothing_is_larger_and_else_as_it_was() -> None:
    assert painted(WHITE, []).shape == (400, 600, 3)
    assert colours(painted(WHITE, [])) == {(255, 255, 255)}


def test_tags_cover_neither_each_other_nor_the_edge() -> None:
    whole, tags = Box(0, 0, 600, 400), list[Box]()
    for n in range(4):
        tags.append(_free_place(Box(280 + n, 200, 60, 30), 90, whole, tags))
    assert all(one.intersection(other).area == 0 for one, other in combinations(tags, 2))
    for box in (Box(0, 0, 30, 20), Box(570, 380, 30, 20)):
        assert whole.intersection(tag := _free_place(box, 90, whole, [])) == tag


@pytest.mark.parametrize("says", ["x" * 500, "Été « œ » 漢 €", "{n}%(x)s"])
def test_any_text_can_be_drawn(says: str) -> None:
    assert painted(WHITE, [thing(Box(0, 0, 300, 200), says=says)]).shape == (400, 600, 3)
