"""Where in a box the writing is, for toolkits that tell an element's box and its words but not the box of the words."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cache
from itertools import pairwise
from math import ceil

import numpy as np

from execution.types import Box

FAINT = 30  # grey levels between ink and what it stands on; disabled text is faint
WORD_GAP = 3  # pixels at 100 % between two words, and between a picture and its words
WIDEST_SPACE = 0.9  # of the size of the letters, between words of one text
ROW_GAP = 2
TALL_PICTURE = 26  # pixels at 100 %: what stands above words and is higher than a line
LINE_HEIGHT = 1.75  # of the size of the letters: higher ink is more than one line
FITS = 0.9, 1.2  # of the width by the font's measures: bold is wider
MOST_SUNK = 9  # pixels at 100 %
POINTS_PER_INCH, PIXELS_PER_INCH = 72, 96


class Beside(Enum):
    """What else may be drawn in the box of words."""

    NOTHING = 0
    PICTURES = 1  # and other words, at the left and at the right
    ABOVE = 2  # a picture over the words, as file managers do


@dataclass(frozen=True, slots=True)
class Run:
    """A half-open stretch of rows or columns."""

    start: int
    end: int

    @property
    def length(self) -> int:
        return self.end - self.start


@dataclass(frozen=True, slots=True, kw_only=True)
class Lettering:
    """The font of a desktop: its family, its points at 100 % and the scale."""

    family: str
    points: float
    scale: float

    @property
    def pixels(self) -> float:
        return self.points * PIXELS_PER_INCH / POINTS_PER_INCH * self.scale

    def width(self, words: str) -> tuple[float, float]:
        """The least and the most that the words take on the screen, in pixels: toolkits round sizes and letters."""
        exact = float(_font(self.family, size=100).getlength(words)) * self.pixels / 100
        rounded = float(_font(self.family, size=ceil(self.pixels)).getlength(words))
        return min(exact, rounded), max(exact, rounded)


@cache
def _font(family: str, *, size: int):
    """The file that programs draw that family with, its letters rounded to pixels as they do it."""
    from PIL import ImageFont

    found = subprocess.run(["fc-match", "-f", "%{family}\n%{file}", family], capture_output=True, text=True, check=True)
    name, file = found.stdout.split("\n")
    if family not in name:
        raise RuntimeError(f"There is no font {family!r} on this machine, {name!r} comes in its place.")
    return ImageFont.truetype(file, size, layout_engine=ImageFont.Layout.BASIC)


def written(
    pixels: np.ndarray,
    box: Box,
    words: str,
    *,
    lettering: Lettering,
    margin: int = 1,
    beside: Beside = Beside.PICTURES,
) -> Box | None:
    """The tight box of `words` in `box` of a BGR picture; None where nothing as wide as these stands on one line.

    `margin` is cut off all sides, where a border may be.
    """
    left, top = max(0, box.x + margin), max(0, box.y + margin)
    ink = inked(pixels[top : box.bottom - margin, left : box.right - margin])
    high = _line(ink, lettering=lettering, below=beside is Beside.ABOVE)
    if high is None:
        return None
    columns = ink[high.start : high.end].any(axis=0)
    gap = WORD_GAP * lettering.scale if beside is Beside.PICTURES else len(columns)
    across = _fitting(columns, lettering.width(words), gap=gap, most_gap=WIDEST_SPACE * lettering.pixels)
    if across is None:
        return None
    rows = np.flatnonzero(ink[high.start : high.end, across.start : across.end].any(axis=1))
    height = int(rows[-1] - rows[0]) + 1
    if height > LINE_HEIGHT * lettering.pixels:
        return None
    return Box(left + across.start, top + high.start + int(rows[0]), across.length, height)


def sunk(pixels: np.ndarray, lines: Sequence[Box], *, scale: float) -> int:
    """How many pixels lower than told all these lines stand: Qt leaves the room around a text out."""
    if not lines:
        return 0
    left, right = min(line.x for line in lines), max(line.right for line in lines)
    top, most = min(line.y for line in lines), round(MOST_SUNK * scale)
    bottom = max(line.bottom for line in lines) + most
    profile = inked(pixels[max(0, top) : bottom, max(0, left) : right]).sum(axis=1)

    def held(shift: int) -> int:
        return int(sum(profile[line.y - top + shift : line.bottom - top + shift].sum() for line in lines))

    return max(range(most + 1), key=lambda shift: (held(shift), -shift)) if top >= 0 else 0


def inked(part: np.ndarray) -> np.ndarray:
    """Which pixels differ from what they stand on, without lines drawn from side to side."""
    if part.size == 0:
        return np.zeros((0, 0), dtype=bool)
    part = part.astype(np.int16)
    ink = np.abs(part - _ground(part)).max(axis=2) > FAINT
    across, down = ink.mean(axis=1) > 0.92, ink.mean(axis=0) > 0.92
    return ink & ~(across[:, None] | down[None, :])


def _line(ink: np.ndarray, *, lettering: Lettering, below: bool) -> Run | None:
    rows = runs(ink.any(axis=1), gap=round(ROW_GAP * lettering.scale)) if ink.size else []
    if below and rows and rows[0].length > TALL_PICTURE * lettering.scale:
        rows = rows[1:]
    return Run(rows[0].start, rows[-1].end) if rows else None


def _fitting(columns: np.ndarray, expected: tuple[float, float], *, gap: float, most_gap: float) -> Run | None:
    """The stretch of pieces whose width is nearest to the expected: pictures and other words beside it are left out.

    Of two texts in one box the first is meant: after it come the keys of a menu item or the buttons of a field.
    """
    least, most = expected
    pieces = runs(columns, gap=round(gap) - 1)
    stretches = [
        Run(a.start, b.end)
        for i, a in enumerate(pieces)
        for j, b in enumerate(pieces[i:], i)
        if max((d.start - c.end for c, d in pairwise(pieces[i : j + 1])), default=0) <= most_gap
    ]
    fitting = [run for run in stretches if FITS[0] * least - 3 <= run.length <= FITS[1] * most + 3]
    if not fitting:
        return None
    nearest = min(fitting, key=lambda run: (max(least - run.length, run.length - most, 0), -run.length))
    return min([nearest, *(run for run in fitting if run.end < nearest.start)], key=lambda run: run.start)


def _ground(part: np.ndarray) -> np.ndarray:
    """The most frequent colour, or where the ground is shaded the middle one of each row."""
    flat = part.reshape(-1, 3)
    colours, counts = np.unique(flat, axis=0, return_counts=True)
    if counts.max() > 0.4 * len(flat):
        return colours[int(counts.argmax())]
    return np.median(part, axis=1, keepdims=True).astype(np.int16)


def runs(marked: np.ndarray, *, gap: int) -> list[Run]:
    """Stretches of what is marked; stretches not more than `gap` apart are one."""
    places = np.flatnonzero(marked)
    if not len(places):
        return []
    breaks = np.flatnonzero(np.diff(places) > gap + 1)
    starts = [places[0], *places[breaks + 1]]
    ends = [*places[breaks], places[-1]]
    return [Run(int(a), int(b) + 1) for a, b in zip(starts, ends, strict=True)]
