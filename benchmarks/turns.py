"""What an analysis costs turn after turn, on frames of real programs at work (S2.5, S2.11)."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import groupby
from pathlib import Path

import numpy as np

from benchmarks.screens.corpus import Screen
from execution.desktop.digests import Digests
from execution.perception.analyzer import ScreenAnalyzer
from execution.types import Frame, ScreenState, Size

SMALL_CHANGES = ("typing", "caret", "clock")
FULL_HD = Size(1920, 1080)
_REPEATS = 40


@dataclass(slots=True)
class Turns:
    """Milliseconds of each analysis: the first of a sequence, the following by kind; and how many were known."""

    first: list[float] = field(default_factory=list)
    by_kind: dict[str, list[float]] = field(default_factory=dict)
    known: int = 0
    frames: int = 0

    @property
    def small(self) -> list[float]:
        return [ms for kind in SMALL_CHANGES for ms in self.by_kind.get(kind, ())]


def measure(screens: Sequence[Screen], folder: Path, analyzer: ScreenAnalyzer) -> Turns:
    """Each sequence played from its first frame to its last, as the run loop would look at it."""
    turns = Turns()
    for _, group in groupby(sorted(screens, key=lambda s: (s.family, s.step)), key=lambda s: s.family):
        previous: ScreenState | None = None
        for screen in group:
            pixels, digests = screen.pixels(folder), Digests()
            frame = Frame(pixels=pixels, taken_at=datetime.now(UTC), digest=digests.of(pixels))
            began = time.perf_counter()
            state = analyzer.analyze(frame, screen.window, previous=previous)
            took = (time.perf_counter() - began) * 1000
            if previous is None:
                turns.first.append(took)
            else:
                turns.by_kind.setdefault(screen.variant["kind"], []).append(took)
                turns.known += state.cache_hit
                turns.frames += 1
            previous = state
    return turns


def unchanged(screens: Iterable[Screen], folder: Path, analyzer: ScreenAnalyzer) -> list[float]:
    """Milliseconds to digest and analyse a 1920×1080 frame that is what the last one was."""
    screen = next(s for s in screens if s.pixels(folder).shape[:2] == FULL_HD[::-1])
    pixels, digests, times = screen.pixels(folder), Digests(), list[float]()
    frame = Frame(pixels=pixels, taken_at=datetime.now(UTC), digest=digests.of(pixels))
    previous = analyzer.analyze(frame, None)
    for _ in range(_REPEATS):
        again = np.array(pixels)
        began = time.perf_counter()
        frame = Frame(pixels=again, taken_at=datetime.now(UTC), digest=digests.of(again))
        previous = analyzer.analyze(frame, None, previous=previous)
        times.append((time.perf_counter() - began) * 1000)
    return times
