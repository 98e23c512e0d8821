"""What is carried over from turn to turn is what a reading of all would give (S2.11), on pieces of real screens.

SUREHAND_EQUALITY_EXAMPLES=500 tries more; benchmarks/equality.py does it on whole sequences of real programs.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import cv2
import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from PIL import Image, ImageDraw, ImageFont

from benchmarks.equality import differences, element_differences, fresh_reader, whole
from execution.perception.analyzer import ScreenAnalyzer
from execution.perception.elements import FrameDetector
from execution.perception.ocr.rapidocr import RapidReader
from execution.types import Box, ScreenState
from tests.execution.perception.drawing import FONTS, frame

SCREENS = Path(__file__).parent / "screens"
NAMES = sorted(path.stem for path in SCREENS.glob("*.png"))
EXAMPLES = int(os.environ.get("SUREHAND_EQUALITY_EXAMPLES", "4"))
WIDTH, HEIGHT = 640, 400
WORDS = ("Save As…", "1206", "Zoë Blanc", "l", "il", "Chapitre 3 : été", "|", "08/11/2026", "OK", "rn m", "€ 12,50")
GROUNDS = ((250, 250, 250), (32, 32, 36), (200, 220, 245))

Edit = Callable[[np.ndarray], None]


def picture(name: str) -> np.ndarray:
    return np.asarray(cv2.imread(str(SCREENS / f"{name}.png")))


# --- what happens on a screen ---------------------------------------------------------------------------------------
def typed(text: str, x: int, y: int, size: int, bright: bool) -> Edit:
    def edit(pixels: np.ndarray) -> None:
        image = Image.fromarray(np.ascontiguousarray(pixels[..., ::-1]))
        face = ImageFont.truetype(str(FONTS / "DejaVuSans.ttf"), size)
        ImageDraw.Draw(image).text((x, y), text, font=face, fill=(245, 245, 245) if bright else (20, 20, 24))
        pixels[:] = np.asarray(image)[..., ::-1]

    return edit


def painted(box: Box, colour: tuple[int, int, int]) -> Edit:
    def edit(pixels: np.ndarray) -> None:
        pixels[box.y : box.bottom, box.x : box.right] = colour

    return edit


def scrolled(box: Box, by: int) -> Edit:
    def edit(pixels: np.ndarray) -> None:
        part = pixels[box.y : box.bottom, box.x : box.right]
        part[:] = np.roll(part, by, axis=0)

    return edit


def moved(box: Box, dx: int, dy: int, ground: tuple[int, int, int]) -> Edit:
    def edit(pixels: np.ndarray) -> None:
        to = Box(box.x + dx, box.y + dy, box.w, box.h).intersection(Box(0, 0, WIDTH, HEIGHT))
        part = pixels[to.y - dy : to.bottom - dy, to.x - dx : to.right - dx].copy()
        pixels[box.y : box.bottom, box.x : box.right] = ground
        pixels[to.y : to.bottom, to.x : to.right] = part

    return edit


def popped_up(x: int, y: int, words: tuple[str, ...], colour: tuple[int, int, int]) -> Edit:
    def edit(pixels: np.ndarray) -> None:
        cv2.rectangle(pixels, (x, y), (x + 180, y + 10 + 24 * len(words)), colour, -1)
        cv2.rectangle(pixels, (x, y), (x + 180, y + 10 + 24 * len(words)), (128, 128, 128), 1)
        for row, word in enumerate(words):
            typed(word, x + 12, y + 8 + 24 * row, 13, sum(colour) < 380)(pixels)

    return edit


def put_back(pixels: np.ndarray) -> None:
    """Marks that the screen is again what it was at first; `play` does it."""


boxes = st.builds(Box, st.integers(0, 500), st.integers(0, 320), st.integers(8, 400), st.integers(6, 240)).map(
    lambda box: box.intersection(Box(0, 0, WIDTH, HEIGHT))
)
colours = st.sampled_from(GROUNDS)
edits = st.one_of(
    st.builds(
        typed, st.sampled_from(WORDS), st.integers(0, 560), st.integers(0, 370), st.integers(11, 20), st.booleans()
    ),
    st.builds(painted, boxes, colours),
    st.builds(scrolled, boxes, st.integers(-60, 60).filter(bool)),
    st.builds(moved, boxes, st.integers(-80, 80), st.integers(-80, 80), colours),
    st.builds(
        popped_up, st.integers(0, 450), st.integers(0, 280),
        st.lists(st.sampled_from(WORDS), min_size=1, max_size=4).map(tuple), colours,
    ),
    st.just(put_back),
)  # fmt: skip


def play(name: str, chain: list[Edit], reader: RapidReader) -> list[tuple[int, str, str]]:
    """Each frame of the chain looked at as the next one, and as the first one ever: where the two differ."""
    first = picture(name)
    pixels = first.copy()
    analyzer = ScreenAnalyzer(fresh_reader(reader), FrameDetector(), None)
    state: ScreenState = analyzer.analyze(frame(pixels.copy()), None)
    found = []
    for turn, edit in enumerate(chain):
        if edit is put_back:
            pixels = first.copy()
        edit(pixels)
        seen = frame(pixels.copy())
        state = analyzer.analyze(seen, None, previous=state)
        assert not state.degraded
        texts, elements = whole(seen, fresh_reader(reader), FrameDetector())
        unlike = [*differences(texts, state.texts), *element_differences(elements, state.elements)]
        found += [(turn, kind, words) for kind, words in unlike]
    return found


@pytest.mark.parametrize("name", NAMES)
@given(chain=st.lists(edits, min_size=1, max_size=3))
@settings(
    max_examples=EXAMPLES,
    database=None,
    phases=[Phase.explicit, Phase.generate],  # each turn is read twice: shrinking would take minutes
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@pytest.mark.slow
def test_a_chain_of_turns_reads_what_a_first_reading_reads(name: str, chain: list[Edit], reader: RapidReader) -> None:
    reader.read(np.full((64, 256, 3), 255, np.uint8))
    assert play(name, chain, reader) == []
