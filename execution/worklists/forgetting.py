"""What stands in rows is kept as long as the runs that worked them off; what happened to lists as long as events
(S12.4)."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime
from typing import Any

from django.db.models import Q, QuerySet

from execution.choices import MessageState, StartState
from execution.models import BroughtFile, ListStart, NoticeMessage, WebhookCall, WorkItem, WorklistEvent, WorkRun
from execution.models.worklist import OPEN_ITEMS, WorklistEventKind, WorklistState
from execution.worklists.happenings import LOOKED_BACK


def forget_rows(executions: Collection[int]) -> None:
    """Drop the data, the values and the words of rows whose last run has lost its texts; what is left says that the row
    was, and how it ended. Inside the caller's transaction."""
    works = WorkRun.objects.filter(execution__in=executions)
    rows = WorkItem.objects.filter(execution__in=executions).exclude(state__in=OPEN_ITEMS)
    numbers: dict[int, list[int]] = {}
    for worklist, number in rows.values_list("worklist_id", "number"):
        numbers.setdefault(worklist, []).append(number)
    _empty(rows)
    works.update(unanswered="", reason="", picture="")
    for worklist, gone in numbers.items():
        events = WorklistEvent.objects.filter(worklist=worklist, kind=WorklistEventKind.ROW)
        for event in events.filter(payload__number__in=gone):
            WorklistEvent.objects.filter(pk=event.pk).update(payload={**event.payload, "reason": ""})


def left_rows(workflow_id: str, before: datetime) -> QuerySet[WorkItem]:
    """Rows that no run worked off and none will, of lists that finished before then: cancelled or skipped ones."""
    rows = WorkItem.objects.filter(worklist__workflow__workflow_id=workflow_id, execution=None)
    over = rows.filter(worklist__state=WorklistState.FINISHED, worklist__ended_at__lt=before)
    return over.exclude(state__in=OPEN_ITEMS).exclude(data={}).order_by("pk")


def forget_left_rows(rows: Collection[int]) -> int:
    """The same as of rows with a run: that they were, and what became of them, stays."""
    found = WorkItem.objects.filter(pk__in=rows)
    _empty(found)
    return len(rows)


def _empty(rows: QuerySet[WorkItem]) -> None:
    for item in rows.only("pk", "number"):
        WorkItem.objects.filter(pk=item.pk).update(
            data={}, variables={}, values=[], reason="", reference=f"#{item.number}"
        )


def old_records(workflow_id: str, before: datetime, now: datetime) -> list[QuerySet[Any]]:
    """What happened to lists before then: their events, starts and files, and what was told, with its marks. Nothing
    that people may yet be told of, or were told so lately that they would be told again."""
    before = min(before, now - 2 * LOOKED_BACK)
    of_lists = Q(worklist__workflow__workflow_id=workflow_id)
    starts = ListStart.objects.filter(schedule__worklist__workflow__workflow_id=workflow_id, told_at__lt=before)
    return [
        WorklistEvent.objects.filter(of_lists, at__lt=before).order_by(),
        NoticeMessage.objects.filter(of_lists, made_at__lt=before).exclude(state=MessageState.WAITING).order_by(),
        starts.exclude(state=StartState.WAITING).exclude(state=StartState.BEGUN, ended="").order_by(),
        BroughtFile.objects.filter(of_lists, at__lt=before).order_by(),
        WebhookCall.objects.filter(webhook__worklist__workflow__workflow_id=workflow_id, at__lt=before).order_by(),
    ]
