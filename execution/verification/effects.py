"""What an act did at its own place: a box ticked, a tab chosen, a field entered, a menu opened."""

from __future__ import annotations

import numpy as np

from execution.perception.elements.frames import along
from execution.types import Answer, Box, Element, ElementRole, ElementState, ScreenState
from execution.verification.change import Change
from execution.verification.facts import EFFECT, Fact
from sentences.said import say

_CHOSEN = frozenset({ElementRole.RADIO, ElementRole.TAB, ElementRole.MENU_ITEM})
_SAME_PLACE = 0.5  # of their union: two boxes of one control, found twice
_CARET = (3, 10)  # pixels: at most so wide, at least so tall
_ITEMS = 2
_DEPTHS = (-9, *range(-4, 4))  # pixels from the border inwards; the first is beyond any ring
_OTHER_COLOUR = 24  # levels
_SAME_HEIGHT = 2  # pixels


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
        return say("verification.ticked") if is_now else say("verification.no_longer_ticked")
    if after.role in _CHOSEN and is_now and not was:
        return say("verification.chosen")
    if after.role is ElementRole.FIELD and _entered(before, after, change):
        return say("verification.field_entered")
    return ""


def _entered(before: Element, after: Element, change: Change) -> bool:
    """Whether the field got the focus: a text cursor came into it, or it is framed as it was not and as no other is."""
    if ElementState.FOCUSED in after.states - before.states:
        return True
    if change.pixels is None:
        return False
    width, height = _CARET
    cursor = any(
        region.w <= width and region.h >= height and after.box.contains(region.center) and _came(region, after, change)
        for region in change.pixels.regions
    )
    return cursor or _framed_anew(before, change)


def _came(cursor: Box, field: Element, change: Change) -> bool:
    """Whether it stands out from its field now, and did not: one that went says that the focus went."""
    before, after = (
        np.abs(
            np.median(state.frame.crop(cursor), axis=(0, 1)) - np.median(state.frame.crop(field.box), axis=(0, 1))
        ).max()
        for state in (change.before, change.after)
    )
    return bool(after > before)


def _framed_anew(field: Element, change: Change) -> bool:
    """Whether a ring or another border came around it: on all four sides, not in red, and not as its like look now."""
    was, now = (_rim(field.box, state) for state in (change.before, change.after))
    changed = np.abs(now - was).max(axis=-1).min(axis=-1) > _OTHER_COLOUR  # (depths, sides)
    if not changed.any(axis=0).all() or changed[0].any():  # what changed farther out as well is no frame
        return False
    blue, green, red = np.moveaxis(now[changed].reshape(-1, 3).astype(float), -1, 0)
    if float(np.median(red - np.maximum(blue, green))) > _OTHER_COLOUR:
        return False
    return not any(
        np.abs(_rim(other.box, change.after) - now)[changed].max() <= _OTHER_COLOUR
        and np.abs(_rim(other.box, change.before) - was)[changed].max() > _OTHER_COLOUR
        for other in change.before.elements
        if other.role is ElementRole.FIELD and other.box != field.box and abs(other.box.h - field.box.h) <= _SAME_HEIGHT
    )


def _rim(box: Box, state: ScreenState) -> np.ndarray:
    """The colours (BGR) from outside to inside of its border, in the middle of each side: depths, sides, samples, 3."""
    boxes = np.array([box])
    return np.stack([along(state.frame.pixels, boxes, inset=inset)[0].astype(np.int16) for inset in _DEPTHS])


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
    return say("verification.menu_opened") if near else ""


def control_at(at: Box, state: ScreenState) -> Element | None:
    """The smallest control at the place."""
    controls = [e for e in state.elements if e.role is not ElementRole.GROUP and e.box.contains(at.center)]
    return min(controls, key=lambda e: e.box.area, default=None)
