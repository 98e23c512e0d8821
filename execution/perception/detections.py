"""What comes out of detectors of the YOLO kind, made into boxes: the three usual outputs, and which boxes to keep."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np

from execution.perception.elements.base import DetectorUnavailable
from execution.types import Box, Size

_OVERLAP = 0.5  # intersection over union from which two boxes of one class are one thing
_END_TO_END = 6  # columns of an output that has been sorted out: box, score, class
_MOST_END_TO_END = 1000  # rows of such an output: it has 300, all others thousands
_MOST = 3000  # boxes that are compared with each other


class Rated(NamedTuple):
    """A box of the model's input (left, top, right, bottom; pixels), its score and the number of its class."""

    corners: tuple[float, float, float, float]
    score: float
    label: int


@dataclass(frozen=True, slots=True)
class Letterbox:
    """How a picture lies in the model's input: `inner` is where, `scale` input pixels per picture pixel."""

    picture: Size
    size: Size
    inner: Box
    scale: float

    @classmethod
    def fitting(cls, picture: Size, size: Size) -> Letterbox:
        """As large as it fits, in the middle."""
        scale = min(size.width / picture.width, size.height / picture.height)
        width = max(1, min(size.width, round(picture.width * scale)))
        height = max(1, min(size.height, round(picture.height * scale)))
        inner = Box((size.width - width) // 2, (size.height - height) // 2, width, height)
        return cls(picture, size, inner, scale)

    def outside(self, corners: tuple[float, float, float, float]) -> Box:
        """A box of the input in pixels of the picture, cut to it."""
        across, down = self.picture.width / self.inner.w, self.picture.height / self.inner.h
        left, right = ((v - self.inner.x) * across for v in (corners[0], corners[2]))
        top, bottom = ((v - self.inner.y) * down for v in (corners[1], corners[3]))
        box = Box(round(left), round(top), round(right) - round(left), round(bottom) - round(top))
        return box.intersection(Box(0, 0, *self.picture))


def decoded(output: np.ndarray, classes: int, path: Path) -> list[Rated]:
    """The rows of an output of the shape 1 × (4 + classes) × n, 1 × n × (5 + classes) or 1 × n × 6, best first.

    The first two have centre, width and height, the second an objectness before its classes; the third has corners,
    score and class, and nothing twice. Raises DetectorUnavailable for any other shape.
    """
    if output.ndim != 3 or output.shape[0] != 1:
        raise _another_shape(output, classes, path)
    rows, columns = output.shape[1:]
    table = np.asarray(output[0], np.float32)
    if rows == 4 + classes:
        centred, scores = table[:4].T, table[4:].T
    elif columns == 5 + classes and not (columns == _END_TO_END and rows <= _MOST_END_TO_END):
        centred, scores = table[:, :4], table[:, 5:] * table[:, 4:5]
    elif columns == _END_TO_END and rows <= _MOST_END_TO_END:
        return _rated(table[:, :4], table[:, 4], table[:, 5], classes)
    else:
        raise _another_shape(output, classes, path)
    labels = scores.argmax(axis=1)
    half = centred[:, 2:] / 2
    corners = np.concatenate((centred[:, :2] - half, centred[:, :2] + half), axis=1)
    return _rated(corners, scores[np.arange(len(scores)), labels], labels, classes)


def _another_shape(output: np.ndarray, classes: int, path: Path) -> DetectorUnavailable:
    shape = " × ".join(str(n) for n in output.shape)
    return DetectorUnavailable(
        f"{path} is no detector of {classes} classes: its output has the shape {shape}, where a detector has "
        f"1 × {4 + classes} × n, 1 × n × {5 + classes} or 1 × n × 6. "
        "Export a detection model, with the names of its classes."
    )


def _rated(corners: np.ndarray, scores: np.ndarray, labels: np.ndarray, classes: int) -> list[Rated]:
    sound = np.isfinite(corners).all(axis=1) & np.isfinite(scores) & np.isfinite(labels)
    sound &= (labels >= 0) & (labels < classes) & (scores > 0)
    places = np.flatnonzero(sound)
    places = places[np.argsort(-scores[places], kind="stable")][:_MOST]
    return [
        Rated((float(a), float(b), float(c), float(d)), min(1.0, float(scores[i])), int(labels[i]))
        for i, (a, b, c, d) in zip(places.tolist(), corners[places].tolist(), strict=True)
    ]


def kept(rated: Iterable[Rated], fit: Letterbox) -> list[tuple[Box, Rated]]:
    """The boxes in pixels of the picture, without those that a better one of the same class overlaps by half."""
    chosen: list[tuple[Box, Rated]] = []
    by_label: dict[int, list[Box]] = {}
    for row in sorted(rated, key=lambda r: -r.score):
        box = fit.outside(row.corners)
        others = by_label.setdefault(row.label, [])
        if box.area and not any(box.iou(other) > _OVERLAP for other in others):
            others.append(box)
            chosen.append((box, row))
    return chosen
