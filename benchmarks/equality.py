"""Whether what is carried over from turn to turn is what a reading of all would give (S2.11).

    python -m benchmarks.equality [KIND ...]

prints each frame of the sequences that reads otherwise, and how.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.screens.corpus import FOLDER, Screen, load
from execution.perception.analyzer import ScreenAnalyzer
from execution.perception.elements import ElementDetector, FrameDetector
from execution.perception.ocr.base import TextReader
from execution.perception.ocr.detection import LineFinder
from execution.perception.ocr.rapidocr import RapidReader
from execution.types import Box, Element, Frame, ScreenState, TextLine, pixels_digest

NEAR_PX = 3
_SHOWN = 12
_BEGUN = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)


def equality_report(
    folder: Path, *, kinds: Sequence[str] = (), say: Callable[[str], None] = lambda line: None
) -> dict[str, Any]:
    """Plays the sequences of `folder` and reads each frame twice: as the next of its sequence, and by a reader that has
    seen nothing before. `differing` counts the frames whose lines are not the same, `elements_differing` those whose
    elements are not; `how` counts the kinds of differences and `examples` shows some."""
    reader = _warm()
    frames = differing = others = 0
    how: Counter[str] = Counter()
    examples: list[dict[str, Any]] = []
    for screens in _sequences(folder, kinds):
        analyzer = ScreenAnalyzer(fresh_reader(reader), FrameDetector(), None)
        state: ScreenState | None = None
        for screen in screens:
            frame = frame_of(screen, folder)
            state = analyzer.analyze(frame, None, previous=state)
            texts, elements = whole(frame, fresh_reader(reader), FrameDetector())
            found = differences(texts, state.texts)
            unlike = element_differences(elements, state.elements)
            frames, differing, others = frames + 1, differing + bool(found), others + bool(unlike)
            how.update(kind for kind, _ in [*found, *unlike])
            for kind, words in [*found, *unlike]:
                say(f"{screen.name}: {kind}: {words}")
                examples.append({"screen": screen.name, "kind": kind, "what": words})
    return {
        "frames": frames, "differing": differing, "elements_differing": others, "how": dict(how),
        "examples": examples[:_SHOWN],
    }  # fmt: skip


def whole(
    frame: Frame, reader: TextReader, detector: ElementDetector
) -> tuple[tuple[TextLine, ...], tuple[Element, ...]]:
    """The lines and elements of a frame that nothing is known of."""
    texts = reader.read(frame.pixels)
    return texts, detector.detect(frame.pixels, texts)


def differences(want: Sequence[TextLine], got: Sequence[TextLine]) -> list[tuple[str, str]]:
    """Lines missing, too many, read otherwise or more than NEAR_PX off, each as its kind and in words."""
    left = list(got)
    found: list[tuple[str, str]] = []
    for line in want:
        same = next((g for g in left if g.text == line.text and near(g.box, line.box)), None)
        if same is not None:
            left.remove(same)
            continue
        other = max(left, key=lambda g: g.box.iou(line.box), default=None)
        if other is None or other.box.iou(line.box) < 0.3:
            found.append(("missing", f"{line.text!r} at {tuple(line.box)}"))
            continue
        left.remove(other)
        kind = "moved" if other.text == line.text else "text"
        found.append((kind, f"{line.text!r} {tuple(line.box)} came as {other.text!r} {tuple(other.box)}"))
    return found + [("too many", f"{line.text!r} at {tuple(line.box)}") for line in left]


def element_differences(want: Sequence[Element], got: Sequence[Element]) -> list[tuple[str, str]]:
    """The same of elements, which are the same where role, text and states are, and the box within NEAR_PX."""
    left = list(got)
    missing = []
    for element in want:
        same = next((g for g in left if _alike(g, element)), None)
        if same is None:
            missing.append(element)
        else:
            left.remove(same)
    return [("element missing", _said(e)) for e in missing] + [("element too many", _said(e)) for e in left]


def near(one: Box, other: Box) -> bool:
    """Whether no side of one box is further than NEAR_PX from the other's."""
    sides = ((one.x, other.x), (one.y, other.y), (one.right, other.right), (one.bottom, other.bottom))
    return all(abs(a - b) <= NEAR_PX for a, b in sides)


def fresh_reader(reader: RapidReader) -> RapidReader:
    """A reader with the models of another one, which must have read, and no memory."""
    assert reader._finder is not None
    fresh = RapidReader()
    fresh._finder, fresh._recogniser = LineFinder(reader._finder._detect), reader._recogniser
    return fresh


def frame_of(screen: Screen, folder: Path) -> Frame:
    """The frame, taken one second a step after its sequence began."""
    pixels = screen.pixels(folder)
    return Frame(pixels=pixels, taken_at=_BEGUN + timedelta(seconds=screen.step), digest=pixels_digest(pixels))


def _sequences(folder: Path, kinds: Sequence[str]) -> Iterator[list[Screen]]:
    screens = sorted(load(folder), key=lambda s: (s.family, s.step))
    for family, group in groupby(screens, key=lambda s: s.family):
        if not kinds or family in kinds:
            yield list(group)


def _warm() -> RapidReader:
    reader = RapidReader()
    reader.read(np.full((64, 256, 3), 255, np.uint8))
    return reader


def _alike(one: Element, other: Element) -> bool:
    return (one.role, one.text, one.states) == (other.role, other.text, other.states) and near(one.box, other.box)


def _said(element: Element) -> str:
    return f"{element.role} {element.text!r} {sorted(element.states)} at {tuple(element.box)}"


if __name__ == "__main__":
    report = equality_report(FOLDER / "sequences", kinds=sys.argv[1:], say=print)
    print({name: value for name, value in report.items() if name != "examples"})
