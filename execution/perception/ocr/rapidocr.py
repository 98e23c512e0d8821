"""The default reader: the PP-OCR models of the rapidocr wheel on OpenVINO (DESIGN 5.8)."""

from __future__ import annotations

import threading
from collections import OrderedDict

import numpy as np

from execution.perception.ocr.base import in_reading_order, moved, size_of, within
from execution.perception.ocr.caret import without_caret
from execution.perception.ocr.detection import detection_scale, find_lines
from execution.perception.ocr.engines import Models, load_models
from execution.perception.ocr.recognition import Letters, Piece, read_line
from execution.types import Box, TextLine, pixels_digest

_LINES_KEPT = 2048
_SUREST_RUBBISH = 0.5  # icons and arrows taken for letters score below, text above


class RapidReader:
    """Finds lines, then reads each; what a line said is remembered by the digest of its pixels."""

    name = "rapidocr"

    def __init__(self, *, least_confidence: float = _SUREST_RUBBISH) -> None:
        self._least = least_confidence
        self._models: Models | None = None
        self._letters = Letters(())
        self._known: OrderedDict[str, list[Piece]] = OrderedDict()
        self._lock = threading.Lock()  # an inference request serves one caller at a time
        self.lines_recognised = 0

    def read(self, pixels: np.ndarray, region: Box | None = None) -> tuple[TextLine, ...]:
        """The lines of text inside `region` (default: all), in reading order."""
        part = within(region, pixels)
        if not part.area:
            return ()
        with self._lock:
            models = self._loaded()
            crop = pixels[part.y : part.bottom, part.x : part.right]
            boxes = find_lines(crop, models.detector.run, scale=detection_scale(size_of(pixels)))
            found = [line for box in boxes for line in self._line(crop, box, models)]
        return in_reading_order(moved(line, dx=part.x, dy=part.y) for line in found)

    def _line(self, pixels: np.ndarray, box: Box, models: Models) -> list[TextLine]:
        crop = without_caret(np.ascontiguousarray(pixels[box.y : box.bottom, box.x : box.right]))
        digest = pixels_digest(crop)
        if digest not in self._known:
            self._known[digest] = read_line(crop, models.recogniser.run, self._letters)
            self.lines_recognised += 1
            if len(self._known) > _LINES_KEPT:
                self._known.popitem(last=False)
        self._known.move_to_end(digest)
        pieces = [p for p in self._known[digest] if p.confidence >= self._least]
        return [moved(TextLine(text=p.text, box=p.box, confidence=p.confidence), dx=box.x, dy=box.y) for p in pieces]

    def _loaded(self) -> Models:
        if self._models is None:
            self._models = load_models()
            self._letters = Letters(self._models.recogniser.characters)
        return self._models
