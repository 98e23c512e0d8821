"""Menu items: words in a row at equal distances, and words below each other in a panel."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise

import numpy as np

from execution.language.shortcuts import names_keys
from execution.perception.elements.found import Found
from execution.perception.elements.inks import chroma
from execution.perception.elements.layout import gaps_of, rows_of
from execution.perception.elements.scene import Scene
from execution.types import Box, Element, ElementRole, ElementState

_FEWEST = 3
_ROW_GAP = (0.5, 1.9)  # of a line's height, between the words of a bar
_PITCH = (1.15, 4.5)  # of a line's height, from one item of a column to the next
_DENSE = 1.55  # of it: the lines of a paragraph may stand as near, but do not all begin with a capital
_UNEVEN = 3  # pixels
_WIDEST_PANEL = 30  # of a line's height
_BEYOND = 10  # pixels by which the lines of a table go on at least
_AT_SIDE = 4  # pixels
_GAP = 5  # pixels of a panel's side that are missing: there it ends
_OUTLYING, _FEWEST_ASIDE = 2.5, 2  # rows above and below that belong to the same tree; lines of it that are indented


def bar_items(scene: Scene, lines: Iterable[int]) -> list[Found]:
    """The items of menu bars among the lines of those indices."""
    found = []
    for row in rows_of(scene.texts, lines):
        for run in _even_runs(scene, row):
            boxes = [scene.texts[i].box for i in run]
            if _coloured_on_plain(scene, run):
                continue
            half = round(0.4 * min(gaps_of(boxes)))
            found += [_item(scene, i, _padded(scene, i, half)) for i in run]
    return found


def _even_runs(scene: Scene, row: Sequence[int]) -> Iterable[list[int]]:
    """Stretches of a row whose words stand at equal distances with nothing between."""
    boxes = [scene.texts[i].box for i in row]
    run: list[int] = []
    last = 0
    for place, gap in enumerate(gaps_of(boxes)):
        height = boxes[place].h
        fits = _ROW_GAP[0] * height <= gap <= _ROW_GAP[1] * height and _clear(scene, boxes[place], boxes[place + 1])
        if not fits or (len(run) > 1 and abs(gap - last) > max(_UNEVEN, 0.25 * height)):
            if len(run) >= _FEWEST:
                yield run
            run = []
        if fits:
            run = [*(run or [row[place]]), row[place + 1]]
            last = gap
    if len(run) >= _FEWEST:
        yield run


def _clear(scene: Scene, one: Box, other: Box) -> bool:
    return not scene.drawn(Box(one.right + 3, one.y, other.x - one.right - 6, one.h), gap=1)


def _coloured_on_plain(scene: Scene, run: Sequence[int]) -> bool:
    """True for a row of links."""
    inks = [scene.inks[i] for i in run]
    return sum(ink is not None and ink.coloured > 0.8 and chroma(ink.ground) < 26 for ink in inks) > len(run) / 2


def _padded(scene: Scene, index: int, half: int) -> Box:
    line = scene.texts[index].box
    high = round(0.25 * line.h)
    box = Box(line.x - half, line.y - high, line.w + 2 * half, line.h + 2 * high)
    return box.intersection(Box(0, 0, *scene.size))


def _item(scene: Scene, index: int, box: Box, *, on: bool = False) -> Found:
    states = frozenset({ElementState.CHECKED}) if on else frozenset[ElementState]()
    text = scene.texts[index].text
    element = Element(box=box, role=ElementRole.MENU_ITEM, text=text, confidence=0.6, states=states)
    return Found(element, lines=(index,))


def column_items(scene: Scene, lines: Iterable[int]) -> list[Found]:
    """The items of opened menus and of lists at the side."""
    found = []
    for column in _columns(scene, lines):
        panel = _panel(scene, column)
        if panel is None or _is_list(scene, column, panel):
            continue
        boxes = [scene.texts[i].box for i in column]
        pitch = min(after.center.y - before.center.y for before, after in pairwise(boxes))
        grounds = [ink.ground if (ink := scene.inks[i]) else None for i in column]
        usual = np.median([g for g in grounds if g is not None] or [np.zeros(3)], axis=0)
        for index, ground in zip(column, grounds, strict=True):
            box = Box(panel[0], scene.texts[index].box.center.y - pitch // 2, panel[1] - panel[0], pitch)
            on = ground is not None and float(np.abs(ground - usual).max()) > 20
            found.append(_item(scene, index, box.intersection(Box(0, 0, *scene.size)), on=on))
    return found


def _columns(scene: Scene, lines: Iterable[int]) -> Iterable[list[int]]:
    """Lines that begin at one x and follow each other at one distance."""
    by_left: dict[int, list[int]] = {}
    for index in sorted(lines, key=lambda i: scene.texts[i].box.y):
        left = scene.texts[index].box.x
        key = next((k for k in range(left - 3, left + 4) if k in by_left), left)
        by_left.setdefault(key, []).append(index)
    for group in by_left.values():
        yield from _even_columns(scene, group)


def _even_columns(scene: Scene, group: Sequence[int]) -> Iterable[list[int]]:
    run: list[int] = []
    pitch = 0
    for index in group:
        box = scene.texts[index].box
        if run:
            step = box.center.y - scene.texts[run[-1]].box.center.y
            even = abs(step - pitch) <= max(_UNEVEN, 0.12 * pitch) if len(run) > 1 else True
            ruled = len(run) > 1 and pitch < step <= 1.75 * pitch  # a rule between groups of items
            is_near = _PITCH[0] * box.h <= step <= _PITCH[1] * box.h
            if not is_near or not (even or ruled):
                if len(run) >= _FEWEST:
                    yield run
                # what stands above at another distance, such as a title, is none of them, and the first item is one
                run = run[-1:] if is_near and len(run) < _FEWEST else []
            if even or not ruled:
                pitch = step
        run = [*run, index]
    if len(run) >= _FEWEST:
        yield run


def _panel(scene: Scene, column: Sequence[int]) -> tuple[int, int] | None:
    """The left and right edge of the panel that the items lie in; None if they lie in none."""
    boxes = [scene.texts[i].box for i in column]
    height = int(np.median([b.h for b in boxes]))
    top, bottom = boxes[0].y, boxes[-1].bottom
    left, right = min(b.x for b in boxes), max(b.right for b in boxes)
    start, end = max(0, left - 6 * height), min(scene.size.width, left + _WIDEST_PANEL * height)
    upright = (scene.edges[top:bottom, start:end] > 0).mean(axis=0) > 0.85
    before = np.flatnonzero(upright[: left - start])
    after = np.flatnonzero(upright[right - start :])
    if not len(after) or (not len(before) and start > 0):
        return None
    pitch = min(after.center.y - before.center.y for before, after in pairwise(boxes))
    if pitch < _DENSE * height and any(_first_letter(scene.texts[i].text).islower() for i in column):
        return None
    panel = (start + int(before[-1]) + 1 if len(before) else 0, right + int(after[0]) + 1)
    return panel if _alone(scene, column, panel) else None


def _is_list(scene: Scene, column: Sequence[int], panel: tuple[int, int]) -> bool:
    """True for rows of data: a tree, a list with several pictures before its words, a column of a ruled table, and for
    the labels of fields beside them."""
    tests = (_is_of_form, _is_ruled, _is_tree, _is_pictured)
    return any(test(scene, column, panel) for test in tests)


def _is_of_form(scene: Scene, column: Sequence[int], panel: tuple[int, int]) -> bool:
    """True where what seemed the right side of a panel is that of a field for most of the items."""
    frames = scene.frame_boxes
    height = scene.texts[column[0]].box.h
    beside = frames[(np.abs(frames[:, 0] - panel[1]) <= _AT_SIDE) & (frames[:, 3] <= 3 * height)]
    middles = np.array([scene.texts[i].box.center.y for i in column])[:, None]
    named = ((beside[:, 1] < middles) & (beside[:, 1] + beside[:, 3] > middles)).any(axis=1)
    return bool(named.mean() > 0.5)


def _is_ruled(scene: Scene, column: Sequence[int], panel: tuple[int, int]) -> bool:
    """True where lines part the items and run on beyond the panel."""
    boxes = [scene.texts[i].box for i in column]
    crossed = 0
    for one, other in pairwise(boxes):
        left, right = max(0, panel[0] - _BEYOND), min(scene.size.width, panel[1] + _BEYOND)
        between = scene.edges[one.bottom : other.y, left:right] > 0
        if not between.size:
            continue
        sides = [part for part in (between[:, : panel[0] - left], between[:, panel[1] - left :]) if part.shape[1]]
        within = between[:, panel[0] - left + 2 : panel[1] - left - 2].mean(axis=1) > 0.9
        crossed += any(bool((within & (side.mean(axis=1) > 0.8)).any()) for side in sides)
    return crossed > len(boxes) / 2


def _is_tree(scene: Scene, column: Sequence[int], panel: tuple[int, int]) -> bool:
    """True where lines of their panel between, above or below the items begin further in or out, at like distances."""
    boxes = [scene.texts[i].box for i in column]
    left, height = boxes[0].x, boxes[0].h
    pitch = min(after.center.y - before.center.y for before, after in pairwise(boxes))
    first, last = _reach(scene, boxes, panel[1])
    top, bottom = max(first, boxes[0].center.y - _OUTLYING * pitch), min(last, boxes[-1].center.y + _OUTLYING * pitch)
    x, y = scene.boxes[:, 0], scene.boxes[:, 1] + scene.boxes[:, 3] // 2
    inside = (x > panel[0]) & (x < panel[1]) & (y >= top) & (y <= bottom)
    aside = np.abs(x - left)
    steps = (y - boxes[0].center.y) % pitch
    even = (steps <= _UNEVEN) | (steps >= pitch - _UNEVEN)
    return int((inside & (aside > 0.5 * height) & (aside <= 4 * height) & even).sum()) >= _FEWEST_ASIDE


def _reach(scene: Scene, boxes: Sequence[Box], side: int) -> tuple[int, int]:
    """From where to where the panel goes whose right side that is: a bar of menus above is none of it."""
    missing = ~(scene.edges[:, side - 2 : side + 2] > 0).any(axis=1)
    gaps = np.flatnonzero(np.convolve(missing, np.ones(_GAP), "valid") == _GAP)  # where lines meet a pixel may lack
    above, below = gaps[gaps + _GAP <= boxes[0].y], gaps[gaps >= boxes[-1].bottom]
    return int(above[-1]) + _GAP if len(above) else 0, int(below[0]) if len(below) else scene.size.height


def _is_pictured(scene: Scene, column: Sequence[int], panel: tuple[int, int]) -> bool:
    """True where two pictures stand before the words of most items: a sign to unfold it, a box to tick, a star."""
    several = 0
    for index in column:
        box = scene.texts[index].box
        before = Box(panel[0] + 3, box.y, box.x - panel[0] - 6, box.h)
        several += before.w > 0 and len(scene.drawn(before, gap=max(3, round(0.3 * box.h)))) >= 2
    return several > len(column) / 2


def _first_letter(text: str) -> str:
    return next((c for c in text if c.isalpha()), "")


def _alone(scene: Scene, column: Sequence[int], panel: tuple[int, int]) -> bool:
    """False where other texts stand beside the items, unless they are the keys that do the same."""
    top, bottom = scene.texts[column[0]].box.y, scene.texts[column[-1]].box.bottom
    members, left = set(column), min(scene.texts[i].box.x for i in column)
    others = [
        line.text
        for i, line in enumerate(scene.texts)
        if i not in members and left <= line.box.center.x < panel[1] and top <= line.box.center.y <= bottom
    ]
    return all(map(names_keys, others))
