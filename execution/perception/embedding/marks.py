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
