"""A click on a check box, a radio button or into a list that it opened, offered as what it is meant for (S6.12).

A click changes a control from whatever it was; what is set or chosen looks first, and sees afterwards that it is so.
What is offered is made ready while the screen is known, so that it can be taken with one tap, or let be.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from execution.lesson.acts import Act
from execution.lesson.controls import as_variable, group_of, understand_control, without_its_value
from execution.lesson.here import Here, clicked_at
from execution.lesson.understanding import Understood, taught
from execution.models import LessonStep
from execution.targeting.boxes import text_lines_in
from execution.turn.options import popup
from execution.types import Box, ElementRole, Point, ScreenState
from execution.verification.chosen import control_box, shown, shows_its_value
from execution.verification.marks import MARKS, is_on, mark_at
from workflows.exceptions import DomainError
from workflows.graph import TargetSpec

_NO_CAPTION = frozenset({ElementRole.FIELD, ElementRole.BUTTON, ElementRole.TAB, ElementRole.LINK})
_SAME = 0.5  # of what two boxes cover together


@dataclass(frozen=True, slots=True, kw_only=True)
class Offer:
    """The act in the place of a click. `opener` is the step that opened the list, which is a part of it then."""

    act: str
    params: Mapping[str, Any]
    label: str
    spec: TargetSpec
    opener: int | None = None


def offered(act: Act, found: Understood, state: ScreenState, here: Here) -> Offer | None:
    """What the click may be meant for; `state` is the screen that it was done on, as it may be kept."""
    if act.kind != "click":
        return None
    return _of_mark(act, found, state, here) or _of_list(act, state, here)


def keep(offer: Offer, step: LessonStep, here: Here) -> None:
    """Beside the step that was kept, until somebody says; its target is made with it. Call inside a transaction."""
    target = here.draft.add_target(offer.spec)
    told = {"act": offer.act, "params": dict(offer.params), "label": offer.label, "target": target.pk}
    step.note(offer={**told, "opener": offer.opener})
    step.made = {**step.made, "targets": [*(step.made.get("targets") or []), target.pk]}
    step.save(update_fields=["made"])


def _of_mark(act: Act, found: Understood, state: ScreenState, here: Here) -> Offer | None:
    """A check box is set to what the click makes of it; of a radio button its caption is chosen in its group."""
    place = None if found.role in _NO_CAPTION else mark_at(found.box, state)
    mark = next((e for e in state.elements if place and e.role in MARKS and e.box.iou(place) > _SAME), None)
    if mark is None:
        return None
    if mark.role is ElementRole.RADIO:
        is_group = bool(mark.text) and group_of(mark.box, mark.text, state, here.known) is not None
        option = as_variable(mark.text, here.known.values)
        return _made(replace(act, kind="choose", given={"option": option}), state, here) if is_group else None
    on = is_on(mark.box, state)
    if on is None:
        return None
    return _made(replace(act, kind="set_state", given={"state": "off" if on else "on"}), state, here)


def _of_list(act: Act, state: ScreenState, here: Here) -> Offer | None:
    """A row of what the click before it opened at a control that shows what is chosen in it."""
    opener = here.pending
    if opener is None or opener.before is None or opener.edge.action_type != "click":
        return None
    at = clicked_at(opener)
    control = understand_control(
        opener.before, Act(id="", kind="choose", point=at, given={"option": ""}), known=here.known
    )
    box = control_box(control.box, opener.before)
    area = popup(box, opener.before, state) if shows_its_value(box, "", opener.before) else None
    if area is None or box.contains(act.point) or not area.contains(act.point) or control.named_by is None:
        return None
    rows = [line for line in text_lines_in(area, state) if _is_row_at(line.box, act.point)]
    if len(rows) != 1:
        return None
    option = as_variable(rows[0].text, here.known.values)
    choose = Act(id=act.id, kind="choose", point=at, given={"option": option})
    offer = _made(choose, opener.before, here, shows_value=bool(shown(box, opener.before)))
    return replace(offer, opener=opener.step.index) if offer else None


def _made(act: Act, state: ScreenState, here: Here, *, shows_value: bool = False) -> Offer | None:
    control = understand_control(state, act, known=here.known)
    if control.is_ambiguous:
        return None
    try:
        spec = taught(control, state, store=here.draft.store, known=here.known.but(act.given), answer=None)
    except (ValueError, DomainError, OSError):
        return None  # it can have no target of its own, and stays a click
    spec = without_its_value(spec, control, act, shows_value=shows_value)
    return Offer(act=act.kind, params=dict(act.given), label=control.label, spec=spec)


def _is_row_at(row: Box, point: Point) -> bool:
    return row.y - row.h // 3 <= point.y <= row.bottom + row.h // 3
