"""Cells: frames that touch others of their height in a row, as those of tables and of calendars do."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence

import numpy as np

from execution.perception.elements.controls import Content
from execution.perception.elements.found import Found
from execution.perception.elements.scene import Scene
from execution.types import Box, Element, ElementRole

_TOUCHING, _LEVEL = 3, 2  # pixels between two cells of a row; by which their heights and places differ
_OF_HEIGHT = 0.12  # of a cell's height: the same gap where all is drawn larger
_FEWEST = 3  # cells in a row: two may be a field and its button
_LOWEST, _NARROWEST = 12, 12
_LAST_DAY, _WEEK = 31, 7
_FEWEST_DAYS = 10
_FAR = 6.0  # of a line's height: planners whose days hold appointments stand further apart
_BARE = 0.85  # of that distance: what a day without a frame takes of it
_EVEN = 0.2  # of the distance between two days


def cells_among(contents: Sequence[Content]) -> set[int]:
    """Places of the frames that stand in a row of three at least, each touching the next."""
    boxes = [c.frame.box for c in contents]
    by_left: dict[tuple[int, int], list[int]] = defaultdict(list)
    wide = [i for i, b in enumerate(boxes) if b.h >= _LOWEST and b.w >= _NARROWEST]
    for i in wide:
        by_left[boxes[i].x >> 3, boxes[i].y >> 3].append(i)
    follows: dict[int, int] = {}
    for i in wide:
        for j in _near(by_left, boxes[i].right, boxes[i].y):
            if i != j and _touches(boxes[i], boxes[j]):
                follows[i] = j
                break
    cells: set[int] = set()
    for start in set(follows) - set(follows.values()):
        row = [start]
        while row[-1] in follows:
            row.append(follows[row[-1]])
        if len(row) >= _FEWEST:
            cells.update(row)
    return cells


def without_cells(controls: Sequence[tuple[Found, Content]], cells: Collection[int]) -> list[tuple[Found, Content]]:
    """The same; what was taken for a field and is a cell of a table is a group."""
    return [
        (found.as_role(ElementRole.GROUP, 0.4), content)
        if i in cells and found.role is ElementRole.FIELD
        else (found, content)
        for i, (found, content) in enumerate(controls)
    ]


def _near(by_left: dict[tuple[int, int], list[int]], x: int, y: int) -> Iterable[int]:
    for i in (-1, 0, 1):
        for j in (-1, 0, 1):
            yield from by_left.get(((x >> 3) + i, (y >> 3) + j), ())


def _touches(one: Box, other: Box) -> bool:
    gap = other.x - one.right
    level = abs(one.y - other.y) <= _LEVEL and abs(one.h - other.h) <= _LEVEL
    return level and -_LEVEL <= gap <= max(_TOUCHING, _OF_HEIGHT * one.h)


def days_of(scene: Scene, contents: Sequence[Content]) -> list[Found]:
    """The days of a calendar, framed or not: numbers that grow by one along a row and by seven along a column."""
    numbers: dict[int, list[int]] = defaultdict(list)
    for index, line in enumerate(scene.texts):
        text = line.text.strip()
        if text.isdecimal() and len(text) <= 2 and 1 <= int(text) <= _LAST_DAY:
            numbers[int(text)].append(index)
    if len(numbers) < _FEWEST_DAYS:
        return []
    after = {i: j for n in numbers for i in numbers[n] if (j := _beside(scene, i, numbers.get(n + 1, ()))) is not None}
    below = {
        i: j for n in numbers for i in numbers[n] if (j := _under(scene, i, numbers.get(n + _WEEK, ()))) is not None
    }
    in_rows, in_columns = {*after, *after.values()}, {*below, *below.values()}
    days = {i for i in in_rows | in_columns if i in in_columns or after.get(i) in in_columns}
    days |= {j for i, j in after.items() if i in days}
    if len(days & in_rows & in_columns) < _FEWEST_DAYS:
        return []
    across = float(np.median([scene.texts[j].box.center.x - scene.texts[i].box.center.x for i, j in after.items()]))
    down = float(np.median([scene.texts[j].box.center.y - scene.texts[i].box.center.y for i, j in below.items()]))
    framed = {c.lines[0]: c for c in contents if len(c.lines) == 1 and _fits(c.frame.box, across, down)}
    return [_day(scene, i, framed.get(i), across, down) for i in sorted(days)]


def _beside(scene: Scene, index: int, others: Collection[int]) -> int | None:
    """The nearest of the others that stands to the right at the same height, not too far away."""
    here = scene.texts[index].box
    level = [i for i in others if abs(scene.texts[i].box.center.y - here.center.y) <= 0.4 * here.h]
    right = [i for i in level if 0 < scene.texts[i].box.center.x - here.center.x <= _FAR * here.h]
    return min(right, key=lambda i: scene.texts[i].box.x, default=None)


def _under(scene: Scene, index: int, others: Collection[int]) -> int | None:
    """The nearest of the others that stands below it, middle under middle."""
    here = scene.texts[index].box
    aligned = [i for i in others if abs(scene.texts[i].box.center.x - here.center.x) <= 0.5 * here.h]
    under = [i for i in aligned if 0 < scene.texts[i].box.center.y - here.center.y <= _FAR * here.h]
    return min(under, key=lambda i: scene.texts[i].box.y, default=None)


def _fits(box: Box, across: float, down: float) -> bool:
    return box.w <= (1 + _EVEN) * across and box.h <= (1 + _EVEN) * down


def _day(scene: Scene, index: int, content: Content | None, across: float, down: float) -> Found:
    line = scene.texts[index]
    if content is None:
        em = scene.em(index)
        w, h = round(min(_BARE * across, 4 * em)), round(min(_BARE * down, 2.5 * em))
        box = Box(line.box.center.x - w // 2, line.box.center.y - h // 2, w, h).intersection(Box(0, 0, *scene.size))
    else:
        box = content.frame.box
    element = Element(box=box, role=ElementRole.BUTTON, text=line.text.strip(), confidence=0.6)
    return Found(element, content.frame if content else None, (index,))
