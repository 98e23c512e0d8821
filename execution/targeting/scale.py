"""How much larger or smaller everything is drawn than when a target was taught, told by what is seen again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import combinations
from typing import Protocol

import numpy as np

from execution.language.screen_texts import Sighting, Wanted
from execution.types import Box, Element
from workflows.graph import NeighbourSpec, TargetSpec

# Screens are drawn at 75, 100, 125, 150, 175 and 200 %: the ratios of 100 to all, and others near none.
STEPS = (0.5, 4 / 7, 0.6, 2 / 3, 0.75, 0.8, 5 / 6, 1.0, 1.2, 1.25, 4 / 3, 1.5, 5 / 3, 1.75, 2.0)
_NEAR = 0.055  # of a step
_FAR_APART = 40  # pixels between two neighbours, by which a scale can be measured
_MOST = 3


class Drawn(Protocol):
    """What is seen of a target's surroundings."""

    @property
    def target(self) -> TargetSpec: ...

    @property
    def taught(self) -> Box: ...

    @property
    def wanted(self) -> Wanted: ...

    @property
    def controls(self) -> tuple[Element, ...]: ...

    def neighbour_boxes(self, neighbour: NeighbourSpec) -> np.ndarray: ...

    def sightings(self, text: str, *, exact: bool) -> list[Sighting]: ...


def scales_of(seen: Drawn) -> tuple[float, ...]:
    """The likeliest scales, at most so many and 1; by the distances of texts and the sizes of controls."""
    votes: Counter[float] = Counter()
    for ratio, weight in (*_by_distance(seen), *_by_size(seen)):
        step = min(STEPS, key=lambda s: abs(ratio / s - 1))
        if abs(ratio / step - 1) <= _NEAR:
            votes[step] += weight
    ranked = [step for step, count in votes.most_common(_MOST) if count >= 2]
    return tuple(dict.fromkeys([*ranked, 1.0]))


def _by_distance(seen: Drawn) -> Iterator[tuple[float, int]]:
    """How much farther apart two texts stand that are each read once; downwards only: lines wrap and windows widen."""
    target, places = seen.target, []
    for neighbour in target.neighbours:
        middles = seen.neighbour_boxes(neighbour)
        if len(middles) == 1:
            places.append((neighbour.dy, float(middles[0][1])))
    want = seen.wanted
    if want.text and not want.problem and len(own := seen.sightings(want.text, exact=want.exact)) == 1:
        places.append((0, float(own[0].box.center.y)))
    for (dy, y), (other_dy, other_y) in combinations(places, 2):
        if abs(dy - other_dy) >= _FAR_APART:
            yield (y - other_y) / (dy - other_dy), 2


def _by_size(seen: Drawn) -> Iterator[tuple[float, int]]:
    """How much higher controls of the target's kind are, those that are so most often."""
    target, taught = seen.target, seen.taught
    heights = [(target.role, taught.h)] if target.box and target.role else []
    heights += [(shape.role, shape.h) for shape in target.shapes]
    for role, height in dict.fromkeys(heights):
        now = Counter(e.box.h for e in seen.controls if e.role == role)
        for other, _ in now.most_common(2):
            if height > 0:
                yield other / height, 1
