"""Nights in Paris in June 2027, and schedules that were planned at a moment that a test names."""

from __future__ import annotations

from datetime import UTC, datetime, time
from typing import Any
from zoneinfo import ZoneInfo

from execution.choices import Rhythm
from execution.models import Schedule, Worklist
from execution.worklists import nights
from execution.worklists.actions.when import plan
from execution.worklists.clock import Timing

PARIS = ZoneInfo("Europe/Paris")
NIGHT: dict[str, Any] = {"kind": Rhythm.DAILY, "zone": "Europe/Paris", "at": time(2), "until": time(6)}


def at(day: int, hour: int, minute: int = 0) -> datetime:
    return datetime(2027, 6, day, hour, minute, tzinfo=PARIS).astimezone(UTC)


def planned(worklist: Worklist, *, since: datetime, takes_files: bool = False, **timing: Any) -> Schedule:
    """A schedule that was planned at that moment."""
    asked = {"timing": Timing(**{**NIGHT, **timing}), "takes_files": takes_files, "reason": "tested"}
    one = plan(worklist_id=worklist.worklist_id, **asked)
    Schedule.objects.filter(pk=one.pk).update(looked_at=since)
    return Schedule.objects.get(pk=one.pk)


def looks(*moments: datetime) -> None:
    """The clock looks at each of them."""
    for moment in moments:
        nights.look(moment)
