"""Pairs for the eyes: what was taught, the screen it was looked for on, where it truly is, and what was answered."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np

from benchmarks.drift.pairs import FOLDER, Pair
from benchmarks.screens.corpus import Screen
from execution.types import Box, Point, Size

_GREEN, _RED, _BLUE = (0, 170, 0), (0, 0, 255), (255, 120, 0)
_AROUND, _HEAD, _LINE = 130, 230, 18


def drawn(
    pair: Pair, taught: Screen, seen: Screen, *, point: Point | None, box: Box | None, message: str
) -> np.ndarray:
    """The taught crop above the screen; truth is green, the answer red, the taught place blue where it is not there."""
    folder = FOLDER / pair.part
    before, after = taught.pixels(folder), seen.pixels(folder).copy()
    for true in pair.boxes:
        cv2.rectangle(after, (true.x - 2, true.y - 2), (true.right + 1, true.bottom + 1), _GREEN, 2)
    if not pair.boxes:
        cv2.rectangle(after, (pair.box.x - 2, pair.box.y - 2), (pair.box.right + 1, pair.box.bottom + 1), _BLUE, 1)
    if box is not None:
        cv2.rectangle(after, (box.x, box.y), (box.right - 1, box.bottom - 1), _RED, 2)
    if point is not None:
        cv2.drawMarker(after, point, _RED, cv2.MARKER_CROSS, 26, 2)
    head = np.full((_HEAD, after.shape[1], 3), 245, np.uint8)
    around = pair.box.grown(_AROUND, Size(before.shape[1], before.shape[0]))
    crop = before[around.y : around.bottom, around.x : around.right].copy()
    corner = (pair.box.x - around.x, pair.box.y - around.y)
    cv2.rectangle(crop, (corner[0] - 1, corner[1] - 1), (corner[0] + pair.box.w, corner[1] + pair.box.h), _GREEN, 1)
    crop = crop[: _HEAD - 6, : after.shape[1] // 2]
    head[3 : 3 + crop.shape[0], 3 : 3 + crop.shape[1]] = crop
    texts = [
        f"{pair.name}  ({pair.kind}, {pair.half})",
        f"taught: {pair.role} '{pair.label}'   truth: {pair.truth}   {pair.why}   row: {dict(pair.variables)}",
        *(message[i : i + 110] for i in range(0, min(len(message), 660), 110)),
    ]
    for number, text in enumerate(texts):
        place = (crop.shape[1] + 14, 22 + number * _LINE)
        plain = text.encode("latin-1", "replace").decode("latin-1").translate(_PLAIN)
        cv2.putText(head, plain, place, cv2.FONT_HERSHEY_SIMPLEX, 0.45, (0, 0, 0), 1, cv2.LINE_AA)
    return np.vstack((head, after))


def write(picture: np.ndarray, file: Path) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    if not cv2.imwrite(str(file), picture, [cv2.IMWRITE_PNG_COMPRESSION, 3]):
        raise OSError(f"{file} cannot be written")


_PLAIN = str.maketrans("éèêëàâäîïôöùûüçÉÈÀÇ’‘", "eeeeaaaiioouuucEEAC''")
