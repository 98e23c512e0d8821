"""The runs and the steps behind a number: the same filters for the pages and for what is exported."""

from __future__ import annotations

from typing import Any

from django.db.models import Q, QuerySet
from django.http import HttpRequest

from analytics.models import RunMetric, StepDay, StepMetric
from analytics.panels import CLASSES
from analytics.period import Period, period_of
from analytics.rollups import number_of
from execution.choices import ExecutionState, Verified
from workflows.parsing import whole_number

HOW: dict[str, Q] = {
    "alone": Q(state=ExecutionState.COMPLETED, helped=0),
    "helped": Q(state=ExecutionState.COMPLETED, helped=1),
    "completed": Q(state=ExecutionState.COMPLETED),
    "failed": Q(state=ExecutionState.FAILED),
    "stopped": Q(state=ExecutionState.STOPPED),
    "wrong": Q(wrong__gt=0),
}
assert set(CLASSES) < set(HOW)


def runs_behind(request: HttpRequest) -> tuple[QuerySet[RunMetric], Period]:
    """Runs that ended in the period, the newest first."""
    period = period_of(request)
    found = RunMetric.objects.filter(ended_at__gte=period.begin, ended_at__lt=period.end)
    if workflow := _text(request, "workflow"):
        found = found.filter(workflow_id=workflow)
    if (version := whole_number(_text(request, "version"))) is not None:
        found = found.filter(version=version)
    if (how := _text(request, "how")) in HOW:
        found = found.filter(HOW[how])
    return found.order_by("-ended_at", "-pk"), period


def steps_behind(request: HttpRequest) -> tuple[QuerySet[StepMetric], Period]:
    """Steps that began in the period, the newest first."""
    period = period_of(request)
    found = StepMetric.objects.filter(started_at__gte=period.begin, started_at__lt=period.end)
    wanted: dict[str, Any] = {
        column: value
        for name, column in (("workflow", "workflow_id"), ("edge", "edge_id"), ("node", "node_id"), ("rung", "rung"))
        if (value := _text(request, name))
    }
    found = found.filter(**wanted)
    if {"workflow_id", "node_id"} <= wanted.keys() and "edge_id" not in wanted:
        # the steps of a workflow lie by action: which ones begin on that screen the sums know, and tell at once
        sums = StepDay.objects.filter(workflow_id=wanted["workflow_id"], node_id=wanted["node_id"])
        days = sums.filter(day__gte=number_of(period.since), day__lt=number_of(period.until))
        found = found.filter(edge_id__in=list(days.values_list("edge_id", flat=True).distinct()))
    if _text(request, "verified") == "no":
        found = found.filter(success=1).exclude(edge_id="").exclude(verified=Verified.YES)
    if _text(request, "failed"):
        found = found.filter(success=0)
    if _text(request, "retried"):
        found = found.filter(retries__gt=0)
    if _text(request, "wrong"):
        found = found.filter(wrong=1)
    return found.order_by("-started_at", "-pk"), period


def _text(request: HttpRequest, name: str) -> str:
    return request.GET.get(name, "")[:100].replace("\x00", "")
