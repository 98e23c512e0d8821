"""How lines of text stand to each other: rows of words side by side, columns of words below each other."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise

from execution.types import Box, TextLine


def rows_of(texts: Sequence[TextLine], indices: Iterable[int]) -> list[list[int]]:
    """Indices of lines that stand side by side at one height, each row from left to right."""
    rows: list[list[int]] = []
    for index in sorted(indices, key=lambda i: (texts[i].box.center.y, texts[i].box.x)):
        box = texts[index].box
        row = next((r for r in reversed(rows[-4:]) if _level(texts[r[-1]].box, box)), None)
        if row is None:
            rows.append([index])
        else:
            row.append(index)
    for row in rows:
        row.sort(key=lambda i: texts[i].box.x)
    return rows


def _level(one: Box, other: Box) -> bool:
    lowest = min(one.h, other.h)
    return abs(one.center.y - other.center.y) <= 0.3 * lowest and max(one.h, other.h) <= 1.6 * lowest


def gaps_of(boxes: Sequence[Box]) -> list[int]:
    """Pixels between each box and the next."""
    return [after.x - before.right for before, after in pairwise(boxes)]


def union(boxes: Iterable[Box]) -> Box:
    """The smallest box around all; raises ValueError for none."""
    every = list(boxes)
    x, y = min(b.x for b in every), min(b.y for b in every)
    return Box(x, y, max(b.right for b in every) - x, max(b.bottom for b in every) - y)
