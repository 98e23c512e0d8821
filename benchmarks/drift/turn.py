"""One page about to be changed: which of its controls a person could have taught, and what is wanted of each later."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from benchmarks.drift.board import Control, View
from benchmarks.drift.cases import PANEL, Case
from benchmarks.drift.pairs import Truth
from benchmarks.screens.words import Words
from execution.types import Box, Size

_SMALLEST = 9  # pixels of a side


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """One target of a change: its number when taught, and the number of what is right later, mostly the same.

    `row` is None, or the text that names the record: the target is then taught with a row that is a variable. `choice`
    is None, or what the target must read in this run: its text is then a variable.
    """

    taught: int
    right: int
    truth: Truth
    row: str | None = None
    choice: str | None = None
    why: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """`must_differ`: the picture of the target must not look as it did, else nobody could tell."""

    case: Case
    wanted: tuple[Wanted, ...]
    ops: tuple[Mapping[str, Any], ...] = ()
    why: str = ""
    no_window: float = 0.5  # the share of pairs for which the window is not known: remote desktops tell of none
    must_differ: bool = False
    coded: int = 0  # JPEG quality, 1 to 100, that a remote desktop sends the screen in; 0: none


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One case about to be changed; `count` is how many targets are wanted of it."""

    case: Case
    view: View
    rng: random.Random
    count: int
    words: Words = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "words", Words(self.case.look.lang, random.Random(self.rng.random())))

    @property
    def lang(self) -> str:
        return self.case.look.lang

    def some(self, fits: Callable[[Control], bool] = lambda control: True, count: int = 0) -> list[Control]:
        """Targets of as many roles as there are, that a person could have clicked."""
        by_role: dict[str, list[Control]] = {}
        for control in self.view.controls:
            if teachable(control) and fits(control):
                by_role.setdefault(control.role, []).append(control)
        queues = list(by_role.values())
        for queue in queues:
            self.rng.shuffle(queue)
        self.rng.shuffle(queues)
        chosen: list[Control] = []
        while any(queues) and len(chosen) < (count or self.count):
            for queue in queues:
                if queue and len(chosen) < (count or self.count):
                    chosen.append(queue.pop())
        return chosen

    def near(self, control: Control, count: int, fits: Callable[[Control], bool] = lambda c: True) -> list[Control]:
        """The nearest other controls."""
        others = [c for c in self.view.controls if c.number != control.number and teachable(c) and fits(c)]
        return sorted(others, key=lambda c: distance(c.box, control.box))[:count]


def teachable(control: Control) -> bool:
    """Whether a workflow would click it: all of it shows, it is not chosen already, and its words are no data."""
    box = control.box
    return control.usable and min(box.w, box.h) >= _SMALLEST and not control.data and not control.chosen


def here(controls: Sequence[Control], why: str = "") -> tuple[Wanted, ...]:
    return tuple(Wanted(taught=c.number, right=c.number, truth=Truth.HERE, why=why) for c in controls)


def gone(controls: Sequence[Control], why: str = "") -> tuple[Wanted, ...]:
    return tuple(Wanted(taught=c.number, right=c.number, truth=Truth.GONE, why=why) for c in controls)


def desktop(case: Case) -> Size:
    width, height = (round(side / case.look.scale) for side in case.look.size)
    return Size(width, height - PANEL)


def even(length: float) -> int:
    return int(length) // 4 * 4


def distance(one: Box, two: Box) -> int:
    return abs(one.center.x - two.center.x) + abs(one.center.y - two.center.y)
