"""The marks on a screen: words, lines of text, icons, frames, found by their ink alone and without reading them."""

from __future__ import annotations

from typing import NamedTuple

import cv2
import numpy as np

# Steps of grey from one pixel to the next that count as ink: text behind a dimmed layer has 20, a soft shadow 2.
_INK = 16
_GAP = 7  # pixels: letters and words of a line join over it, columns of a table do not
_SMALLEST = 4
_MOST = 400  # a screen has 50 to 300; noise and photographs have any number, and the largest will do
_ROWS, _COLUMNS = 6, 20  # finer, a font drawn at 125 % differs from itself; coarser, words are alike
_COARSE = 4
_LONGEST = 2600  # pixels; a longer screen is a HiDPI one, whose text is as large as on another at half the size

LOOKS = _ROWS * _COLUMNS


class Marks(NamedTuple):
    """`looks` is N × 120, each row of unit length and without its mean; `boxes` is N × 4, x, y, width, height.

    `size` is the picture's width and height in the pixels of the boxes.
    """

    looks: np.ndarray
    boxes: np.ndarray
    size: tuple[int, int]


def find_marks(pixels: np.ndarray) -> Marks:
    """The marks of a BGR picture, the largest 400. Only steps of grey count: colours and light on dark do not."""
    steps = _steps(_grey(pixels))
    boxes = _boxes(steps)
    return Marks(_looks(steps, boxes), boxes.astype(np.float32), (steps.shape[1], steps.shape[0]))


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


def _boxes(steps: np.ndarray) -> np.ndarray:
    """Boxes of ink that hangs together, N × 4; also of what lies inside a frame."""
    ink = cv2.threshold(steps, _INK, 255, cv2.THRESH_BINARY)[1]
    ink = cv2.morphologyEx(ink, cv2.MORPH_CLOSE, np.ones((1, _GAP), np.uint8))
    outlines, nesting = cv2.findContours(ink, cv2.RETR_CCOMP, cv2.CHAIN_APPROX_SIMPLE)
    if nesting is None:
        return np.zeros((0, 4), np.int32)
    outer = nesting[0, :, 3] < 0  # the others are the holes
    boxes = np.array([cv2.boundingRect(outlines[i]) for i in np.flatnonzero(outer)], np.int32)
    boxes = boxes[(boxes[:, 2:] >= _SMALLEST).all(axis=1)]
    if len(boxes) > _MOST:
        largest = np.argsort(-boxes[:, 2] * boxes[:, 3], kind="stable")[:_MOST]
        boxes = boxes[np.sort(largest)]
    return boxes


def _looks(steps: np.ndarray, boxes: np.ndarray) -> np.ndarray:
    """Where the ink of each mark is, at one size for all."""
    looks = np.empty((len(boxes), LOOKS), np.float32)
    coarse = _folded(steps, _COARSE)
    for row, (x, y, w, h) in zip(looks, boxes.tolist(), strict=True):
        if w >= _COARSE * _COLUMNS and h >= _COARSE * _ROWS:  # frames: all their pixels would take most of the time
            part = coarse[y // _COARSE : -(-(y + h) // _COARSE), x // _COARSE : -(-(x + w) // _COARSE)]
        else:
            part = steps[y : y + h, x : x + w]
        row[:] = cv2.resize(part, (_COLUMNS, _ROWS), interpolation=cv2.INTER_AREA).ravel()
    looks -= looks.mean(axis=1, keepdims=True)
    return np.asarray(looks / np.maximum(np.linalg.norm(looks, axis=1, keepdims=True), 1e-6))
