"""The contrast of a control, beside that of others of its kind on the same screen: in any theme what is out of use is
fainter than what is not."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from statistics import median

import numpy as np

from execution.targeting.context import Context
from execution.targeting.kinds import same_kind
from execution.targeting.looks import ground_change
from execution.targeting.picture_fit import PictureFit
from execution.targeting.signs import Signs
from execution.types import Box, Element, ElementState

_SAME_CONTRAST = 0.8  # of the contrast of the others
_AS_HIGH = 0.3
_ENOUGH = 2  # others that are in use
_MOST = 24
_FEW = 3.0  # per cent of the pixels: the strokes of one short word
_AS_CLEAR = 0.85  # of the taught contrast
_LEAST_SAID, _FEWEST_LINES = 3, 4  # letters of a line, and lines, that say how a program writes


def contrasts_like_its_peers(signs: Signs, context: Context) -> bool:
    """True where it is written as clearly as others of its kind that are in use; False where there are too few."""
    share = contrast_share(signs, context)
    return share is not None and share >= _SAME_CONTRAST


def contrast_share(signs: Signs, context: Context) -> float | None:
    """Its contrast by that of others of its kind that are in use; None where there are too few."""
    element = signs.element
    if element is None:
        return None
    others = list(islice(_like(element, context), _MOST))
    if len(others) < _ENOUGH:
        return None
    return contrast(element.box, context) / max(1.0, median(contrast(e.box, context) for e in others))


def is_as_clear_as_taught(signs: Signs, context: Context) -> bool:
    """True on the ground that it was taught on, where it is no fainter than it was: the heads of a table are grey in
    some themes."""
    if context.template is None or ground_change(signs.box, context) is None:
        return False
    return contrast(signs.box, context) >= _AS_CLEAR * _contrast(context.template)


def clearness(look: PictureFit, context: Context) -> float:
    """The contrast of the picture where it fits by the taught one. Light ink on another ground than it stood on counts
    by the most that each ground allows: white on a paler blue is as clear as it can be."""
    if context.template is None or context.around is None or ground_change(look.box, context) is not None:
        return look.contrast
    place = context.grey[look.box.y : look.box.bottom, look.box.x : look.box.right]
    now, taught = _share_of_white(place), _share_of_white(context.template)
    return now / taught if now and taught else look.contrast


def is_written_clearly(box: Box, context: Context) -> bool:
    """True where something is written in it as clearly as this program writes."""
    told = _of_lines(context)
    inside = [contrast(line.box, context) for line in context.state.texts if box.contains(line.box.center)]
    return len(told) >= _FEWEST_LINES and max(inside, default=0.0) >= _SAME_CONTRAST * median(told)


def is_written_faintly(signs: Signs, context: Context) -> bool:
    """True where this theme writes nothing as clearly as the target was written, and this much as all else.

    Where anything in sight is as clear as it was, what is fainter is out of use, or lies behind a veil.
    """
    if not signs.read or context.template is None:
        return False
    told = _of_lines(context)
    if len(told) < _FEWEST_LINES or max(told) >= _AS_CLEAR * _contrast(context.template):
        return False
    return contrast(signs.box, context) >= _SAME_CONTRAST * median(told)


def _of_lines(context: Context) -> list[float]:
    boxes = [line.box for line in context.state.texts if len(line.text) >= _LEAST_SAID]
    return [contrast(box, context) for box in boxes if context.area.contains(box.center)]


def _like(element: Element, context: Context) -> Iterator[Element]:
    as_high = np.abs(context.control_boxes[:, 3] / max(1, element.box.h) - 1) <= _AS_HIGH
    for index in np.flatnonzero(as_high).tolist():
        other = context.controls[index]
        if (
            bool(other.text) == bool(element.text)
            and same_kind(other.role, element.role)
            and other is not element
            and ElementState.DISABLED not in other.states
        ):
            yield other


def contrast(box: Box, context: Context) -> float:
    """How far the ink is from its ground, 0 to 255 grey levels; the frame of the control is left out."""
    if box not in context.contrasts:
        context.contrasts[box] = _contrast(context.grey[box.y : box.bottom, box.x : box.right])
    return context.contrasts[box]


def _contrast(grey: np.ndarray) -> float:
    levels = _levels(grey)
    away = np.bincount(np.abs(np.arange(256) - levels.argmax()), levels)  # how many pixels are so far from the ground
    return _exceeded_by_few(np.cumsum(away), int(levels.sum())) if levels.any() else 0.0


def _share_of_white(grey: np.ndarray) -> float:
    """The contrast of light ink by that of white on the same ground; 0 for dark ink."""
    levels, by = _levels(grey), _contrast(grey)
    ground, ink = int(levels.argmax()), max(1, round(by))
    is_light = levels[ground + ink :].sum() > levels[: max(0, ground - ink + 1)].sum()
    return by / (255 - ground) if is_light else 0.0


def _levels(grey: np.ndarray) -> np.ndarray:
    """How many pixels have each grey level, the frame of the control left out."""
    across, down = max(2, grey.shape[1] // 10), max(2, grey.shape[0] // 6)
    part = grey[down : grey.shape[0] - down, across : grey.shape[1] - across]
    return np.bincount(part.ravel(), minlength=256)


def _exceeded_by_few(up_to: np.ndarray, count: int) -> float:
    """np.percentile of numbers of which `up_to[n]` of the `count` are n or less."""
    rank = (100 - _FEW) / 100 * (count - 1)
    below, share = int(rank), rank % 1
    low, high = np.searchsorted(up_to, (below, min(below + 1, count - 1)), "right").tolist()
    return float(low + (high - low) * share if share < 0.5 else high - (high - low) * (1 - share))
