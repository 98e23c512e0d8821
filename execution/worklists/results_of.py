"""What came of each row of a list, and the file of it (S12.11)."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Any

from django.db.models import Q, TextField
from django.db.models.functions import Cast
from django.urls import reverse
from django.utils import timezone

from execution.models import WorkItem, Worklist
from execution.models.worklist import ItemState
from execution.worklists.results import Layout, csv_pieces, workbook_pieces
from sentences.said import worded

PAGE = 1000


def result_rows(
    worklist: Worklist, *, begins_with: str = "", since: datetime | None = None
) -> Iterator[dict[str, Any]]:
    """A row for each row, and for each line of a repetition; `begins_with` is what links begin with.

    `since`: without rows that had come to their end before that.
    """
    for item in _items(worklist, since):
        common = _common(item, begins_with)
        for line, values in _lines(item):
            yield {**common, **({"line": line} if line else {}), "values": values}


def file_of(worklist: Worklist, kind: str, *, begins_with: str = "", since: datetime | None = None) -> Iterator[Any]:
    """The pieces of the file, of one of `results.KINDS`, in the active language and time zone."""
    layout, results = layout_of(worklist), result_rows(worklist, begins_with=begins_with, since=since)
    return csv_pieces(layout, results) if kind == "csv" else workbook_pieces(layout, results, name=worklist.name)


def layout_of(worklist: Worklist) -> Layout:
    """The columns of the file: one for the line if any row has several."""
    told = worklist.items.annotate(told=Cast("values", TextField()))
    return Layout(
        columns=worklist.columns,
        values=value_names(worklist),
        with_lines=told.filter(told__contains='"line":').exists(),
        zone=timezone.get_current_timezone_name(),
        state=lambda state: str(ItemState(state).label),
    )


def value_names(worklist: Worklist) -> list[str]:
    """The names of the values that runs of its workflow read, as people know them."""
    graph = worklist.at_version().spec()
    return [name for name in graph.outputs if name not in graph.inner_values]


def _items(worklist: Worklist, since: datetime | None) -> Iterator[WorkItem]:
    last, rows = 0, worklist.items.all()
    if since is not None:
        rows = rows.filter(Q(ended_at=None) | Q(ended_at__gte=since))
    while page := list(rows.filter(number__gt=last).select_related("execution").order_by("number")[:PAGE]):
        yield from page
        last = page[-1].number


def _common(item: WorkItem, begins_with: str) -> dict[str, Any]:
    run = item.execution
    return {
        "number": item.number,
        "reference": item.reference,
        "data": item.data,
        "state": item.state,
        "reason": worded(item.reason),
        "attempts": item.attempts,
        "started_at": item.started_at,
        "ended_at": item.ended_at,
        "link": f"{begins_with}{reverse('run', args=[run.execution_id])}" if run else "",
    }


def _lines(item: WorkItem) -> list[tuple[int, dict[str, str]]]:
    """What was read once is told with each line of the repetition."""
    once = {value["name"]: value["text"] for value in item.values if not value.get("line")}
    lines: dict[int, dict[str, str]] = {}
    for value in item.values:
        if line := value.get("line"):
            lines.setdefault(line, {})[value["name"]] = value["text"]
    return [(line, {**once, **values}) for line, values in sorted(lines.items())] or [(0, once)]
