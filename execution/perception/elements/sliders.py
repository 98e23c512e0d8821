"""Sliders: a knob on a low track. By what can be done with them they are fields: they hold a value and take another."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from execution.perception.elements.found import Found
from execution.perception.elements.grid import Grid
from execution.perception.elements.scene import Scene
from execution.types import Box, Element, ElementRole

_LOWEST, _HIGHEST = 9, 44  # pixels: the knob
_LONGEST_KNOB = 1.6  # of its height
_SHORTEST = 4.0  # of the knob's height: the whole slider
_TRACK = 0.65  # of the knob's height: tracks are no higher
_APART = 10  # levels between the track and the ground
_GAP = 4  # pixels around the knob that may be ground
_MOST = 400


def sliders_of(scene: Scene, taken: Sequence[Box]) -> list[Found]:
    """The sliders that lie in none of the taken boxes."""
    found: list[Found] = []
    covered = Grid(scene.size, [*taken, *(t.box for t in scene.texts)])
    for knob in _knobs(scene, covered):
        if any(f.element.box.contains(knob.center) for f in found):
            continue
        box = _slider(scene, knob)
        if box is not None and not any(t.box.intersection(box).area for t in scene.texts):
            found.append(Found(Element(box=box, role=ElementRole.FIELD, confidence=0.5)))
    return found


def _knobs(scene: Scene, covered: Grid) -> Iterator[Box]:
    """Things of a knob's size, and what rises from a long thing at one place."""
    boxes = np.concatenate((scene.outlines.things, scene.outlines.grounds))
    areas = np.concatenate((scene.outlines.thing_areas, scene.outlines.ground_areas))
    likely = (boxes[:, 3] >= _LOWEST) & (boxes[:, 3] <= _HIGHEST)
    boxes, areas = boxes[likely], areas[likely]
    free = covered.around_centres(boxes) < 0
    boxes, areas = boxes[free], areas[free]
    w, h = boxes[:, 2], boxes[:, 3]
    small = (w <= _LONGEST_KNOB * h) & (w >= 0.4 * h) & (areas > 0.6 * w * h)
    for x, y, width, height in boxes[small][:_MOST].tolist():
        yield Box(x, y, width, height)
    long = (w >= _SHORTEST * h) & (areas < 0.75 * w * h)
    for x, y, width, height in boxes[long][:_MOST].tolist():
        top = scene.edges[y : y + max(1, height // 6), x : x + width].any(axis=0)
        places = np.flatnonzero(top)
        if len(places) and places[-1] - places[0] <= _LONGEST_KNOB * height:
            middle = x + int(places[0] + places[-1]) // 2
            yield Box(max(x, middle - height // 2), y, height, height)


def _slider(scene: Scene, knob: Box) -> Box | None:
    """The track with its knob; None where no track runs on from the knob at its middle."""
    middle = knob.center.y
    left = _reach(scene, knob, middle, -1)
    right = _reach(scene, knob, middle, 1)
    if left + knob.w + right < _SHORTEST * knob.h or max(left, right) < knob.h:
        return None
    return Box(knob.x - left, knob.y, left + knob.w + right, knob.h)


def _reach(scene: Scene, knob: Box, middle: int, way: int) -> int:
    """How far the track runs to that side, in pixels; 0 where what is there is as high as the knob, or nothing."""
    start = knob.x - 1 if way < 0 else knob.right
    end = max(-1, start - 60 * knob.h) if way < 0 else min(scene.size.width, start + 60 * knob.h)
    columns = np.arange(start, end, way)
    half = round(_TRACK * knob.h / 2) + 1
    if len(columns) <= _GAP or middle - half < 0 or middle + half >= scene.size.height:
        return 0
    track = scene.pixels[middle, columns].astype(np.int16)
    above, below = (scene.pixels[middle + d, columns].astype(np.int16) for d in (-half, half))
    apart = np.minimum(np.abs(track - above).max(axis=1), np.abs(track - below).max(axis=1)) > _APART
    level = np.abs(above - below).max(axis=1) <= _APART
    on = apart & level
    first = np.flatnonzero(on[: _GAP + 1])
    if not len(first):
        return 0
    off = np.flatnonzero(~on[first[0] :])
    length = int(first[0] + off[0]) if len(off) else len(columns)
    even = track[int(first[0]) : length]
    return (
        length if len(even) and float(np.ptp(even[2:-2] if len(even) > 8 else even, axis=0).max()) <= 3 * _APART else 0
    )
