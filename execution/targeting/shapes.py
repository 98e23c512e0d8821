"""The elements around a candidate, compared with those around the target: what stays in another theme or language."""

from __future__ import annotations

import numpy as np

from execution.targeting.context import Context
from execution.targeting.kinds import same_kind
from execution.types import Box, Element, ElementRole
from workflows.graph import ShapeSpec

_SLACK = (14, 9)  # pixels
_SLACK_FAR = 0.08
_AS_HIGH = 0.3


def structure_share(box: Box, context: Context, *, scale: float = 1.0) -> float | None:
    """The share of the taught shapes that stand around `box`, 0 to 1; None where fewer than two were taught."""
    shapes = context.target.shapes
    if len(shapes) < 2 or not context.state.elements:
        return None
    return sum(_stands(shape, box, context, scale) for shape in shapes) / len(shapes)


def _stands(shape: ShapeSpec, box: Box, context: Context, scale: float) -> bool:
    table, elements = context.element_table, context.state.elements
    near = np.abs(table[:, 3] / max(1.0, shape.h * scale) - 1) <= _AS_HIGH
    for axis, taught in ((0, shape.dx), (1, shape.dy)):
        ends = (taught * scale, taught * context.stretch[axis])
        room = max(_SLACK[axis] * max(1.0, scale), _SLACK_FAR * abs(taught) * scale)
        now = table[:, axis] - box.center[axis]
        near &= (now >= min(ends) - room) & (now <= max(ends) + room)
    return any(same_kind(shape.role, elements[i].role) for i in np.flatnonzero(near).tolist())


def element_at(box: Box, context: Context, *, like: str = "") -> Element | None:
    """The element that `box` is, or lies on: the one that fits it best; of the kind of `like` where there is one."""
    table = context.element_table
    if not len(table):
        return None
    met = (np.abs(table[:, :2] - box.center) <= (table[:, 2:] + (box.w, box.h)) / 2 + 1).all(axis=1)
    near, on = list[tuple[float, Element]](), list[tuple[float, Element]]()
    for index in np.flatnonzero(met).tolist():
        element = context.state.elements[index]
        share = element.box.iou(box)
        if element.role == ElementRole.GROUP:
            continue
        if share > 0.3:
            near.append((share, element))
        elif element.box.contains(box.center) and element.box.area < 12 * box.area:
            on.append((share, element))
    found = near or on
    of_kind = [pair for pair in found if like and same_kind(like, pair[1].role)]
    return max(of_kind or found, key=lambda pair: pair[0], default=(0.0, None))[1]
