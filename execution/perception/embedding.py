"""What a whole screen looks like, as one vector (S2.10)."""

from __future__ import annotations

from typing import Protocol

import cv2
import numpy as np

from execution.types import Embedding


class ModelsDiffer(ValueError):
    """Vectors of two models were to be compared; they mean nothing to each other."""


class Embedder(Protocol):
    model_id: str

    def embed(self, pixels: np.ndarray) -> Embedding:
        """The unit vector of a BGR picture of any size."""


class BuiltinEmbedder:
    """The picture's coarse light and dark, and which way its edges run where: no weights, no colour, a few ms."""

    model_id = "builtin-1"

    _WORKING = (256, 160)
    _LAYOUT = (32, 20)
    _CELLS = (10, 16)  # down, across
    _DIRECTIONS = 4

    def embed(self, pixels: np.ndarray) -> Embedding:
        """Two halves of equal weight, each a unit vector: layout and edges."""
        grey = cv2.cvtColor(pixels, cv2.COLOR_BGR2GRAY) if pixels.ndim == 3 else pixels
        small = cv2.resize(grey, self._WORKING, interpolation=cv2.INTER_AREA).astype(np.float32) / 255
        layout = cv2.resize(small, self._LAYOUT, interpolation=cv2.INTER_AREA).ravel()
        parts = [_unit(layout - layout.mean()), _unit(self._edges(small))]
        return Embedding(model=self.model_id, vector=_unit(np.concatenate(parts)))

    def _edges(self, small: np.ndarray) -> np.ndarray:
        """The square root of the strength of edges per cell and direction, so that one strong border does not rule."""
        across, down = cv2.Sobel(small, cv2.CV_32F, 1, 0), cv2.Sobel(small, cv2.CV_32F, 0, 1)
        strength, angle = cv2.cartToPolar(across, down)
        direction = np.minimum((angle % np.pi) / np.pi * self._DIRECTIONS, self._DIRECTIONS - 1).astype(np.int8)
        grids = [
            cv2.resize(np.where(direction == d, strength, 0), self._CELLS[::-1], interpolation=cv2.INTER_AREA)
            for d in range(self._DIRECTIONS)
        ]
        return np.sqrt(np.stack(grids).ravel())


def _unit(vector: np.ndarray) -> np.ndarray:
    length = float(np.linalg.norm(vector))
    return (vector / length if length > 1e-6 else np.zeros_like(vector)).astype(np.float32)


def cosine(one: Embedding, other: Embedding) -> float:
    """How alike two vectors are, -1 to 1; raises ModelsDiffer for vectors of different models."""
    if one.model != other.model or one.vector.shape != other.vector.shape:
        raise ModelsDiffer(
            f"A vector of {one.model} {one.vector.shape} cannot be compared with one of {other.model} "
            f"{other.vector.shape}; embed the stored picture again."
        )
    return float(np.dot(one.vector, other.vector))
