"""Writing and reading a run's stream."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.db import transaction

from execution.choices import ON_DESKTOP, EventKind
from execution.models import Execution, ExecutionEvent


def emit(execution: Execution, kind: EventKind, payload: Mapping[str, Any]) -> ExecutionEvent:
    """Append an event; must run inside the transaction of the change that it tells of."""
    if not transaction.get_connection().in_atomic_block:
        raise RuntimeError("An event is written in the transaction of its change.")
    seq = execution.take_seq()
    return ExecutionEvent.objects.create(execution=execution, seq=seq, kind=kind, payload=dict(payload))


def emit_state(execution: Execution) -> None:
    """The `state` event: progress, why it is paused, and what went wrong."""
    emit(
        execution,
        EventKind.STATE,
        {
            **execution.progress(),
            "pause_reason": execution.pause_reason,
            "pause_detail": execution.pause_detail,
            "error": execution.error,
            "stopped_by": execution.stopped_by,
            "stopped_from": execution.stopped_from,
            "wish_mode": execution.wish_mode,
            "degraded": execution.degraded,
            "degraded_reason": execution.degraded_reason,
            "desktop": execution.desktop,
            "on_desktop": execution.state in ON_DESKTOP,
        },
    )


def as_message(event: ExecutionEvent) -> dict[str, Any]:
    return {"seq": event.seq, "kind": event.kind, "at": event.at.isoformat(), "payload": event.payload}
