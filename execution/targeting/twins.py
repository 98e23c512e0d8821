"""Things that are equal to the target, more or fewer of them than when it was taught: place alone tells none (S5.3).

One is told apart by what was said of it (a row, a number), by its label, or by the nearest text around it that
stands at the one and not at the other: the name in its card, not the heading of the page.
"""

from __future__ import annotations

import numpy as np

from execution.targeting.boxes import same_thing
from execution.targeting.context import Context
from execution.targeting.features import NAMES
from execution.targeting.kinds import same_kind
from execution.targeting.neighbours import stands_at
from execution.targeting.reasons import EQUAL, GOOD
from execution.targeting.signs import Signs
from execution.targeting.weighing import Weighed
from execution.types import Box, ElementRole
from sentences.said import say
from workflows.graph import NeighbourSpec


def twin_problem(weighed: Weighed, best: int, context: Context) -> str:
    """Why nobody can say which of several equal things the best place is; "" where there is one, as many as when it
    was taught, or it is told apart."""
    target = context.target
    if not target.alike or target.row or target.number_wanted or target.role == ElementRole.FIELD:
        return ""
    twins = _twins(weighed, best)
    if context.is_variable:  # a value stands in a heading, too: another one of its list is in its column
        left = weighed.signs[best].box
        twins = [one for one in twins if abs(one.box.x - left.x) <= left.h]
    if not twins or len(twins) + 1 == target.alike:
        return ""
    one = weighed.signs[best]
    return "" if all(_told_apart(one, other, context) for other in twins) else say("targeting.twin_was_added")


def _twins(weighed: Weighed, best: int) -> list[Signs]:
    """Other things of its kind whose text and picture are as good."""
    identity = weighed.features[:, NAMES.index("identity")]
    one, found = weighed.signs[best], list[Signs]()
    for number in np.flatnonzero(identity >= max(GOOD, float(identity[best]) - EQUAL)).tolist():
        other = weighed.signs[number]
        if not _is_of_its_kind(one, other) or any(same_thing(other.box, known.box) for known in (one, *found)):
            continue
        found.append(other)
    return found


def _is_of_its_kind(one: Signs, other: Signs) -> bool:
    if one.whole and not other.whole:  # “New” is no twin of “New Window”
        return False
    if one.element is None or other.element is None:
        return one.element is other.element
    return same_kind(one.element.role, other.element.role)


def _is_between(near: NeighbourSpec, one: Box, other: Box) -> bool:
    """Whether it stood so far off that it is another one's, or what heads them all: it stays where it is."""
    across, down = abs(one.center.x - other.center.x), abs(one.center.y - other.center.y)
    if down >= across:
        return abs(near.dy) > down - one.h
    return abs(near.dx) > across - one.w


def _told_apart(one: Signs, other: Signs, context: Context) -> bool:
    if one.label and not other.label:
        return True
    for near in sorted(context.target.neighbours, key=lambda n: abs(n.dx) + 2 * abs(n.dy)):
        if _is_between(near, one.box, other.box):
            continue
        here, there = (stands_at(near, signs.box, context, scale=signs.scale) for signs in (one, other))
        if here != there:
            return here
    return False
