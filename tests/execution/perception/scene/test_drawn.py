"""What is drawn and is no text (S2.12)."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from execution.perception.scene.drawn import bands, gradient, ink_beside
from execution.types import Box
from tests.execution.perception.drawing import Canvas


def grey(canvas: Canvas) -> np.ndarray:
    return np.asarray(cv2.cvtColor(canvas.pixels, cv2.COLOR_BGR2GRAY))


def ink(canvas: Canvas) -> list[Box]:
    return ink_beside(gradient(grey(canvas)), [line.box for line in canvas.lines])


def test_the_gradient_stands_at_the_edges_alone() -> None:
    canvas = Canvas(60, 40)
    canvas.draw.rectangle((20, 0, 59, 39), fill=(0, 0, 0))
    edges = gradient(grey(canvas))
    assert edges.shape == (40, 60)
    assert edges.dtype == np.uint8
    assert edges[20, 19:21].min() == 255
    assert edges[:, :17].max() == edges[:, 24:].max() == 0


class TestInkBeside:
    def test_a_small_picture_is_found_once_and_the_text_beside_it_is_not(self) -> None:
        canvas = Canvas(300, 80)
        drawn = canvas.icon(20, 30, seed=3)
        canvas.text("Search", 120, 32)
        [found] = ink(canvas)
        assert found.iou(drawn) > 0.6

    def test_strokes_that_nearly_touch_are_one_picture(self) -> None:
        canvas = Canvas(200, 80)
        for y in (30, 39, 48):
            canvas.draw.rectangle((40, y, 60, y + 1), fill=(0, 0, 0))
        [found] = ink(canvas)
        assert found.iou(Box(39, 29, 23, 22)) > 0.8

    @pytest.mark.parametrize(("side", "count"), [(1, 0), (24, 1), (110, 1), (130, 0)])
    def test_specks_and_panes_are_none(self, side: int, count: int) -> None:
        canvas = Canvas(300, 200)
        for x in range(0, side, 4):
            canvas.draw.line((20 + x, 20, 20 + x, 19 + side), fill=(0, 0, 0), width=2)
        assert len(ink(canvas)) == count

    def test_a_thin_line_around_much_ground_is_none(self) -> None:
        canvas = Canvas(300, 200)
        canvas.draw.rectangle((20, 20, 120, 120), outline=(0, 0, 0))
        assert ink(canvas) == []


class TestBands:
    def lines(self, *ys: int, left: int = 40, right: int = 360, ends: dict[int, int] | None = None) -> list[Box]:
        canvas = Canvas(400, 700)
        for y in ys:
            canvas.draw.line((left, y, (ends or {}).get(y, right), y), fill=(150, 150, 150))
        return sorted(bands(grey(canvas)))

    def test_what_lies_between_two_level_lines_is_one(self) -> None:
        rows = self.lines(100, 140, 180)
        assert [(box.y, box.bottom) for box in rows] == [(101, 140), (141, 180)]
        assert all(box.iou(box._replace(x=40, w=321)) > 0.99 for box in rows)

    def test_lines_of_another_width_make_none(self) -> None:
        assert self.lines(100, 140, ends={140: 300}) == []
        assert len(self.lines(100, 140, ends={140: 352})) == 1
        canvas = Canvas(400, 300)
        canvas.draw.line((40, 100, 360, 100), fill=(150, 150, 150))
        canvas.draw.line((100, 140, 360, 140), fill=(150, 150, 150))
        assert bands(grey(canvas)) == []

    def test_a_ground_of_stripes_is_no_line(self) -> None:
        canvas = Canvas(400, 300)
        canvas.draw.line((40, 100, 360, 100), fill=(150, 150, 150))
        for y in range(140, 156, 2):
            canvas.draw.line((40, y, 360, y), fill=(150, 150, 150))
        assert bands(grey(canvas)) == []

    def test_short_lines_make_none(self) -> None:
        assert self.lines(100, 140, right=160) == []

    def test_lines_far_apart_or_close_together_make_none(self) -> None:
        assert self.lines(100, 112) == []
        assert self.lines(100, 400) == []

    def test_a_line_that_is_between_ends_the_row_though_it_is_too_near(self) -> None:
        """The two borders of a field are no row, nor is what begins at the upper one."""
        [row] = self.lines(100, 112, 160)
        assert (row.y, row.bottom) == (113, 160)
