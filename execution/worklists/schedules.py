"""A schedule as the clock reads it, and back."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, datetime, time
from typing import Any

from execution.choices import Rhythm, StartState, WhileRunning
from execution.models import ListStart, Schedule, Worklist
from execution.worklists.clock import Start, Timing, next_starts


def timing_of(schedule: Schedule) -> Timing:
    return Timing(
        kind=Rhythm(schedule.kind),
        zone=schedule.zone,
        at=schedule.at,
        on=schedule.on,
        weekdays=frozenset(schedule.weekdays),
        cron=schedule.cron,
        country=schedule.country,
        region=schedule.region,
        not_on=frozenset(date.fromisoformat(day) for day in schedule.not_on),
        until=schedule.until,
        make_up_until=schedule.make_up_until,
        while_running=WhileRunning(schedule.while_running),
    )


def timing_from(asked: Mapping[str, Any]) -> Timing:
    """Of what somebody asks for, before it is kept."""
    return Timing(
        kind=asked["kind"],
        zone=asked["zone"],
        at=asked.get("at") or time(0),
        on=asked.get("on"),
        weekdays=frozenset(asked.get("weekdays") or ()),
        cron=asked.get("cron") or "",
        country=asked.get("country") or "",
        region=asked.get("region") or "",
        not_on=frozenset(asked.get("not_on") or ()),
        until=asked.get("until"),
        make_up_until=asked.get("make_up_until"),
        while_running=asked.get("while_running") or WhileRunning.WAIT,
    )


def columns_of(timing: Timing) -> dict[str, Any]:
    """As the row of a schedule keeps it; days of one's own are kept with what they are, by the caller."""
    return {
        "kind": timing.kind,
        "zone": timing.zone,
        "at": timing.at,
        "on": timing.on if timing.kind == Rhythm.ONCE else None,
        "weekdays": sorted(timing.weekdays) if timing.kind == Rhythm.WEEKDAYS else [],
        "cron": timing.cron.strip() if timing.kind == Rhythm.CRON else "",
        "country": timing.country,
        "region": timing.region,
        "until": timing.until,
        "make_up_until": timing.make_up_until,
        "while_running": timing.while_running,
    }


def next_start_of(worklist: Worklist, now: datetime) -> Start | None:
    """The first one of all its schedules that begins something."""
    found = [
        start
        for schedule in worklist.schedules.filter(is_on=True)
        for start in next_starts(timing_of(schedule), now, 1)
        if not start.left_out
    ]
    return min(found, key=lambda start: start.at, default=None)


def last_start_of(worklist: Worklist) -> ListStart | None:
    """The newest one that began something."""
    begun = ListStart.objects.filter(schedule__worklist=worklist, state=StartState.BEGUN)
    return begun.select_related("schedule").order_by("-began_at").first()
