"""What stands nearest on each side of a box: the texts that name it, and whether they are those that stood there."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from rapidfuzz import fuzz

from execution.language.letters import alone
from execution.types import Box
from workflows.graph import NeighbourSpec

SIDES = ("left", "above", "below", "right")


def labels(
    boxes: np.ndarray, captions: Sequence[Box | None], lines: np.ndarray, keys: Sequence[str]
) -> list[list[str]]:
    """What stands nearest on each of the four `SIDES` of every box (n, 4) among the lines (m, 4); "" for nothing."""
    if not len(boxes) or not len(lines):
        return [[""] * len(boxes)] * len(SIDES)
    x, y, w, h = (boxes[:, i, None] for i in range(4))
    left, top, wide, high = (lines[None, :, i] for i in range(4))
    own = np.array([_holds(caption, lines) for caption in captions])
    row = np.minimum(h, 40)  # the first of a field of several rows: its label stands beside that, or beside its middle
    off = np.minimum(np.abs(top + high / 2 - y - h / 2), np.abs(top + high / 2 - y - row / 2))
    level = off < 0.6 * np.maximum(high, row)
    across = (left < x + w) & (left + wide > x)

    def nearest(apart: np.ndarray, fits: np.ndarray, most: float) -> list[str]:
        far = np.where(fits & ~own, apart, np.inf)
        at = far.argmin(axis=1)
        return [keys[j] if far[i, j] < most else "" for i, j in enumerate(at.tolist())]

    return [
        nearest(x - left - wide, level & (left + wide <= x + 4), 300),
        nearest(y - top - high, across & (top + high <= y + 3), 60),
        nearest(top - y - h, (left < x + w + 6) & (left + wide > x - 6) & (top >= y + h - 3), 30),
        nearest(left - x - w, level & (left >= x + w - 4), 60),
    ]


def _holds(caption: Box | None, lines: np.ndarray) -> np.ndarray:
    """Which lines are mostly within a caption."""
    if caption is None:
        return np.zeros(len(lines), bool)
    x, y, w, h = lines.T
    wide = np.clip(np.minimum(x + w, caption.right) - np.maximum(x, caption.x), 0, None)
    high = np.clip(np.minimum(y + h, caption.bottom) - np.maximum(y, caption.y), 0, None)
    return np.asarray(wide * high > 0.5 * w * h)


def side_of(label: NeighbourSpec, size: np.ndarray) -> int:
    if abs(label.dy) > size[1] / 2:
        return SIDES.index("above" if label.dy < 0 else "below")
    return SIDES.index("left" if label.dx < 0 else "right")


def label_likeness(label: NeighbourSpec, beside: str, own: str) -> float:
    """Whether what stands where its label stood is that; 0.5 where nothing stands there, or nearly that."""
    texts = {alone(text) for text in label.texts}
    if beside in texts or own in texts:
        return 1.0
    best = max((fuzz.ratio(text, other) / 100 for text in texts for other in (beside, own) if other), default=1.0)
    return 0.5 if best > 0.8 else 0.0


def same_label(taught: str, now: str, side: int) -> float:
    if taught:
        return fuzz.ratio(taught, now) / 100
    if side < 2:  # left and above
        return float(not now)
    return 0.0 if now else np.nan
