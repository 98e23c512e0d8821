"""What on a screen is one group, in reading order: the rows of a list, the options of a menu, the days of a month.

A group is what stands in one line, below each other or beside each other, and is as high; columns of even width with
nothing else in their rows are one group, read row by row. Every measure is a share of the height: no scale matters.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median, median_low

import numpy as np

from execution.types import Box

AS_HIGH = 1.25  # times the next lower
_SAME_EDGE = 0.4  # of the height: edges or middles so near stand in one line
_SAME_LEVEL = 0.5
_SAME_THING = 0.5  # of the smaller area
_NEXT_ROW, _NEXT_BESIDE = 12.0, 4.0  # of the height: what is farther from a first neighbour is of another group
_FAR = 3.2  # usual steps
_ROOM_FOR_ONE = 1.6
_EVEN, _EVENLY = 0.25, 0.5  # of a usual step, of the steps
_SHARED_ROWS = 0.5
_EVEN_COLUMNS = 0.2
_SHORT = 2.5  # heights: a number, a day
_HAS_OTHERS, _HAS_NONE = 0.7, 0.4  # of the rows: a table with other columns, and a grid of its own


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """Things of one group in reading order. Only the first `counted` have a sure number: where a step between two rows
    has room for another one, one may be there that was not seen."""

    members: tuple[Box, ...]
    counted: int

    def number_of(self, box: Box) -> int:
        """Which of them `box` is, from 1; 0 if it is none of them."""
        mine = [n for n, m in enumerate(self.members, 1) if m.contains(box.center) or box.contains(m.center)]
        return mine[0] if len(mine) == 1 else 0

    @property
    def hull(self) -> Box:
        x, y = min(m.x for m in self.members), min(m.y for m in self.members)
        right, bottom = max(m.right for m in self.members), max(m.bottom for m in self.members)
        return Box(x, y, right - x, bottom - y)


def groups_of(boxes: Iterable[Box], others: Iterable[Box] = (), *, in_table: bool = False) -> tuple[Group, ...]:
    """The groups of `boxes`, things of one kind, from the top; what stands alone is a group of one.

    `others` are what else is on the screen: a row that holds some is a table's, and only its columns are groups, as
    where all are known to be `in_table`.
    """
    things = _distinct(boxes)
    every = list(others)
    rest = [every[number] for number in np.flatnonzero(~_are_same(every, things).any(axis=1))]
    groups: list[Group] = []
    for level in _as_high(things):
        groups += _of_one_height(level, rest, in_table=in_table)
    return tuple(sorted(groups, key=lambda g: (g.members[0].center.y, g.members[0].x)))


def _of_one_height(boxes: Sequence[Box], others: Sequence[Box], *, in_table: bool) -> list[Group]:
    columns = _columns(boxes)
    groups: list[Group] = []
    for block in _beside_each_other([c for c in columns if len(c) > 1]):
        even = len(block) > 1 and not in_table and _is_even(block)
        shared = _share_with_others(block, others) if even else 1.0
        if shared <= _HAS_NONE and len(block) > 2:
            groups.append(_grid(block))
        else:  # two even columns alone may be a table of two, or tiles
            unsure = even and shared < _HAS_OTHERS
            groups += [Group(members=tuple(c), counted=0 if unsure else _counted(c, _middle_y)) for c in block]
    alone = [c[0] for c in columns if len(c) == 1]
    return groups + [Group(members=tuple(row), counted=len(row)) for row in _rows_apart(alone)]


def _distinct(boxes: Iterable[Box]) -> list[Box]:
    """Of boxes of the same thing (what was read, and the control around it) the larger."""
    every = sorted({box for box in boxes if box.area}, key=lambda b: (-b.area, b))
    same = _are_same(every, every)
    kept: list[int] = []
    for number in range(len(every)):
        if not same[number, kept].any():
            kept.append(number)
    return [every[number] for number in kept]


def _are_same(some: Sequence[Box], others: Sequence[Box]) -> np.ndarray:
    """Whether one lies mostly in the other: shape (len(some), len(others)), bool."""
    (ax, ay, aw, ah), (bx, by, bw, bh) = (np.array(boxes, np.float32).reshape(-1, 4).T for boxes in (some, others))
    ax, ay, aw, ah = ax[:, None], ay[:, None], aw[:, None], ah[:, None]
    across = np.minimum(ax + aw, bx + bw) - np.maximum(ax, bx)
    down = np.minimum(ay + ah, by + bh) - np.maximum(ay, by)
    smaller = np.maximum(1, np.minimum(aw * ah, bw * bh))
    return np.asarray((across > 0) & (down > 0) & (across * down > _SAME_THING * smaller))


def _as_high(boxes: Sequence[Box]) -> list[list[Box]]:
    levels: list[list[Box]] = []
    for box in sorted(boxes, key=lambda b: b.h):
        if levels and box.h <= AS_HIGH * levels[-1][-1].h:
            levels[-1].append(box)
        else:
            levels.append([box])
    return levels


def _columns(boxes: Sequence[Box]) -> list[list[Box]]:
    """What stands below each other, each thing in the line that has the most: of left edges, middles or right edges."""
    lines = [line for edge in (_left, _middle_x, _right) for line in _lines(boxes, edge, _SAME_EDGE)]
    columns: list[list[Box]] = []
    while lines:
        best = max(lines, key=len)
        columns += _cut(sorted(best, key=_middle_y), _middle_y, _NEXT_ROW)
        taken = set(best)
        free = (line if taken.isdisjoint(line) else [b for b in line if b not in taken] for line in lines)
        lines = [line for line in free if line]
    return columns


def _lines(boxes: Sequence[Box], edge: Callable[[Box], float], room: float) -> list[list[Box]]:
    """The boxes whose `edge` is at one place, to `room` heights."""
    lines: list[list[Box]] = []
    for box in sorted(boxes, key=edge):
        if lines and edge(box) - edge(lines[-1][-1]) <= room * min(box.h, lines[-1][-1].h):
            lines[-1].append(box)
        else:
            lines.append([box])
    return lines


def _cut(line: Sequence[Box], at: Callable[[Box], float], farthest: float) -> list[list[Box]]:
    """A line in order, cut where the step is far longer than its usual one."""
    steps = [at(b) - at(a) for a, b in pairwise(line)]
    if not steps:
        return [list(line)]
    most = min(_FAR * median_low(steps) if len(steps) > 1 else float("inf"), farthest * median(b.h for b in line))
    parts = [[line[0]]]
    for box, step in zip(line[1:], steps, strict=True):
        if step > most:
            parts.append([])
        parts[-1].append(box)
    return parts


def _counted(line: Sequence[Box], at: Callable[[Box], float]) -> int:
    """How many have a sure number: all before the first step that has room for another, where steps are even."""
    steps = [at(b) - at(a) for a, b in pairwise(line)]
    if len(steps) < 2:
        return len(line)
    usual = median_low(steps)
    if usual <= 0:
        return 0
    if sum(abs(step / usual - 1) <= _EVEN for step in steps) < _EVENLY * len(steps):
        return len(line)  # rows of several lines are as high as they need
    return next((i for i, step in enumerate(steps, 1) if step >= _ROOM_FOR_ONE * usual), len(line))


def _beside_each_other(columns: Sequence[list[Box]]) -> list[list[list[Box]]]:
    """The columns that share rows, from left to right."""
    blocks: list[list[list[Box]]] = []
    for column in sorted(columns, key=lambda c: median(_middle_x(b) for b in c)):
        block = next((b for b in blocks if any(_share_rows(c, column) for c in b)), None)
        if block:
            block.append(column)
        else:
            blocks.append([column])
    return blocks


def _share_rows(one: Sequence[Box], other: Sequence[Box]) -> bool:
    """True where most of the shorter column has something level in the longer one."""
    a, b = (np.array([(_middle_y(box), box.h) for box in column]) for column in (one, other))
    level = np.abs(a[:, None, 0] - b[None, :, 0]) <= _SAME_LEVEL * np.minimum(a[:, None, 1], b[None, :, 1])
    return bool(level.any(axis=1).sum() >= _SHARED_ROWS * min(len(one), len(other)))


def _is_level(one: Box, other: Box) -> bool:
    return abs(_middle_y(one) - _middle_y(other)) <= _SAME_LEVEL * min(one.h, other.h)


def _is_even(block: Sequence[Sequence[Box]]) -> bool:
    """True for columns of one width at even steps, as those of a month or of tiles are."""
    widths = [median(b.w for b in column) for column in block]
    high = median(b.h for column in block for b in column)
    if max(widths) > (1 + _EVEN_COLUMNS) * min(widths) and max(widths) > _SHORT * high:
        return False
    middles = [median(_middle_x(b) for b in column) for column in block]
    steps = [b - a for a, b in pairwise(middles)]
    return max(steps) - min(steps) <= 2 * _EVEN_COLUMNS * median(steps)


def _share_with_others(block: Sequence[Sequence[Box]], others: Sequence[Box]) -> float:
    rows = _lines([b for column in block for b in column], _middle_y, _SAME_LEVEL)
    inside = [b for column in block for b in column]
    apart = [o for o in others if not any(b.contains(o.center) for b in inside)]
    return sum(any(_is_level(row[0], other) for other in apart) for row in rows) / len(rows)


def _grid(block: Sequence[Sequence[Box]]) -> Group:
    """Row by row. A month begins and ends within a week; a cell that lacks between its ends was not seen."""
    column_of = {box: at for at, column in enumerate(block) for box in column}
    rows = [sorted(row) for row in _lines(list(column_of), _middle_y, _SAME_LEVEL)]
    sure = _counted([row[0] for row in rows], _middle_y)
    ordered = [box for row in rows for box in row]
    cells = [at * len(block) + column_of[box] for at, row in enumerate(rows) for box in row]
    whole = next((i for i, cell in enumerate(cells) if cell != cells[0] + i), len(cells))
    return Group(members=tuple(ordered), counted=min(whole, sum(len(row) for row in rows[:sure])))


def _rows_apart(boxes: Sequence[Box]) -> list[list[Box]]:
    """What stands in no column, by its row."""
    rows: list[list[Box]] = []
    for line in _lines(boxes, _middle_y, _SAME_LEVEL):
        row: list[Box] = []
        for box in sorted(line):
            if row and box.x - row[-1].right > _NEXT_BESIDE * box.h:
                rows.append(row)
                row = []
            row.append(box)
        rows.append(row)
    return rows


def _left(box: Box) -> float:
    return box.x


def _right(box: Box) -> float:
    return box.right


def _middle_x(box: Box) -> float:
    return box.x + box.w / 2


def _middle_y(box: Box) -> float:
    return box.y + box.h / 2
