"""Whether a check box, a switch or a radio button is on, off, or nobody can say (S6.12).

What the eyes call checked is looked at once more: a dash (“some of them”) is neither on nor off.
"""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np

from execution.types import Box, Element, ElementRole, ElementState, ScreenState

MARKS = frozenset({ElementRole.CHECKBOX, ElementRole.RADIO})
_INK = 60  # levels by which a pixel differs from the ground
_FILLED, _EMPTY = 0.12, 0.02  # of the pixels inside of a mark
_RIM = 0.28  # of its side: border and shadow
_DASH = 0.4  # of its height: what is flatter is a dash
_LEVEL = 0.2  # of its height by which a dash rises or falls
_OFF = 2  # pixels by which a mark is found beside its place
_BORDER, _ODD = 12, 2  # levels; pixels by which a mark may be wider than high
_LEFT = 2.4  # heights of a label: how far left of it its mark begins
_SMALLEST, _LARGEST = 0.5, 1.9  # of a label's height


def mark_at(place: Box, state: ScreenState, roles: frozenset[ElementRole] = MARKS) -> Box | None:
    """The one mark that a place means: around it, inside of it, or left of its text; None where it is not just one."""
    marks = [e for e in state.elements if e.role in roles]
    for found in (
        [e for e in marks if e.box.contains(place.center)],
        [e for e in marks if place.contains(e.box.center) and e.box.center.x <= place.x + place.h],
    ):
        if len(found) == 1:
            return found[0].box
        if found:
            return None
    inside = [e.box for e in state.elements if e.role is ElementRole.ICON and _begins(place, e.box)]
    if len(inside) == 1 and _is_framed(inside[0], state):
        return inside[0]
    return mark_beside(place, state, marks)


def _begins(label: Box, icon: Box) -> bool:
    """Whether a small square is where the mark of a label is, read as a part of its line."""
    square = abs(icon.w - icon.h) <= _ODD and _SMALLEST * label.h - 1 <= icon.h <= _LARGEST * label.h
    return square and label.contains(icon.center) and icon.center.x <= label.x + label.h


def _is_framed(mark: Box, state: ScreenState) -> bool:
    """Whether it has a border on all four sides, as boxes and circles have that can be ticked."""
    ground = _ground(mark, state)
    outer = mark.grown(_OFF, state.frame.size)
    depth, across, along = _OFF + max(2, mark.w // 4), outer.w // 2, outer.h // 2
    crop = state.frame.crop(outer).astype(np.int16)
    sides = (crop[:depth, across], crop[-depth:, across], crop[along, :depth], crop[along, -depth:])
    return all(bool((np.abs(side - ground).max(axis=-1) > _BORDER).any()) for side in sides)


def mark_beside(label: Box, state: ScreenState, marks: Sequence[Element] = ()) -> Box | None:
    """The mark left of a label, from the elements or else from the pixels; None where none or several are seen."""
    zone = Box(round(label.x - _LEFT * label.h), label.y - label.h // 3, round(_LEFT * label.h), label.h + label.h // 2)
    near = [e.box for e in marks if zone.contains(e.box.center)]
    found = near or _drawn(zone, label.h, state)
    return found[0] if len(found) == 1 else None


def is_on(mark: Box, state: ScreenState) -> bool | None:
    """Whether it is on; None where that cannot be told."""
    known = next((e for e in state.elements if e.role in MARKS and e.box.iou(mark) > 0.5), None)
    filled = _ink(mark, state)
    if filled is None:
        return None
    share = float(filled.mean())
    if share >= _FILLED and known is not None and known.role is ElementRole.CHECKBOX and _is_dash(filled):
        return None
    if known is not None and (ElementState.CHECKED in known.states) != (share >= _FILLED):
        return None  # the eyes and the pixels say different things
    if share >= _FILLED:
        return True
    return False if share <= _EMPTY else None


def _ink(mark: Box, state: ScreenState) -> np.ndarray | None:
    """Which pixels inside of the mark are not as the ground around it."""
    rim = max(2, round(_RIM * min(mark.w, mark.h)))
    inner = Box(mark.x + rim, mark.y + rim, mark.w - 2 * rim, mark.h - 2 * rim)
    if inner.w < 3 or inner.h < 3:
        return None
    ground = _ground(mark, state)
    return np.asarray(np.abs(state.frame.crop(inner).astype(np.int16) - ground).max(axis=2) > _INK)


def _ground(mark: Box, state: ScreenState) -> np.ndarray:
    """The colour around it."""
    around = state.frame.crop(mark.grown(4, state.frame.size))
    return np.asarray(np.median(np.concatenate([around[0], around[-1]]), axis=0))


def _is_dash(filled: np.ndarray) -> bool:
    """Whether what is drawn inside is a flat stroke: light on a filled ground, or dark on a light one."""
    drawn = ~filled if filled.mean() > 0.5 else filled
    rows = np.flatnonzero(drawn.mean(axis=1) > 0.3)
    flat = bool(rows.size) and rows[-1] - rows[0] + 1 <= max(2, _DASH * filled.shape[0])
    return flat and _spans(drawn[rows]) and _is_level(drawn)


def _is_level(drawn: np.ndarray) -> bool:
    """Whether a stroke stands equally high from its one end to the other, as that of a small tick does not."""
    inked = drawn[:, drawn.any(axis=0)]
    middles = (inked * np.arange(len(inked))[:, None]).sum(axis=0) / inked.sum(axis=0)
    return float(np.ptp(middles)) <= max(1.0, _LEVEL * len(drawn))


def _spans(rows: np.ndarray) -> bool:
    return bool(rows.any(axis=0).mean() >= 0.5)


def _drawn(zone: Box, height: int, state: ScreenState) -> list[Box]:
    """Round or square frames in the zone, about as high as the label."""
    zone = zone.intersection(Box(0, 0, *state.frame.size))
    if not zone.area:
        return []
    grey = cv2.cvtColor(np.ascontiguousarray(state.frame.crop(zone)), cv2.COLOR_BGR2GRAY).astype(np.int16)
    ink = (np.abs(grey - int(np.median(grey))) > _INK // 2).astype(np.uint8)
    count, _labels, stats, _centres = cv2.connectedComponentsWithStats(ink, connectivity=8)
    found = []
    for x, y, w, h, _area in stats[1:count]:
        square = abs(int(w) - int(h)) <= _ODD and _SMALLEST * height <= h <= _LARGEST * height
        box = Box(zone.x + int(x), zone.y + int(y), int(w), int(h))
        if square and _is_framed(box, state):
            found.append(box)
    return found
