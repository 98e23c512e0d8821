"""The embedding that needs no weights (S2.10): which marks are on a screen, and about where."""

from __future__ import annotations

from functools import cache

import numpy as np

from execution.perception.embedding.base import check_pixels, unit
from execution.perception.embedding.marks import LOOKS, Marks, find_marks
from execution.types import Embedding

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
