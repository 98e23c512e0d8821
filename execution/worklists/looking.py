"""Does a worker look at the clock? Without one no list begins by itself and nobody is told (S12.9)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Any

from django.db.models import BigIntegerField, CharField, Count, Func, Max, QuerySet, Value
from django.utils import timezone

from execution.behind.leases import LEASE
from execution.choices import MessageState
from execution.models import ClockLook, NoticeMessage, NoticeRule, Schedule
from sentences.said import say

LOOKED, WAITS = "looked", "waits"


class Seconds(Func):
    """A time as seconds since 1970."""

    template = "CAST(EXTRACT(EPOCH FROM %(expressions)s) AS BIGINT)"
    output_field = BigIntegerField()

    def as_sqlite(self, compiler: Any, connection: Any, **more: Any) -> Any:
        return self.as_sql(compiler, connection, template="CAST(strftime('%%%%s', %(expressions)s) AS INTEGER)", **more)


def counted() -> list[QuerySet[Any, tuple[str, int | None]]]:
    """What is asked to know it, each a kind with a number, so that a page asks it together with what else it counts:
    when it was looked last, in seconds, and how much waits for the clock."""
    unsent = NoticeMessage.objects.filter(state=MessageState.WAITING)
    waits = (Schedule.objects.filter(is_on=True), NoticeRule.objects.filter(is_on=True), unsent)
    last = Max(Seconds("at"))
    return [_as(LOOKED, ClockLook.objects.all(), last), *(_as(WAITS, rows, Count("pk")) for rows in waits)]


def _as(kind: str, rows: QuerySet[Any], n: Any) -> QuerySet[Any, tuple[str, int | None]]:
    named = rows.order_by().annotate(counted_as=Value(kind, output_field=CharField())).values("counted_as")
    return named.annotate(n=n).values_list("counted_as", "n")


def summed(rows: Iterable[tuple[str, int | None]]) -> dict[str, int]:
    total = Counter[str]()
    for kind, n in rows:
        total[kind] += n or 0
    return dict(total)


def missing(found: Mapping[str, int]) -> str:
    """What to say where something waits for the clock and no worker has looked at it for minutes; else ""."""
    if not found.get(WAITS):
        return ""
    if not (seconds := found.get(LOOKED)):
        return say("worklists.no_worker_yet")
    last = datetime.fromtimestamp(seconds, UTC)
    if timezone.now() - last < LEASE:
        return ""
    return say("worklists.no_worker", since=f"{timezone.localtime(last):%Y-%m-%d %H:%M}")


def worker_missing() -> str:
    first, *others = counted()
    return missing(summed(first.union(*others, all=True)))
