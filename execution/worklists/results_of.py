"""What came of each row, as plain values in the order of the list (S12.11)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from django.urls import reverse

from execution.models import WorkItem, Worklist
from sentences.said import worded

PAGE = 1000


def result_rows(worklist: Worklist, *, begins_with: str = "") -> Iterator[dict[str, Any]]:
    """A row for each row, and for each line of a repetition; `begins_with` is what links begin with."""
    for item in _items(worklist):
        common = _common(item, begins_with)
        for line, values in _lines(item):
            yield {**common, **({"line": line} if line else {}), "values": values}


def value_names(worklist: Worklist) -> list[str]:
    """The names of the values that runs of its workflow read, as people know them."""
    graph = worklist.at_version().spec()
    return [name for name in graph.outputs if name not in graph.inner_values]


def _items(worklist: Worklist) -> Iterator[WorkItem]:
    last = 0
    while page := list(worklist.items.filter(number__gt=last).select_related("execution").order_by("number")[:PAGE]):
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
