"""Pause, resume, stop: wishes that the run loop fulfils before its next action (S1.7)."""

from __future__ import annotations

from typing import Any

from django.db import transaction
from django.utils.translation import gettext as _

from execution.actions.decide import decide_open
from execution.choices import FINAL, WAITING, ExecutionState, PauseReason, Wish
from execution.events import emit_state
from execution.exceptions import AlreadyDecided, IllegalMove, NothingToDecide
from execution.models import Execution
from execution.types import Choice, DecisionSource
from workflows.exceptions import UnknownNode


def pause(*, execution_id: str, user: Any = None) -> Execution:
    """Ask the run to pause before its next action."""
    execution = Execution.objects.by_id(execution_id)
    if execution.state not in WAITING | {ExecutionState.RUNNING}:
        raise _refusal(execution, _("Only a run at work can be paused."))
    return _wish(execution, Wish.PAUSE)


def resume(*, execution_id: str, user: Any = None, node_id: str = "") -> Execution:
    """Go on with a paused run; `node_id` is the node that a person says the screen is."""
    execution = Execution.objects.by_id(execution_id)
    if execution.state == ExecutionState.PAUSED:
        if node_id and execution.version.spec().node(node_id) is None:
            raise UnknownNode(_("The workflow has no node “%(node)s”.") % {"node": node_id})
        return _wish(execution, Wish.RESUME, node_id)
    if execution.wish == Wish.PAUSE:
        return _wish(execution, Wish.NONE)
    raise _refusal(execution, _("Only a paused run can be resumed."))


def stop(*, execution_id: str, user: Any = None) -> Execution:
    """Stop the run: at once where no loop has it, else before its next action; a wait ends as a rejection."""
    execution = Execution.objects.by_id(execution_id)
    if execution.state in FINAL:
        raise _refusal(execution, _("It has already ended."))
    if execution.state in (ExecutionState.IDLE, ExecutionState.QUEUED):
        with transaction.atomic():
            try:
                execution.move(ExecutionState.STOPPED, error=ended_error(ExecutionState.STOPPED))
            except IllegalMove:
                execution.refresh_from_db()
                return _wish(execution, Wish.STOP)
            emit_state(execution)
        return execution
    _wish(execution, Wish.STOP)
    try:
        decide_open(execution=execution, choice=Choice.REJECT, user=user, source=DecisionSource.POLICY)
    except (NothingToDecide, AlreadyDecided):
        pass  # it was not waiting, or somebody answered in the same moment: the wish stands either way
    return execution


def lift_degraded(*, execution_id: str, user: Any = None) -> Execution:
    """Let a degraded run analyse its screens in full again (S2.4)."""
    execution = Execution.objects.by_id(execution_id)
    with transaction.atomic():
        Execution.objects.filter(pk=execution.pk).update(degraded=False, degraded_reason="")
        execution.degraded, execution.degraded_reason = False, ""
        emit_state(execution)
    return execution


def set_continuous_capture(*, execution_id: str, enabled: bool, user: Any = None) -> Execution:
    execution = Execution.objects.by_id(execution_id)
    Execution.objects.filter(pk=execution.pk).update(continuous_capture=enabled)
    execution.continuous_capture = enabled
    return execution


def ended_error(state: ExecutionState) -> str:
    return f"Execution ended in state: {state.value}"


def _wish(execution: Execution, wish: Wish, node_id: str = "") -> Execution:
    rows = Execution.objects.filter(pk=execution.pk, state=execution.state)
    if wish is not Wish.STOP:
        rows = rows.exclude(wish=Wish.STOP)  # a stop is never taken back
    if not rows.update(wish=wish, wish_node_id=node_id):
        raise _refusal(execution, _("It has just changed; look again."))
    execution.wish, execution.wish_node_id = wish, node_id
    return execution


def _refusal(execution: Execution, why: str) -> IllegalMove:
    state = str(ExecutionState(execution.state).label)
    if execution.state == ExecutionState.PAUSED and execution.pause_reason:
        state = f"{state} ({PauseReason(execution.pause_reason).label})"
    return IllegalMove(
        _("The run %(id)s is %(state)s. %(why)s") % {"id": execution.execution_id, "state": state, "why": why}
    )
