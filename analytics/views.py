"""The pages of analytics: overview, a workflow, the runs and steps behind a number, what models were asked (S7.3)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from urllib.parse import urlencode

from django import forms
from django.contrib import messages
from django.core.paginator import Paginator
from django.db.models import Count, Exists, IntegerField, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.safestring import SafeString
from django.utils.translation import gettext, gettext_lazy
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_POST, require_safe

from analytics import charts, panels
from analytics import period as periods
from analytics.attention import Item, Known, items
from analytics.behind import runs_behind, steps_behind
from analytics.figures import Sums, by_bar, merged, regrouped, share, summed, total
from analytics.hand_times import by_hand
from analytics.marks import last_wrong
from analytics.model_use import Scope, model_use
from analytics.models import HandTime, StepMetric
from analytics.panels import HOWS, RUNG_WORDS, Card, Chart, Way, runs_url, short_time
from analytics.period import Period, period_of
from analytics.rollups import RUNS, STEPS
from analytics.workflow_page import workflow_page
from execution.choices import Watched
from execution.language.acts import say_act
from execution.models import DriftWatch, Execution
from execution.pages import listing
from gpu.pages.board import PURPOSES
from gpu.types import Purpose
from sentences.said import worded
from workflows.badges import LEARNING, Badge
from workflows.graph import GraphSpec
from workflows.models import Correction, Node, Workflow, WorkflowVersion
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
    return render(request, "analytics/overview.html", {**frame(period), "report": report})


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
    context = {**frame(period), "report": report, "form": form, "may_teach": may_teach}
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


# The overview: can it be trusted, is it getting better, what should somebody do today (S7.3).

MOST_ROWS = 100
SURE = ("recognised", "confidence_millionths")
SHOWN = ("steps", "done", "unverified", "wrong", "robot_us", "resolve_us", "waited_us", "score_millionths", *SURE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A workflow in the period."""

    name: str
    url: str
    badge: Badge | None
    runs: str
    runs_url: str
    succeeded: str
    succeeded_url: str
    trend: SafeString
    step: str
    step_url: str
    accepted: str
    wrong: str
    wrong_url: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Overview:
    period: Period
    cards: Sequence[Card]
    chart: Chart
    items: Sequence[Item]
    rows: Sequence[Row]
    ways: Sequence[Way]
    ways_words: str
    any_runs: bool


def overview(period: Period, *, may_teach: bool) -> Overview:
    runs = summed(RUNS, [period, period.before], ("workflow_id",))
    (steps,) = summed(STEPS, [period], ("workflow_id", "node_id", "rung"), SHOWN)
    (screens_before,) = summed(STEPS, [period.before], ("workflow_id", "node_id"), SURE)
    bars = by_bar(RUNS, period, ("workflow_id",), panels.RUN_NAMES)
    workflows = known_workflows()
    hands = by_hand({one.workflow_id: one.stated_s for one in workflows})
    by_workflow = regrouped(steps, 0)
    all_bars = [merged(parts) for parts in zip(*bars.values(), strict=True)] or [Counter() for _bar in period.bars]
    given = panels.time_given({key[0]: sums["alone"] for key, sums in runs[0].items()}, hands)
    rungs = regrouped(steps, 2)
    return Overview(
        period=period,
        cards=panels.cards(
            total(runs[0]), total(runs[1]), all_bars, period, given=given, steps=total(steps), last=last_wrong()
        ),
        chart=panels.runs_chart(all_bars, period),
        items=items(
            workflows,
            (runs[0], runs[1]),
            (regrouped(steps, 0, 1), screens_before),
            period,
            may_teach=may_teach,
        ),
        rows=[
            _row(one, runs[0][(one.workflow_id,)], bars.get((one.workflow_id,), []), by_workflow, period)
            for one in sorted(workflows, key=lambda one: -runs[0].get((one.workflow_id,), Counter())["runs"])
            if (one.workflow_id,) in runs[0]
        ][:MOST_ROWS],
        ways=panels.ways(rungs, period),
        ways_words=panels.ways_words(rungs),
        any_runs=bool(total(runs[0])["runs"] or total(runs[1])["runs"]),
    )  # fmt: skip


def known_workflows() -> list[Known]:
    """The workflows with their corrections since the last version, the names of their screens, and what has changed."""
    names: dict[str, dict[str, str]] = {}
    drifted: dict[str, list[str]] = {}
    nodes = Node.objects.order_by().annotate(drifted=Exists(changed(Watched.SCREEN).filter(name=OuterRef("node_id"))))
    for workflow_id, node_id, name, has_changed in nodes.values_list(
        "workflow__workflow_id", "node_id", "name", "drifted"
    ):
        names.setdefault(workflow_id, {})[node_id] = name
        drifted.setdefault(workflow_id, []).extend([node_id] if has_changed else [])
    return [
        Known(
            workflow_id=workflow_id,
            name=name,
            learning_state=state,
            screens=names.get(workflow_id, {}),
            corrections=corrections,
            drifted=drifted.get(workflow_id, ()),
            failing=failing,
            stated_s=stated,
        )
        for workflow_id, name, state, corrections, failing, stated in with_standing(Workflow.objects.all()).values_list(
            "workflow_id", "name", "learning_state", "corrections_open", "failing", "stated_s"
        )
    ]


def changed(kind: Watched) -> QuerySet[DriftWatch]:
    """Of the workflow of an outer row what has changed, as its runs tell it (S6.7)."""
    return DriftWatch.objects.filter(workflow=OuterRef("workflow"), kind=kind, is_drifting=True).order_by()


def with_standing(workflows: QuerySet[Workflow]) -> QuerySet[Any]:
    """Adds `corrections_open`: those of the version that runs use; how many steps are `failing` more often than before;
    and how many seconds it takes by hand, where that was `stated_s`."""
    latest = WorkflowVersion.objects.filter(workflow=OuterRef("pk")).order_by("-number").values("number")[:1]
    since = (
        Correction.objects.filter(workflow=OuterRef("pk"), version_number=OuterRef("latest"))
        .order_by()
        .values("workflow")
        .annotate(n=Count("pk"))
        .values("n")
    )
    found = workflows.annotate(latest=Subquery(latest, IntegerField())).order_by("name")
    steps = DriftWatch.objects.filter(workflow=OuterRef("pk"), kind=Watched.STEP, is_drifting=True).order_by()
    failing = steps.values("workflow").annotate(n=Count("pk")).values("n")
    stated = HandTime.objects.filter(workflow_id=OuterRef("workflow_id")).values("seconds")[:1]
    return found.annotate(
        corrections_open=Coalesce(Subquery(since, IntegerField()), 0),
        failing=Coalesce(Subquery(failing, IntegerField()), 0),
        stated_s=Subquery(stated, IntegerField()),
    )


def _row(one: Known, now: Sums, bars: Sequence[Sums], steps: dict[Any, Sums], period: Period) -> Row:
    done = steps.get((one.workflow_id,), Counter())
    accepted = share(now["accepted"], now["suggestions"])
    return Row(
        name=one.name,
        url=f"{reverse('analytics_workflow', args=[one.workflow_id])}?days={period.days}",
        badge=LEARNING.get(one.learning_state),
        runs=panels.amount(now["runs"]),
        runs_url=runs_url(period, workflow=one.workflow_id),
        succeeded=panels.per_cent(share(panels.completed(now), now["runs"])),
        succeeded_url=runs_url(period, workflow=one.workflow_id, how="completed"),
        trend=charts.spark([share(panels.completed(bar), bar["runs"]) for bar in bars], "good"),
        step_url=panels.steps_url(period, workflow=one.workflow_id),
        step=panels.short_time(done["robot_us"] / done["steps"] / 1_000_000) if done["steps"] else "–",
        accepted=panels.per_cent(accepted, 0),
        wrong=panels.wrong_words(done),
        wrong_url=panels.steps_url(period, workflow=one.workflow_id, wrong=1),
    )
