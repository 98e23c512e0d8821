"""What an act did at its own place: a box ticked, a tab chosen, a field entered, a menu opened."""

from __future__ import annotations

from django.utils.translation import gettext as _

from execution.navigation.verification.change import Change
from execution.navigation.verification.facts import EFFECT, Fact
from execution.types import Answer, Box, Element, ElementRole, ElementState, ScreenState

_CHOSEN = frozenset({ElementRole.RADIO, ElementRole.TAB, ElementRole.MENU_ITEM})
_SAME_PLACE = 0.5  # of their union: two boxes of one control, found twice
_CARET = (3, 10)  # pixels: at most so wide, at least so tall
_ITEMS = 2


def effect_at(at: Box | None, change: Change) -> Fact | None:
    """The fact that what was acted on, in the box `at`, is in another state now; None where nothing is seen of it."""
    if at is None or change.before.frame.size != change.after.frame.size:
        return None
    before, after = control_at(at, change.before), control_at(at, change.after)
    note = ""
    if before and after and before.role is after.role and before.box.iou(after.box) >= _SAME_PLACE:
        note = _changed_state(before, after, change)
    return _fact(note or _opened(at, change))


def _fact(note: str) -> Fact | None:
    return Fact(sign=EFFECT, answer=Answer.YES, note=note, proof=True) if note else None


def _changed_state(before: Element, after: Element, change: Change) -> str:
    was, is_now = ElementState.CHECKED in before.states, ElementState.CHECKED in after.states
    if after.role is ElementRole.CHECKBOX and was != is_now:
        return _("the box is now ticked") if is_now else _("the box is no longer ticked")
    if after.role in _CHOSEN and is_now and not was:
        return _("it is now chosen")
    if after.role is ElementRole.FIELD and _entered(before, after, change):
        return _("the field was entered")
    return ""


def _entered(before: Element, after: Element, change: Change) -> bool:
    """Whether the field got the focus: by its frame, or by a text cursor in it."""
    if ElementState.FOCUSED in after.states - before.states:
        return True
    if change.pixels is None:
        return False
    width, height = _CARET
    return any(
        region.w <= width and region.h >= height and after.box.contains(region.center)
        for region in change.pixels.regions
    )


def _opened(at: Box, change: Change) -> str:
    """A menu that came up at what was acted on."""
    items = [e for e in change.after.elements if e.role is ElementRole.MENU_ITEM and change.touches(e.box)]
    fresh = {line.box for line in change.new_lines}
    items = [e for e in items if any(e.box.contains(box.center) for box in fresh)]
    if len(items) < _ITEMS:
        return ""
    left, top = min(e.box.x for e in items), min(e.box.y for e in items)
    right, bottom = max(e.box.right for e in items), max(e.box.bottom for e in items)
    reach = at.h + 8
    near = (
        left - reach <= at.right
        and right + reach >= at.x
        and (abs(top - at.bottom) <= reach or abs(bottom - at.y) <= reach or top - reach <= at.y <= bottom + reach)
    )
    return _("a menu opened there") if near else ""


def control_at(at: Box, state: ScreenState) -> Element | None:
    """The smallest control at the place."""
    controls = [e for e in state.elements if e.role is not ElementRole.GROUP and e.box.contains(at.center)]
    return min(controls, key=lambda e: e.box.area, default=None)
