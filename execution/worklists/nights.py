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

from execution.choices import NightEnd
from execution.models import ClockLook, ListStart, Worklist
from execution.models.worklist import OPEN_ITEMS, ItemState, WorklistState
from execution.worklists.beginning import begin_due
from execution.worklists.results_of import file_of
from execution.worklists.schedules import last_start_of
from execution.worklists.taking import watch
from sentences.said import say

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
