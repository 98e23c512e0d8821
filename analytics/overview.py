"""The overview: can it be trusted, is it getting better, what should somebody do today (S7.3)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, Exists, IntegerField, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.urls import reverse
from django.utils.safestring import SafeString

from analytics import charts, panels
from analytics.attention import Item, Known, items
from analytics.figures import Span, Sums, by_bar, merged, regrouped, share, summed, total
from analytics.hand_times import by_hand
from analytics.marks import last_wrong
from analytics.models import HandTime
from analytics.panels import Card, Chart, Way, runs_url
from analytics.period import Period
from analytics.rollups import RUNS, STEPS
from execution.choices import Watched
from execution.models import DriftWatch
from workflows.badges import LEARNING, Badge
from workflows.models import Correction, Node, Workflow, WorkflowVersion

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
    spans = [Span(period.begin, period.end), Span(period.before.begin, period.before.end)]
    runs = summed(RUNS, spans, ("workflow_id",))
    (steps,) = summed(STEPS, spans[:1], ("workflow_id", "node_id", "rung"), SHOWN)
    (screens_before,) = summed(STEPS, spans[1:], ("workflow_id", "node_id"), SURE)
    bars = by_bar(RUNS, period.bounds, ("workflow_id",), panels.RUN_NAMES)
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
