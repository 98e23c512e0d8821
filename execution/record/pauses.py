"""The screens at which a run stood still. Its stream tells of them: where no step was opened nothing else does."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from django.db.models import Q

from execution.choices import FINAL, EventKind, ExecutionState
from execution.models import Execution, ExecutionEvent

# Of events: those that tell of a screen at which a run paused.
PAUSED_AT = Q(kind=EventKind.STATE, payload__pause_detail__has_key="picture")


@dataclass(frozen=True, slots=True)
class Pause:
    seq: int
    at: datetime
    until: datetime | None  # None: the run is still there
    went_on: bool
    detail: dict[str, Any]

    @property
    def picture(self) -> str:
        return str(self.detail.get("picture") or "")

    @property
    def perception(self) -> dict[str, Any]:
        """The texts that were read there, and where."""
        return self.detail.get("perception") or {}

    @property
    def expected(self) -> str:
        """The screen that was waited for."""
        return str((self.detail.get("expected") or {}).get("node_id") or "")


def pauses(execution: Execution) -> list[Pause]:
    """Each once, in order, however often the stream says that the run stands there."""
    states = ExecutionEvent.objects.filter(execution=execution, kind=EventKind.STATE).order_by("seq")
    standing = states.filter(PAUSED_AT, payload__status=ExecutionState.PAUSED)
    details = dict(standing.values_list("seq", "payload__pause_detail"))
    if not details:
        return []
    found: list[Pause] = []
    for seq, at, status in states.filter(seq__gte=min(details)).values_list("seq", "at", "payload__status"):
        last = found[-1] if found and found[-1].until is None else None
        if last and details.get(seq) == last.detail:
            continue
        if last:
            went_on = status not in (*FINAL, ExecutionState.PAUSED)
            found[-1] = replace(last, until=at, went_on=went_on)
        if seq in details:
            found.append(Pause(seq, at, None, False, details[seq]))
    return found
