"""Nights end: a window that is over lets the list rest, and what a start began is kept with how it ended (S12.9)."""

from __future__ import annotations

from datetime import datetime

from django.db import transaction

from execution.choices import NightEnd
from execution.models import ListStart, Worklist
from execution.models.worklist import OPEN_ITEMS, ItemState, WorklistState
from sentences.said import say

_RESTS = {
    WorklistState.FINISHED: NightEnd.FINISHED,
    WorklistState.READY: NightEnd.LEFT,
    WorklistState.STANDS: NightEnd.STOPPED,
}


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
