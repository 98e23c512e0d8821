"""Pictures that are none, or hardly: read, refused with a reason, or degrading the state; nothing raises (S2.1)."""

from __future__ import annotations

import resource
import time

import cv2
import numpy as np
import pytest

from execution.perception.analyzer import ScreenAnalyzer
from execution.perception.elements import FrameDetector
from execution.perception.embedding import BuiltinEmbedder
from execution.perception.ocr.rapidocr import RapidReader
from execution.types import Box, ScreenState
from tests.execution.perception.drawing import Canvas, frame

EIGHT_K = (4320, 7680)


@pytest.fixture
def analyzer(reader: RapidReader) -> ScreenAnalyzer:
    return ScreenAnalyzer(reader, FrameDetector(), BuiltinEmbedder())


def texts(state: ScreenState) -> list[str]:
    return [line.text for line in state.texts]


def form(*, total: str = "1205", name: str = "Marie") -> Canvas:
    canvas = Canvas(640, 360)
    canvas.text("Name", 40, 64)
    canvas.field(Box(120, 56, 200, 32), name)
    canvas.text(f"Total {total}", 40, 260, size=15)
    canvas.button("Save", Box(500, 300, 90, 30))
    return canvas


# --- read -----------------------------------------------------------------------------------------------------------
def test_a_screen_from_right_to_left_is_read_as_far_as_its_letters_are_latin(analyzer: ScreenAnalyzer) -> None:
    """Arabic and Hebrew are not read (the recogniser has no such letters); what stands beside them is, in its place."""
    canvas = Canvas(640, 360)
    canvas.text("حفظ الملف في المجلد", 380, 60, size=18)
    canvas.text("שמור בשם", 420, 120, size=18)
    canvas.text("Invoice 4711", 60, 200, size=16)
    canvas.button("Save", Box(60, 280, 90, 30))
    state = analyzer.analyze(frame(canvas.pixels), None)
    assert not state.degraded
    assert {"Invoice 4711", "Save"} <= set(texts(state))


# --- torn -----------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("at", [70, 180, 266, 310])
def test_a_torn_frame_leaves_nothing_behind(analyzer: ScreenAnalyzer, reader: RapidReader, at: int) -> None:
    """The upper half of the new screen over the lower half of the old one; then the new one, whole."""
    old, new = form().pixels, form(total="998", name="Zoë Blanc").pixels
    torn = np.vstack([new[:at], old[at:]])
    state = None
    for pixels in (old, torn, new):
        state = analyzer.analyze(frame(pixels), None, previous=state)
    assert state is not None
    fresh = ScreenAnalyzer(reader, FrameDetector(), BuiltinEmbedder()).analyze(frame(new), None)
    assert (texts(state), state.elements, state.degraded) == (texts(fresh), fresh.elements, False)
    assert {"Zoë Blanc", "Total 998"} <= set(texts(state))


# --- refused --------------------------------------------------------------------------------------------------------
UNUSABLE = {
    "16 bits": np.zeros((40, 60, 3), np.uint16),
    "transparent": np.zeros((40, 60, 4), np.uint8),
    "grey": np.zeros((40, 60), np.uint8),
    "floating": np.zeros((40, 60, 3), np.float32),
    "no rows": np.zeros((0, 60, 3), np.uint8),
}


@pytest.mark.parametrize("pixels", UNUSABLE.values(), ids=UNUSABLE.keys())
def test_what_is_no_bgr_picture_is_refused_by_its_shape(analyzer: ScreenAnalyzer, pixels: np.ndarray) -> None:
    """A stub, degraded, that says what came instead; the next picture is read as ever."""
    state = analyzer.analyze(frame(pixels), None)
    assert (state.texts, state.elements, state.embedding) == ((), (), None)
    assert state.degraded
    assert len(state.notes) == 1
    assert "picture" in state.notes[0]
    if pixels.size:
        assert str(pixels.dtype) in state.notes[0]
    assert "Save" in texts(analyzer.analyze(frame(form().pixels), None, previous=state))


# --- large ----------------------------------------------------------------------------------------------------------


@pytest.mark.timing
def test_an_8k_screen_is_read_within_bounds(analyzer: ScreenAnalyzer) -> None:
    """7680×4320 at 200 %: text in one corner and in the other, seconds and not minutes, and below 2 GB."""
    pixels = np.full((*EIGHT_K, 3), 245, np.uint8)
    part = cv2.resize(form().pixels, None, fx=2, fy=2, interpolation=cv2.INTER_CUBIC)
    for top, left in ((0, 0), (EIGHT_K[0] - part.shape[0], EIGHT_K[1] - part.shape[1])):
        pixels[top : top + part.shape[0], left : left + part.shape[1]] = part
    before_mb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    began = time.monotonic()
    state = analyzer.analyze(frame(pixels), None)
    assert time.monotonic() - began < 60
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024 - before_mb < 1300
    assert not state.degraded
    assert texts(state).count("Total 1205") == 2
    again = analyzer.analyze(frame(pixels), None)
    assert again.cache_hit
