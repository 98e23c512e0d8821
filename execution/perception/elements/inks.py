"""What lines of text are written with: the colour of each, and of the words within it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from execution.types import Box, TextLine

_STRONG = 0.6  # of the strongest ink: below are the soft edges of letters
_FAINTEST = 24  # levels between ink and ground
COLOURED = 40  # chroma from which ink is not a grey
_WORD_GAP = 0.22  # of the line's height


@dataclass(frozen=True, slots=True)
class Word:
    """A stretch of ink between gaps; `colour` is BGR."""

    x: int
    right: int
    colour: np.ndarray


@dataclass(frozen=True, slots=True)
class Ink:
    """How a line is written: on which ground, in which colour (BGR), and the box of what is really inked.

    `mask` has the strongly inked pixels of the line's box, `coloured` is the share of them that are not grey.
    """

    box: Box
    ground: np.ndarray
    colour: np.ndarray
    mask: np.ndarray
    coloured: float

    @property
    def contrast(self) -> float:
        """Levels between ink and ground."""
        return float(np.abs(self.colour - self.ground).max())


def chroma(colour: np.ndarray) -> float:
    """How far a colour is from grey: 0 to 255."""
    return float(colour.max() - colour.min())


_TALL, _DEEP = set("bdfhijklt"), set("gjpqyçQ,;")


def em_of(text: str, height: int) -> float:
    """The size of the font in pixels, by the height of the ink of a text: capitals have 0.73 of it, x-heights 0.53."""
    above = 0.73 if any(c.isupper() or c.isdigit() or c in _TALL for c in text) else 0.54
    if any(c in "ÀÂÄÉÈÊËÎÏÔÖÙÛÜŸ" for c in text):
        above = 0.93
    return height / (above + (0.2 if any(c in _DEEP for c in text) else 0.0))


def inks_of(pixels: np.ndarray, lines: Sequence[TextLine]) -> list[Ink | None]:
    """The ink of each line; None where nothing stands out from the ground."""
    return [ink_of(pixels, line.box) for line in lines]


def ink_of(pixels: np.ndarray, box: Box) -> Ink | None:
    """The ink within a box; None where nothing stands out from the ground."""
    crop = pixels[box.y : box.bottom, box.x : box.right]
    if crop.shape[0] < 3 or crop.shape[1] < 3:
        return None
    ground = _ground(crop)
    apart = cv2.absdiff(crop, np.broadcast_to(ground, crop.shape).astype(np.uint8))
    blue, green, red = cv2.split(apart)
    strength = cv2.max(cv2.max(blue, green), red)
    strongest = float(strength.max())
    if strongest < _FAINTEST:
        return None
    mask = (strength > _STRONG * strongest).view(np.uint8)
    left, top, width, height = cv2.boundingRect(mask)
    colour = np.array(cv2.mean(crop, mask)[:3])
    blue, green, red = cv2.split(crop)
    spread = cv2.subtract(cv2.max(cv2.max(blue, green), red), cv2.min(cv2.min(blue, green), red))
    coloured = cv2.countNonZero(cv2.bitwise_and((spread > COLOURED).view(np.uint8), mask)) / cv2.countNonZero(mask)
    return Ink(Box(box.x + left, box.y + top, width, height), ground.astype(float), colour, mask, coloured)


def _ground(crop: np.ndarray) -> np.ndarray:
    """The most frequent colour of a sample of the pixels."""
    flat = crop.reshape(-1, 3)
    sample = flat[:: max(1, len(flat) // 300)]
    keys = sample.astype(np.uint32) @ np.array([1, 256, 65536], np.uint32)
    values, counts = np.unique(keys, return_counts=True)
    key = int(values[counts.argmax()])
    return np.array([key & 255, key >> 8 & 255, key >> 16], np.uint8)


def words_of(pixels: np.ndarray, line: TextLine, ink: Ink) -> list[Word]:
    """The words of a line, from left to right, by the gaps between them."""
    box = line.box
    inked = np.flatnonzero(ink.mask.any(axis=0))
    if not len(inked):
        return []
    breaks = np.flatnonzero(np.diff(inked) > max(3.0, _WORD_GAP * box.h))
    starts, ends = inked[np.concatenate(([0], breaks + 1))], inked[np.concatenate((breaks, [len(inked) - 1]))]
    words = []
    for start, end in zip(starts.tolist(), ends.tolist(), strict=True):
        part = pixels[box.y : box.bottom, box.x + start : box.x + end + 1]
        colour = np.array(cv2.mean(part, np.ascontiguousarray(ink.mask[:, start : end + 1]))[:3])
        words.append(Word(box.x + start, box.x + end + 1, colour))
    return words
