"""The pages of analytics: overview, a workflow, the runs and steps behind a number, what models were asked (S7.3)."""

from __future__ import annotations

from collections.abc import Collection
from datetime import timedelta
from typing import Any
from urllib.parse import urlencode

from django import forms
from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext, gettext_lazy
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_POST, require_safe

from analytics import period as periods
from analytics.behind import runs_behind, steps_behind
from analytics.model_use import Scope, model_use
from analytics.models import HandTime, Sealed, StepMetric
from analytics.overview import overview, with_standing
from analytics.panels import HOWS, RUNG_WORDS, short_time
from analytics.period import Period, period_of
from analytics.rollups import day_of
from analytics.workflow_page import workflow_page
from execution.language.acts import say_act
from execution.models import Execution
from execution.pages import listing
from gpu.pages.texts import PURPOSES
from gpu.types import Purpose
from sentences.said import worded
from workflows.graph import GraphSpec
from workflows.models import Workflow, WorkflowVersion
from workflows.parsing import whole_number
from workflows.permissions import DESIGN, permitted

VIEW = "analytics.view_stepmetric"
VIEW_USE = "gpu.view_modeluse"
ROWS, STEP_ROWS = 25, 50
LONGEST_BY_HAND = 24 * 60
SPANS = {1: _("today"), 7: _("7 days"), 30: _("30 days"), 365: _("a year")}
USUAL = 30


@permitted(VIEW_USE)
@require_safe
def model_uses(request: HttpRequest) -> HttpResponse:
    """By model and purpose, over the days that are asked for; anything else than the spans offered is the usual one."""
    asked = whole_number(request.GET.get("days", ""))
    days = asked if asked in SPANS else USUAL
    report = model_use(Scope(since=timezone.localdate() - timedelta(days=days - 1)), by_day=False)
    spans = [{"days": span, "name": name, "is_now": span == days} for span, name in SPANS.items()]
    context = {
        "spans": spans, "totals": told(report.totals), "rows": [told(row) for row in report.rows],
        "fallbacks": report.fallbacks,
    }  # fmt: skip
    return render(request, "analytics/model_use.html", context)


def told(row: dict[str, Any]) -> dict[str, Any]:
    """A row with what the page says of it besides."""
    purpose = row.get("purpose", "")
    share = 100 * row["answered"] / row["calls"] if row["calls"] else None
    return {
        **row,
        "purpose": PURPOSES.get(Purpose(purpose), purpose) if purpose in set(Purpose) else purpose,
        "share": share,
        "failed_by": [{"error": error, "times": times} for error, times in row["failed_by"].items()],
        "is_local": row["cost"]["amount"] is not None,
    }


@permitted(VIEW)
@require_safe
def analytics(request: HttpRequest) -> HttpResponse:
    period = period_of(request)
    report = overview(period, may_teach=request.user.has_perm(DESIGN))
    context = {**frame(period), "report": report, "hours_stay_whole": hours_stay_whole(period)}
    return render(request, "analytics/overview.html", context)


@permitted(VIEW)
@require_safe
def of_workflow(request: HttpRequest, workflow_id: str) -> HttpResponse:
    return _workflow(request, _known(workflow_id), HandTimeForm())


class HandTimeForm(forms.Form):
    """How long it takes by hand; empty: as it was timed on teaching."""

    minutes = forms.FloatField(
        label=gettext_lazy("Minutes by hand"), required=False, min_value=0.05, max_value=LONGEST_BY_HAND, localize=True
    )


@permitted(DESIGN)
@require_POST
def state_hand_time(request: HttpRequest, workflow_id: str) -> HttpResponse:
    """Keep what a person says of how long it takes by hand."""
    workflow = _known(workflow_id)
    form = HandTimeForm(request.POST)
    if not form.is_valid():
        return _workflow(request, workflow, form, status=422)
    minutes = form.cleaned_data["minutes"]
    if minutes is None:
        HandTime.objects.filter(workflow_id=workflow_id).delete()
    else:
        who = {"stated_by": request.user.get_username(), "stated_at": timezone.now()}
        HandTime.objects.update_or_create(
            workflow_id=workflow_id, defaults={"seconds": max(1, round(minutes * 60)), **who}
        )
    messages.success(request, gettext("The time by hand is kept."))
    return redirect("analytics_workflow", workflow_id)


def _known(workflow_id: str) -> Workflow:
    found: Workflow = with_standing(Workflow.objects.all()).by_id(workflow_id)  # type: ignore[attr-defined]
    return found


def _workflow(request: HttpRequest, workflow: Workflow, form: HandTimeForm, *, status: int = 200) -> HttpResponse:
    period = period_of(request)
    may_teach = request.user.has_perm(DESIGN)
    report = workflow_page(workflow, period, may_teach=may_teach)
    whole = hours_stay_whole(period, workflow_id=workflow.workflow_id)
    context = {**frame(period), "report": report, "form": form, "may_teach": may_teach, "hours_stay_whole": whole}
    return render(request, "analytics/workflow.html", context, status=status)


@permitted(VIEW)
@require_safe
def runs(request: HttpRequest) -> HttpResponse:
    """The runs behind a number, as the runs page shows them."""
    found, period = runs_behind(request)
    page = Paginator(found.values_list("execution_id", flat=True), ROWS).get_page(request.GET.get("page"))
    executions = {
        run.execution_id: run for run in listing.listed(Execution.objects.filter(execution_id__in=list(page)))
    }
    kept = request.GET.copy()
    kept.pop("page", None)
    context = {
        "page": page, "rows": listing.rows([executions[name] for name in page if name in executions]),
        "kept": kept.urlencode(), "filtered": True,
    }  # fmt: skip
    if request.headers.get("HX-Request"):
        return render(request, "execution/_table.html", context)
    context |= {**frame(period), "about": about(request), "total": page.paginator.count}
    return render(request, "analytics/runs.html", context)


@permitted(VIEW)
@require_safe
def steps(request: HttpRequest) -> HttpResponse:
    """The newest of the steps behind a number, each with its run."""
    found, period = steps_behind(request)
    shown = list(found[: STEP_ROWS + 1])
    numbers = Execution.objects.filter(execution_id__in={step.execution_id for step in shown})
    named = dict(numbers.values_list("execution_id", "pk"))
    graphs = graphs_of({(step.workflow_id, step.version) for step in shown})
    rows = [
        {
            "step": step, "number": named.get(step.execution_id), "rung": RUNG_WORDS.get(step.rung, step.rung),
            "took": short_time(step.total_ms / 1000), **words_of(step, graphs.get((step.workflow_id, step.version))),
        }
        for step in shown[:STEP_ROWS]
    ]  # fmt: skip
    context = {**frame(period), "rows": rows, "more": len(shown) > STEP_ROWS, "about": about(request)}
    return render(request, "analytics/steps.html", context)


def graphs_of(versions: Collection[tuple[str, int]]) -> dict[tuple[str, int], GraphSpec]:
    """The graphs that steps were done by: one query."""
    wanted = WorkflowVersion.objects.filter(
        workflow__workflow_id__in={name for name, _number in versions},
        number__in={number for _name, number in versions},
    ).select_related("workflow")
    known = {(version.workflow.workflow_id, version.number): version for version in wanted}
    return {key: known[key].spec() for key in versions if key in known}


def words_of(step: StepMetric, graph: GraphSpec | None) -> dict[str, str]:
    """The screen and the action of a step, as people call them."""
    node = graph.node(step.node_id) if graph and step.node_id else None
    edge = next((one for one in graph.edges if one.edge_id == step.edge_id), None) if graph else None
    return {
        "screen": node.name if node else step.node_id,
        "action": worded(say_act(edge, graph, {})) if graph and edge else step.edge_id,
    }


def frame(period: Period) -> dict[str, Any]:
    """What every page says of its days, and how it is asked for others."""
    spans = [{"days": days, "name": name, "is_now": days == period.days} for days, name in periods.SPANS.items()]
    exported = urlencode({"days": period.days, "until": period.last.isoformat()})
    return {"nav": "analytics", "period": period, "spans": spans, "exported": exported}


def hours_stay_whole(period: Period, **where: str) -> bool:
    """Whether an hour that lies in two days is counted in one: of steps that were pruned its sum is all there is."""
    if not period.tears_hours:
        return False
    return Sealed.objects.filter(day__gt=day_of(period.before.begin), **where).exists()


def about(request: HttpRequest) -> list[str]:
    """The filters of a list in words."""
    words = []
    if name := request.GET.get("workflow", "")[:100]:
        known = Workflow.objects.filter(workflow_id=name).values_list("name", flat=True).first()
        words.append(known or name)
    if number := request.GET.get("version", "")[:9]:
        words.append(gettext("version %(n)s") % {"n": number})
    how = request.GET.get("how", "")
    if how in HOWS or how == "completed":
        words.append(str(HOWS.get(how, gettext("completed"))))
    if rung := request.GET.get("rung", "")[:30]:
        words.append(gettext("found by: %(way)s") % {"way": RUNG_WORDS.get(rung, rung)})
    if request.GET.get("verified") == "no":
        words.append(gettext("not seen to work"))
    if how == "wrong" or request.GET.get("wrong"):
        words.append(gettext("people said that it was wrong"))
    if request.GET.get("failed"):
        words.append(gettext("failed"))
    if request.GET.get("retried"):
        words.append(gettext("tried more than once"))
    return words + _taught(request.GET.get("workflow", "")[:100], request.GET)


def _taught(workflow_id: str, asked: QueryDict) -> list[str]:
    """The screen and the action that are asked for, as the newest version calls them."""
    node_id, edge_id = asked.get("node", "")[:100], asked.get("edge", "")[:100]
    if not node_id and not edge_id:
        return []
    version = WorkflowVersion.objects.filter(workflow__workflow_id=workflow_id).order_by("-number").first()
    words = words_of(StepMetric(node_id=node_id, edge_id=edge_id), version.spec() if version else None)
    return [words[name] for name, given in (("screen", node_id), ("action", edge_id)) if given]
