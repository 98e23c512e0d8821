"""What stands around a candidate, compared with what stood around the target when it was taught."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from execution.navigation.screen_words import Sighting, wanted
from execution.navigation.words import SEEN, similarity
from execution.targeting.context import Context
from execution.types import Box
from workflows.graph import NeighbourSpec

_SLACK_X, _SLACK_Y = 12, 8  # pixels; two rows of a dense list are 20 apart
_SLACK_FAR = (0.12, 0.06)  # and so much of the distance
_CLEARLY_BETTER = 1 / 3  # of the neighbours
_OTHER_TEXT = 0.6
_SIZES = (1.25, 1.5, 0.8, 2.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """How many of the taught neighbours are where they were, and what was missed.

    `required_missing` is a neighbour that names what this run is about and is not there. `replaced` are the texts of
    the target's own row, all of which now read differently: (taught, now).
    """

    seen: int
    asked: int
    required_missing: str = ""
    replaced: tuple[tuple[str, str], ...] = ()

    @property
    def share(self) -> float:
        return self.seen / self.asked if self.asked else 0.0

    def __str__(self) -> str:
        return f"{self.seen} of {self.asked} neighbours in place"


def surroundings(box: Box, context: Context) -> Surroundings:
    """Compare what is around `box` with the target's neighbours."""
    if not context.text_was_read:
        return Surroundings(seen=0, asked=0)
    seen, row, replaced, missing = 0, 0, [], ""
    for neighbour in context.target.neighbours:
        in_row = abs(neighbour.dy) <= box.h // 2
        want = wanted(neighbour.text, context.variables)
        there = _is_there(neighbour, box, context)
        seen, row = seen + there, row + in_row
        if there:
            continue
        if want.exact:
            missing = missing or want.text
        now = _text_at_place(neighbour, box, context) if in_row else ""
        if now and similarity(now, want.text) < _OTHER_TEXT:
            replaced.append((want.text, now))
    return Surroundings(
        seen=seen,
        asked=len(context.target.neighbours),
        required_missing=missing,
        replaced=tuple(replaced) if row and len(replaced) == row else (),
    )


def seen_at_another_size(box: Box, context: Context) -> bool:
    """True if at least half of the neighbours are in place when everything is drawn smaller or larger than taught."""
    neighbours = context.target.neighbours
    for size in _SIZES:
        scaled = [replace(n, dx=round(n.dx * size), dy=round(n.dy * size)) for n in neighbours]
        if 2 * sum(_is_there(n, box, context) for n in scaled) >= len(scaled):
            return True
    return False


def told_apart(boxes: Sequence[Box], context: Context) -> tuple[int | None, str]:
    """Which of several look-alikes stands where the target stood, by its neighbours; None if they do not tell."""
    if not context.target.neighbours or not context.text_was_read:
        return None, "there are no neighbours to tell them apart"
    around = [surroundings(box, context) for box in boxes]
    able = [i for i, s in enumerate(around) if not s.required_missing]
    if not able:
        return None, f"'{around[0].required_missing}' stands beside none of them"
    ranked = sorted(able, key=lambda i: -around[i].seen)
    best, others = around[ranked[0]], [around[i] for i in ranked[1:]]
    second = others[0].share if others else 0.0
    if best.share >= 0.5 and best.share - second >= _CLEARLY_BETTER:
        return ranked[0], f"told apart by its neighbours ({best})"
    return None, f"the neighbours do not tell them apart ({best})"


def _is_there(neighbour: NeighbourSpec, box: Box, context: Context) -> bool:
    want = wanted(neighbour.text, context.variables)
    if want.problem:
        return False
    return any(_in_place(s.box, neighbour, box, context) for s in _sightings(want.text, context, exact=want.exact))


def _sightings(text: str, context: Context, *, exact: bool) -> list[Sighting]:
    words = context.words
    whole = words.whole_lines(text, minimum=SEEN, strict=exact)
    return [*whole, *words.inside_lines(text, minimum=SEEN, strict=exact)]


def _in_place(seen: Box, neighbour: NeighbourSpec, box: Box, context: Context) -> bool:
    wide, high = context.window_stretch()
    dx, dy = seen.center.x - box.center.x, seen.center.y - box.center.y
    return _near(dx, neighbour.dx, wide, _SLACK_X, _SLACK_FAR[0]) and _near(
        dy, neighbour.dy, high, _SLACK_Y, _SLACK_FAR[1]
    )


def _near(now: int, taught: int, stretch: float, slack: int, far: float) -> bool:
    """True if an offset is the taught one, or stretched with its window, or in between."""
    low, high = sorted((float(taught), taught * stretch))
    room = max(slack, far * abs(taught))
    return low - room <= now <= high + room


def _text_at_place(neighbour: NeighbourSpec, box: Box, context: Context) -> str:
    x, y = box.center.x + neighbour.dx, box.center.y + neighbour.dy
    place = Box(x - _SLACK_X, y - _SLACK_Y // 2, 2 * _SLACK_X, _SLACK_Y)
    lines = (line for line in context.words.lines if line.box.intersection(place).area)
    return next((line.text for line in lines), "")
