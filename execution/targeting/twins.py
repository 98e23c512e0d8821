"""Things that are equal to the target: place alone tells none of them (S5.3).

One is told apart by what was said of it (a row, a number), by its label, by the nearest text around it that stands at
the one and not at the other: the name in its card, not the heading of the page. Where no text does there may be no more
of them than when it was taught.
"""

from __future__ import annotations

import numpy as np

from execution.targeting.boxes import ends_it
from execution.targeting.candidates import By
from execution.targeting.comparison import NAMES
from execution.targeting.context import Context
from execution.targeting.examination import examined
from execution.targeting.neighbours import stands_at
from execution.targeting.reasons import EQUAL, GOOD
from execution.targeting.runs import Alike
from execution.targeting.signs import Signs
from execution.targeting.weighing import Weighed
from execution.types import Box, ElementRole
from sentences.said import say
from workflows.graph import NeighbourSpec

_OF_ITS_KIND = 0.5  # of likeness of the kinds


def twin_problem(weighed: Weighed, best: int, context: Context) -> str:
    """Why nobody can say which of several equal things it is; "" where the best place is told apart or alone."""
    target = context.target
    if target.number_wanted:
        return ""
    if weighed.candidates[best].in_sight is not None:  # known by the very pixels
        return ""
    twins = _twins(weighed, best, context)
    if target.row:  # all that are left are in such a row
        said = [place for places in context.wanted_row.places for place in places]  # what says so is no rival
        twins = [one for one in twins if not any(place.contains(one.box.center) for place in said)]
        is_alone = not twins and not _another_row(weighed.signs[best].box, context)
        return "" if is_alone else say("targeting.row_not_alone")
    if context.is_variable:  # a value stands in a heading, too: another one of its list is in its column
        left = weighed.signs[best].box
        twins = [one for one in twins if abs(one.box.x - left.x) <= left.h]
    one = weighed.signs[best]
    were_there = len(twins) < target.alike  # then it is the judge's to say which it is
    told = [_told_apart(one, other, context) for other in twins]
    if all(were_there if apart is None else apart for apart in told):
        return ""
    if len(twins) >= target.alike:
        return say("targeting.twin_was_added")
    return say("targeting.not_told_apart", around=one.around.told)


def _twins(weighed: Weighed, best: int, context: Context) -> list[Signs]:
    """Other places that read and look as well, and where all that must hold does as well."""
    found, number = weighed.found, weighed.numbers[best]
    said, look, must, kind = (found.features[:, NAMES.index(name)] for name in ("said", "look", "must", "like_kind"))
    others = ~found.one_place[number] & (kind >= min(kind[number], _OF_ITS_KIND))
    is_read, is_seen = said[number] > 0, look[number] >= GOOD
    if not np.isnan(must[number]):
        others &= must >= must[number]
    elif context.target.role == ElementRole.FIELD or not (is_read or is_seen):  # which look alike, or like nothing
        return []
    reads_so = said >= max(Alike.CONFUSED, min(np.nan_to_num(said[number]), Alike.LETTERS))
    if is_read:
        others &= reads_so
    if is_seen:  # of what reads so a part of a pixel makes a difference, and what nobody looked at may be as good
        others &= (reads_so & ~(look < GOOD)) | (look >= max(look[number] - EQUAL, GOOD))
    chosen, twins = found.candidates[number], list[int]()
    own, is_whole = chosen.box, By.THING in chosen.by and not context.is_variable
    for other in np.flatnonzero(others).tolist():
        box, by = found.candidates[other].box, found.candidates[other].by
        is_part = own.contains(box.center) or box.contains(own.center)  # a mark and it with its caption
        is_part |= is_whole and is_read and By.WORDS in by  # of a thing that says more
        is_part |= context.target.role == ElementRole.FIELD and ends_it(box, own)
        if not is_part and not found.one_place[other, twins].any():
            twins.append(other)
    return [examined(found.candidates[other].box, context) for other in twins]


def _another_row(box: Box, context: Context) -> bool:
    """Whether all that its row must say stands in another row as well, as far from where it would be there."""
    row = context.wanted_row
    first = row.places[0]
    own = min(first, key=lambda place: abs(place.center.y - box.center.y) + abs(place.center.x - box.center.x))
    steps = ((place.center.x - own.center.x, place.center.y - own.center.y) for place in first if place is not own)
    return any(row.holds(box._replace(x=box.x + x, y=box.y + y)) for x, y in steps if abs(x) > box.w or abs(y) > box.h)


def _is_between(near: NeighbourSpec, one: Box, other: Box) -> bool:
    """Whether it stood so far off that it is another one's, or what heads them all: it stays where it is."""
    across, down = abs(one.center.x - other.center.x), abs(one.center.y - other.center.y)
    if down >= across:
        return abs(near.dy) > down - one.h
    return abs(near.dx) > across - one.w


def _told_apart(one: Signs, other: Signs, context: Context) -> bool | None:
    """Whether what stands around says that it is the one and not the other; None where it says nothing."""
    if one.label is not None and one.label != other.label:
        return one.label
    high = context.taught.h / 2
    for near in sorted(context.target.neighbours, key=lambda n: (abs(n.dy) > high, abs(n.dx) + 2 * abs(n.dy))):
        if _is_between(near, one.box, other.box):
            continue
        here, there = (stands_at(near, signs.box, context, scale=signs.scale) for signs in (one, other))
        if here != there:
            return here
    return None
