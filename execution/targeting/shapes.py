"""The elements around a candidate, compared with those around the target: what stays in another theme or language."""

from __future__ import annotations

import numpy as np

from execution.targeting.context import Context, Rooms
from execution.targeting.kinds import same_kind
from execution.types import Box, Element, ElementRole

_SLACK = (14, 9)  # pixels
_SLACK_FAR = 0.08
_AS_HIGH = 0.3


def structure_share(box: Box, context: Context, *, scale: float = 1.0, under: Box | None = None) -> float | None:
    """The share of the taught shapes that stand around `box`, 0 to 1; None where fewer than two were taught.

    Those that would stand `under` something that lies there are not asked for.
    """
    asked = np.ones(len(context.target.shapes), bool)
    if under is not None:
        x, y = (context.shape_table[:, axis] * scale + box.center[axis] for axis in (0, 1))
        asked = ~((x >= under.x) & (x < under.right) & (y >= under.y) & (y < under.bottom))
    if asked.sum() < 2 or not context.state.elements:
        return None
    if scale not in context.shape_rooms:
        context.shape_rooms[scale] = _rooms(context, scale)
    alike, rooms = context.shape_rooms[scale]
    near = alike.copy()
    for axis, (low, high) in enumerate(rooms):
        now = context.element_table[:, axis] - box.center[axis]
        near &= (now >= low) & (now <= high)
    return int((near.any(axis=1) & asked).sum()) / int(asked.sum())


def _rooms(context: Context, scale: float) -> Rooms:
    """Which element is of the kind and height of which taught shape, and how far from the target each may be, across
    and down: the same for every place."""
    table, taught = context.element_table, context.shape_table
    alike = context.shape_kinds & (np.abs(table[:, 3] / np.maximum(1.0, taught[:, 2:] * scale) - 1) <= _AS_HIGH)
    rooms = []
    for axis in (0, 1):
        offset = taught[:, axis, None]
        ends = np.sort(np.concatenate([offset * scale, offset * context.stretch[axis]], axis=1), axis=1)
        room = np.maximum(_SLACK[axis] * max(1.0, scale), _SLACK_FAR * np.abs(offset) * scale)
        rooms.append((ends[:, :1] - room, ends[:, 1:] + room))
    return alike, rooms


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
