"""The pictures of the sets as the product sees them."""

from __future__ import annotations

import random
import time
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import TypeVar

import cv2
import numpy as np

from benchmarks.readings import FOLDER, Readings
from benchmarks.screens.corpus import Screen
from execution.perception.analyzer import build_analyzer
from execution.types import ScreenState, pixels_digest

_AT_HAND = 32  # states: a picture that is taught is often that of the next case, too
_TOLD_EVERY_S = 30

T = TypeVar("T")


def sampled(cases: Sequence[T], count: int | None) -> list[T]:
    """So many of them, always the same ones and in their order; all where no number is given."""
    if count is None or count >= len(cases):
        return list(cases)
    return [cases[n] for n in sorted(random.Random(0).sample(range(len(cases)), count))]


class Seen:
    """Pictures under `folder`, by their path in it without the ending; what is read of them is kept."""

    def __init__(self, folder: Path, readings: Readings | None = None) -> None:
        self.folder = folder
        self._readings = readings or Readings(build_analyzer(), FOLDER / "foreign")
        self.state = lru_cache(_AT_HAND)(self._state)
        self._began = self._said = time.perf_counter()
        self._count = 0

    def has(self, picture: str) -> bool:
        return self._file(picture).is_file()

    def pixels(self, picture: str) -> np.ndarray:
        pixels = cv2.imread(str(self._file(picture)), cv2.IMREAD_COLOR)
        if pixels is None:
            raise FileNotFoundError(f"{self._file(picture)} is missing, or no picture.")
        return np.asarray(pixels)

    def state_of(self, pixels: np.ndarray) -> ScreenState:
        digest = pixels_digest(pixels)
        state = self._readings.of(Screen(name=digest, picture="", family=""), digest, lambda: pixels).state()
        self._tell()
        return replace(state, frame=replace(state.frame, pixels=pixels))

    def _state(self, picture: str) -> ScreenState:
        return self.state_of(self.pixels(picture))

    def _file(self, picture: str) -> Path:
        return self.folder / f"{picture}.webp"

    def _tell(self) -> None:
        self._count += 1
        if (now := time.perf_counter()) - self._said > _TOLD_EVERY_S:
            self._said = now
            print(f"  {self._count} pictures seen after {now - self._began:.0f} s", flush=True)
