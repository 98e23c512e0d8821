"""The runs page: what needs a person first, then every run with its state and step bar."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.core.paginator import Paginator
from django.db.models import Count
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from execution.choices import ExecutionState
from execution.models import Execution
from execution.models.execution import ExecutionQuerySet
from execution.pages import listing
from execution.pages.worklist_texts import cards_at_work
from execution.permissions import OPERATE, VIEW
from workflows.models import WorkflowVersion
from workflows.permissions import permitted

ROWS = 25


@permitted(VIEW)
@require_safe
def runs(request: HttpRequest) -> HttpResponse:
    """The page, or for htmx and for the live refresh its changing part alone."""
    everything = listing.listed(Execution.objects.all())
    of_state = dict(Execution.objects.order_by().values_list("state").annotate(Count("pk")))
    context = {**table(request, everything, sum(of_state.values())), "may_operate": request.user.has_perm(OPERATE)}
    if request.headers.get("HX-Request") and not request.GET.get("board"):
        return render(request, "execution/_table.html", context)
    context |= attention(everything, of_state)
    template = "execution/_board.html" if request.GET.get("board") else "execution/runs.html"
    return render(request, template, context)


def table(request: HttpRequest, everything: ExecutionQuerySet, total: int) -> dict[str, Any]:
    text, state = request.GET.get("q", "")[:200], request.GET.get("state", "")
    found = listing.search(everything, text=text, state=state)
    pages = Paginator(found, ROWS)
    if not (text.strip() or state in listing.FILTERS):
        pages.count = total  # known, without counting them again
    page = pages.get_page(request.GET.get("page"))
    kept = request.GET.copy()
    for name in ("page", "board"):
        kept.pop(name, None)
    return {
        "page": page,
        "rows": listing.rows(page.object_list),
        "q": text,
        "state": state if state in listing.FILTERS else "",
        "filters": [(value, words) for value, (words, _states) in listing.FILTERS.items()],
        "kept": kept.urlencode(),
        "filtered": bool(text.strip() or state in listing.FILTERS),
    }


def attention(everything: ExecutionQuerySet, of_state: Mapping[str, int]) -> dict[str, Any]:
    return {
        "cards": listing.cards(everything),
        "at_work": of_state.get(ExecutionState.RUNNING, 0),
        "queued": of_state.get(ExecutionState.QUEUED, 0),
        "anything_published": bool(of_state) or WorkflowVersion.objects.exists(),
        "anything_run": bool(of_state),
        "lists": cards_at_work(),
    }
