"""What answers came to, counted by groups, by the rules of the scorer that lies beside the sets."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, NamedTuple

from execution.types import Point

_GROWN = 3  # pixels: so far outside of a drawn box a click is right as well


class Verdict(StrEnum):
    RIGHT = "right"
    WRONG = "wrong"
    REFUSED = "refused"


class Area(NamedTuple):
    """A right place, in pixels that need not be whole."""

    x: float
    y: float
    w: float
    h: float

    def holds(self, point: Point) -> bool:
        across = self.x - _GROWN <= point.x <= self.x + self.w + _GROWN
        return across and self.y - _GROWN <= point.y <= self.y + self.h + _GROWN


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What became of one case, by the level that an answer needed.

    Of `groups` the first is the whole one, then its parts, each by another rule; `answer` is the line that is written.
    """

    groups: Sequence[str]
    verdicts: Mapping[str, Verdict]
    answer: Mapping[str, Any]
    ms: float | None = None  # None where nothing was looked for


def of_point(point: Point | None, right: Collection[Area]) -> Verdict:
    """Where there is no right place, to refuse is right and any click is wrong."""
    if point is None:
        return _refused(right)
    return Verdict.RIGHT if any(area.holds(point) for area in right) else Verdict.WRONG


def of_node(node: str | None, right: Collection[str]) -> Verdict:
    """The same of a screen that may be one of several nodes, or none."""
    if node is None:
        return _refused(right)
    return Verdict.RIGHT if node in right else Verdict.WRONG


def _refused(right: Collection[Any]) -> Verdict:
    return Verdict.REFUSED if right else Verdict.RIGHT


def table(outcomes: Sequence[Outcome], title: str = "") -> str:
    """A line for each group, the whole ones before their parts."""
    counted: dict[str, dict[str, Counter[Verdict]]] = defaultdict(lambda: defaultdict(Counter))
    depth = dict[str, int]()
    for outcome in outcomes:
        for place, group in enumerate(outcome.groups):
            depth[group] = place
            for level, verdict in outcome.verdicts.items():
                counted[group][level][verdict] += 1
    levels = list(dict.fromkeys(level for outcome in outcomes for level in outcome.verdicts))
    lines = [
        f"{title:<44}{'n':>5}" + "".join(f"   {f'{level}: right':>22}{'wrong':>7}{'refused':>9}" for level in levels)
    ]
    for group in sorted(counted, key=lambda group: (depth[group], group)):
        of = [counted[group][level] for level in levels]
        lines.append(f"{group:<44}{of[0].total():>5}" + "".join(f"   {_shares(one)}" for one in of))
    return "\n".join(lines)


def _shares(one: Counter[Verdict]) -> str:
    right = one[Verdict.RIGHT]
    share = f"{right} ({100 * right / one.total():.1f} %)"
    return f"{share:>22}{one[Verdict.WRONG]:>7}{one[Verdict.REFUSED]:>9}"
