"""Writing and reading a run's stream."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.db import transaction

from execution.choices import EventKind
from execution.models import Execution, ExecutionEvent
from execution.record.nudges import nudge
from execution.record.payloads import state_payload


def emit(execution: Execution, kind: EventKind, payload: Mapping[str, Any]) -> ExecutionEvent:
    """Append an event; must run inside the transaction of the change that it tells of."""
    if not transaction.get_connection().in_atomic_block:
        raise RuntimeError("An event is written in the transaction of its change.")
    seq = execution.take_seq()
    transaction.on_commit(nudge)
    return ExecutionEvent.objects.create(execution=execution, seq=seq, kind=kind, payload=dict(payload))


def emit_state(execution: Execution) -> None:
    emit(execution, EventKind.STATE, state_payload(execution))


def as_message(event: ExecutionEvent) -> dict[str, Any]:
    return {"seq": event.seq, "kind": event.kind, "at": event.at.isoformat(), "payload": event.payload}
