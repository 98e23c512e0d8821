"""Which of a line of its like a place is: the second menu, the third button; the same in every language."""

from __future__ import annotations

import numpy as np

from execution.language.lexicon import mean_different, mean_the_same
from execution.targeting.context import Context
from execution.targeting.kinds import same_kind
from execution.types import Box, Element
from workflows.graph import NeighbourSpec

_LEVEL = 0.5  # of the height
_AS_HIGH = 0.4
_ENOUGH = 2  # of its like beside it: of a pair, the number says too little
_WIDEST = 8  # times the height: what is wider is no button and no menu


def in_sequence(box: Box, context: Context, *, scale: float = 1.0) -> bool | None:
    """Whether its line holds as many of its like before and behind it as it did, or the same words in their order.

    None where nothing stood in its line that can tell. False where a word in its place means something else.
    """
    line, taught = _line_of(box, context), _taught_offsets(context)
    said = [verdict for n in _own_row(context) if (verdict := _stays(n, box, line, taught, context)) is not None]
    if said:
        return all(said)
    if len(taught) < _ENOUGH:
        return None
    before, behind = sum(dx < 0 for dx in taught), sum(dx > 0 for dx in taught)
    left = sum(e.box.center.x < box.x for e in line)
    return (before, behind) == (left, sum(e.box.center.x > box.right for e in line))


def _line_of(box: Box, context: Context) -> list[Element]:
    """The controls on the line of `box` that are of its kind and height, without itself, from left to right."""
    _, y, w, h = context.control_boxes.T
    level = (np.abs(y + h // 2 - box.center.y) <= _LEVEL * box.h) & (np.abs(h / max(1, box.h) - 1) <= _AS_HIGH)
    level &= w <= _WIDEST * h
    found = [
        e
        for e in (context.controls[i] for i in np.flatnonzero(level).tolist())
        if same_kind(context.target.role, e.role) and not e.box.holds(box) and not box.holds(e.box)
    ]
    return sorted(found, key=lambda e: e.box.x)


def _own_row(context: Context) -> list[NeighbourSpec]:
    return [n for n in context.target.neighbours if abs(n.dy) <= _LEVEL * context.taught.h]


def _taught_offsets(context: Context) -> list[int]:
    """How far each of its like on its line was, in pixels across."""
    target, high = context.target, max(1, context.taught.h)
    return [
        s.dx
        for s in target.shapes
        if abs(s.dy) <= _LEVEL * high
        and abs(s.h / high - 1) <= _AS_HIGH
        and s.w <= _WIDEST * s.h
        and same_kind(target.role, s.role)
    ]


def _stays(neighbour: NeighbourSpec, box: Box, line: list[Element], taught: list[int], context: Context) -> bool | None:
    """Whether the word that stood so many places away still does, in any language; None where nobody knows."""
    others = [dx for dx in taught if abs(dx - neighbour.dx) > context.taught.h]  # but for the neighbour itself
    between = sum(0 < dx / neighbour.dx < 1 for dx in others) if neighbour.dx else 0
    side = [e for e in line if (e.box.center.x > box.center.x) == (neighbour.dx > 0)]
    side.sort(key=lambda e: abs(e.box.center.x - box.center.x))
    if not neighbour.dx or len(side) <= between:
        return None
    now = side[between].text
    if mean_the_same(neighbour.text, now):
        return True
    return False if mean_different(neighbour.text, now) else None
