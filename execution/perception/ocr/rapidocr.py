"""The default reader: the PP-OCR models of the rapidocr wheel on OpenVINO (D5)."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from execution.perception.ocr.base import in_reading_order, moved, within
from execution.perception.ocr.caret import without_caret
from execution.perception.ocr.detection import LineFinder
from execution.perception.ocr.engines import Recogniser, load_models
from execution.perception.ocr.recognition import SUREST_RUBBISH, Piece, read_lines, wanted
from execution.perception.ocr.segments import segments
from execution.types import Box, TextLine, pixels_digest

_LINES_KEPT = 2048


class RapidReader:
    """Finds lines, then reads each; tiles of the screen and lines seen before are known by the digest of their pixels.

    So a picture of which little changed costs little, and gives what a reading of all of it would give (S2.11).
    """

    name = "rapidocr"

    def __init__(self, *, least_confidence: float = SUREST_RUBBISH) -> None:
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
        whole = within(None, pixels)
        inside = (replace(line, box=line.box.intersection(whole)) for line in _once(lines))
        return in_reading_order(line for line in inside if line.box.intersection(part).area)

    def forget(self) -> None:
        """Forget every tile and line: the next picture is read from nothing."""
        with self._lock:
            self._known.clear()
            if self._finder:
                self._finder.forget()

    def _lines(self, pixels: np.ndarray, boxes: Sequence[Box], recogniser: Recogniser) -> list[TextLine]:
        """The texts in the boxes."""
        crops = [np.ascontiguousarray(pixels[b.y : b.bottom, b.x : b.right]) for b in boxes]
        return [
            moved(
                TextLine(
                    text=piece.text,
                    box=piece.box,
                    confidence=piece.confidence,
                    words=piece.words,
                    beside=piece.beside,
                ),
                dx=box.x,
                dy=box.y,
            )
            for box, pieces in zip(boxes, self._pieces(crops, recogniser), strict=True)
            for piece in pieces
            if piece.confidence >= self._least
        ]

    def _pieces(self, crops: Sequence[np.ndarray], recogniser: Recogniser) -> list[list[Piece]]:
        """What each crop says: from memory where it, or each text cut out of it, was read before."""
        digests = [pixels_digest(crop) for crop in crops]
        cut = {
            digest: [
                (segment.box, pixels_digest(segment.pixels), segment.pixels)
                for segment in segments(without_caret(crop))
            ]
            for digest, crop in zip(digests, crops, strict=True)
            if digest not in self._known
        }
        fresh = {key: pixels for parts in cut.values() for _, key, pixels in parts if key not in self._known}
        self._known.update(zip(fresh, read_lines(list(fresh.values()), recogniser), strict=True))
        self.lines_recognised += len(fresh)
        for digest, parts in cut.items():
            self._known[digest] = [_placed(piece, box) for box, key, _ in parts for piece in self._known[key]]
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


def _placed(piece: Piece, part: Box) -> Piece:
    """A piece of a part of a crop as a piece of the crop."""
    return piece._replace(box=Box(piece.box.x + part.x, piece.box.y + part.y, piece.box.w, piece.box.h))


def _once(lines: Sequence[TextLine]) -> list[TextLine]:
    """Each text once: where two found boxes overlap, both hold the line between them."""
    kept: list[TextLine] = []
    for line in lines:
        if not any(other.text == line.text and other.box.contains(line.box.center) for other in kept):
            kept.append(line)
    return kept
