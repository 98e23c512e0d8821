"""Pictures of a scripted desktop's screens, and a reader that knows each by its pixels: for lessons on pictures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from execution.lesson.slides import Slide
from execution.perception.analyzer import ScreenAnalyzer
from execution.types import Box, TextLine
from tests.doubles.scripted import ScriptedDesktop
from tests.doubles.widgets import ScriptedScreen
from tests.support.drawn_texts import text_box
from workflows.pictures import PictureStore


def drawn(screen: ScriptedScreen) -> np.ndarray:
    return ScriptedDesktop([replace(screen, on={})]).grab().pixels


class PicturesReader:
    """Reads of a picture what the script says is on the screen that it looks like; of any other nothing."""

    name = "pictures"

    def __init__(self, screens: Sequence[ScriptedScreen]) -> None:
        self.read_count = 0
        self._known = [(drawn(screen), screen) for screen in screens]

    def read(self, pixels: np.ndarray, region: Box | None = None) -> tuple[TextLine, ...]:
        self.read_count += 1
        alike = [
            (float(np.mean(known != pixels)), n) for n, (known, _) in enumerate(self._known) if _fits(known, pixels)
        ]
        apart, best = min(alike, default=(1.0, 0))
        return tuple(_lines(self._known[best][1])) if apart < 0.01 else ()


def _fits(known: np.ndarray, pixels: np.ndarray) -> bool:
    return known.shape == pixels.shape


def _lines(screen: ScriptedScreen) -> list[TextLine]:
    found = []
    for widget in screen.widgets:
        if text := getattr(widget, "text", ""):
            found.append(TextLine(text=text, box=text_box(widget, text)))
    return found


def analyzer_of(screens: Sequence[ScriptedScreen]) -> ScreenAnalyzer:
    return ScreenAnalyzer(PicturesReader(screens), None, None)


def slides(screens: Sequence[ScriptedScreen], *, titles: bool = True) -> list[Slide]:
    """A picture of each, stored."""
    store = PictureStore()
    return [
        Slide(
            picture=store.put(drawn(one)), size=(1280, 800), name=f"{one.name}.png", title=one.title if titles else ""
        )
        for one in screens
    ]
