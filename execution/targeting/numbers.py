"""The n-th of a list: which one a run wants of the target's group, and where it stands (S5.3)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise
from statistics import median_low
from typing import Protocol

import numpy as np

from execution.language.screen_texts import ScreenWords, Wanted, wanted
from execution.targeting.groups import AS_HIGH, Group, groups_of
from execution.targeting.kinds import same_kind
from execution.targeting.search import SAME_PICTURE, peaks, usable
from execution.types import Box, Element, ElementRole, ScreenState
from sentences.said import say
from workflows.graph import NeighbourSpec, TargetSpec
from workflows.text import is_ordinal

BY_TEXT, BY_KIND, BY_LINE = "text", "kind", "line"

_AS_HIGH, _AS_WIDE = 0.3, 0.4
_LOWEST = 0.45  # of the taught height: a line is lower than the row that it stands in
_DRAWN = frozenset({ElementRole.BUTTON, ElementRole.FIELD, ElementRole.CHECKBOX, ElementRole.RADIO, ElementRole.ICON})
_SLACK, _FAR = 12, 0.1  # pixels, and of the way
_TELLING = 2  # neighbours in place that tell a group from the others
_OTHER_GROUND = 6  # grey levels
_OF_A_ROW = 0.45  # of the step between two rows: what is farther off is another row's place
_NEAREST = 2.0  # heights nearer than the next group


@dataclass(frozen=True, slots=True, kw_only=True)
class WantedNumber:
    """Which of its group a run wants, None where any may be it; its place, and the group; or why it is not known.

    `lines` are those of the group that are counted. `is_whole`: each is counted from where it began. `at_end`: all of
    it is seen, and it has one less than is wanted.
    """

    number: int | None = None
    place: Box | None = None
    group: Group | None = None
    problem: str = ""
    lines: tuple[Box, ...] = ()
    is_whole: bool = False
    at_end: bool = False

    def holds(self, box: Box) -> bool:
        """True for that one of the group, and for everything where no number is wanted."""
        if self.number is None:
            return not self.problem
        if self.group is None or self.place is None:
            return False
        number = self.group.number_of(box)
        return number > 0 and self.group.members[number - 1] == self.place


class Numbered(Protocol):
    """What is seen of a screen, and the target of which one of several is wanted."""

    @property
    def target(self) -> TargetSpec: ...

    @property
    def variables(self) -> Mapping[str, str]: ...

    @property
    def state(self) -> ScreenState: ...

    @property
    def words(self) -> ScreenWords: ...

    @property
    def grey(self) -> np.ndarray: ...

    @property
    def taught(self) -> Box: ...

    @property
    def wanted(self) -> Wanted: ...

    @property
    def area(self) -> Box: ...

    @property
    def controls(self) -> tuple[Element, ...]: ...

    @property
    def goes_on(self) -> bool: ...

    @property
    def scales(self) -> tuple[float, ...]: ...

    @property
    def peers(self) -> tuple[Box, ...]: ...

    def neighbour_boxes(self, neighbour: NeighbourSpec) -> np.ndarray: ...

    def taught_places(self) -> list[Box]: ...


def wanted_number(seen: Numbered) -> WantedNumber:
    """That one of the target's group that this run wants."""
    template = seen.target.number_wanted
    if not template:
        return WantedNumber()
    want = wanted(template, seen.variables)
    if want.problem or not is_ordinal(want.text):
        return WantedNumber(problem=want.problem or say("targeting.no_ordinal", text=want.text))
    number = int(want.text)
    group = group_of_target(seen)
    if group is None:
        return WantedNumber(number=number, problem=say("targeting.group_unknown"))
    problem, at = _uncounted(number, group, seen), number + seen.target.before_first
    place = None if problem else group.members[at - 1]
    lines = group.members[seen.target.before_first :]
    is_whole = _is_seen_whole(group, seen)
    return WantedNumber(
        number=number, place=place, group=group, problem=problem, lines=lines, is_whole=is_whole,
        at_end=is_whole and number == len(lines) + 1,
    )  # fmt: skip


def _is_seen_whole(group: Group, seen: Numbered) -> bool:
    """Whether each of a group is counted from where it began, so that what it has not is not there."""
    whole = group.counted == len(group.members) and _begins_as_taught(group, seen)
    return whole and (bool(seen.target.before_first) or not _first_is_other(group, seen))


def _uncounted(number: int, group: Group, seen: Numbered) -> str:
    """Why that one of the group cannot be told; "" if it can."""
    before = seen.target.before_first
    if number + before > len(group.members):
        return say("targeting.too_few", number=number, count=max(0, len(group.members) - before))
    if number + before > group.counted or (known_as(seen.target) == BY_LINE and group.counted < len(group.members)):
        return say("targeting.not_counted", number=number)
    if not _begins_as_taught(group, seen):
        return say("targeting.not_counted", number=number)
    return say("targeting.first_is_other") if not before and _first_is_other(group, seen) else ""


def _begins_as_taught(group: Group, seen: Numbered) -> bool:
    """True where what is around the list shows that its first stands where the first stood, or, where nothing of that
    is seen, its place does, or that it has as many as each time it was shown: one before it may not have been read.
    What was not counted when it was taught begins anywhere."""
    offset, scale = seen.target.first_offset, seen.scales[0]
    if offset is None:
        return True
    middles, level = _middles(group.members[0], seen, scale), 0.5 * seen.taught.h
    rows = sorted({member.center.y for member in group.members})
    taught_step = scale * abs(seen.target.next_offset[1]) if seen.target.next_offset and _goes_down(seen) else 2 * level
    room_y = _OF_A_ROW * min((b - a for a, b in pairwise(rows) if b - a > level), default=taught_step)
    around = [n for n in (seen.target.named_by, *seen.target.neighbours) if n is not None and abs(n.dy) > level]
    shown = [n for n in around if len(seen.neighbour_boxes(n))]
    for neighbour in shown:
        dx, dy = scale * (neighbour.dx - offset[0]), scale * (neighbour.dy - offset[1])
        found = seen.neighbour_boxes(neighbour)
        away = found[:, None] - np.add(middles, (dx, dy))
        nearer = farther = _SLACK + _FAR * abs(dx)
        if _goes_down(seen) and dy < 0 and len(found) == 1:
            # the columns of a table are as wide as what they hold today: what heads a list, and stands once, is as high
            # above its first, and on the same side of it, but not as far off as the list beside it is wide
            nearer, farther = _SLACK + abs(dx), _SLACK + _OF_A_ROW * abs(dx)
        off = away[..., 0] * (-1 if dx < 0 else 1)  # how much farther from the first
        if ((-nearer <= off) & (off <= farther) & (np.abs(away[..., 1]) <= room_y)).any():
            return True
    if shown:
        return False
    if seen.target.demonstrations > 1 and len(group.members) == seen.target.alike:
        return True
    places = seen.taught_places()
    at = [(place.center.x + scale * offset[0], place.center.y + scale * offset[1]) for place in places]
    away = np.abs(np.array(at).reshape(-1, 1, 2) - middles)
    return bool(((away[..., 0] <= _SLACK) & (away[..., 1] <= room_y)).any())


def _middles(box: Box, seen: Numbered, scale: float) -> np.ndarray:
    """Where the middle of a thing is, and where it would be were it as wide as the taught one and began or ended where
    it does: lines of a list are as long as what they say. Shape (3, 2)."""
    half = scale * seen.taught.w / 2
    return np.array([(x, box.center.y) for x in (box.center.x, box.x + half, box.right - half)])


def group_of_target(seen: Numbered) -> Group | None:
    """The group that the target belongs to: the one around which stands what stood around it, or at the taught place.

    None where there is none, or nothing tells which of several it is.
    """
    parts = groups_of(its_like(seen), _others(seen), in_table=_is_table(seen))
    groups = [one for group in parts for one in _as_taught(group, seen)]
    if len(groups) < 2:
        return next(iter(groups), None)
    rated = sorted(((_in_place(group, seen), group) for group in groups), key=lambda pair: -pair[0])
    (most, best), (second, _) = rated[:2]
    if most >= _TELLING and most > second:
        return best
    equal = [group for count, group in rated if count == most]
    return _nearest(equal if most >= _TELLING else groups, seen)


def _as_taught(group: Group, seen: Numbered) -> list[Group]:
    """The group; of a list that goes down what is a single row now is the one line that is left of several columns."""
    level = {member.center.y for member in group.members}
    if _goes_down(seen) and max(level) - min(level) < min(member.h for member in group.members) / 2:
        return [Group(members=(member,), counted=1) for member in group.members]
    return [group]


def _is_table(seen: Numbered) -> bool:
    """Whether its list goes down below heads that stood side by side when it was taught, and are read today."""
    level = 0.5 * seen.taught.h
    heads = [n for n in seen.target.neighbours if n.dy < -level and len(seen.neighbour_boxes(n))]
    return _goes_down(seen) and any(abs(a.dy - b.dy) <= level and a.dx != b.dx for a, b in combinations(heads, 2))


def _goes_down(seen: Numbered) -> bool:
    return seen.target.next_offset is not None and abs(seen.target.next_offset[1]) > seen.taught.h / 2


def known_as(target: TargetSpec) -> str:
    """By what the things of the target's group are known: their common text, their kind, or that they are lines."""
    if target.text and target.alike > 1 and target.role != ElementRole.FIELD:
        return BY_TEXT
    return BY_KIND if target.role in _DRAWN else BY_LINE


def its_like(seen: Numbered) -> tuple[Box, ...]:
    """Everything in its window that may be of its group; a text that only the target had is its content, no sign."""
    known = known_as(seen.target)
    if known == BY_TEXT:
        return _evened(seen.peers, seen.controls, seen.grey)
    for scale in seen.scales:
        if found := _controls(seen, scale) if known == BY_KIND else _lines(seen, scale):
            return found
    return ()


def _evened(peers: Sequence[Box], controls: Sequence[Element], grey: np.ndarray) -> tuple[Box, ...]:
    """The same, each as high as most of them where its control is as high as theirs, or where what they show stands in
    it: of one caption a reader may have taken the border for a part, and the list would have a hole there."""
    around = {box: _control_of(box, controls) for box in peers}
    usual = median_low(box.h for box in peers) if peers else 0
    even = [box for box in peers if box.h <= AS_HIGH * usual]
    high = {one.h for box in even if (one := around[box]) is not None}
    found = []
    for box in peers:
        own = around[box]
        if own is not None and box.h > AS_HIGH * usual and any(_near(own.h, h, _AS_HIGH) for h in high):
            wide = min(box.w, own.w)
            box = Box(own.center.x - wide // 2, own.center.y - usual // 2, wide, usual)
        elif own is None and box.h > AS_HIGH * usual:
            box = _as_in(box, even, grey)
        found.append(box)
    return tuple(found)


def _as_in(box: Box, even: Sequence[Box], grey: np.ndarray) -> Box:
    """Where in it stands what one of the others shows, in letters of the same size; itself where that does not."""
    shown = (grey[one.y : one.bottom, one.x : one.right] for one in even)
    seen = [peak for look in shown if not usable(look) for peak in peaks(grey, look, minimum=SAME_PICTURE, region=box)]
    return max(seen, key=lambda peak: peak.correlation).box if seen else box


def _control_of(box: Box, controls: Sequence[Element]) -> Box | None:
    around = (e.box for e in controls if e.role is ElementRole.BUTTON and e.box.contains(box.center))
    return min(around, key=lambda one: one.area, default=None)


def _controls(seen: Numbered, scale: float) -> tuple[Box, ...]:
    taught, target = seen.taught, seen.target
    worded = bool(target.text)  # a button is as wide as what it says
    return tuple(
        e.box
        for e in seen.controls
        if same_kind(target.role, e.role)
        and _near(e.box.h, taught.h * scale, _AS_HIGH)
        and (worded or _near(e.box.w, taught.w * scale, _AS_WIDE))
    )


def _lines(seen: Numbered, scale: float) -> tuple[Box, ...]:
    high = max(1.0, seen.taught.h * scale)
    lines = (line.box for line in seen.words.lines if seen.area.contains(line.box.center))
    return tuple(box for box in lines if _LOWEST <= box.h / high <= 1 + _AS_HIGH)


def _others(seen: Numbered) -> list[Box]:
    return [line.box for line in seen.words.lines] + [e.box for e in seen.controls]


def _near(now: float, taught: float, room: float) -> bool:
    return taught > 0 and abs(now / taught - 1) <= room


def _in_place(group: Group, seen: Numbered) -> int:
    """How many taught neighbours stand as they did to that one of the group to which most do; its row's are not asked:
    they are another row's now."""
    scale, level = seen.scales[0], 0.5 * seen.taught.h
    asked = [n for n in (seen.target.named_by, *seen.target.neighbours) if n is not None and abs(n.dy) > level]
    return max(sum(_stands(n, member, seen, scale) for n in asked) for member in group.members)


def _stands(neighbour: NeighbourSpec, box: Box, seen: Numbered, scale: float) -> bool:
    at = np.add(_middles(box, seen, scale), (scale * neighbour.dx, scale * neighbour.dy))
    room = _SLACK + _FAR * scale * math.hypot(neighbour.dx, neighbour.dy)
    away = seen.neighbour_boxes(neighbour)[:, None] - at
    return bool((np.hypot(away[..., 0], away[..., 1]) <= room).any())


def _nearest(groups: Sequence[Group], seen: Numbered) -> Group | None:
    """The only group at the taught place, or the one that is clearly nearest to it."""
    places = seen.taught_places()
    if not places:
        return None
    by_way = sorted(((_apart(group.hull, places[0]), group) for group in groups), key=lambda pair: pair[0])
    (near, best), others = by_way[0], by_way[1:]
    is_there = near == 0 and all(way > 0 for way, _ in others)
    return best if is_there or all(way - near >= _NEAREST * places[0].h for way, _ in others) else None


def _apart(hull: Box, place: Box) -> float:
    across = max(0, hull.x - place.right, place.x - hull.right)
    down = max(0, hull.y - place.bottom, place.y - hull.bottom)
    return math.hypot(across, down)


def _first_is_other(group: Group, seen: Numbered) -> bool:
    """True where the first stands on another ground than all that follow: a title of the column, or a row that is
    selected, and nobody knows which. Of a list that was begun its first was told before, and is selected since."""
    if seen.goes_on or len(group.members) < 3 or known_as(seen.target) == BY_TEXT:
        return False
    first, *rest = (_ground(box, seen.grey) for box in group.members)
    return all(abs(first - other) > _OTHER_GROUND for other in rest)


def _ground(box: Box, grey: np.ndarray) -> float:
    """The commonest grey level right around a thing."""
    height, width = grey.shape
    left, right, margin = max(0, box.x - 3), min(width, box.right + 3), 3
    above, below = grey[max(0, box.y - margin) : box.y, left:right], grey[box.bottom : box.bottom + margin, left:right]
    levels = np.concatenate([above.ravel(), below[: max(0, height - box.bottom)].ravel()])
    return float(np.bincount(levels, minlength=256).argmax()) if levels.size else 0.0
