"""What an element detector is, and what all of them share."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol

import numpy as np

from execution.types import Element, TextLine


class DetectorUnavailable(RuntimeError):
    """A detector cannot work here; the message names the file, what is wrong with it and what to do."""


class ElementDetector(Protocol):
    """Finds elements in BGR pixels; models are loaded with the first picture, not before."""

    def detect(self, pixels: np.ndarray, texts: Sequence[TextLine]) -> tuple[Element, ...]:
        """The elements of a picture whose lines of text are `texts`, from top to bottom, then from left to right."""


def in_order(elements: Iterable[Element]) -> tuple[Element, ...]:
    """From top to bottom, then from left to right."""
    return tuple(sorted(elements, key=lambda e: (e.box.y, e.box.x, e.box.w, e.role)))
