"""How like the taught picture a place looks: in grey, and in its edges, which stay when theme or accent change."""

from __future__ import annotations

import numpy as np

from execution.targeting.context import Context
from execution.targeting.picture_fit import BY_EDGES, PictureFit, edge_score, grey_score
from execution.targeting.search import Template, correlate, edges
from execution.types import Box

_SAME_GROUND, _SAME_FILL = 2, 4  # grey levels: the ground of two light themes differs by four
_BESIDE = 6  # pixels around a field
REACH = 8  # pixels around a place within which the picture may lie


def look_at(box: Box, context: Context, *, scale: float = 1.0) -> PictureFit | None:
    """The best fit with its middle near that of `box`; None without a picture that can be compared."""
    template = context.template_at(scale)
    if template is None:
        return None
    height, width = template.whole.shape
    if width > context.grey.shape[1] or height > context.grey.shape[0]:
        return None
    return fit(context.grey, template, _region(box, width, height, context), scale)


def _region(box: Box, width: int, height: int, context: Context) -> Box:
    size, centre = context.state.frame.size, box.center
    return Box(centre.x - width // 2, centre.y - height // 2, width, height).grown(REACH, size)


def fit(screen: np.ndarray, template: Template, region: Box, scale: float) -> PictureFit | None:
    """The best place of `template` within `region` of the grey `screen`; None where it does not fit in there."""
    part = _searched(screen, template, region)
    if part is None:
        return None
    by_grey, by_edges = correlate(part, template.part), correlate(edges(part), template.edges)
    y, x = _best(by_grey, by_edges)
    grey, edge = float(by_grey[y, x]), float(by_edges[y, x])
    patch = part[y : y + template.part.shape[0], x : x + template.part.shape[1]]
    contrast = float(patch.std()) / max(1e-6, template.contrast)
    height, width = template.whole.shape
    box = Box(region.x + x, region.y + y, width, height)
    look = PictureFit(max(grey_score(grey), edge_score(edge)), grey, edge, contrast, box, scale)
    return look._replace(score=look.score / 2) if look.faded else look


def _searched(screen: np.ndarray, template: Template, region: Box) -> np.ndarray | None:
    """What of the screen the compared part of the template is held against; None where the whole does not fit."""
    height, width = template.whole.shape
    if region.h < height or region.w < width:
        return None
    left, top, sought = template.left, template.top, template.part
    right, bottom = region.right - width + left + sought.shape[1], region.bottom - height + top + sought.shape[0]
    return screen[region.y + top : bottom, region.x + left : right]


def _best(by_grey: np.ndarray, by_edges: np.ndarray) -> tuple[int, int]:
    """The place where the one or the other is worth most."""
    grey_at, edges_at = _top(by_grey), _top(by_edges)
    first = grey_score(float(by_grey[grey_at])) >= edge_score(float(by_edges[edges_at]))
    return grey_at if first else edges_at


def _top(likeness: np.ndarray) -> tuple[int, int]:
    y, x = np.unravel_index(int(np.argmax(likeness)), likeness.shape)
    return int(y), int(x)


def surroundings_likeness(box: Box, context: Context) -> float | None:
    """How like the taught surroundings those of `box` are, a correlation; None without a picture of them."""
    if context.around is None:
        return None
    outer = context.around[1]
    dx, dy = box.center.x - context.taught.center.x, box.center.y - context.taught.center.y
    place = Box(outer.x + dx, outer.y + dy, outer.w, outer.h).grown(3, context.state.frame.size)
    if context.surroundings is None:
        return None
    part = _searched(context.grey, context.surroundings, place)
    if part is None:
        return 0.0
    by_grey = correlate(part, context.surroundings.part)
    best = float(by_grey.max())
    if grey_score(best) >= BY_EDGES:  # no edges can be worth more
        return best
    return float(by_grey[_best(by_grey, correlate(edges(part), context.surroundings.edges))])


def ground_change(box: Box, context: Context) -> bool | None:
    """Whether a field is of another colour than it was on the same ground; None where the ground is another, too."""
    if context.around is None:
        return None
    picture, outer = context.around
    taught = context.taught
    inner = Box(taught.x - outer.x, taught.y - outer.y, taught.w, taught.h)
    before, now = _grounds(picture, inner), _grounds(context.grey, box)
    if abs(before[1] - now[1]) > _SAME_GROUND:
        return None
    return abs(before[0] - now[0]) > _SAME_FILL


def _grounds(grey: np.ndarray, box: Box) -> tuple[float, float]:
    """The commonest grey level of a box, and of what is close around it."""
    height, width = grey.shape
    x, y, right, bottom = max(0, box.x), max(0, box.y), min(width, box.right), min(height, box.bottom)
    left, top = max(0, x - _BESIDE), max(0, y - _BESIDE)
    inside = grey[y:bottom, x:right]
    outside = np.concatenate([grey[top:y, x:right].ravel(), grey[bottom : bottom + _BESIDE, x:right].ravel(),
                              grey[y:bottom, left:x].ravel()])  # fmt: skip
    return _commonest(inside.ravel()), _commonest(outside if outside.size else inside.ravel())


def _commonest(levels: np.ndarray) -> float:
    return float(np.bincount(levels, minlength=256).argmax()) if levels.size else 0.0
