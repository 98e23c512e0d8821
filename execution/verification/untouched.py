"""Whether it is positively seen that an act was not done: only then may it be done once more (S9.3).

A screen that stands still says little: a program that saves without a word looks like one that did nothing, a slow one
as well. A field, a radio button and a tab show at once what was done to them, and doing it twice comes to the same.
"""

from __future__ import annotations

from execution.types import Box, ElementRole
from execution.verification.change import Change
from execution.verification.effects import control_at

_SHOWS_AT_ONCE = frozenset({ElementRole.FIELD, ElementRole.RADIO, ElementRole.TAB})


def untouched(action_type: str, at: Box | None, change: Change) -> bool:
    """`at` is the box of what was acted on; a change's screens in between count as well: what came and went came."""
    if action_type != "click" or at is None or not (change.then.was_read and change.now.was_read):
        return False
    control = control_at(at, change.before)
    if control is None or control.role not in _SHOWS_AT_ONCE:
        return False
    return not change.happened and not any(Change(change.before, seen).happened for seen in change.between)
