"""Which one of its list a target is, where a run is to say so by a variable: counted on the screen it is taught on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np
from django.utils.translation import gettext as _

from execution.language.fuzzy import folded
from execution.language.screen_texts import ScreenWords, wanted
from execution.perception.scene.cells import in_cells
from execution.targeting.context import Context
from execution.targeting.groups import Group
from execution.targeting.numbers import group_of_target
from execution.teaching.values import kinds_of_data
from execution.types import Box, Point, ScreenState, TextLine
from sentences.said import say
from workflows.exceptions import PictureMissing
from workflows.graph import NeighbourSpec, TargetSpec
from workflows.text import is_ordinal, names

_LEVEL = 0.5  # of a line's height
_MOST_BEFORE = 1  # of its group that do not count: a title of the column, a box that ticks them all


class _Unseen:
    """Pictures that are not asked for: a list is counted by what is read and by what can be acted on."""

    def load(self, digest: str) -> np.ndarray:
        raise PictureMissing(say("pictures.not_in_store", digest=digest[:8]))


def counted(
    target: TargetSpec, box: Box, state: ScreenState, *, number: str, values: Mapping[str, str], least: int = 1
) -> tuple[TargetSpec, tuple[Box, ...]]:
    """The target as that one of its list that `number`, such as "{{n}}", says, and those of its list that count.

    Of `values` is which one it is in `box`. `least` is how many of them must be seen. What stands before the first that
    counts is kept with it. Raises ValueError with a sentence where its list cannot be counted so far, or where it is
    another one of it.
    """
    target = replace(target, number=number)
    value = wanted(number, values).text
    if not is_ordinal(value):
        raise ValueError(
            _("“%(name)s”: say which one of its list it is here, as a whole number from 1 on.") % {"name": target.label}
        )
    group = _group(target, state, values)
    at = group.number_of(box) if group else 0
    if group is None or not 0 < at <= group.counted:
        raise ValueError(
            _("“%(name)s”: the list that it is in cannot be counted as it is seen here.") % {"name": target.label}
        )
    if group.counted < least:
        said = _("“%(name)s”: only one of its list is seen here, so nobody can tell what a line is. Show several.")
        raise ValueError(said % {"name": target.label})
    before = at - int(value)
    if not 0 <= before <= _MOST_BEFORE:
        raise ValueError(
            _("“%(name)s” is number %(at)d of its list as it is seen here, not number %(value)s.")
            % {"name": target.label, "at": at, "value": value.strip()}
        )
    first, here = group.members[0].center, box.center
    offset = round(first.x - here.x), round(first.y - here.y)
    second = group.members[1].center if len(group.members) > 1 else None
    to_next = (round(second.x - first.x), round(second.y - first.y)) if second else None
    titles, lines = group.members[:before], group.members[before:]
    near, around = (
        tuple(n for n in of if not (_is_row(n, box, titles, lines) or _is_its_own(n, box, lines, state)))
        for of in (target.neighbours, target.around)
    )
    near += tuple(n for n in _beside(titles, box, state) if n.text not in {one.text for one in near})
    row = tuple(text for text in target.row if names(text))  # what is always the same is the shown line's own
    line = replace(
        target,
        before_first=before,
        first_offset=offset,
        next_offset=to_next,
        row=row,
        neighbours=near,
        around=around,
        needed=tuple(sign for sign in target.needed if sign != "number"),  # which of them it is, the run says
    )
    return line, lines


def lines_from(target: TargetSpec, box: Box, state: ScreenState, *, least: int) -> tuple[Box, ...]:
    """The lines of the list of which the one in `box` is the first; nothing where it is another one of it, or where
    fewer than `least` are seen. What stands before it on another ground, or heads data, is the title of the column."""
    number, values = "{{line}}", {"line": "1"}
    try:
        line, members = counted(target, box, state, number=number, values=values, least=least)
    except ValueError:
        return ()
    with_title = _seen(replace(line, before_first=0), state, values).wanted_number
    is_first = not line.before_first or with_title.problem == say("targeting.first_is_other")
    return members if is_first or _is_headed(with_title.lines, state) else ()


def _is_headed(lines: Sequence[Box], state: ScreenState) -> bool:
    """Whether the first stands in a row of heads: below a text of it that is no data each other line has some."""
    cells = in_cells(state).texts

    def level(box: Box) -> list[TextLine]:
        return [cell for cell in cells if abs(cell.box.center.y - box.center.y) <= _LEVEL * box.h]

    def below(head: TextLine, line: Box) -> set[str]:
        under = (c for c in level(line) if c.box.x < head.box.right and head.box.x < c.box.right)
        return {kind for cell in under for kind in kinds_of_data(cell.text)}

    if len(lines) < 2:
        return False
    heads = [head for head in level(lines[0]) if not kinds_of_data(head.text)]
    return any(set.intersection(*(below(head, line) for line in lines[1:])) for head in heads)


def lines_like(target: TargetSpec, box: Box, state: ScreenState) -> tuple[Box, ...]:
    """The lines of the list in which one in `box` is opened by what it says; nothing where it is in no such list."""
    line = replace(target, text="", named_by=None, row=(), number="{{line}}", alike=1)
    group = _group(line, state, {"line": "1"})
    return group.members if group is not None and group.number_of(box) else ()


def _group(target: TargetSpec, state: ScreenState, values: Mapping[str, str]) -> Group | None:
    return group_of_target(_seen(target, state, values))


def _seen(target: TargetSpec, state: ScreenState, values: Mapping[str, str]) -> Context:
    return Context(target=target, state=state, variables=values, pictures=_Unseen(), words=ScreenWords.of(state.texts))


def _is_row(neighbour: NeighbourSpec, box: Box, titles: Sequence[Box], lines: Sequence[Box]) -> bool:
    """Whether that stands on another one of the list, or in its row: it is what that says, and other ones are there
    another day. What stands level with a title of its is the title of another column."""
    x, y = box.center.x + neighbour.dx, box.center.y + neighbour.dy

    def level(boxes: Sequence[Box]) -> list[Box]:
        return [one for one in boxes if abs(y - one.center.y) <= _LEVEL * one.h]

    if any(one.x - one.h <= x <= one.right + one.h for one in (*level(titles), *level(lines))):
        return True
    return any(abs(one.center.y - box.center.y) > one.h for one in level(lines))


def _is_its_own(neighbour: NeighbourSpec, box: Box, lines: Sequence[Box], state: ScreenState) -> bool:
    """Whether that stands in the row of the one in `box` and in no other: another line says something else there."""
    if abs(neighbour.dy) > _LEVEL * box.h:
        return False
    places = [Point(line.center.x + neighbour.dx, line.center.y) for line in lines if line.center.y != box.center.y]
    said = [t.box for t in state.texts if folded(t.text) == folded(neighbour.text)]
    near = [one.grown(box.h // 2, state.frame.size) for one in said]
    return bool(places) and not any(one.contains(place) for one in near for place in places)


def _beside(titles: Sequence[Box], box: Box, state: ScreenState) -> Iterator[NeighbourSpec]:
    """The titles of the other columns, which are there whatever the list holds."""
    for line in state.texts:
        level = (title for title in titles if abs(line.box.center.y - title.center.y) <= _LEVEL * title.h)
        if any(not title.grown(2, state.frame.size).intersection(line.box).area for title in level):
            at, own = line.box.center, box.center
            yield NeighbourSpec(text=line.text, dx=at.x - own.x, dy=at.y - own.y)
