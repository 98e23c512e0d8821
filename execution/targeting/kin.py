"""What on the screen could be taken for the target: its like, by text or by size; and which of them it is."""

from __future__ import annotations

from execution.language.fuzzy import SAME
from execution.targeting.context import Context
from execution.targeting.shapes import same_kind
from execution.types import Box, ElementRole

_AS_HIGH, _AS_WIDE = 0.3, 0.4
_CHOICES = (ElementRole.CHECKBOX, ElementRole.RADIO)
_SAME_ROW = 0.5  # of the height


def kin_of(context: Context) -> tuple[Box, ...]:
    """Everything in its window that reads as the target does, or, where it has no text, is of its kind and size."""
    made: tuple[Box, ...] | None = context.kept.get("kin")
    if made is None:
        made = context.kept["kin"] = tuple(_by_text(context) if context.has_own_text else _by_size(context))
    return made


def _by_text(context: Context) -> list[Box]:
    want = context.wanted
    if want.problem:
        return []
    every = [s for s in context.sightings(want.text, exact=want.exact) if s.score >= SAME]
    within = [s for s in every if context.area.contains(s.box.center)]
    return [s.box for s in within if s.whole] or [s.box for s in within]


def _by_size(context: Context) -> list[Box]:
    """At the scale at which there are most."""
    taught, role = context.taught, context.target.role
    if not taught.area:
        return []
    best: list[Box] = []
    for scale in context.scales:
        found = [
            e.box
            for e in context.controls
            if (not role or same_kind(role, e.role)) and _near(e.box.h, taught.h * scale, _AS_HIGH)
            and _near(e.box.w, taught.w * scale, _AS_WIDE) and (not e.text or e.role in _CHOICES)
        ]  # fmt: skip
        best = max(best, found, key=len)
    return best


def _near(now: float, taught: float, room: float) -> bool:
    return abs(now / taught - 1) <= room


def is_same_number(box: Box, context: Context) -> bool | None:
    """Whether `box` is, in reading order, that one of its like that the target was; None where they are not as many."""
    target, kin = context.target, kin_of(context)
    if target.alike < 2 or target.number < 1 or len(kin) != target.alike:
        return None
    ordered = sorted(kin, key=lambda b: (round(b.center.y / max(1.0, _SAME_ROW * b.h)), b.x))
    mine = [i for i, other in enumerate(ordered, 1) if other.contains(box.center) or box.contains(other.center)]
    return target.number in mine if mine else None
