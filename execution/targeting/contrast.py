"""The contrast of a control, beside that of others of its kind on the same screen: in any theme what is out of use is
fainter than what is not."""

from __future__ import annotations

from statistics import median

import numpy as np

from execution.targeting.context import Context
from execution.targeting.kinds import same_kind
from execution.targeting.signs import Signs
from execution.types import Box, Element, ElementState

_SAME_CONTRAST = 0.8  # of the contrast of the others
_AS_HIGH = 0.3
_ENOUGH = 2  # others that are in use
_MOST = 24
_FEW = 3.0  # per cent of the pixels: the strokes of one short word


def contrasts_like_its_peers(signs: Signs, context: Context) -> bool:
    """True where it is written as clearly as others of its kind that are in use; False where there are too few."""
    share = contrast_share(signs, context)
    return share is not None and share >= _SAME_CONTRAST


def contrast_share(signs: Signs, context: Context) -> float | None:
    """Its contrast by that of others of its kind that are in use; None where there are too few."""
    element = signs.element
    if element is None:
        return None
    others = [e for e in context.controls if _is_like(e, element)][:_MOST]
    if len(others) < _ENOUGH:
        return None
    return contrast(element.box, context) / max(1.0, median(contrast(e.box, context) for e in others))


def _is_like(other: Element, element: Element) -> bool:
    return (
        abs(other.box.h / max(1, element.box.h) - 1) <= _AS_HIGH
        and bool(other.text) == bool(element.text)
        and same_kind(other.role, element.role)
        and other is not element
        and ElementState.DISABLED not in other.states
    )


def contrast(box: Box, context: Context) -> float:
    """How far the ink is from its ground, 0 to 255 grey levels; the frame of the control is left out."""
    if box not in context.contrasts:
        context.contrasts[box] = _contrast(box, context)
    return context.contrasts[box]


def _contrast(box: Box, context: Context) -> float:
    across, down = max(2, box.w // 10), max(2, box.h // 6)
    part = context.grey[box.y + down : box.bottom - down, box.x + across : box.right - across]
    if not part.size:
        return 0.0
    ground = int(np.bincount(part.ravel(), minlength=256).argmax())
    return float(np.percentile(np.abs(part.astype(int) - ground), 100 - _FEW))
