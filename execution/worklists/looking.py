"""Does a worker look at the clock? Without one no list begins by itself and nobody is told (S12.9)."""

from __future__ import annotations

from django.contrib.contenttypes.models import ContentType
from django.db.models import Exists, Subquery
from django.utils import timezone

from execution.behind.leases import LEASE
from execution.choices import MessageState
from execution.models import ClockLook, NoticeMessage, NoticeRule, Schedule
from sentences.said import say


def worker_missing() -> str:
    """What to say where something waits for the clock and no worker has looked at it for minutes; else "". One query,
    as pages ask."""
    schedules, rules = Schedule.objects.filter(is_on=True), NoticeRule.objects.filter(is_on=True)
    unsent = NoticeMessage.objects.filter(state=MessageState.WAITING)
    one = ContentType.objects.order_by("pk")  # it always has a row: where no worker has ever looked there is no look
    told = one.annotate(
        at=Subquery(ClockLook.objects.values("at")[:1]),
        begins=Exists(schedules),
        tells=Exists(rules),
        sends=Exists(unsent),
    )
    last, *waits = told.values_list("at", "begins", "tells", "sends")[0]
    if not any(waits) or (last is not None and timezone.now() - last < LEASE):
        return ""
    if last is None:
        return say("worklists.no_worker_yet")
    return say("worklists.no_worker", since=f"{timezone.localtime(last):%Y-%m-%d %H:%M}")
