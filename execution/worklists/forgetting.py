"""What stands in rows is kept as long as the runs that worked them off (S12.4)."""

from __future__ import annotations

from collections.abc import Collection

from execution.models import WorkItem, WorklistEvent, WorkRun
from execution.models.worklist import OPEN_ITEMS, WorklistEventKind


def forget_rows(executions: Collection[int]) -> None:
    """Drop the data, the values and the words of rows whose last run has lost its texts; what is left says that the row
    was, and how it ended. Inside the caller's transaction."""
    works = WorkRun.objects.filter(execution__in=executions)
    rows = WorkItem.objects.filter(execution__in=executions).exclude(state__in=OPEN_ITEMS)
    numbers: dict[int, list[int]] = {}
    for worklist, number in rows.values_list("worklist_id", "number"):
        numbers.setdefault(worklist, []).append(number)
    for item in rows.only("pk", "number"):
        WorkItem.objects.filter(pk=item.pk).update(
            data={}, variables={}, values=[], reason="", reference=f"#{item.number}"
        )
    works.update(unanswered="", reason="", picture="")
    for worklist, gone in numbers.items():
        events = WorklistEvent.objects.filter(worklist=worklist, kind=WorklistEventKind.ROW)
        for event in events.filter(payload__number__in=gone):
            WorklistEvent.objects.filter(pk=event.pk).update(payload={**event.payload, "reason": ""})
