"""How far lists are: counts by state, the rate of the last half hour, and what is left at that rate (S12.11)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import Count, F, Q
from django.utils import timezone

from execution.models import WorkItem, Worklist
from execution.models.worklist import OPEN_ITEMS, ItemState, WorklistState

RATE_OF = timedelta(minutes=30)
LEAST = 10  # rows before a rate says anything


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """`per_hour` and `left` are None while too few rows have ended; `stays` is how many the window leaves new."""

    counts: Mapping[str, int]
    total: int
    ended: int
    per_hour: float | None = None
    left: timedelta | None = None
    ends_at: datetime | None = None
    stays: int = 0

    @property
    def waiting(self) -> int:
        return self.counts[ItemState.SET_ASIDE]


def progress_of(worklist: Worklist, *, now: datetime | None = None) -> Progress:
    return progress_of_each([worklist], now=now)[worklist.pk]


def progress_of_each(lists: Iterable[Worklist], *, now: datetime | None = None) -> dict[int, Progress]:
    """By their primary keys, with as many queries for many lists as for one."""
    now, lists = now or timezone.now(), list(lists)
    running = [one for one in lists if one.state == WorklistState.RUNNING]
    rows = WorkItem.objects.filter(worklist__in=lists).order_by()
    counts = {one.pk: dict.fromkeys(ItemState.values, 0) for one in lists}
    for pk, state, n in rows.values_list("worklist", "state").annotate(n=Count("pk")):
        counts[pk][state] = n
    worked = _worked(running, now) if running else {}
    return {one.pk: _told(one, counts[one.pk], _per_hour(one, worked.get(one.pk, 0), now), now) for one in lists}


def _told(worklist: Worklist, counts: Mapping[str, int], per_hour: float | None, now: datetime) -> Progress:
    total, still = sum(counts.values()), sum(counts[state] for state in OPEN_ITEMS)
    told = Progress(counts=counts, total=total, ended=total - still)
    if per_hour is None or not still:
        return told
    left = timedelta(hours=still / per_hour)
    stays = 0
    if worklist.closes_at and now + left > worklist.closes_at:
        until = max(timedelta(), worklist.closes_at - now)
        stays = max(0, still - round(per_hour * until.total_seconds() / 3600))
    return Progress(
        counts=counts,
        total=total,
        ended=told.ended,
        per_hour=per_hour,
        left=left,
        ends_at=now + left,
        stays=stays,
    )


def _worked(lists: Iterable[Worklist], now: datetime) -> dict[int, int]:
    """How many rows of each runs brought to an end lately: rows that people skipped say nothing about robots."""
    since = Q(ended_at__gte=now - RATE_OF) & Q(ended_at__gte=F("worklist__started_at"))
    rows = WorkItem.objects.filter(since, worklist__in=lists, attempts__gt=0).exclude(state__in=OPEN_ITEMS)
    return dict(rows.order_by().values_list("worklist").annotate(n=Count("pk")))


def _per_hour(worklist: Worklist, worked: int, now: datetime) -> float | None:
    began = max(now - RATE_OF, worklist.started_at or now)
    hours = (now - began).total_seconds() / 3600
    return worked / hours if worked >= LEAST and hours > 0 else None
