"""What came over the screen of a lesson and every run could close by itself: a notice, or a question.

A form in which the work goes on is a screen, and the list that a control opened belongs to the control.
"""

from __future__ import annotations

from execution.matching.dialogs import Dialog
from execution.teaching.labels import naming_label
from execution.turn.options import popup
from execution.types import Box, ElementRole, Point, ScreenState
from execution.verification.chosen import control_box


def may_be_closed(over: Dialog, now: ScreenState, *, before: ScreenState | None, clicked: Point | None) -> bool:
    """`clicked` is the place of the click that was done right before it came, on the screen `before`."""
    if not over.buttons or _is_form(over, now):
        return False
    return before is None or clicked is None or not _is_list_of(clicked, before, over, now)


def _is_form(over: Dialog, now: ScreenState) -> bool:
    """Whether something is filled in there, with a label that says what."""
    inside = (e for e in now.elements if e.role is ElementRole.FIELD and over.box.contains(e.box.center))
    return any(naming_label(field.box, field.role, now) is not None for field in inside)


def _is_list_of(clicked: Point, before: ScreenState, over: Dialog, now: ScreenState) -> bool:
    control = control_box(Box(clicked.x, clicked.y, 1, 1), before)
    if not any(e.role is ElementRole.FIELD and e.box == control for e in before.elements):
        return False
    opened = popup(control, before, now)
    return opened is not None and opened.contains(over.box.center)
