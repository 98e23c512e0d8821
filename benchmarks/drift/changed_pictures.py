"""Pictures of programs that are changed after the fact: sent as JPEG, a target greyed, or another one in its place."""

from __future__ import annotations

import random
from collections.abc import Mapping

import cv2
import numpy as np

from benchmarks.drift.app_screens import Control
from execution.types import Box

_AS_LARGE = 3  # pixels
_FADED = 0.32  # of the contrast is left in what is greyed; the toolkits leave a third to a half, without colour
_INK, _PLAIN, _LEAST_INK = 90, 0.5, 0.01  # difference from the ground of 255; shares of the box
_DIFFERS = 4.0  # mean difference of pixels, of 255: less is not seen


def as_jpeg(pixels: np.ndarray, quality: int) -> np.ndarray:
    """The picture as a remote desktop sends it."""
    _, coded = cv2.imencode(".jpg", pixels, [cv2.IMWRITE_JPEG_QUALITY, quality])
    return np.asarray(cv2.imdecode(coded, cv2.IMREAD_COLOR))


def greyed(pixels: np.ndarray, box: Box) -> np.ndarray | None:
    """The picture with what stands in the box drawn as what cannot be clicked; None where there is little to fade."""
    made = pixels.copy()
    part = made[box.y : box.bottom, box.x : box.right]
    colours, counts = np.unique(part.reshape(-1, 3), axis=0, return_counts=True)
    ground = colours[counts.argmax()].astype(np.float32)
    off = part.astype(np.float32) - ground
    ink = np.abs(off).max(axis=2) > _INK
    if counts.max() < _PLAIN * box.area or not _LEAST_INK <= float(ink.mean()) <= 1 - _PLAIN:
        return None
    plain = off.mean(axis=2, keepdims=True)  # without its own colour
    part[:] = np.rint(np.clip(ground + _FADED * (0.3 * off + 0.7 * plain), 0, 255))
    return made


def another_in_its_place(
    pixels: np.ndarray, path: str, elements: Mapping[str, Control], rng: random.Random
) -> np.ndarray | None:
    """The picture with another one of the group drawn where `path` is; None where none is as large and differs."""
    box, role, parent = elements[path].box, elements[path].role, path.rpartition("/")[0]
    own = pixels[box.y : box.bottom, box.x : box.right]
    found = []
    for place, control in elements.items():
        other = control.box
        alike = control.role == role and place != path and place.rpartition("/")[0] == parent and not control.off
        if alike and max(abs(other.w - box.w), abs(other.h - box.h)) <= _AS_LARGE:
            part = cv2.resize(pixels[other.y : other.bottom, other.x : other.right], (box.w, box.h))
            if float(np.abs(part.astype(int) - own).mean()) >= _DIFFERS:
                found.append(part)
    if not found:
        return None
    made = pixels.copy()
    made[box.y : box.bottom, box.x : box.right] = rng.choice(found)
    return made
