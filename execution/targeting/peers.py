"""What on the screen could be taken for the target: its like, by text or by size; and which of them it is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from execution.language.fuzzy import SAME
from execution.language.screen_texts import Sighting, Wanted
from execution.targeting.boxes import reading_order
from execution.targeting.kinds import same_kind
from execution.types import Box, Element, ElementRole
from workflows.graph import TargetSpec

_AS_HIGH, _AS_WIDE = 0.3, 0.4
_HELD = (ElementRole.CHECKBOX, ElementRole.RADIO, ElementRole.FIELD)  # what is read there is not theirs


class Searched(Protocol):
    """What of a screen, and of the target that is looked for on it, tells which things are like it."""

    @property
    def target(self) -> TargetSpec: ...

    @property
    def taught(self) -> Box: ...

    @property
    def wanted(self) -> Wanted: ...

    @property
    def has_own_text(self) -> bool: ...

    @property
    def area(self) -> Box: ...

    @property
    def controls(self) -> tuple[Element, ...]: ...

    @property
    def scales(self) -> tuple[float, ...]: ...

    def sightings(self, text: str, *, exact: bool) -> list[Sighting]: ...


def peers_of(seen: Searched) -> tuple[Box, ...]:
    """Everything in its window that reads as the target does, or, where it has no text, is of its kind and size."""
    return tuple(_by_text(seen) if seen.has_own_text else _by_size(seen))


def _by_text(seen: Searched) -> list[Box]:
    want = seen.wanted
    if want.problem:
        return []
    every = [s for s in seen.sightings(want.text, exact=want.exact) if s.score >= SAME]
    within = [s for s in every if seen.area.contains(s.box.center)]
    return [s.box for s in within if s.whole] or [s.box for s in within]


def _by_size(seen: Searched) -> list[Box]:
    """At the scale at which there are most."""
    taught, role = seen.taught, seen.target.role
    if not taught.area:
        return []
    best: list[Box] = []
    for scale in seen.scales:
        found = [
            e.box
            for e in seen.controls
            if (not role or same_kind(role, e.role)) and _near(e.box.h, taught.h * scale, _AS_HIGH)
            and _near(e.box.w, taught.w * scale, _AS_WIDE) and (not e.text or e.role in _HELD)
        ]  # fmt: skip
        best = max(best, found, key=len)
    return best


def _near(now: float, taught: float, room: float) -> bool:
    return abs(now / taught - 1) <= room


def is_same_number(box: Box, peers: Sequence[Box], target: TargetSpec) -> bool | None:
    """Whether `box` is, in reading order, that one of its like that the target was; None where they are not as many."""
    number = target.number_taught
    if target.alike < 2 or number < 1 or len(peers) != target.alike:
        return None
    ordered = enumerate(reading_order(peers), 1)
    mine = [i for i, other in ordered if other.contains(box.center) or box.contains(other.center)]
    return number in mine if mine else None
