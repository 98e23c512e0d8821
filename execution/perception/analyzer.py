"""From a frame to a ScreenState: what is read, what elements there are, what the screen looks like (S2.1)."""

from __future__ import annotations

import logging
import time
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np

from execution.perception.changes import find_changes, plan_reading, same_pixels
from execution.perception.elements import ElementDetector, FrameDetector
from execution.perception.embedding import BuiltinEmbedder, Embedder
from execution.perception.ocr import check_reader_name, open_reader
from execution.perception.ocr.base import TextReader, in_reading_order
from execution.types import Box, Element, Embedding, Frame, ScreenState, TextLine, Timings, Window

logger = logging.getLogger(__name__)


class ScreenAnalyzer:
    """Reads a frame with whatever parts it was given; a part that fails degrades the state, it never raises."""

    def __init__(self, reader: TextReader | None, detector: ElementDetector | None, embedder: Embedder | None) -> None:
        self.reader = reader
        self.detector = detector
        self.embedder = embedder
        self._told: set[str] = set()

    def warm_up(self) -> None:
        """Load what is heavy now; raises ReaderUnavailable and the like, which `analyze` would only log."""
        blank = np.full((64, 256, 3), 255, np.uint8)
        if self.reader:
            self.reader.read(blank)
        if self.embedder:
            self.embedder.embed(blank)

    def analyze(
        self, frame: Frame, window: Window | None, *, ocr: bool = True, ui: bool = True,
        previous: ScreenState | None = None,
    ) -> ScreenState:  # fmt: skip
        """What is on the frame. With `previous`, of the same desktop, only what changed since is read again (S2.11).

        Both flags off gives a stub: no texts, no elements, degraded (S2.3); unless these very pixels were read before
        they went off (S2.4).
        """
        started = time.perf_counter()
        reader, detector = (self.reader if ocr else None), (self.detector if ui else None)
        if previous and reader is None and detector is None and _known_already(previous, frame):
            state = replace(previous, frame=frame, window=window, cache_hit=True, timings=Timings())
        elif reader is None and detector is None:
            state = ScreenState(frame=frame, window=window, embedding=self._embed(frame), degraded=True)
        elif previous and _answers(previous, frame, reader, detector):
            state = replace(
                previous, frame=frame, window=window, cache_hit=True, timings=Timings(),
                elements=previous.elements if detector else (),
            )  # fmt: skip
        else:
            state = self._seen(frame, window, reader, detector, previous)
        return replace(state, timings=replace(state.timings, analyze_ms=_ms_since(started)))

    def _seen(
        self, frame: Frame, window: Window | None, reader: TextReader | None, detector: ElementDetector | None,
        previous: ScreenState | None,
    ) -> ScreenState:  # fmt: skip
        begun = time.perf_counter()
        texts, count, problem = self._read(frame, reader, previous) if reader else ((), 0, "")
        ocr_ms = _ms_since(begun)
        begun = time.perf_counter()
        elements, trouble = self._detect(frame, detector, texts) if detector else ((), "")
        ui_ms = _ms_since(begun)
        return ScreenState(
            frame=frame,
            window=window,
            texts=texts,
            elements=elements,
            embedding=self._embed(frame),
            timings=Timings(ocr_ms=ocr_ms if reader else 0.0, ui_ms=ui_ms if detector else 0.0, lines_read=count),
            degraded=bool(problem or trouble),
            text_method=reader.name if reader and not problem else "",
        )

    def _read(
        self, frame: Frame, reader: TextReader, previous: ScreenState | None
    ) -> tuple[tuple[TextLine, ...], int, str]:
        """The lines, how many of them were read now, and what went wrong ("" if nothing)."""
        try:
            usable = previous is not None and previous.text_method == reader.name and not previous.degraded
            texts, count, strays = _lines(frame, reader, previous if usable else None)
        except Exception as error:  # noqa: BLE001  other people's code: one bad frame must not end a run
            return (), 0, self._tell(f"the text reader {reader.name} failed: {type(error).__name__}: {error}")
        if strays:
            return texts, count, self._tell(f"the text reader {reader.name} found text outside the picture")
        return texts, count, ""

    def _detect(
        self, frame: Frame, detector: ElementDetector, texts: tuple[TextLine, ...]
    ) -> tuple[tuple[Element, ...], str]:
        try:
            return detector.detect(frame.pixels, texts), ""
        except Exception as error:  # noqa: BLE001  the same
            return (), self._tell(f"the element detector failed: {type(error).__name__}: {error}")

    def _embed(self, frame: Frame) -> Embedding | None:
        if self.embedder is None:
            return None
        try:
            return self.embedder.embed(frame.pixels)
        except Exception as error:  # noqa: BLE001  the same
            self._tell(f"the embedding failed: {type(error).__name__}: {error}")
            return None

    def _tell(self, problem: str) -> str:
        """Log a problem the first time it comes."""
        if problem not in self._told:
            self._told.add(problem)
            logger.warning("Perception is degraded: %s", problem)
        return problem


def build_analyzer(*, reader_name: str, **options: Any) -> ScreenAnalyzer:
    """The product's own analyzer; models are loaded with the first frame or by `warm_up`.

    `options` are the reader's own (a folder of weights, languages). ValueError for an unknown reader; "none" reads no
    text.
    """
    if reader_name == "none":
        return ScreenAnalyzer(None, FrameDetector(), BuiltinEmbedder())
    check_reader_name(reader_name)
    return ScreenAnalyzer(open_reader(reader_name, **options), FrameDetector(), BuiltinEmbedder())


def _answers(previous: ScreenState, frame: Frame, reader: TextReader | None, detector: ElementDetector | None) -> bool:
    """True if `previous` is a sound answer to what is asked now, for the very same pixels."""
    if previous.degraded or previous.text_method != (reader.name if reader else ""):
        return False
    if detector and not previous.elements:
        return False
    return _same(previous.frame, frame)


def _known_already(previous: ScreenState, frame: Frame) -> bool:
    return bool(previous.text_method) and not previous.degraded and _same(previous.frame, frame)


def _same(one: Frame, other: Frame) -> bool:
    if one.digest and other.digest:
        return one.digest == other.digest
    return same_pixels(one.pixels, other.pixels)


def _lines(frame: Frame, reader: TextReader, previous: ScreenState | None) -> tuple[tuple[TextLine, ...], int, bool]:
    """The lines of the frame, how many were read now, and whether any lay outside the picture."""
    if previous is None:
        read = reader.read(frame.pixels)
        kept: tuple[TextLine, ...] = ()
    else:
        changes = find_changes(previous.frame.pixels, frame.pixels)
        plan = plan_reading(changes, previous.texts, frame.size)
        kept = plan.kept
        if plan.regions is None:
            read = reader.read(frame.pixels)
        else:
            pieces = [_read_whole_lines(frame, reader, region, kept) for region in plan.regions]
            if any(piece is None for piece in pieces):
                read, kept = reader.read(frame.pixels), ()
            else:
                read = tuple(line for piece in pieces for line in piece or ())
    inside = tuple(_cut(read, frame))
    strays = len(inside) != len(read) or any(a.box != b.box for a, b in zip(inside, read, strict=False))
    return in_reading_order([*kept, *inside]), len(read), strays


def _read_whole_lines(
    frame: Frame, reader: TextReader, region: Box, kept: tuple[TextLine, ...]
) -> tuple[TextLine, ...] | None:
    """The lines in a region; None where one may run on beyond it, so that all must be read."""
    lines = reader.read(frame.pixels, region)
    size = frame.size
    for line in lines:
        cut = (
            (line.box.x <= region.x + 2 and region.x > 0)
            or (line.box.right >= region.right - 2 and region.right < size.width)
            or (line.box.y <= region.y + 1 and region.y > 0)
            or (line.box.bottom >= region.bottom - 1 and region.bottom < size.height)
        )
        if cut or any(line.box.intersection(other.box).area > 0.2 * other.box.area for other in kept):
            return None
    return lines


def _cut(lines: Iterable[TextLine], frame: Frame) -> Iterable[TextLine]:
    """The lines with their boxes cut to the frame; those wholly outside are dropped."""
    whole = Box(0, 0, *frame.size)
    for line in lines:
        box = line.box.intersection(whole)
        if box.area:
            yield line if box == line.box else replace(line, box=box)


def _ms_since(begun: float) -> float:
    return (time.perf_counter() - begun) * 1000
