"""Check boxes and radio buttons side by side whose captions a reader joined to one line: each has its own (S2.9).

The first one is found as others are. The next ones are drawn alike, level with it, between two words of its line.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from execution.perception.elements.choices import is_marked, is_round
from execution.perception.elements.found import Found
from execution.perception.elements.scene import Scene, runs
from execution.types import Box, ElementRole, ElementState, TextLine, Word

_MARKERS = frozenset({ElementRole.CHECKBOX, ElementRole.RADIO})
_ROOM = 2  # pixels around a marker in which nothing else is drawn
_INSIDE = 0.28  # of its side: what lies within its border
_INK, _CLEAR, _STRAIGHT = 40, 3, 0.8  # levels; pixels of ground beside a marker; of a side that is drawn
_UNNAMED = 0.5  # confidence
_LIKE, _CONTRAST = 0.06, 16  # of the contrast of its border: by so little do two borders differ; levels


def beside_each_other(scene: Scene, choices: Sequence[Found], texts: Sequence[TextLine]) -> dict[TextLine, list[Found]]:
    """The lines, as they were read, that are the captions of several markers, with those behind the first ones."""
    found = dict[TextLine, list[Found]]()
    for first in choices:
        line = _line_of(scene, first, texts)
        if line is not None and (places := _behind(scene, first, line)):
            found.setdefault(line, []).extend(_like(scene, first, place) for place in places)
    return found


def _line_of(scene: Scene, first: Found, texts: Sequence[TextLine]) -> TextLine | None:
    """The line that a marker takes for its caption, as it was read."""
    if first.role not in _MARKERS or first.frame is None or not first.lines:
        return None
    own = scene.texts[first.lines[0]].box
    return next((t for t in texts if t.box.intersection(own).area > own.area / 2), None)


def _behind(scene: Scene, first: Found, line: TextLine) -> list[Box]:
    """The places along the line of a marker where another one is, from left to right."""
    box, left, right = first.element.box, first.element.box.right + _ROOM, line.box.right - first.element.box.w
    places = _drawn_alike(scene, box, left, right)
    others = _of_its_shape(scene, first, left, right + box.w)  # the border of one that is on may have another colour
    return sorted([*places, *(o for o in others if not any(place.intersection(o).area for place in places))])


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
    assert first.frame is not None
    states = frozenset({ElementState.CHECKED} if is_marked(scene, replace(first.frame, box=place)) else ())
    element = replace(first.element, box=place, text="", confidence=_UNNAMED, states=states)
    return Found(element, replace(first.frame, box=place))


def cut_at(texts: Sequence[TextLine], markers: Mapping[TextLine, Sequence[Found]]) -> list[TextLine]:
    """The lines, those with several markers as their captions."""
    return [part for line in texts for part in _captions(line, [f.element.box for f in markers.get(line, ())])]


class _Placed(NamedTuple):
    """A word with its place on the screen."""

    text: str
    box: Box


def _words(line: TextLine) -> list[_Placed]:
    x, y, _, h = line.box
    return [_Placed(w.text, Box(x + w.left, y, max(1, w.right - w.left), h)) for w in line.words]


def _drawn_alike(scene: Scene, box: Box, left: int, right: int) -> list[Box]:
    """Where between two columns the border of a marker is drawn once more."""
    own = _bordered(scene, box)
    if own is None:
        return []
    border = np.ones(own.shape[:2], bool)
    inset = _ROOM + round(_INSIDE * box.h)
    border[inset:-inset, inset:-inset] = False
    contrast = float(np.ptp(own[border], axis=0).max())
    if contrast < _CONTRAST:
        return []
    ranked = list[tuple[float, int]]()
    for x in range(left, right + 1):
        other = _bordered(scene, box._replace(x=x))
        if other is not None and (differs := _apart(own, other, border)) <= _LIKE * contrast:
            ranked.append((differs, x))
    places = list[Box]()
    for _differs, x in sorted(ranked):
        if all(abs(place.x - x) >= box.w for place in places):
            places.append(box._replace(x=x))
    return places


def _apart(own: np.ndarray, other: np.ndarray, border: np.ndarray) -> float:
    return float(np.abs(other - own).max(axis=2)[border].mean())


def _bordered(scene: Scene, box: Box) -> np.ndarray | None:
    """The pixels of a marker with some around it; None where they are not all on the screen."""
    around = Box(box.x - _ROOM, box.y - _ROOM, box.w + 2 * _ROOM, box.h + 2 * _ROOM)
    if around.x < 0 or around.y < 0 or around.right > scene.size.width or around.bottom > scene.size.height:
        return None
    return scene.pixels[around.y : around.bottom, around.x : around.right].astype(np.int16)


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
