"""The embedding that needs no weights (S2.10): which marks are on a screen, and about where."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import cv2
import numpy as np

from execution.perception.embedding.base import check_pixels, unit
from execution.types import Embedding

# The marks on a screen: words, lines of text, icons, frames, found by their ink alone and without reading them.


# Steps of grey from one pixel to the next that count as ink: text behind a dimmed layer has 20, a soft shadow 2.
_INK = 16
_GAP = 7  # pixels: letters and words of a line join over it, columns of a table do not
_SMALLEST = 4
_MOST = 400  # a screen has 50 to 300; noise and photographs have any number, and the largest will do
_ROWS, _COLUMNS = 6, 20  # finer, a font drawn at 125 % differs from itself; coarser, words are alike
_HOLLOW = 0.5
_HOLE = 100  # square pixels: smaller holes are those of letters
_FINE = 4  # times as fine as a look, frames are drawn
_LONGEST = 2600  # pixels; a longer screen is a HiDPI one, whose text is as large as on another at half the size

LOOKS = _ROWS * _COLUMNS


class Marks(NamedTuple):
    """`looks` is N × 120, each row of unit length and without its mean; `boxes` is N × 4, x, y, width, height.

    `hollow` tells frames, around whatever it may be; `size` is the picture's width and height in the boxes' pixels.
    """

    looks: np.ndarray
    boxes: np.ndarray
    hollow: np.ndarray
    size: tuple[int, int]


class _Piece(NamedTuple):
    """Ink that hangs together: its outer outline and those of its holes, its box, whether it is mostly one hole."""

    outlines: list[np.ndarray]
    box: tuple[int, int, int, int]
    hollow: bool


def find_marks(pixels: np.ndarray) -> Marks:
    """The marks of a BGR picture, the largest 400. Only steps of grey count: colours and light on dark do not."""
    steps = _steps(_grey(pixels))
    pieces = _pieces(steps)
    looks = np.empty((len(pieces), LOOKS), np.float32)
    for row, piece in zip(looks, pieces, strict=True):
        x, y, w, h = piece.box
        part = _frame(piece) if piece.hollow else steps[y : y + h, x : x + w]
        row[:] = cv2.resize(part, (_COLUMNS, _ROWS), interpolation=cv2.INTER_AREA).ravel()
    looks -= looks.mean(axis=1, keepdims=True)
    looks /= np.maximum(np.linalg.norm(looks, axis=1, keepdims=True), 1e-6)
    boxes = np.array([piece.box for piece in pieces], np.float32).reshape(-1, 4)
    hollow = np.array([piece.hollow for piece in pieces], bool)
    return Marks(looks, boxes, hollow, (steps.shape[1], steps.shape[0]))


def _grey(pixels: np.ndarray) -> np.ndarray:
    fold = -(-max(pixels.shape[:2]) // _LONGEST)
    grey = cv2.cvtColor(pixels, cv2.COLOR_BGR2GRAY)
    return _folded(grey, fold) if fold > 1 else np.asarray(grey)


def _folded(picture: np.ndarray, times: int) -> np.ndarray:
    """The picture at half, a third, … of its size, at least one pixel."""
    size = (max(1, round(picture.shape[1] / times)), max(1, round(picture.shape[0] / times)))
    return np.asarray(cv2.resize(picture, size, interpolation=cv2.INTER_AREA))


def _steps(grey: np.ndarray) -> np.ndarray:
    """How much each pixel differs from the one to its right or below it, whichever is more."""
    here = grey[:-1, :-1]
    if not here.size:
        return np.zeros((1, 1), np.uint8)
    return np.asarray(cv2.max(cv2.absdiff(grey[:-1, 1:], here), cv2.absdiff(grey[1:, :-1], here)))


def _pieces(steps: np.ndarray) -> list[_Piece]:
    """What ink there is, also inside frames."""
    ink = cv2.threshold(steps, _INK, 255, cv2.THRESH_BINARY)[1]
    ink = cv2.morphologyEx(ink, cv2.MORPH_CLOSE, np.ones((1, _GAP), np.uint8))
    found, nesting = cv2.findContours(ink, cv2.RETR_CCOMP, cv2.CHAIN_APPROX_SIMPLE)
    if nesting is None:
        return []
    outlines = [np.asarray(outline) for outline in found]
    parents = nesting[0, :, 3]
    boxes = np.array([cv2.boundingRect(outline) for outline in outlines], np.int32)
    areas = boxes[:, 2] * boxes[:, 3]
    kept = np.flatnonzero((parents < 0) & (boxes[:, 2:] >= _SMALLEST).all(axis=1))
    if len(kept) > _MOST:
        kept = np.sort(kept[np.argsort(-areas[kept], kind="stable")[:_MOST]])
    holes: dict[int, list[int]] = {}
    for hole in np.flatnonzero((parents >= 0) & (areas >= _HOLE)).tolist():
        holes.setdefault(int(parents[hole]), []).append(hole)
    return [
        _Piece(
            [outlines[index], *(outlines[hole] for hole in holes.get(index, ()))],
            (int(boxes[index, 0]), int(boxes[index, 1]), int(boxes[index, 2]), int(boxes[index, 3])),
            any(areas[hole] >= _HOLLOW * areas[index] for hole in holes.get(index, ())),
        )
        for index in kept.tolist()
    ]


def _frame(piece: _Piece) -> np.ndarray:
    """The lines of a frame alone, drawn small: what stands in it are marks of their own."""
    x, y, w, h = piece.box
    width, height = _COLUMNS * _FINE, _ROWS * _FINE
    drawn = np.zeros((height, width), np.uint8)
    scale = np.array([(width - 1) / max(1, w - 1), (height - 1) / max(1, h - 1)])
    small = [np.rint((outline - (x, y)) * scale).astype(np.int32) for outline in piece.outlines]
    cv2.polylines(drawn, small, isClosed=True, color=255)
    return drawn


_WAVES = 1024  # the length of the vector; 512 knows 4 in 100 screens less, 2048 none more
_DIMENSIONS = 128  # a power of 2 with room for the looks, the size and the place of a mark

# How far apart two marks may be to count as half the same: in looks (of unit length), in size, in place. Wide enough
# for a window that was moved or made smaller, and for a screen at 125 %.
_LOOK = 0.5
_SIZE = 0.4  # of the logarithm
_PLACE = (200.0, 400.0)  # across and down, of a screen of _SCREEN
_SCREEN = (1600.0, 1000.0)
_WEIGHT = 0.15  # a mark counts by this power of its area: a title more than a word
_FRAME = 0.5  # and a frame by half of that: most screens have the same ones


class BuiltinEmbedder:
    """Two screens are as alike as the marks they share: no reading, no colour, nothing loaded, a few ms.

    The inner product of two vectors is, nearly, the sum over all pairs of marks of a bell curve of how they differ in
    look, size and place (a match kernel: Bo and Sminchisescu, NIPS 2009), by random cosine waves (Rahimi and Recht,
    NIPS 2007) in orthogonal directions from signs and Hadamard matrices (Yu and others, NIPS 2016). So words that stay
    are found again when the window moves, its theme changes or other data stands between them.
    """

    model_id = "builtin-2"

    def __init__(self) -> None:
        self._directions, self._phases = _waves()

    def embed(self, pixels: np.ndarray) -> Embedding:
        """The unit vector of a BGR picture of any size, all zeros for one without marks; ValueError for no picture."""
        check_pixels(pixels)
        marks = find_marks(pixels)
        waves = np.cos(_described(marks) @ self._directions + self._phases)
        weights = (marks.boxes[:, 2] * marks.boxes[:, 3]) ** np.float32(_WEIGHT)
        weights[marks.hollow] *= _FRAME
        return Embedding(model=self.model_id, vector=unit(weights @ waves))


def _described(marks: Marks) -> np.ndarray:
    """Each mark as a row in which a distance of 1 is as far as half the same goes; N × 128."""
    described = np.zeros((len(marks.boxes), _DIMENSIONS), np.float32)
    described[:, :LOOKS] = marks.looks / _LOOK
    described[:, LOOKS : LOOKS + 2] = np.log(marks.boxes[:, 2:]) / _SIZE
    centres = marks.boxes[:, :2] + marks.boxes[:, 2:] / 2
    described[:, LOOKS + 2 : LOOKS + 4] = centres / np.array(marks.size, np.float32) * np.divide(_SCREEN, _PLACE)
    return described


@cache
def _waves() -> tuple[np.ndarray, np.ndarray]:
    """Directions (128 × 1024) and phases of the waves: the same on every machine and with every version of NumPy."""
    random = np.random.RandomState(1)  # its numbers are frozen, those of default_rng are not
    hadamard = np.ones((1, 1))
    while len(hadamard) < _DIMENSIONS:
        hadamard = np.block([[hadamard, hadamard], [hadamard, -hadamard]])
    hadamard /= np.sqrt(_DIMENSIONS)
    blocks = []
    for _ in range(_WAVES // _DIMENSIONS):
        block = np.eye(_DIMENSIONS)
        for _ in range(3):
            block = hadamard @ (random.choice([-1.0, 1.0], _DIMENSIONS)[:, None] * block)
        blocks.append(block * np.sqrt(_DIMENSIONS))
    phases = random.uniform(0, 2 * np.pi, _WAVES)
    return np.concatenate(blocks).T.astype(np.float32), phases.astype(np.float32)
