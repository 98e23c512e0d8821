"""What the clock does for lists at each look: windows close, nights end, results are written, lists begin
(S12.9).

The worker calls it, four times a minute. All of it is asked of rows and kept by compare-and-set, so that several
workers do nothing twice, and one that was away misses nothing.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Callable
from datetime import datetime
from functools import partial
from pathlib import Path

from django.conf import settings
from django.db import DatabaseError, InterfaceError, transaction
from django.db.models import F, Q
from django.utils import timezone, translation

from audit.models import Verb
from execution.actions.start import earned, resolve_mode
from execution.choices import ExecutionMode, NightEnd, Origin, StartState
from execution.models import ClockLook, ListStart, Schedule, Worklist
from execution.models.worklist import OPEN_ITEMS, ItemState, WorklistState
from execution.worklists.actions.asking import record_of
from execution.worklists.clock import GRACE, Due, Start, due, may_be_made_up, window_end
from execution.worklists.outcome import set_going
from execution.worklists.results_of import file_of
from execution.worklists.schedules import last_start_of, timing_of
from execution.worklists.taking import Brought, bring_in, look_into, put_away, watch
from sentences.said import say, told_by
from workflows.exceptions import DomainError

log = logging.getLogger(__name__)

_RESTS = {
    WorklistState.FINISHED: NightEnd.FINISHED,
    WorklistState.READY: NightEnd.LEFT,
    WorklistState.STANDS: NightEnd.STOPPED,
}
_AT_REST = (WorklistState.FINISHED, WorklistState.READY)


# --- nights end: a window that is over lets the list rest, and what a start began is kept with how it ended -----------
def close_windows(now: datetime) -> int:
    """Let lists rest whose window is over and of which no row is at work; how many."""
    over = Worklist.objects.filter(state=WorklistState.RUNNING, closes_at__lte=now)
    return sum(_close(worklist, now) for worklist in over)


def _close(worklist: Worklist, now: datetime) -> bool:
    with transaction.atomic():
        locked = Worklist.objects.select_for_update().get(pk=worklist.pk)
        at_work = locked.items.filter(state=ItemState.RUNNING).exists()
        if at_work or locked.closes_at is None or locked.closes_at > now:
            return False  # a row began, or a person made the window longer, a moment ago
        left = say("worklists.window_over", n=locked.items.filter(state=ItemState.NEW).count())
        return locked.move(
            WorklistState.READY, among=[WorklistState.RUNNING], reason=left, closes_at=None, ended_at=now
        )


def end_nights(now: datetime) -> int:
    """Keep how starts ended whose list has come to rest; how many."""
    rested = ListStart.objects.open().filter(schedule__worklist__state__in=_RESTS)
    return sum(_end(start, now) for start in rested.select_related("schedule__worklist"))


def _end(start: ListStart, now: datetime) -> bool:
    worklist = start.schedule.worklist
    rows = worklist.items.order_by()
    worked = rows.exclude(state__in=OPEN_ITEMS).filter(ended_at__gte=start.began_at, attempts__gt=0).count()
    left = rows.filter(state=ItemState.NEW).count()
    changes = {"ended": _RESTS[WorklistState(worklist.state)], "worked": worked, "left": left}
    ended_at = worklist.ended_at or now
    return bool(ListStart.objects.open().filter(pk=start.pk).update(ended_at=ended_at, **changes))


# --- results: the file is written to the list's own folder in `out/` when the list has come to rest (S12.11) ----------
# Its name is that of the end it tells of. A process that dies writes the same file again, and never half a file.


def write_results(now: datetime) -> int:
    """Write what is wanted and was not written yet; how many files."""
    ended = Worklist.objects.filter(state__in=_AT_REST, ended_at__isnull=False).exclude(writes="")
    due = ended.filter(Q(written_at=None) | Q(written_at__lt=F("ended_at")))
    return sum(_write(worklist) for worklist in due.select_related("workflow", "version"))


def _write(worklist: Worklist) -> bool:
    ended_at = worklist.ended_at
    assert ended_at is not None
    start = last_start_of(worklist)
    place = _place(worklist, ended_at)
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        fresh = place.with_name(f".{place.name}.{os.getpid()}")
        language = start.schedule.language if start else settings.LANGUAGE_CODE
        told = partial(file_of, worklist, worklist.writes, begins_with=settings.SITE_ADDRESS, since=worklist.begun_at)
        with translation.override(language), fresh.open("wb") as file:
            for piece in told():
                file.write(piece.encode() if isinstance(piece, str) else piece)
        fresh.replace(place)
    except OSError as error:  # a full disk or a share that is away: the next look tries again
        log.warning("the results of %s are not written: %s", worklist.worklist_id, error.strerror or error)
        return False
    Worklist.objects.filter(pk=worklist.pk, ended_at=ended_at).update(written_at=ended_at)
    return True


def _place(worklist: Worklist, ended_at: datetime) -> Path:
    """Also of a list that ends twice within a minute each end has its own file."""
    local = timezone.localtime(ended_at)
    name = f"{worklist.folder} {local:%Y-%m-%d %H%M%S}.{worklist.writes}"
    return Path(settings.DATA_DIR) / "out" / worklist.folder / name


# --- lists begin: each start once, however many clocks look; one that stood still, or died, misses nothing ----------
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


# --- each look --------------------------------------------------------------------------------------------------------
_IN_ORDER: tuple[Callable[[datetime], object], ...] = (close_windows, end_nights, write_results, begin_due, watch)


def look(now: datetime | None = None) -> None:
    """Each part by itself: what one of them fails with does not keep the others from being done."""
    now = now or timezone.now()
    ClockLook.keep(now)
    for part in _IN_ORDER:
        try:
            part(now)
        except (DatabaseError, InterfaceError):
            raise  # it concerns them all, and the caller looks again
        except Exception:  # one list's own trouble must not keep the others from beginning
            log.exception("%s failed", part.__name__)
