"""Which of many boxes a point lies in, found without asking each."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from execution.types import Box, Size

_CELL = 4  # pixels: a line of text is at least twice as high


class Grid:
    """Boxes on a coarse raster; where several lie over each other, the last one counts."""

    def __init__(self, size: Size, boxes: Sequence[Box]) -> None:
        self.boxes = np.array(boxes, np.int32).reshape(-1, 4)
        self._cells = np.full((size.height // _CELL + 1, size.width // _CELL + 1), -1, np.int32)
        for index, (x, y, w, h) in enumerate(self.boxes.tolist()):
            rows = slice(max(0, y) // _CELL, max(0, y + h - 1) // _CELL + 1)
            self._cells[rows, max(0, x) // _CELL : max(0, x + w - 1) // _CELL + 1] = index

    def around_centres(self, boxes: np.ndarray) -> np.ndarray:
        """For each of the (n, 4) boxes, the index of the one that its centre lies in, or -1."""
        if not len(boxes) or not len(self.boxes):
            return np.full(len(boxes), -1, np.int32)
        x, y = boxes[:, 0] + boxes[:, 2] // 2, boxes[:, 1] + boxes[:, 3] // 2
        rows, columns = self._cells.shape
        index = self._cells[(y // _CELL).clip(0, rows - 1), (x // _CELL).clip(0, columns - 1)]
        left, top, width, height = (self.boxes[index, i] for i in range(4))
        inside = (index >= 0) & (x >= left) & (x < left + width) & (y >= top) & (y < top + height)
        return np.where(inside, index, -1)
