"""How well a screen was read: lines read against the lines that are really there (S2.8).

Readers and the DOM cut lines differently (a label and its value, two columns of a menu), so lines that lie on each
other are compared as one text: the truth's joined from left to right against the reading's, joined likewise.
"""

from __future__ import annotations

import time
import unicodedata
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from rapidfuzz.distance import Levenshtein

from benchmarks.screens.corpus import Screen, TrueText
from execution.perception.ocr.base import in_reading_order
from execution.types import Box, TextLine

_LEVEL = 0.5  # of the lower line's height that two boxes share, to lie on one row
_TYPOGRAPHY = str.maketrans({"’": "'", "‘": "'", "“": '"', "”": '"', "–": "-", "—": "-", "…": "...", "−": "-"})
_EDGES = ".,;:!?()[]{}\"'«»…’“”"


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """Counts over one or many screens: characters and words that are there, and what became of them.

    `edits` holds letters wrong, missing and too many within lines that are there, whole lines missed among them;
    `spurious` are letters read where there is nothing.
    """

    chars: int = 0
    edits: int = 0
    words: int = 0
    found: int = 0
    spurious: int = 0
    lines: int = 0

    def __add__(self, other: Reading) -> Reading:
        return Reading(**{name: getattr(self, name) + getattr(other, name) for name in self.__slots__})

    @property
    def error_rate(self) -> float:
        return self.edits / self.chars if self.chars else 0.0

    @property
    def recall(self) -> float:
        return self.found / self.words if self.words else 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """One text that was read otherwise than it is."""

    truth: str
    read: str
    box: Box


def compare(truth: Sequence[TrueText], lines: Sequence[TextLine]) -> tuple[Reading, list[Difference]]:
    """The counts of one screen and each text that was misread."""
    total, differences = Reading(lines=len(truth)), []
    for true_lines, read_lines in _groups(truth, lines):
        want, got = _joined(true_lines), _joined(read_lines)
        if not true_lines:
            total += Reading(spurious=len(got))
            continue
        edits = Levenshtein.distance(want, got)
        wanted, seen = _words(want), _words(got)
        total += Reading(chars=len(want), edits=edits, words=wanted.total(), found=(wanted & seen).total())
        if edits:
            differences.append(Difference(truth=want, read=got, box=true_lines[0].box))
    return total, differences


def normal(text: str) -> str:
    """Composed letters, single spaces, typewriter quotes and dashes: what all readers can be asked for."""
    return " ".join(unicodedata.normalize("NFC", text).translate(_TYPOGRAPHY).split())


def _words(text: str) -> Counter[str]:
    return Counter(word for raw in text.split() if (word := raw.strip(_EDGES)))


def _joined(lines: Sequence[TextLine]) -> str:
    return normal(" ".join(line.text for line in in_reading_order(lines)))


def _groups(truth: Sequence[TrueText], lines: Sequence[TextLine]) -> list[tuple[list[TextLine], list[TextLine]]]:
    """Lines of truth and reading that lie on each other, put together until no group touches another."""
    true_lines = [TextLine(text=t.text, box=t.box) for t in truth if normal(t.text)]
    groups: list[tuple[list[TextLine], list[TextLine]]] = [([line], []) for line in true_lines]
    for line in lines:
        touched = [group for group in groups if any(_on_each_other(line.box, t.box) for t in group[0])]
        groups = [group for group in groups if group not in touched]
        groups.append(([t for g in touched for t in g[0]], [*(r for g in touched for r in g[1]), line]))
    return groups


def _on_each_other(one: Box, other: Box) -> bool:
    shared = one.intersection(other)
    return shared.w > 0.2 * min(one.w, other.w) and shared.h >= _LEVEL * min(one.h, other.h)


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """A reader's counts over the screens, and milliseconds for each."""

    reading: Reading
    times: tuple[float, ...]
    differences: tuple[tuple[str, Difference], ...]


def measure(read: Callable[[np.ndarray], Sequence[TextLine]], screens: Sequence[Screen], folder: Path) -> Figures:
    """Every screen read once, from nothing."""
    total, times, differences = Reading(), list[float](), list[tuple[str, Difference]]()
    for screen in screens:
        pixels = screen.pixels(folder)
        began = time.perf_counter()
        lines = read(pixels)
        times.append((time.perf_counter() - began) * 1000)
        counts, misread = compare(screen.texts, lines)
        total += counts
        differences += [(screen.name, difference) for difference in misread]
    return Figures(reading=total, times=tuple(times), differences=tuple(differences))


def rapidocr_as_it_comes() -> Callable[[np.ndarray], Sequence[TextLine]]:
    """A full pass of RapidOCR with its own defaults (on onnxruntime)."""
    from rapidocr import RapidOCR

    engine = RapidOCR()

    def read(pixels: np.ndarray) -> Sequence[TextLine]:
        said = engine(pixels)
        if said.boxes is None:
            return ()
        return [
            TextLine(text=text, box=_upright(corners), confidence=float(score))
            for corners, text, score in zip(said.boxes, said.txts, said.scores, strict=True)
        ]

    return read


def tesseract_as_it_comes() -> Callable[[np.ndarray], Sequence[TextLine]]:
    """A full pass of Tesseract, given the picture at twice its size, as its makers advise for text on screens."""
    from execution.perception.ocr.tesseract import TesseractReader

    return TesseractReader().read


def _upright(corners: np.ndarray) -> Box:
    (left, top), (right, bottom) = corners.min(axis=0), corners.max(axis=0)
    return Box(round(float(left)), round(float(top)), round(float(right - left)), round(float(bottom - top)))
