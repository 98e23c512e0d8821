"""A picture looked at outside of a run: its things, how long that took, and what is missing (S2.12, S2.13)."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence

import numpy as np
import pytest

from execution.perception.analyzer import ScreenAnalyzer
from execution.perception.elements import FrameDetector
from execution.perception.ocr.base import ReaderUnavailable
from execution.perception.single_look import look_at
from execution.types import Box, TextLine
from tests.execution.perception.drawing import Canvas


class Reader:
    """Reads the same lines on every picture, or does what it is told to in their place."""

    name = "reader"

    def __init__(self, lines: Sequence[TextLine], instead: Callable[[], object] = lambda: None) -> None:
        self.lines, self.instead = tuple(lines), instead

    def read(self, pixels: np.ndarray, region: Box | None = None) -> tuple[TextLine, ...]:
        self.instead()
        return self.lines


def form() -> Canvas:
    canvas = Canvas(400, 200)
    canvas.button("Save", Box(200, 120, 90, 28))
    canvas.text("Name", 20, 26)
    canvas.field(Box(100, 20, 200, 28))
    return canvas


def broken() -> None:
    raise RuntimeError("out of ink")


def test_the_things_come_from_top_to_bottom_with_how_long_it_took() -> None:
    canvas = form()
    look = look_at(canvas.pixels, ScreenAnalyzer(Reader(canvas.lines), FrameDetector(), None))
    assert [(thing.kind, thing.text) for thing in look.things] == [("field", ""), ("text", "Name"), ("button", "Save")]
    assert look.read_s > 0
    assert look.scene_s > 0
    assert look.notes == ()


def test_without_a_reader_it_says_what_to_set() -> None:
    with pytest.raises(ReaderUnavailable, match="RPA_OCR_ENGINE is none"):
        look_at(form().pixels, ScreenAnalyzer(None, FrameDetector(), None))


def test_a_reader_that_fails_is_said_and_nothing_is_shown_as_seen() -> None:
    with pytest.raises(ReaderUnavailable, match="The text reader reader failed: RuntimeError: out of ink"):
        look_at(form().pixels, ScreenAnalyzer(Reader((), broken), FrameDetector(), None))


def test_a_reader_that_hangs_is_not_waited_for_longer_than_the_analyzer_says() -> None:
    let_go = threading.Event()
    try:
        with pytest.raises(ReaderUnavailable, match="has not come back within"):
            look_at(form().pixels, ScreenAnalyzer(Reader((), let_go.wait), FrameDetector(), None, patience=0.2))
    finally:
        let_go.set()


def test_what_else_is_missing_is_told_beside_the_things() -> None:
    class Detector(FrameDetector):
        def detect(self, *_: object) -> tuple[()]:
            broken()
            return ()

    canvas = form()
    look = look_at(canvas.pixels, ScreenAnalyzer(Reader(canvas.lines), Detector(), None))
    assert "Save" in {thing.text for thing in look.things}
    assert any("element detector failed" in note for note in look.notes)
