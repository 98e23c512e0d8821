"""Targets known by what this run is about: the option {{choice}}, never the one that was shown when teaching."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from itertools import zip_longest

from benchmarks.drift.board import Control
from benchmarks.drift.pairs import Truth
from benchmarks.drift.present import data, moved, resized, theme
from benchmarks.drift.turn import Change, Turn, Wanted, teachable
from benchmarks.drift.wording import other

_ALIGNED, _AS_HIGH, _APART = 4, 4, 130  # pixels, at scale 1
_LEAST = 3  # of one group
_HOW = (moved, resized, theme, data)


def option(turn: Turn) -> Change | None:
    """One of a group was taught, another one of it is wanted."""
    wanted = []
    for control, group in _chosen(turn):
        right = turn.rng.choice([one for one in group if one.number != control.number])
        wanted.append(
            Wanted(taught=control.number, right=right.number, truth=Truth.HERE, choice=right.name, why=right.name)
        )
    return _on_a_changed_page(turn, wanted)


def option_absent(turn: Turn) -> Change | None:
    """What is wanted is not there; all others of its group are, and what was taught."""
    wanted = []
    for control, group in _chosen(turn):
        names = {one.name for one in turn.view.controls}
        value = _unheard_of(control, group, turn)
        if value not in names:
            wanted.append(
                Wanted(taught=control.number, right=control.number, truth=Truth.GONE, choice=value, why=value)
            )
    return _on_a_changed_page(turn, wanted)


def groups(controls: Sequence[Control], scale: float) -> list[list[Control]]:
    """Controls of one kind and height, below or beside each other, each with a name that nothing else has."""
    named = [c for c in controls if c.worded and teachable(c) and len(c.name) >= 1]
    once = [c for c in named if sum(c.name.casefold() == o.name.casefold() for o in controls) == 1]
    found, left = [], list(once)
    while left:
        group, grown = [left.pop()], True
        while grown:
            near = [c for c in left if any(_beside(c, one, scale) for one in group)]
            group, left, grown = group + near, [c for c in left if c not in near], bool(near)
        if len(group) >= _LEAST:
            found.append(group)
    return found


def _beside(one: Control, two: Control, scale: float) -> bool:
    if one.role != two.role or abs(one.box.h - two.box.h) > _AS_HIGH * scale:
        return False
    across, down = abs(one.box.center.x - two.box.center.x), abs(one.box.center.y - two.box.center.y)
    level = down <= _ALIGNED * scale and max(one.box.x, two.box.x) - min(one.box.right, two.box.right) <= _APART * scale
    stacked = abs(one.box.x - two.box.x) <= _ALIGNED * scale and down <= _APART * scale
    return level or stacked or (across <= _ALIGNED * scale and down <= _APART * scale)


def _chosen(turn: Turn) -> list[tuple[Control, list[Control]]]:
    """Controls of each group in turn, none twice, as many as are wanted."""
    found = groups(turn.view.controls, turn.case.look.scale)
    turn.rng.shuffle(found)
    queues = [[(control, group) for control in turn.rng.sample(group, len(group))] for group in found]
    dealt = [one for turns in zip_longest(*queues) for one in turns if one is not None]
    return dealt[: turn.count]


def _unheard_of(control: Control, group: Sequence[Control], turn: Turn) -> str:
    """A value like those of the group that is none of them."""
    kind = turn.rng.random()
    model = turn.rng.choice([one.name for one in group])
    if any(sign.isdigit() for sign in model):
        return "".join(str(turn.rng.randint(0, 9)) if sign.isdigit() else sign for sign in model)
    if kind < 0.3:
        return f"{model} {turn.rng.choice(('2', 'B', 'II', 'bis'))}"
    return other(control.name, control.role, turn.lang, turn.rng)


def _on_a_changed_page(turn: Turn, wanted: list[Wanted]) -> Change | None:
    if not wanted:
        return None
    how = turn.rng.choice(_HOW)
    change = how(replace(turn, rng=random.Random(turn.rng.random()))) or Change(case=turn.case, wanted=())
    return replace(change, wanted=tuple(wanted), why=how.__name__, must_differ=False)
