"""Typing at a place: click it, see that it took the keys, then type, as one action with one verification (S6.12).

Between the last look and the click lies nothing. After it nobody knows where keys go until it is looked at: what was
clicked may be gone, a dialog may have come, or the click did nothing and another field still has the focus. Then
nothing is typed. That look compares pictures; the screen is read only where more than fields changed.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import replace
from unicodedata import category

from execution.desktop.base import DesktopError, DesktopLost
from execution.desktop.capture import looks, settle
from execution.perception.changes import find_changes
from execution.targeting.boxes import text_lines_in
from execution.turn import acting
from execution.turn.stages import Stages
from execution.turn.unchanged import Pictured, other_window
from execution.types import (
    ActionResult,
    ActionStatus,
    Box,
    ElementRole,
    Resolution,
    ResolveStatus,
    ScreenState,
    Suggestion,
)
from execution.verification.chosen import control_box
from sentences.said import say, told_by
from workflows.catalogue import ENTERING_ACTION_TYPES
from workflows.graph import EdgeSpec
from workflows.text import told

STILL_MS, MOST_MS = 60, 600  # the click's own drawing: a ring, a caret, what it unselects
LOOK_EVERY_S = 0.02
SIGN_S = 1.3  # a caret that blinks slowly shows within this, also in a field that had the focus already
_RING_PX = 10  # how far outside of a field its ring is drawn
_RIM_PX = 5  # how far inside
_TAKES_KEYS = frozenset({ElementRole.FIELD, ElementRole.CHECKBOX, ElementRole.RADIO, ElementRole.BUTTON})
_UNSURE_ROLES = frozenset({"", ElementRole.TEXT, ElementRole.GROUP, ElementRole.FIELD})


def enters(suggestion: Suggestion) -> bool:
    """Whether a place is clicked before keys go to it; also where that place is not found, and nothing may be done."""
    edge = suggestion.edge
    shown = edge.target is not None or suggestion.resolution.status is ResolveStatus.FOUND
    return edge.action_type in ENTERING_ACTION_TYPES and shown


def only_enters(edge: EdgeSpec, variables: Mapping[str, str]) -> bool:
    """Whether a text is typed at a place and nothing is sent off with it: it can be seen before anything is saved."""
    if edge.action_type != "type_text" or edge.params.get("enter"):
        return False
    return not any(category(sign) == "Cc" for sign in told(str(edge.params.get("text") or ""), variables))


def is_empty_field(box: Box, state: ScreenState) -> bool:
    """Whether a place is seen to be a field with nothing in it, not even a hint."""
    field = control_box(box, state)
    is_field = any(e.role is ElementRole.FIELD and e.box == field for e in state.elements)
    return is_field and bool(state.text_method) and not text_lines_in(field, state)


def in_its_field(edge: EdgeSpec, resolution: Resolution, state: ScreenState) -> tuple[EdgeSpec, Resolution]:
    """The edge and its place with the field that is seen around the place; as they are where none is."""
    target, point = edge.target, resolution.point
    if edge.action_type not in ENTERING_ACTION_TYPES | {"pick_date"} or target is None or point is None:
        return edge, resolution
    if target.role not in _UNSURE_ROLES:
        return edge, resolution  # a button that looks like a field is a button
    fields = [e.box for e in state.elements if e.role is ElementRole.FIELD and e.box.contains(point)]
    if not fields:
        return edge, resolution
    box = min(fields, key=lambda field: field.area)
    return replace(edge, target=replace(target, role=ElementRole.FIELD)), replace(resolution, box=box)


def perform(stages: Stages, suggestion: Suggestion) -> ActionResult:
    """Click, look, type. What was clicked and not typed in has failed, and something was touched."""
    began = time.perf_counter()
    status, message, touched = ActionStatus.DONE, "", False
    desktop, before = stages.eyes.desktop, stages.eyes.last_look
    try:
        point, box = acting.point_of(suggestion), suggestion.resolution.box
        if box is None:  # around a mere point nobody can see whether anything was entered
            raise acting.NoTarget(say("turn.no_target"))
        desktop.click(point)
        touched = True
        message = why_not(stages, suggestion, before, box)
        if message:
            status = ActionStatus.FAILED
        else:
            acting.send_keys(desktop, suggestion)
    except DesktopLost as error:
        status, message = ActionStatus.UNCERTAIN, told_by(error)
    except (DesktopError, acting.NoTarget) as error:
        status, message = ActionStatus.FAILED, told_by(error)
    act_ms = (time.perf_counter() - began) * 1000
    return ActionResult(status=status, message=message, act_ms=act_ms, touched=touched)


def why_not(stages: Stages, suggestion: Suggestion, before: Pictured | None, box: Box) -> str:
    """Why nothing may be typed after the click into `box`, in a sentence; "" if keys surely go to it."""
    why = _no_sign(stages, before, box) if before is not None else say("turn.no_focus_seen")
    if before is None or why:
        return say("turn.clicked_not_typed", why=why)
    settle(stages.eyes.desktop, settle_ms=STILL_MS, timeout_ms=MOST_MS)
    now = stages.eyes.glance()
    if moved := other_window(before.window, now.window):
        return say("turn.clicked_not_typed", why=moved)
    changes = find_changes(before.frame.pixels, now.frame.pixels)
    if changes is None:
        return say("turn.clicked_not_typed", why=say("turn.screen_size"))
    known = stages.eyes.last_read
    if known is not None and not changes.outside(_may_change(box, known)).regions:
        return ""
    why = _read_anew(stages, suggestion, known, box)
    return say("turn.clicked_not_typed", why=why) if why else ""


def _no_sign(stages: Stages, before: Pictured, box: Box) -> str:
    """Whether a place shows nothing of having been entered: no ring, no caret, not even one that blinks.

    A place that was not taken for a field has to show it too: keys would go to whatever has the focus.
    """
    around = box.grown(_RING_PX, before.frame.size)
    for _look in looks(SIGN_S):
        now = stages.eyes.glance()
        changes = find_changes(before.frame.pixels, now.frame.pixels)
        if changes is None or changes.touches(around):
            return ""
        time.sleep(LOOK_EVERY_S)
    return say("turn.no_focus_seen")


def _may_change(box: Box, known: ScreenState) -> list[Box]:
    """Where a focus that comes and goes is drawn: around all that takes keys, and as the caret of this field."""
    size = known.frame.size
    others = [e.box for e in known.elements if e.role in _TAKES_KEYS and e.box.iou(box) < 1]
    return [box.grown(_RING_PX, size), *(other.grown(_RING_PX, size) for other in others)]


def _read_anew(stages: Stages, suggestion: Suggestion, known: ScreenState | None, box: Box) -> str:
    """More than fields changed: a list that opened under its field, or what now lies over it?"""
    edge, state = suggestion.edge, stages.observe()
    match = stages.recognise(state, last_node=suggestion.node_id, expected=suggestion.node_id).match
    if match is not None and match.node_id != suggestion.node_id:
        return say("turn.click_led_elsewhere", name=stages.graph.name_of(match.node_id))
    over = stages.dialog_over(state, known) if match is None else stages.dialog_over_recognised(state, match, known)
    if over is not None:
        return say("turn.dialog_after_click", dialog=over.told)
    if match is None:
        return say("turn.unknown_after_click")
    is_field = edge.target is not None and edge.target.role == ElementRole.FIELD
    there = any(e.role is ElementRole.FIELD and e.box.iou(box) > 0.5 for e in state.elements)
    return say("turn.place_looks_otherwise") if is_field and not there and _covered(state, known, box) else ""


def _covered(state: ScreenState, known: ScreenState | None, box: Box) -> bool:
    """Whether what is inside of the field is not what it was, up to its caret."""
    if known is None:
        return True
    inner = Box(box.x + _RIM_PX, box.y + _RIM_PX, max(1, box.w - 2 * _RIM_PX), max(1, box.h - 2 * _RIM_PX))
    changes = find_changes(known.frame.crop(inner), state.frame.crop(inner))
    return changes is None or not changes.is_caret_only
