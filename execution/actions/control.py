"""Pause, resume, stop, another mode: wishes that the run loop fulfils before its next action (S1.7, S1.23).

Each is kept with who asked, when, and from where (S1.24), in the transaction that asks it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.db.models import F, Q
from django.utils.translation import gettext as _

from execution.actions.asking import name_of, record_wish
from execution.actions.decide import decide_open
from execution.actions.start import allowed_mode, earned, mode_named
from execution.choices import (
    FINAL,
    ON_DESKTOP,
    STANDS_STILL,
    WAITING,
    EventKind,
    ExecutionMode,
    ExecutionState,
    Origin,
    PauseReason,
    PromptState,
    Verb,
    Wish,
    ended_error,
)
from execution.exceptions import AlreadyDecided, IllegalMove, NoSuchButton, NothingToDecide
from execution.models import Execution
from execution.permissions import OPERATE
from execution.record.attribution import said_of_wish
from execution.record.events import emit, emit_state
from execution.record.journal import Journal
from execution.record.payloads import mode_payload
from execution.targeting.pressing import choice
from execution.types import Choice, DecisionSource
from workflows.exceptions import UnknownNode
from workflows.models import WorkflowVersion
from workflows.permissions import DESIGN

NOT_BEGUN = (ExecutionState.IDLE, ExecutionState.QUEUED)


def pause(*, execution_id: str, user: Any = None, origin: Origin = Origin.PROGRAM) -> Execution:
    """Ask the run to pause before its next action."""
    execution = Execution.objects.by_id(execution_id)
    if execution.state not in WAITING | {ExecutionState.RUNNING}:
        raise _refusal(execution, _("Only a run at work can be paused."))
    return _wish(execution, Wish.PAUSE, Verb.PAUSE, user=user, origin=origin)


def resume(
    *,
    execution_id: str,
    user: Any = None,
    node_id: str = "",
    press: str = "",
    picture: str = "",
    origin: Origin = Origin.PROGRAM,
) -> Execution:
    """Go on with a paused run; `node_id` is the node that a person says the screen is.

    `press`: the words of a button in the dialog that the run is paused for, pressed if that still
    stands. `picture`: where the person saw it. Raises IllegalMove, UnknownNode, NoSuchButton.
    """
    execution = Execution.objects.by_id(execution_id)
    if press:
        return _press(execution, press, picture, user=user, origin=origin)
    if execution.state == ExecutionState.PAUSED:
        picked: dict[str, Any] = {}
        if node_id:
            node = execution.version.spec().node(node_id)
            if node is None:
                raise UnknownNode(_("The workflow has no screen “%(node)s”.") % {"node": node_id})
            picked = {"node_id": node_id, "node_name": node.name}
        return _wish(execution, Wish.RESUME, Verb.RESUME, node_id, user=user, origin=origin, detail=picked)
    if execution.wish in (Wish.PAUSE, Wish.CONTROL):
        return _wish(execution, Wish.NONE, Verb.RESUME, user=user, origin=origin)
    raise _refusal(execution, _("Only a paused run can be resumed."))


def _press(execution: Execution, button: str, picture: str, *, user: Any, origin: Origin) -> Execution:
    """Go on with a button of the dialog; the first who says how wins."""
    dialog = execution.pause_detail.get("dialog")
    if execution.state != ExecutionState.PAUSED or not dialog:
        raise _refusal(execution, _("A button can be pressed only where a run is paused for a dialog."))
    if (execution.wish_mode or execution.mode) == ExecutionMode.OBSERVATION:
        raise _refusal(execution, _("A run that watches does nothing by itself."))
    if picture and picture != execution.pause_detail.get("picture"):
        raise _refusal(execution, _("It is paused for something else now; look again."))
    chosen = choice(dialog, button)
    if chosen is None:
        names = ", ".join(f"“{one['text']}”" for one in dialog["buttons"])
        words = {"button": button, "names": names or "–"}
        raise NoSuchButton(_("The dialog has not exactly one button “%(button)s”. Its buttons: %(names)s") % words)
    detail = {"press": chosen["button"]}
    return _wish(execution, Wish.RESUME, Verb.RESUME, user=user, origin=origin, detail=detail, press=chosen)


def take_control(*, execution_id: str, user: Any, origin: Origin = Origin.PAGE) -> Execution:
    """Have the run stand still before its next action, for `user` to act on its desktop (S6.15).

    `resume` of the same person gives it back: the robot looks anew, wherever it was left. Raises IllegalMove, and
    PermissionDenied where `user` may not operate runs.
    """
    if user is None or not user.has_perm(OPERATE):
        raise PermissionDenied(OPERATE)
    execution = Execution.objects.by_id(execution_id)
    if execution.state not in ON_DESKTOP:
        raise _refusal(execution, _("Only a run on its desktop can be taken control of."))
    if execution.has_control(user) or (execution.wish == Wish.CONTROL and execution.controller_id == user.pk):
        return execution
    return _wish(execution, Wish.CONTROL, Verb.TAKE_CONTROL, user=user, origin=origin)


def change_version(
    *, execution_id: str, version: WorkflowVersion, user: Any, origin: Origin = Origin.PAGE
) -> Execution:
    """Have a run that stands still, or asks, go on with another version of its workflow (S6.14).

    Its loop takes it between two turns if the run can go on from where it stands; else it says why, and the run stays.
    Raises IllegalMove, ModeNotEarned, and PermissionDenied where `user` may not operate runs.
    """
    if user is None or not user.has_perm(OPERATE):
        raise PermissionDenied(OPERATE)
    execution = Execution.objects.by_id(execution_id)
    if execution.state not in STANDS_STILL:
        raise _refusal(execution, _("Only a run that is paused or asks can go on with another version."))
    if version.workflow_id != execution.version.workflow_id:
        raise _refusal(execution, _("The version is of another workflow."))
    if not user.has_perm(DESIGN):
        allowed_mode(execution.mode, earned(version.workflow, version.spec()), user=user, reason="")
    detail = {"was": execution.version.number, "version": version.number}
    wish, verb = Wish.CHANGE_VERSION, Verb.CHANGE_VERSION
    return _wish(execution, wish, verb, user=user, origin=origin, detail=detail, version=version)


def stop(*, execution_id: str, user: Any = None, origin: Origin = Origin.PROGRAM) -> Execution:
    """Stop the run: at once where no loop has it, else before its next action; a wait ends as a rejection."""
    execution = Execution.objects.by_id(execution_id)
    if execution.state in FINAL:
        raise _refusal(execution, _("It has already ended."))
    if execution.state in NOT_BEGUN:
        with transaction.atomic():
            try:
                by: dict[str, Any] = {"stopped_by": name_of(user, origin), "stopped_from": origin}
                execution.move(ExecutionState.STOPPED, error=ended_error(ExecutionState.STOPPED), **by)
            except IllegalMove:
                execution.refresh_from_db()
                return _wish(execution, Wish.STOP, Verb.STOP, user=user, origin=origin)
            record_wish(execution, Verb.STOP, user=user, origin=origin)
            emit_state(execution)
        return execution
    if _ended_left_behind(execution, user=user, origin=origin):
        return execution
    _wish(execution, Wish.STOP, Verb.STOP, user=user, origin=origin)
    try:
        decide_open(execution=execution, choice=Choice.REJECT, user=user, source=DecisionSource.STOP, origin=origin)
    except (NothingToDecide, AlreadyDecided):
        pass  # it was not waiting, or somebody answered in the same moment: the wish stands either way
    return execution


def withdraw(*, execution_id: str, origin: Origin = Origin.LOOP) -> Execution:
    """Stop a run that nobody answered: its question is withdrawn, so nothing counts as rejected. Raises IllegalMove."""
    execution = Execution.objects.by_id(execution_id)
    with transaction.atomic():
        execution.prompts.open().update(state=PromptState.WITHDRAWN)
        return _wish(execution, Wish.STOP, Verb.STOP, user=None, origin=origin)


def _ended_left_behind(execution: Execution, *, user: Any, origin: Origin) -> bool:
    """End a run whose robot is not heard of any more; False where it is none, or its run loop is back.

    As a run loop that took it over would, with an epoch of its own: whoever had it can write nothing more, and so does
    nothing more. What it had begun is told as what nobody can say.
    """
    with transaction.atomic():
        mine = Execution.objects.left_behind().filter(pk=execution.pk, epoch=execution.epoch)
        if not mine.update(epoch=F("epoch") + 1, wish=Wish.STOP):
            return False
        record_wish(execution, Verb.STOP, user=user, origin=origin)
    execution.refresh_from_db()
    Journal(execution, execution.version.spec()).finish(ExecutionState.STOPPED)
    execution.refresh_from_db()
    return True


def set_mode(
    *, execution_id: str, mode: str, user: Any = None, origin: Origin = Origin.PROGRAM, reason: str = ""
) -> Execution:
    """Another mode from the run's next turn on, at once where no loop has it (S1.23).

    `reason`: why it is to act by itself though its workflow has not earned that.
    Raises BadMode, ModeNotEarned, and IllegalMove where the run has ended or is to stop.
    """
    execution = Execution.objects.by_id(execution_id)
    wanted = mode_named(mode)
    if execution.state in FINAL:
        raise _refusal(execution, _("It has already ended."))
    trust = earned(execution.version.workflow, execution.version.spec())
    why = {} if wanted == execution.mode else allowed_mode(mode, trust, user=user, reason=reason)[1]
    with transaction.atomic():
        if not _takes_mode(execution, wanted):
            execution.refresh_from_db()
            raise _refusal(execution, _("It has just changed; look again."))
        wish = record_wish(execution, Verb.SET_MODE, user=user, origin=origin, mode=wanted, **why)
        if not execution.wish_mode and execution.mode != wanted:
            was, execution.mode = execution.mode, wanted
            emit(execution, EventKind.MODE_CHANGED, mode_payload(was, wanted, wish))
            emit_state(execution)
    return execution


def _takes_mode(execution: Execution, wanted: ExecutionMode) -> bool:
    """Write the wish, or the mode itself where no loop would heed it; compare-and-set, a stop is never overtaken."""
    rows = Execution.objects.filter(pk=execution.pk).exclude(wish=Wish.STOP)
    if rows.filter(state__in=NOT_BEGUN).update(mode=wanted):
        return True
    if not rows.filter(state__in=ON_DESKTOP).update(wish_mode=wanted):
        return False
    execution.wish_mode = wanted
    return True


def lift_degraded(*, execution_id: str, user: Any = None, origin: Origin = Origin.PROGRAM) -> Execution:
    """Let a degraded run analyse its screens in full again (S2.4)."""
    execution = Execution.objects.by_id(execution_id)
    with transaction.atomic():
        Execution.objects.filter(pk=execution.pk).update(degraded=False, degraded_reason="")
        execution.degraded, execution.degraded_reason = False, ""
        record_wish(execution, Verb.LIFT_DEGRADED, user=user, origin=origin)
        emit_state(execution)
    return execution


def set_continuous_capture(
    *, execution_id: str, enabled: bool, user: Any = None, origin: Origin = Origin.PROGRAM
) -> Execution:
    execution = Execution.objects.by_id(execution_id)
    with transaction.atomic():
        Execution.objects.filter(pk=execution.pk).update(continuous_capture=enabled)
        record_wish(execution, Verb.SET_CONTINUOUS_CAPTURE, user=user, origin=origin, enabled=enabled)
    execution.continuous_capture = enabled
    return execution


def _wish(
    execution: Execution,
    wish: Wish,
    verb: Verb,
    node_id: str = "",
    *,
    user: Any,
    origin: Origin,
    detail: Mapping[str, Any] | None = None,
    press: Mapping[str, Any] | None = None,
    version: WorkflowVersion | None = None,
) -> Execution:
    # a stop or a pause is meant whatever the loop has done in the meantime; all else, where it was asked
    states = {
        Wish.STOP: ON_DESKTOP, Wish.CONTROL: ON_DESKTOP, Wish.PAUSE: ON_DESKTOP - {ExecutionState.PAUSED}
    }.get(wish, {execution.state})  # fmt: skip
    rows = Execution.objects.filter(pk=execution.pk, state__in=states)
    if wish is not Wish.STOP:  # nobody else has a say while somebody has the desktop in hand
        rows = rows.filter(Q(controller=None) | Q(controller=user)) if user else rows.filter(controller=None)
    if press:
        rows = rows.filter(wish=Wish.NONE)
    elif wish is not Wish.STOP:
        rows = rows.exclude(wish=Wish.STOP).filter(wish_press={})  # a stop, or a button, is never taken back
    with transaction.atomic():
        more = {Wish.CONTROL: {"controller": user}, Wish.NONE: {"controller": None}}.get(wish, {})
        if not rows.update(wish=wish, wish_node_id=node_id, wish_press=press or {}, wish_version=version, **more):
            execution.refresh_from_db()
            controller = execution.controller
            if controller is not None and controller != user:
                words = {"who": controller.get_username()}
                raise _refusal(execution, _("%(who)s has control of the desktop.") % words)
            raise _refusal(execution, _("It has just changed; look again."))
        record_wish(execution, verb, user=user, origin=origin, **(detail or {}))
    execution.wish, execution.wish_node_id, execution.wish_press = wish, node_id, dict(press or {})
    return execution


def _refusal(execution: Execution, why: str) -> IllegalMove:
    """Says what the run is, why that cannot be asked, and who was first where somebody was."""
    state = str(ExecutionState(execution.state).label)
    if execution.state == ExecutionState.PAUSED and execution.pause_reason:
        state = f"{state} ({PauseReason(execution.pause_reason).label})"
    last = execution.wishes.exclude(verb=Verb.START).first()
    said = said_of_wish(last) if last else ""
    words = {"run": execution.name_for_people, "state": state, "why": why}
    message = _("The run %(run)s is %(state)s. %(why)s") % words
    return IllegalMove(f"{message} {said}".strip())
