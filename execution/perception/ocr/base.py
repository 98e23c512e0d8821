"""What a text reader is, and what all readers share."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Protocol

import numpy as np

from execution.perception.pixels import check_bgr
from execution.types import Box, TextLine

READERS = {
    "rapidocr": "execution.perception.ocr.rapidocr:RapidReader",
    "easyocr": "execution.perception.ocr.easyocr:EasyReader",
    "tesseract": "execution.perception.ocr.tesseract:TesseractReader",
}
NO_READER = "none"


class ReaderUnavailable(RuntimeError):
    """A reader cannot work here; the message says what is missing and what to do."""


class TextReader(Protocol):
    """Reads text from BGR pixels; models are loaded with the first picture, not before."""

    name: str

    def read(self, pixels: np.ndarray, region: Box | None = None) -> tuple[TextLine, ...]:
        """The lines inside `region` (default: all), in reading order, their boxes in pixels of the whole picture."""


def in_reading_order(lines: Iterable[TextLine]) -> tuple[TextLine, ...]:
    """Lines from top to bottom; those whose centres lie within half a line's height of each other, left to right."""
    left = sorted(lines, key=lambda line: (line.box.center.y, line.box.x))
    ordered: list[TextLine] = []
    while left:
        limit = left[0].box.center.y + max(4, left[0].box.h) // 2
        count = next((i for i, line in enumerate(left) if line.box.center.y > limit), len(left))
        ordered += sorted(left[:count], key=lambda line: line.box.x)
        left = left[count:]
    return tuple(ordered)


def within(region: Box | None, pixels: np.ndarray) -> Box:
    """`region` cut to the picture; the whole picture where none is given. ValueError for what is no BGR picture."""
    check_bgr(pixels)
    whole = Box(0, 0, pixels.shape[1], pixels.shape[0])
    return whole if region is None else region.intersection(whole)


def moved(line: TextLine, *, dx: int, dy: int) -> TextLine:
    """The line with its box moved, from a part of a picture to the whole."""
    box = Box(line.box.x + dx, line.box.y + dy, line.box.w, line.box.h)
    return replace(line, box=box)
