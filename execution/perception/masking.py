"""What must not be seen is painted over before a picture goes to a model (S10.4)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from execution.types import Box, Size
from sentences.said import say
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


def masks_from(value: Any) -> tuple[NormBox, ...]:
    """A workflow's masked regions; ValueError unless each is x, y, width and height as fractions of the screen."""
    masks = []
    for mask in value or ():
        sides = tuple(mask) if isinstance(mask, list | tuple) else ()
        numbers = [float(side) for side in sides if isinstance(side, int | float) and 0 <= side <= 1]
        if len(sides) != 4 or len(numbers) != 4:
            raise ValueError(say("perception.no_mask", mask=str(mask)))
        masks.append((numbers[0], numbers[1], numbers[2], numbers[3]))
    return tuple(masks)
