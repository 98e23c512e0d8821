"""Where the texts that stood around a target say that it is now: each points from where it stands to the target."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

import numpy as np

from execution.language.letters import alone
from execution.targeting.context import Context
from workflows.graph import NeighbourSpec
from workflows.text import names

_LEAST = 3  # letters of a text that tells where it is
_NEAR = 60.0  # pixels: what stands so far away counts half
_CLOSE = 200.0  # twice the square of pixels: votes that agree
_NEAREST, _FARTHEST, _MOST_OF_ONE = 3, 160, 4  # texts that are believed alone; pixels; places of one of them


def around_of(context: Context) -> Sequence[NeighbourSpec]:
    """The texts that stood around the target, the nearest first."""
    return sorted(context.target.around or context.target.neighbours, key=lambda n: math.hypot(n.dx, n.dy))


def votes_of(context: Context) -> np.ndarray:
    """Each text that stood there once and is read once: x and y of the middle that it points at, its weight, and how
    far it was. Shape (votes, 4), the nearest first."""
    near, scale = around_of(context), context.scales[0]
    counts, found = Counter(alone(n.text) for n in near), []
    for neighbour in near:
        key = alone(neighbour.text)
        if len(key) < _LEAST or counts[key] > 1:
            continue
        middles = _middles(neighbour, context)
        if len(middles) == 1:
            x, y = middles[0]
            far = math.hypot(neighbour.dx, neighbour.dy)
            found.append((x - scale * neighbour.dx, y - scale * neighbour.dy, 1 / (1 + far / _NEAR), far))
    return np.array(found, float).reshape(-1, 4)


def pointed_at(context: Context, votes: np.ndarray, *, alone: bool) -> list[tuple[float, float]]:
    """The middles that most votes agree on and, with `alone`, those that each of the nearest texts points at."""
    found = list[tuple[float, float]]()
    if len(votes):
        apart = ((votes[:, None, :2] - votes[None, :, :2]) ** 2).sum(axis=2)
        x, y = votes[int((np.exp(-apart / _CLOSE) @ votes[:, 2]).argmax()), :2].tolist()
        found.append((x, y))
    scale = context.scales[0]
    for one in around_of(context)[: _NEAREST if alone else 0]:
        if math.hypot(one.dx, one.dy) <= _FARTHEST:
            places = _middles(one, context)[:_MOST_OF_ONE]
            found += [(x - scale * one.dx, y - scale * one.dy) for x, y in places]
    return found


def _middles(neighbour: NeighbourSpec, context: Context) -> list[tuple[float, float]]:
    """Where it is read; what it says of this run by its value."""
    if names(neighbour.text) or neighbour.others:
        return [(float(x), float(y)) for x, y, _ in context.neighbour_places(neighbour)]
    key = alone(neighbour.text)
    boxes = [line.box for line in context.scene.lines if line.key == key]
    return [(box.x + box.w / 2, box.y + box.h / 2) for box in boxes]
