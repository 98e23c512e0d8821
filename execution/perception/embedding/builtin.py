"""The embedding that needs no weights (S2.10)."""

from __future__ import annotations

import cv2
import numpy as np

from execution.perception.embedding.base import unit
from execution.types import Embedding


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
        parts = [unit(layout - layout.mean()), unit(self._edges(small))]
        return Embedding(model=self.model_id, vector=unit(np.concatenate(parts)))

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
