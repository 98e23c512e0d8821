"""Texts of screens, searched over all runs: “when did we last see “Serveur indisponible”?”"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import datetime
from heapq import merge
from itertools import islice
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from execution.models import ExecutionEvent, Step
from execution.permissions import VIEW, VIEW_PICTURE
from execution.record.screen_search import lines_with, pauses_showing, steps_showing
from execution.record.sentences import step_sentence
from sentences.said import worded
from workflows.models import Workflow
from workflows.permissions import permitted

ROWS = 25
_OLDER = re.compile(r"([0-9]{1,18})-([0-9]{1,18})")
_NEWEST = 10**17  # no number is as high


@permitted(VIEW)
@permitted(VIEW_PICTURE)
@require_safe
def texts(request: HttpRequest) -> HttpResponse:
    """Every screen that showed the words, the newest first, each with a link to its step."""
    asked, workflow = request.GET.get("q", "")[:200], request.GET.get("workflow", "")
    steps, pauses = steps_showing(asked), pauses_showing(asked)
    if workflow:
        of_it = {"execution__version__workflow__workflow_id": workflow}
        steps, pauses = steps.filter(**of_it), pauses.filter(**of_it)
    if before := _OLDER.fullmatch(request.GET.get("before", "")):
        steps, pauses = steps.filter(pk__lt=int(before[1])), pauses.filter(pk__lt=int(before[2]))
    where, long = "execution__version__workflow", "execution__version__graph"
    found: Iterator[Step | ExecutionEvent] = merge(
        steps.select_related(where).defer(long, "recognition")[: ROWS + 1],
        pauses.select_related(where).defer(long)[: ROWS + 1],
        key=_when,
        reverse=True,
    )  # each kind stays in the order of its numbers, by which it is gone on, whatever a clock said
    page = list(islice(found, ROWS + 1))
    context = {
        "q": asked,
        "workflow": workflow,
        "workflows": Workflow.objects.filter(versions__isnull=False).distinct().order_by("name"),
        "rows": [_row(one, asked) if isinstance(one, Step) else _stood(one, asked) for one in page[:ROWS]],
        "older": _older(page[:ROWS], before) if len(page) > ROWS else None,
    }
    return render(request, "execution/texts.html", context)


def _when(one: Step | ExecutionEvent) -> datetime:
    return one.started_at if isinstance(one, Step) else one.at


def _older(shown: Sequence[Step | ExecutionEvent], before: re.Match[str] | None) -> str:
    """Where the next page begins: behind the last step and the last pause of this one."""
    last = [int(before[n]) if before else _NEWEST for n in (1, 2)]
    for one in shown:
        last[not isinstance(one, Step)] = one.pk
    return f"{last[0]}-{last[1]}"


def _row(step: Step, asked: str) -> dict[str, Any]:
    return {
        "url": reverse("run_step", args=[step.execution.execution_id, step.index]),
        "where": _("run %(n)s, step %(step)s") % {"n": step.execution_id, "step": step.index},
        "picture": step.picture_before,
        "at": step.started_at,
        "name": step.execution.version.workflow.name,
        "sentence": worded(step_sentence(step)),
        "lines": lines_with(step, asked),
    }


def _stood(event: ExecutionEvent, asked: str) -> dict[str, Any]:
    """A screen at which the run stood still, on which no step was opened."""
    run, detail = event.execution, event.payload["pause_detail"]
    picture = str(detail.get("picture") or "")
    page, names = ("run_pause", [run.execution_id, event.seq]) if picture else ("run", [run.execution_id])
    return {
        "url": reverse(page, args=names),
        "where": _("run %(n)s, where it stood still") % {"n": run.pk},
        "picture": picture,
        "at": event.at,
        "name": run.version.workflow.name,
        "sentence": worded(detail.get("message", "")),
        "lines": lines_with(event, asked),
    }
