"""Lists begin at their times: each start once, however many clocks look (S12.9, S12.14).

What should have begun is worked out from rows. A clock that stood still, or one that died, misses nothing.
"""

from __future__ import annotations

import logging
from datetime import datetime

from django.db import transaction

from audit.models import Verb
from execution.actions.start import earned, resolve_mode
from execution.choices import ExecutionMode, Origin, StartState
from execution.models import ListStart, Schedule, Worklist
from execution.models.worklist import OPEN_ITEMS, WorklistState
from execution.worklists.actions.asking import record_of
from execution.worklists.clock import GRACE, Due, Start, due, may_be_made_up, window_end
from execution.worklists.outcome import set_going
from execution.worklists.schedules import timing_of
from execution.worklists.taking import Brought, bring_in, look_into, put_away
from sentences.said import say, told_by
from workflows.exceptions import DomainError

log = logging.getLogger(__name__)

_BEGINS = (WorklistState.READY, WorklistState.FINISHED)


class _ChangedMeanwhile(Exception):
    """A person was first: nothing is kept, and the clock looks again."""


def begin_due(now: datetime) -> int:
    """Settle every start that has come; how many lists began."""
    return sum(_look(schedule, now) for schedule in Schedule.objects.watched())


def _look(schedule: Schedule, now: datetime) -> bool:
    worklist, waiting = schedule.worklist, schedule.starts.waiting().first()
    found = due(
        timing_of(schedule),
        since=schedule.looked_at,
        now=now,
        is_running=worklist.state == WorklistState.RUNNING,
        waiting=waiting.at if waiting else None,
    )
    if found == Due() or (waiting and found == Due(waiting=Start(at=waiting.at))):
        return False
    brought = _brought(schedule, found, now)
    if brought and brought.waits and _may_wait(schedule, found, now):
        return False if waiting else _wait(schedule, found, brought.waits, now)
    try:
        with transaction.atomic():
            if not schedule.look(now):
                return False
            begun = _settle(schedule, found, brought, now)
    except _ChangedMeanwhile:
        return False
    if brought:
        put_away(schedule, brought)
    return begun


def _brought(schedule: Schedule, found: Due, now: datetime) -> Brought | None:
    """What lies in the list's folder for the start that has come; read before anything is written."""
    if found.start is None or not schedule.takes_files or why_not(schedule.worklist, schedule):
        return None
    return look_into(schedule, now)


def _may_wait(schedule: Schedule, found: Due, now: datetime) -> bool:
    """A file that is still being written is waited for as long as a start that was missed is made up."""
    start = found.start
    return start is not None and (now - start.at <= GRACE or may_be_made_up(timing_of(schedule), start.at, now))


def _wait(schedule: Schedule, found: Due, why: str, now: datetime) -> bool:
    with transaction.atomic():
        if found.start is not None and schedule.look(now):
            _tell_missed(schedule, found, now)
            _keep(schedule, found.start.at, StartState.WAITING, why, now)
    return False


def _settle(schedule: Schedule, found: Due, brought: Brought | None, now: datetime) -> bool:
    _tell_missed(schedule, found, now)
    if found.waiting:
        _keep(schedule, found.waiting.at, StartState.WAITING, say("clock.waits_running"), now)
    return found.start is not None and _begin(schedule, found.start.at, brought, now)


def _tell_missed(schedule: Schedule, found: Due, now: datetime) -> None:
    for missed in found.missed:
        _keep(schedule, missed.at, StartState.MISSED, missed.left_out, now)


def _begin(schedule: Schedule, at: datetime, brought: Brought | None, now: datetime) -> bool:
    """Begin the list, or keep why not; inside the transaction in which the clock looked."""
    rows = Worklist.objects.select_for_update(of=("self",)).select_related("workflow", "version")
    worklist = rows.get(pk=schedule.worklist_id)
    if why := why_not(worklist, schedule):
        _keep(schedule, at, StartState.MISSED, why, now)
        return False
    if brought is not None:
        start = _keep(schedule, at, StartState.EMPTY, "", now)
        bring_in(worklist, start, brought)
        if not brought.good:
            _keep(schedule, at, StartState.EMPTY, brought.why_nothing, now)
            return False
        worklist.refresh_from_db(fields=["state"])
    if not worklist.items.filter(state__in=OPEN_ITEMS).exists():
        _keep(schedule, at, StartState.EMPTY, say("clock.no_new_row"), now)
        return False
    if not set_going(worklist, among=_BEGINS, closes_at=window_end(timing_of(schedule), at)):
        raise _ChangedMeanwhile
    _keep(schedule, at, StartState.BEGUN, "", now, began_at=now)
    record_of(Verb.CHANGED, worklist, None, Origin.LIST, did="start", schedule=schedule.schedule_id)
    log.info("the list %s begins by its schedule %s", worklist.worklist_id, schedule.schedule_id)
    return True


def why_not(worklist: Worklist, schedule: Schedule) -> str:
    """Why the list may not begin by itself now; empty if it may. What stands, or was paused, waits for a person."""
    if worklist.state == WorklistState.STANDS:
        return say("clock.missed_stands", why=worklist.reason)
    if worklist.state == WorklistState.PAUSED:
        return say("clock.missed_paused")
    try:
        trust = earned(worklist.workflow, worklist.at_version().spec())
    except DomainError as error:
        return told_by(error)
    mode, automatic = resolve_mode(worklist.mode or None, trust), ExecutionMode.AUTOMATIC
    if mode == automatic and resolve_mode(None, trust) != automatic and not schedule.reason:
        return say("clock.missed_not_earned")
    return ""


def _keep(
    schedule: Schedule, at: datetime, state: StartState, reason: str, now: datetime, *, began_at: datetime | None = None
) -> ListStart:
    told = {"state": state, "reason": reason, "told_at": now, "began_at": began_at}
    return ListStart.objects.update_or_create(schedule=schedule, at=at, defaults=told)[0]
