"""How like the taught picture of a control the control on the screen looks, whatever its size, theme and frame."""

from __future__ import annotations

from typing import NamedTuple

import cv2
import numpy as np

from execution.types import Box, Frame
from sentences.said import say

_LEAST_SIDE = 6  # pixels
_LEAST_CONTRAST = 6.0  # standard deviation of the grey levels
_MOST_STRETCH = 2.2  # of the ink, against that of the taught picture
_OTHER_SHAPE = 1.3  # of one side's stretch by the other's: another word, or another icon
_FRAME = 0.12  # of each side: what all buttons of a program share says nothing
_INK, _FAINT_INK = 24, 8  # grey levels from the ground; of what is faint, less
_INK_SHARE = 0.4  # of the strongest ink
_FADED = 0.7  # of the taught contrast: greyed out, or behind a dialog
_SAME_THEME = 0.8  # correlation of grey levels: in another theme the contrast is another one for all
_SHIFT = 1  # pixels the ink may be off, after scaling
_SMALL, _LARGE = 24, 160  # pixels of the longer side that the ink is compared at
# Correlation of the ink. Measured on 60 icons and 26 labels drawn at 80 to 150 % in a light and a dark theme: icons are
# above 0.84 (95 of 100) like themselves and below 0.56 (99 of 100) like others; labels above 0.62 and below 0.68.
_NOTHING, _PERFECT = 0.55, 0.9


class InkLikeness(NamedTuple):
    """`likeness` is 0 to 1, None where the two cannot be compared; `faded`: the very picture, in fainter ink."""

    likeness: float | None
    faded: bool


class TaughtPicture:
    """A taught picture made ready to be compared; `problem` says why it cannot be, "" if it can."""

    def __init__(self, pixels: np.ndarray) -> None:
        self._ink = _ink(cv2.cvtColor(pixels, cv2.COLOR_BGR2GRAY))
        self.problem = _problem(self._ink)
        self._grey, self._relief = _sized(self._ink), _sized(_relief(self._ink))
        self._contrast = float(self._ink.std())

    def look(self, frame: Frame, box: Box) -> InkLikeness:
        """How like the taught picture what is in the box looks."""
        crop = frame.crop(box)
        if self.problem or min(crop.shape[:2]) < _LEAST_SIDE:
            return InkLikeness(None, False)
        ink = _ink(cv2.cvtColor(np.ascontiguousarray(crop), cv2.COLOR_BGR2GRAY))
        if min(ink.shape) < _LEAST_SIDE or not _same_shape(self._ink.shape, ink.shape):
            return InkLikeness(0.0, False)
        grey = _correlation(self._grey, ink)
        faded = grey >= _SAME_THEME and float(ink.std()) < _FADED * self._contrast
        if _problem(ink):
            return InkLikeness(0.0, faded)
        best = max(_correlation(self._relief, _relief(ink)), abs(grey))
        return InkLikeness(min(1.0, max(0.0, (best - _NOTHING) / (_PERFECT - _NOTHING))), faded)


def ink_box(grey: np.ndarray) -> Box:
    """Where something is drawn in a grey picture, its frame and the ground around it left out; all of it if nothing."""
    dy, dx = (max(1, round(_FRAME * side)) if side > 2 * _LEAST_SIDE else 0 for side in grey.shape)
    inner = grey[dy : grey.shape[0] - dy, dx : grey.shape[1] - dx]
    from_ground = cv2.absdiff(inner, np.full_like(inner, _middle_level(inner)))
    drawn = from_ground > max(_FAINT_INK, min(_INK, _INK_SHARE * float(from_ground.max(initial=0))))
    x, y, w, h = cv2.boundingRect(drawn.astype(np.uint8))
    return Box(dx + x, dy + y, w, h) if w and h else Box(dx, dy, inner.shape[1], inner.shape[0])


def _middle_level(grey: np.ndarray) -> int:
    """The median of grey levels, a half left out: there are few levels and many pixels."""
    up_to, last = np.cumsum(np.bincount(grey.ravel(), minlength=256)), grey.size - 1
    return int(np.searchsorted(up_to, (last // 2, last - last // 2), "right").sum()) // 2


def _ink(grey: np.ndarray) -> np.ndarray:
    """What is drawn, alone: words of a program's buttons stand on much the same ground."""
    box = ink_box(grey)
    return grey[box.y : box.bottom, box.x : box.right]


def _problem(ink: np.ndarray) -> str:
    if min(ink.shape) < _LEAST_SIDE:
        return say("targeting.picture_too_small", width=ink.shape[1], height=ink.shape[0])
    if float(ink.std()) < _LEAST_CONTRAST:
        return say("targeting.picture_one_colour")
    return ""


def _same_shape(taught: tuple[int, ...], now: tuple[int, ...]) -> bool:
    ratios = [one / other for one, other in zip(now, taught, strict=True)]
    return min(ratios) >= 1 / _MOST_STRETCH and max(ratios) <= min(_MOST_STRETCH, _OTHER_SHAPE * min(ratios))


def _relief(grey: np.ndarray) -> np.ndarray:
    """How steep the grey is at each pixel: light on dark is as steep as dark on light."""
    return np.asarray(cv2.morphologyEx(grey, cv2.MORPH_GRADIENT, np.ones((3, 3), np.uint8)))


class _Sized(NamedTuple):
    """A picture at the size that it is compared at, wide and high; `core` is it without what it may be off."""

    size: tuple[int, int]
    core: np.ndarray


def _sized(taught: np.ndarray) -> _Sized:
    longer = min(_LARGE, max(_SMALL, *taught.shape))
    scale = longer / max(taught.shape)
    size = (max(4, round(taught.shape[1] * scale)), max(4, round(taught.shape[0] * scale)))
    shift = _SHIFT if min(size) > 8 else 0
    whole = cv2.resize(taught, size, interpolation=cv2.INTER_AREA)
    return _Sized(size, whole[shift : size[1] - shift, shift : size[0] - shift])


def _correlation(taught: _Sized, now: np.ndarray) -> float:
    """The best correlation at one size and shifted by a pixel; 0 for flat pictures."""
    other = cv2.resize(now, taught.size, interpolation=cv2.INTER_AREA)
    result = cv2.matchTemplate(other, taught.core, cv2.TM_CCOEFF_NORMED)
    result = result[np.isfinite(result) & (np.abs(result) <= 1.001)]
    return float(result[np.abs(result).argmax()]) if result.size else 0.0
