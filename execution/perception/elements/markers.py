"""Check boxes and radio buttons side by side, whose captions a reader joined to one line: each has its own (S2.9).

One is found as others are, or by its dot. The others of its row are drawn alike.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from execution.perception.elements.choices import is_marked, is_round
from execution.perception.elements.found import Found
from execution.perception.elements.layout import union
from execution.perception.elements.scene import Scene, runs
from execution.types import Box, Element, ElementRole, ElementState, TextLine, Word

_MARKERS = frozenset({ElementRole.CHECKBOX, ElementRole.RADIO})
_ROOM = 2  # pixels around a marker
_INSIDE = 0.28  # of its side: what lies within its border
_INK, _CLEAR, _STRAIGHT = 40, 3, 0.8  # levels; pixels of ground beside a marker; of a side that is drawn
_SMALLEST, _WITHIN = 8, 0.62  # pixels; of half the width of a radio button: between its dot and its border
_UNNAMED = 0.5  # confidence
_LIKE, _CONTRAST = 0.06, 16  # of the contrast of its border: by so little do two borders differ; levels


def beside_each_other(scene: Scene, choices: Sequence[Found], texts: Sequence[TextLine]) -> list[Found]:
    """The markers that are in the row of one that is known, or of one with a dot, but for those that are known."""
    known = [c for c in choices if c.role in _MARKERS and c.lines]
    found = list[Found]()
    for line in texts:
        if len(line.words) > 1 and not any(_is_at(line, c.element.box) for c in known):
            found += [one for one in _with_dot(scene, line) if _is_of_a_group(scene, one, line)]
    for first in [*known, *found]:
        row = _captions_around(first.element.box, texts)
        for place in _in_row(scene, first, row) if row else ():
            if not _is_one_of(place, [*known, *found]):
                found.append(_like(scene, first, place))
    return found


def cut_at(texts: Sequence[TextLine], markers: Sequence[Found]) -> list[TextLine]:
    """The lines, those with several markers as their captions."""
    boxes = [one.element.box for one in markers]
    return [part for line in texts for part in _captions(line, [box for box in boxes if _is_at(line, box)])]


def _is_at(line: TextLine, box: Box) -> bool:
    """Whether a marker stands in a line, or in its row."""
    return abs(line.box.center.y - box.center.y) < 0.5 * max(line.box.h, box.h)


def _captions_around(box: Box, texts: Sequence[TextLine]) -> list[TextLine]:
    """The lines in the row of a marker that follow one another with no more room between them than a marker takes."""
    row, reach = list[TextLine](), box
    level = [line for line in texts if _is_at(line, box)]
    for line in [*sorted(level, key=lambda one: one.box.x), *sorted(level, key=lambda one: -one.box.x)]:
        room = 2 * box.w + line.box.h
        if line not in row and line.box.x <= reach.right + room and line.box.right >= reach.x - room:
            row.append(line)
            reach = union([reach, line.box])
    return row


def _is_one_of(box: Box, found: Sequence[Found]) -> bool:
    return any(box.intersection(one.element.box).area for one in found)


def _with_dot(scene: Scene, line: TextLine) -> Iterator[Found]:
    """The radio button between the words of a line that is on: round, with a dot in it, as no letter is."""
    top, bottom = max(0, line.box.y - _ROOM), line.box.bottom + _ROOM
    part = scene.pixels[top:bottom, line.box.x : line.box.right].astype(np.int16)
    inked = np.abs(part - np.median(part.reshape(-1, 3), axis=0)).max(axis=2) > _CONTRAST
    for start, end in runs(inked.any(axis=0), gap=_ROOM):
        rows = np.flatnonzero(inked[:, start:end].any(axis=1))
        box = Box(line.box.x + start, top + int(rows[0]), end - start, int(rows[-1] - rows[0]) + 1)
        if box.h >= _SMALLEST and abs(box.w - box.h) <= 1 and is_round(scene, box) and _has_dot(scene, box):
            states = frozenset({ElementState.CHECKED})
            yield Found(Element(role=ElementRole.RADIO, box=box, text="", confidence=_UNNAMED, states=states))


def _is_of_a_group(scene: Scene, chosen: Found, line: TextLine) -> bool:
    """Whether others like it, none of which is on, stand in the line: of a group one radio button is on."""
    box = chosen.element.box
    others = _drawn_alike(scene, box, line.box.x - 2 * box.w, line.box.right)
    return bool(others) and box.h <= line.box.h and not any(_has_dot(scene, other) for other in others)


def _has_dot(scene: Scene, box: Box) -> bool:
    """Whether its middle stands out from what is around it, within its border."""

    def colour(aside: float) -> np.ndarray:
        x = round(box.x + (box.w - 1) / 2 * (1 + aside))
        return np.asarray(scene.pixels[box.center.y, min(x, scene.size.width - 1)].astype(np.int16))

    return all(float(np.abs(colour(0) - colour(side * _WITHIN)).max()) > _INK for side in (-1, 1))


def _in_row(scene: Scene, first: Found, row: Sequence[TextLine]) -> list[Box]:
    """The places in a row where a marker like this one is."""
    box = first.element.box
    left, right = min(line.box.x for line in row) - 2 * box.w, max(line.box.right for line in row)
    places = _drawn_alike(scene, box, left, right)
    # the border of one that is on may have another colour
    own = min(row, key=lambda line: abs(line.box.x - box.right))
    others = list(_of_its_shape(scene, first, max(own.box.x, box.right + _ROOM), own.box.right))
    return [*places, *(o for o in others if not any(place.intersection(o).area for place in places))]


def _of_its_shape(scene: Scene, first: Found, left: int, right: int) -> Iterator[Box]:
    """What stands apart between two columns, is as large as a marker, and as round, or has four straight sides."""
    box = first.element.box
    if right - left < box.w:
        return
    part = scene.pixels[box.y : box.bottom, left:right].astype(np.int16)
    inked = np.abs(part - np.median(part.reshape(-1, 3), axis=0)).max(axis=2) > _INK
    for start, end in runs(inked.any(axis=0), gap=1):
        if abs(end - start - box.w) > 1 or inked[:, max(0, start - _CLEAR) : start].any():
            continue
        place = Box(left + start, box.y, end - start, box.h)
        own = inked[:, start:end]
        if inked[:, end : end + _CLEAR].any() or own.any(axis=1).sum() < box.h - 1:
            continue
        sides = (own[:2].any(axis=0), own[-2:].any(axis=0), own[:, :2].any(axis=1), own[:, -2:].any(axis=1))
        square = min(float(side.mean()) for side in sides) >= _STRAIGHT
        if is_round(scene, place) if first.role == ElementRole.RADIO else square:
            yield place


def _like(scene: Scene, first: Found, place: Box) -> Found:
    """What is drawn there, with no caption yet."""
    frame = replace(first.frame, box=place) if first.frame else None
    is_on = is_marked(scene, frame) if frame else _has_dot(scene, place)
    states = frozenset({ElementState.CHECKED} if is_on else ())
    return Found(replace(first.element, box=place, text="", confidence=_UNNAMED, states=states), frame)


def _drawn_alike(scene: Scene, box: Box, left: int, right: int) -> list[Box]:
    """Where between two columns the border of a marker is drawn once more."""
    width, height = box.w + 2 * _ROOM, box.h + 2 * _ROOM
    left, right = max(_ROOM, left), min(scene.size.width - _ROOM, right)
    if box.y < _ROOM or box.bottom + _ROOM > scene.size.height or box.x < _ROOM or right - left < box.w:
        return []
    strip = scene.pixels[box.y - _ROOM : box.y - _ROOM + height].astype(np.int16)
    own = strip[:, box.x - _ROOM : box.x - _ROOM + width]
    if own.shape[1] < width:
        return []
    border = np.ones((height, width), bool)
    inset = _ROOM + round(_INSIDE * box.h)
    border[inset:-inset, inset:-inset] = False
    contrast = float(np.ptp(own[border], axis=0).max())
    if contrast < _CONTRAST:
        return []
    part = strip[:, left - _ROOM : right + _ROOM]
    at = np.lib.stride_tricks.sliding_window_view(part, (height, width), axis=(0, 1))[0]  # columns, colours, y, x
    differs = np.abs(at - own.transpose(2, 0, 1)).max(axis=1)[:, border].mean(axis=1)
    places = list[Box]()
    for n in np.argsort(differs, kind="stable")[: len(differs)]:
        if differs[n] > _LIKE * contrast:
            break
        place = box._replace(x=left + int(n))
        if not any(place.intersection(other).area for other in (box, *places)):
            places.append(place)
    return sorted(places)


class _Placed(NamedTuple):
    """A word with its place on the screen."""

    text: str
    box: Box


def _words(line: TextLine) -> list[_Placed]:
    x, y, _, h = line.box
    return [_Placed(w.text, Box(x + w.left, y, max(1, w.right - w.left), h)) for w in line.words]


def _captions(line: TextLine, markers: Sequence[Box]) -> Iterator[TextLine]:
    """The words between the markers; a marker that was read as a word is none."""
    words = _words(line) if markers else []
    said = [word for word in words if not any(marker.contains(word.box.center) for marker in markers)]
    cuts = sorted({sum(word.box.center.x < marker.center.x for word in said) for marker in markers} - {0, len(said)})
    if not cuts:
        yield line
        return
    for first, last in pairwise([0, *cuts, len(said)]):
        part = said[first:last]
        start, end = part[0].box, part[-1].box
        left = max([start.x, *(m.right + _ROOM for m in markers if start.x < m.right <= start.center.x)])
        right = min([end.right, *(m.x - _ROOM for m in markers if end.center.x <= m.x < end.right)])
        box = Box(left, line.box.y, right - left, line.box.h)
        placed = tuple(Word(p.text, max(0, p.box.x - left), min(right, p.box.right) - left) for p in part)
        text = " ".join(p.text for p in part)
        beside = (line.beside[0] if not first else "", line.beside[1] if last == len(said) else "")
        yield replace(line, text=text, box=box, words=placed, beside=beside)
