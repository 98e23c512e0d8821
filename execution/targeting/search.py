"""Finding a small picture in a large one by normalised correlation, every place it is at."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import cv2
import numpy as np

from execution.types import Box
from sentences.said import say

SAME_PICTURE = 0.95  # of correlation
_MOST_PEAKS = 40
_COARSE_SIDE = 10  # a template is shrunk for the first pass, but never below this
_COARSE_LOSS = 0.35  # how much likeness a shrunk picture may lose where it does not fall on the grid
_LEAST_CONTRAST = 4.0  # grey levels of standard deviation
_LEAST_SIDE = 8
_WIDEST, _HIGHEST = 240, 120  # pixels of a picture that are compared: more only takes longer
_MOST_CORRELATION = 1.001  # what is more was divided by next to nothing
_STRONGEST_EDGE = 300.0  # a frame's edge must not outweigh what is drawn within


class Peak(NamedTuple):
    """A place where the template fits: its box, the correlation, and the contrast there relative to the template's."""

    box: Box
    correlation: float
    contrast: float


def usable(template: np.ndarray) -> str:
    """Why a picture cannot be searched for; "" if it can."""
    if min(template.shape[:2]) < _LEAST_SIDE:
        return say("targeting.picture_too_small", width=template.shape[1], height=template.shape[0])
    return say("targeting.picture_one_colour") if is_plain(template) else ""


def is_plain(picture: np.ndarray) -> bool:
    """True for a picture of the ground alone."""
    return float(picture.std()) < _LEAST_CONTRAST


class Template(NamedTuple):
    """A grey picture that is searched for: the part that is compared, its edges and contrast, and where it is."""

    whole: np.ndarray
    part: np.ndarray
    edges: np.ndarray
    contrast: float
    left: int
    top: int


def made_ready(whole: np.ndarray) -> Template | None:
    """A picture made ready once for many places; None where it cannot be searched for."""
    if usable(whole):
        return None
    left, top = _middle_of(whole)
    part = whole[top : top + _HIGHEST, left : left + _WIDEST]
    return Template(whole, part, edges(part), float(part.std()), left, top)


def _middle_of(template: np.ndarray) -> tuple[int, int]:
    """The upper left corner of the part that is compared of a large picture: its middle, if that is not bare."""
    height, width = template.shape
    left, top = max(0, (width - _WIDEST) // 2), max(0, (height - _HIGHEST) // 2)
    return (0, 0) if usable(template[top : top + _HIGHEST, left : left + _WIDEST]) else (left, top)


def peaks(
    screen: np.ndarray, template: np.ndarray, *, minimum: float, region: Box | None = None, rough: bool = False
) -> list[Peak]:
    """Every place in `screen` (or its `region`) that is like the template, best first; both are grey.

    `rough`: shrunk first, also within a region, where it is large.
    """
    part = screen if region is None else screen[region.y : region.bottom, region.x : region.right]
    height, width = template.shape
    if part.shape[0] < height or part.shape[1] < width:
        return []
    factor = max(1, min(4, min(height, width) // _COARSE_SIDE)) if region is None or rough else 1
    if factor == 1:
        tops = _maxima(correlate(part, template), minimum, height, width)
        spots = [(x, y) for x, y, _ in tops]
    else:
        coarse = correlate(_shrunk(part, factor), _shrunk(template, factor))
        tops = _maxima(coarse, minimum - _COARSE_LOSS, height // factor, width // factor)
        spots = [_refined(part, template, x * factor, y * factor, reach=factor + 1) for x, y, _ in tops]
    dx, dy = (region.x, region.y) if region else (0, 0)
    contrast = max(1e-6, float(template.std()))
    found = [_peak(part, template, contrast, x, y) for x, y in spots]
    good = [p for p in found if p.correlation >= minimum]
    return strongest(Peak(Box(p.box.x + dx, p.box.y + dy, width, height), p.correlation, p.contrast) for p in good)


def strongest(found: Iterable[Peak]) -> list[Peak]:
    """Of peaks that overlap by more than a third only the best, best first."""
    kept: list[Peak] = []
    for peak in sorted(found, key=lambda p: -p.correlation):
        if all(peak.box.intersection(other.box).area <= peak.box.area / 3 for other in kept):
            kept.append(peak)
    return kept


def _shrunk(picture: np.ndarray, factor: int) -> np.ndarray:
    return cv2.resize(picture, None, fx=1 / factor, fy=1 / factor, interpolation=cv2.INTER_AREA)


def edges(grey: np.ndarray) -> np.ndarray:
    """How strongly the grey levels change at each pixel, float32; the same for dark on light and light on dark."""
    across, down = cv2.Sobel(grey, cv2.CV_32F, 1, 0, ksize=3), cv2.Sobel(grey, cv2.CV_32F, 0, 1, ksize=3)
    return np.minimum(cv2.magnitude(across, down), _STRONGEST_EDGE)


def correlate(screen: np.ndarray, template: np.ndarray) -> np.ndarray:
    """The normalised correlation, -1 to 1, of the template with every place; float32."""
    # A patch of one colour divides by nothing: what comes out there is no likeness.
    result = np.asarray(cv2.matchTemplate(screen, template, cv2.TM_CCOEFF_NORMED))
    is_one = np.abs(result) <= _MOST_CORRELATION  # False for what is no number
    return result if is_one.all() else np.where(is_one, result, np.float32(-1.0))


def _maxima(likeness: np.ndarray, minimum: float, height: int, width: int) -> list[tuple[int, int, float]]:
    """Local maxima above `minimum`, best first, at most so many."""
    around = np.ones((max(3, height // 2) | 1, max(3, width // 2) | 1), np.uint8)
    tops = (likeness >= minimum) & (likeness >= cv2.dilate(likeness, around))
    ys, xs = np.nonzero(tops)
    order = np.argsort(-likeness[ys, xs])[:_MOST_PEAKS]
    return [(int(xs[i]), int(ys[i]), float(likeness[ys[i], xs[i]])) for i in order]


def _refined(screen: np.ndarray, template: np.ndarray, x: int, y: int, *, reach: int) -> tuple[int, int]:
    height, width = template.shape
    left, top = max(0, min(x - reach, screen.shape[1] - width)), max(0, min(y - reach, screen.shape[0] - height))
    area = screen[top : y + height + reach, left : x + width + reach]
    _, _, _, (bx, by) = cv2.minMaxLoc(correlate(area, template))
    return left + bx, top + by


def _peak(screen: np.ndarray, template: np.ndarray, contrast: float, x: int, y: int) -> Peak:
    height, width = template.shape
    patch = screen[y : y + height, x : x + width]
    correlation = float(correlate(patch, template)[0, 0])
    return Peak(Box(x, y, width, height), correlation, float(patch.std()) / contrast)
