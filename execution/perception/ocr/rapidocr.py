"""The default reader: the PP-OCR models of the rapidocr wheel on OpenVINO (DESIGN 5.8)."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Sequence

import numpy as np

from execution.perception.ocr.base import in_reading_order, moved, within
from execution.perception.ocr.caret import without_caret
from execution.perception.ocr.detection import LineFinder
from execution.perception.ocr.engines import Recogniser, load_models
from execution.perception.ocr.recognition import Piece, read_lines, wanted
from execution.types import Box, TextLine, pixels_digest

_LINES_KEPT = 2048
_SUREST_RUBBISH = 0.5  # icons and arrows taken for letters score below, text above


class RapidReader:
    """Finds lines, then reads each; tiles of the screen and lines seen before are known by the digest of their pixels.

    So a picture of which little changed costs little, and gives what a reading of all of it would give (S2.11).
    """

    name = "rapidocr"

    def __init__(self, *, least_confidence: float = _SUREST_RUBBISH) -> None:
        self._least = least_confidence
        self._finder: LineFinder | None = None
        self._recogniser: Recogniser | None = None
        self._known: OrderedDict[str, list[Piece]] = OrderedDict()
        self._lock = threading.Lock()  # an inference request serves one caller at a time
        self.lines_recognised = 0

    def read(self, pixels: np.ndarray, region: Box | None = None) -> tuple[TextLine, ...]:
        """The lines of text that lie in `region` (default: all) at least in part, in reading order."""
        part = within(region, pixels)
        if not part.area:
            return ()
        with self._lock:
            finder, recogniser = self._loaded()
            boxes = finder.find(pixels)
            lines = self._lines(pixels, [b for b in boxes if b.intersection(part).area], recogniser)
        return in_reading_order(line for line in lines if line.box.intersection(part).area)

    def _lines(self, pixels: np.ndarray, boxes: Sequence[Box], recogniser: Recogniser) -> list[TextLine]:
        """The texts in the boxes."""
        crops = [np.ascontiguousarray(pixels[b.y : b.bottom, b.x : b.right]) for b in boxes]
        return [
            moved(TextLine(text=piece.text, box=piece.box, confidence=piece.confidence), dx=box.x, dy=box.y)
            for box, pieces in zip(boxes, self._pieces(crops, recogniser), strict=True)
            for piece in pieces
            if piece.confidence >= self._least
        ]

    def _pieces(self, crops: Sequence[np.ndarray], recogniser: Recogniser) -> list[list[Piece]]:
        """What each crop says: from memory where it, or it without its text cursor, was read before."""
        digests = [pixels_digest(crop) for crop in crops]
        cleaned, fresh = dict[str, str](), dict[str, np.ndarray]()
        for digest, crop in zip(digests, crops, strict=True):
            if digest not in self._known and digest not in cleaned:
                clean = without_caret(crop)
                cleaned[digest] = digest if clean is crop else pixels_digest(clean)
                if cleaned[digest] not in self._known:
                    fresh[cleaned[digest]] = clean
        self._known.update(zip(fresh, read_lines(list(fresh.values()), recogniser), strict=True))
        self.lines_recognised += len(fresh)
        for digest, clean_digest in cleaned.items():
            self._known[digest] = self._known[clean_digest]
        for digest in digests:
            self._known.move_to_end(digest)
        said = [self._known[digest] for digest in digests]
        while len(self._known) > _LINES_KEPT:
            self._known.popitem(last=False)
        return said

    def _loaded(self) -> tuple[LineFinder, Recogniser]:
        if self._finder is None or self._recogniser is None:
            models = load_models(wanted)
            self._finder, self._recogniser = LineFinder(models.detect), models.recogniser
        return self._finder, self._recogniser
