"""What must not be seen is painted over before a picture goes to a model (S10.4)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from execution.types import Box, Size
from workflows.graph import NormBox

_HIDDEN = (128, 128, 128)


def painted_over(pixels: np.ndarray, masks: Sequence[NormBox]) -> np.ndarray:
    """A BGR picture whose `masks` (fractions of it) show nothing; the picture itself where there are none."""
    if not masks:
        return pixels
    size = Size(pixels.shape[1], pixels.shape[0])
    shown = pixels.copy()
    for mask in masks:
        hidden = Box.from_normalised(mask, size).grown(1, size)  # a fraction may fall between two pixels
        shown[hidden.y : hidden.bottom, hidden.x : hidden.right] = _HIDDEN
    return shown
