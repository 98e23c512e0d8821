"""What the rungs of one resolution share: the screen made ready for searching, and the taught picture store."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import cv2
import numpy as np

from execution.navigation.screen_words import ScreenWords, Wanted, wanted
from execution.perception.pictures import PictureSource
from execution.types import Box, Frame, ScreenState, Size
from workflows.graph import TargetSpec

ANCHOR = "anchor_template"
TEXT = "ocr_text"


@dataclass(kw_only=True)
class Context:
    """One resolution: `threshold` is the score, 0 to 1, below which a rung has not found."""

    target: TargetSpec
    state: ScreenState
    variables: Mapping[str, str]
    pictures: PictureSource
    threshold: float
    words: ScreenWords

    @cached_property
    def grey(self) -> np.ndarray:
        return cv2.cvtColor(self.state.frame.pixels, cv2.COLOR_BGR2GRAY)

    @cached_property
    def wanted(self) -> Wanted:
        """The target's text in this run."""
        return wanted(self.target.text, self.variables)

    @property
    def text_was_read(self) -> bool:
        return bool(self.state.text_method)

    def taught_places(self) -> list[Box]:
        """Where the target would be if nothing had moved: in its window, then on the screen."""
        places, frame, window = [], self.state.frame, self.state.window
        if self.target.window_box and window and window.box:
            inner = Box.from_normalised(self.target.window_box, Size(window.box.w, window.box.h))
            places.append(Box(window.box.x + inner.x, window.box.y + inner.y, inner.w, inner.h))
        if self.target.box:
            places.append(taught_box(self.target, frame))
        return places

    def window_stretch(self) -> tuple[float, float]:
        """How much wider and higher the window is than when the target was taught; 1, 1 where nobody knows."""
        target, window = self.target, self.state.window
        if not (target.window_box and target.box and window and window.box and all(target.screen_size)):
            return 1.0, 1.0
        size = Size(*target.screen_size)
        taught, part = Box.from_normalised(target.box, size), target.window_box
        if min(part[2], part[3], taught.w, taught.h) <= 0:
            return 1.0, 1.0
        return window.box.w / (taught.w / part[2]), window.box.h / (taught.h / part[3])


def taught_box(target: TargetSpec, frame: Frame) -> Box:
    """The target's box on the screen it was taught on, or on this one if that is not known."""
    size = Size(*target.screen_size) if all(target.screen_size) else frame.size
    return Box.from_normalised(target.box or (0, 0, 0, 0), size)
