"""Text that is chosen in a field stands on a patch of its own colour, as an option does that was just taken: drawn as
the rest of the field it leaves the field one frame."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from execution.perception.elements.cursor import FAINT
from execution.types import Box, TextLine

_OTHER = 40  # levels between the patch and the field
_TIGHT = 4  # pixels that a patch reaches beyond its words, and from it to the border of its field
_MOSTLY = 0.6


def without_selection(pixels: np.ndarray, texts: Sequence[TextLine]) -> np.ndarray:
    """The picture with what is chosen in fields written as the rest would be; the same one where nothing is."""
    found = [(patch, ground) for line in texts if (patch := _patch(pixels, line)) for ground in [_behind(pixels, line)]]
    if not found:
        return pixels
    painted = pixels.copy()
    for patch, ground in found:
        part = pixels[patch.y : patch.bottom, patch.x : patch.right].astype(np.float32)
        apart = np.abs(part - np.median(part.reshape(-1, 3), axis=0)).max(axis=2)
        ink = (apart / max(1.0, float(apart.max())))[:, :, None]
        dark = 0.0 if float(ground.mean()) > 127 else 255.0
        painted[patch.y : patch.bottom, patch.x : patch.right] = np.rint(ground * (1 - ink) + dark * ink)
        _without_relief(painted, patch, ground)
    return painted


def _without_relief(painted: np.ndarray, patch: Box, ground: np.ndarray) -> None:
    """A line around the patch as well, where it ends with the patch; the border of the field goes on."""

    def is_ground(y: int, x: int) -> bool:
        return bool(np.abs(painted[y, x].astype(np.int16) - ground).max() <= FAINT)

    middle = patch.center.y
    left, right = patch.x - 1, patch.right
    for y in (patch.y - 1, patch.bottom):
        if is_ground(y, right + 1):
            painted[y, left : right + 1] = ground
    if is_ground(middle, right + 1):
        painted[patch.y : patch.bottom, right] = ground
    if not is_ground(middle, left - 1):
        painted[patch.y : patch.bottom, left] = ground


def _behind(pixels: np.ndarray, line: TextLine) -> np.ndarray:
    """The colour right of the words."""
    right, reach = line.box.right + _TIGHT, max(_TIGHT, line.box.h)
    part = pixels[line.box.center.y - 1 : line.box.center.y + 2, right : right + reach]
    return np.asarray(np.median(part.reshape(-1, 3), axis=0)) if part.size else np.full(3, np.nan)


def _patch(pixels: np.ndarray, line: TextLine) -> Box | None:
    """The patch that hugs the words, between the borders of a field that goes on behind it; None where none does."""
    box, height, width = line.box, *pixels.shape[:2]
    reach = max(_TIGHT, box.h)
    if box.x < _TIGHT or box.y < 3 * _TIGHT or box.right + _TIGHT + reach > width or box.bottom + 3 * _TIGHT > height:
        return None
    if not box.area:
        return None
    behind, within = _behind(pixels, line), pixels[box.y : box.bottom, box.x : box.right]
    own = np.median(within.reshape(-1, 3), axis=0)
    if float(np.abs(own - behind).max()) <= _OTHER:
        return None
    x, y = box.x - _TIGHT, box.y - 2 * _TIGHT
    around = pixels[y : box.bottom + 2 * _TIGHT, x : box.right + _TIGHT + reach].astype(np.int16)
    mine = np.abs(around - own).max(axis=2) <= FAINT
    inner = slice(2 * _TIGHT + box.h // 4, 2 * _TIGHT + box.h - box.h // 4)
    left, right = _extent(mine[inner].mean(axis=0) > 0)
    top, bottom = _extent(mine[:, _TIGHT : _TIGHT + box.w].mean(axis=1) > _MOSTLY / 2)
    if right - left < box.w - 2 * _TIGHT or right > _TIGHT + box.w + _TIGHT:
        return None
    field = np.abs(around - behind).max(axis=2) > FAINT
    if field[inner, right + _TIGHT // 2 :].any():
        return None  # something stands right behind it
    for rows in (field[max(0, top - _TIGHT) : top], field[bottom : bottom + _TIGHT]):
        if not (rows[:, left:].mean(axis=1) > 0.99).any():
            return None
    return Box(x + left, y + top, right - left, bottom - top)


def _extent(marked: np.ndarray) -> tuple[int, int]:
    """From the first to behind the last that is marked."""
    places = np.flatnonzero(marked)
    return (int(places[0]), int(places[-1]) + 1) if len(places) else (0, 0)
