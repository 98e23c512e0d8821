"""How far a list is: counts by state, the rate of the last half hour, and what is left at that rate (S12.11)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.utils import timezone

from execution.models import Worklist
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
    now = now or timezone.now()
    counts = worklist.counts()
    total, still = sum(counts.values()), sum(counts[state] for state in OPEN_ITEMS)
    told = Progress(counts=counts, total=total, ended=total - still)
    per_hour = _per_hour(worklist, now) if worklist.state == WorklistState.RUNNING else None
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


def _per_hour(worklist: Worklist, now: datetime) -> float | None:
    """By runs: rows that people skipped say nothing about robots."""
    began = max(now - RATE_OF, worklist.started_at or now)
    worked = worklist.items.filter(ended_at__gte=began, attempts__gt=0).exclude(state__in=OPEN_ITEMS).count()
    hours = (now - began).total_seconds() / 3600
    return worked / hours if worked >= LEAST and hours > 0 else None
