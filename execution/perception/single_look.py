"""One picture looked at outside of a run, to see what is seen on it."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from typing import NamedTuple

import numpy as np

from execution.perception.analyzer import ScreenAnalyzer
from execution.perception.ocr.base import ReaderUnavailable
from execution.perception.scene import Scene, Thing
from execution.types import Frame, ScreenState, pixels_digest
from sentences.said import by_sentence, say


class SingleLook(NamedTuple):
    """The things from top to bottom, how many seconds reading and the scene took, and what went wrong in sentences."""

    things: list[Thing]
    read_s: float
    scene_s: float
    notes: tuple[str, ...]


def state_of(pixels: np.ndarray, analyzer: ScreenAnalyzer) -> ScreenState:
    """A BGR picture as a run would see it. Raises ReaderUnavailable where nothing could be read, or not in time."""
    if analyzer.reader is None:
        raise ReaderUnavailable(say("perception.no_reader"))
    frame = Frame(pixels=pixels, taken_at=datetime.now(UTC), digest=pixels_digest(pixels))
    state = analyzer.analyze(frame, None)
    if analyzer.misses(state):
        raise ReaderUnavailable(by_sentence(state.notes))
    return state


def look_at(pixels: np.ndarray, analyzer: ScreenAnalyzer) -> SingleLook:
    """What stands on a BGR picture; raises as `state_of` does."""
    state = state_of(pixels, analyzer)
    begun = time.perf_counter()
    things = sorted(Scene(state).things, key=lambda thing: (thing.box.y, thing.box.x))
    return SingleLook(things, state.timings.analyze_ms / 1000, time.perf_counter() - begun, state.notes)
