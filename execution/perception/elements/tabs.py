"""Tabs: labels in a row on one line, one of which is chosen by a frame that is open below, or by a bar under it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from execution.perception.elements.controls import Content
from execution.perception.elements.found import Found
from execution.perception.elements.inks import chroma
from execution.perception.elements.layout import rows_of
from execution.perception.elements.scene import Scene
from execution.types import Box, Element, ElementRole, ElementState, Point

_PAD = 3.0  # of a line's height: the widest padding beside a label
_DRAWN = 0.9  # of a side
_FAR = 4.0  # of a line's height: the widest gap between the boxes of two tabs
_BAR = 24  # levels between the bar and its ground


@dataclass(frozen=True, slots=True)
class _Chosen:
    """The chosen tab: its box, and whether a line runs on from it under its neighbours."""

    index: int
    box: Box
    line: bool


def tabs_of(scene: Scene, contents: Sequence[Content], free: Sequence[int]) -> list[Found]:
    """The tabs; `free` are the indices of the lines that are in no button or field."""
    framed = {c.lines[0]: c for c in reversed(contents) if len(c.lines) == 1}
    found: list[Found] = []
    for row in rows_of(scene.texts, sorted(set(free) | set(framed))):
        chosen = _chosen(scene, row, framed) if len(row) >= 2 else None
        if chosen is not None:
            tabs = _row_of_tabs(scene, row, chosen, set(free))
            found += tabs if len(tabs) >= 2 else []
    return found


def _chosen(scene: Scene, row: Sequence[int], framed: dict[int, Content]) -> _Chosen | None:
    for index in row:
        content = framed.get(index)
        if content is not None and _stands_on_line(content) and chroma(content.frame.fill) < 40:
            return _Chosen(index, content.frame.box, line=True)
    bare = [index for index in row if index not in framed or framed[index].frame.box.h > 4 * scene.texts[index].box.h]
    for index in bare:
        box = _open_frame(scene, scene.texts[index].box)
        if box is not None:
            return _Chosen(index, box, line=True)
    barred = [(index, box) for index in bare if (box := _bar(scene, index)) is not None]
    if len(barred) == 1 and not _on_colour(scene, barred[0][0]):
        return _Chosen(barred[0][0], barred[0][1], line=False)
    return None


def _stands_on_line(content: Content) -> bool:
    """True for a frame whose lower side runs on while its upper one does not."""
    sides = content.continued
    above, below = sides.top_left or sides.top_right, sides.bottom_left or sides.bottom_right
    return below and not above and not sides.upright and content.frame.box.h < 110


def _on_colour(scene: Scene, index: int) -> bool:
    """Bars of an application have the same marks, on a coloured ground."""
    ink = scene.inks[index]
    return ink is None or chroma(ink.ground) > 40


def _open_frame(scene: Scene, text: Box) -> Box | None:
    """The frame around a label that has a left, an upper and a right side and stands open on a line."""
    pad = round(_PAD * text.h)
    start, end = max(0, text.x - pad), min(scene.size.width - 1, text.right + pad)
    sides = scene.edges[max(0, text.y - 1) : text.bottom + 1, start:end].mean(axis=0) > _DRAWN * 255
    before, after = np.flatnonzero(sides[: max(0, text.x - 2 - start)]), np.flatnonzero(sides[text.right + 2 - start :])
    if not len(before) or not len(after):
        return None
    left, right = start + int(before[-1]), text.right + 2 + int(after[0])
    first = max(0, text.y - 2 * text.h)
    drawn = scene.edges[first : text.bottom + 2 * text.h, left + 4 : right - 3].mean(axis=1)
    above = np.flatnonzero(drawn[: text.y - first] > 0.8 * 255)
    if not len(above):
        return None
    top = first + int(above[-1]) + 1
    below = np.flatnonzero(drawn[text.bottom + 1 - first :] > _DRAWN * 255)
    limit = text.bottom + 1 + (int(below[0]) if len(below) else 2 * text.h)
    for y in range(text.bottom + 1, min(scene.size.height, limit)):
        beside = scene.edges[y, max(0, left - 9) : left - 2], scene.edges[y, right + 3 : right + 10]
        if any(part.size and part.all() for part in beside):
            return Box(left, top, right - left + 1, y - top)
    return None


def _bar(scene: Scene, index: int) -> Box | None:
    """The box of a tab whose label has a bar of its own below."""
    line, ink = scene.texts[index].box, scene.inks[index]
    if ink is None:
        return None
    first = ink.box.bottom + max(2, round(0.12 * line.h))
    last = min(scene.size.height - 2, ink.box.bottom + round(1.6 * line.h))
    drawn = scene.edges[first - 1 : last, line.x + 2 : line.right - 2]
    reach = round(_PAD * line.h)
    start, end = max(0, line.x - reach), min(scene.size.width, line.right + reach)
    for offset in np.flatnonzero(drawn.mean(axis=1) > 0.9 * 255).tolist() if drawn.size else ():
        row = scene.pixels[first + offset, start:end].astype(np.int16)
        under = row[line.x + 2 - start : line.right - 2 - start]
        if (np.abs(under - ink.ground).max(axis=1) > _BAR).mean() >= 0.97:
            return _bar_box(scene, row, Point(start, first + offset), line)
    return None


def _bar_box(scene: Scene, row: np.ndarray, at: Point, line: Box) -> Box | None:
    """The box of the tab over a bar; `row` are the pixels from `at` on, as far as a tab may reach."""
    under = slice(line.x + 2 - at.x, line.right - 2 - at.x)
    colour = np.median(row[under], axis=0)
    other = np.abs(row - colour).max(axis=1) > _BAR
    before, after = np.flatnonzero(other[: under.start]), np.flatnonzero(other[under.stop :])
    if not len(before) or not len(after):
        return None
    left, right = at.x + int(before[-1]) + 1, at.x + under.stop + int(after[0])
    pads = line.x - left, right - line.right
    column = scene.pixels[at.y : at.y + 9, line.center.x].astype(np.int16)
    below = np.flatnonzero(np.abs(column - colour).max(axis=1) > _BAR)
    if abs(pads[0] - pads[1]) > max(4, 0.5 * line.h) or not len(below):
        return None
    half = at.y + int(below[0]) - line.center.y
    return Box(left, line.center.y - half, right - left, 2 * half)


def _row_of_tabs(scene: Scene, row: Sequence[int], chosen: _Chosen, free: set[int]) -> list[Found]:
    """The chosen tab and its neighbours to both sides."""
    label = scene.texts[chosen.index].box
    pad = max(2, min(label.x - chosen.box.x, chosen.box.right - label.right))
    place = list(row).index(chosen.index)
    tabs = [_tab(scene, chosen.index, chosen.box, on=True)]
    for indices in (row[place + 1 :], list(reversed(row[:place]))):
        last = chosen.box
        for index in indices:
            text = scene.texts[index].box
            box = Box(text.x - pad, chosen.box.y, text.w + 2 * pad, chosen.box.h)
            gap = max(box.x - last.right, last.x - box.right)
            if index not in free or gap > _FAR * text.h or (chosen.line and not _lined(scene, text, chosen.box.bottom)):
                break
            tabs.append(_tab(scene, index, box, on=False))
            last = box
    return tabs


def _lined(scene: Scene, text: Box, y: int) -> bool:
    rows = scene.edges[max(0, y - 3) : y + 3, text.x : text.right] > 0
    return bool(rows.size and rows.any(axis=0).mean() > _DRAWN)


def _tab(scene: Scene, index: int, box: Box, *, on: bool) -> Found:
    states = frozenset({ElementState.CHECKED}) if on else frozenset[ElementState]()
    whole = box.intersection(Box(0, 0, *scene.size))
    text = scene.texts[index].text
    return Found(Element(box=whole, role=ElementRole.TAB, text=text, confidence=0.7, states=states), lines=(index,))
