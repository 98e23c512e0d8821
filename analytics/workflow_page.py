"""One workflow: which version did better, what is slow or flaky, how targets are found, which screens changed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.formats import number_format
from django.utils.safestring import SafeString

from analytics import charts, panels
from analytics.attention import Item, Known, items, sure
from analytics.figures import Sums, by_bar, regrouped, share, summed, total
from analytics.hand_times import ByHand, by_hand
from analytics.marks import last_wrong
from analytics.panels import Card, Chart, Way, runs_url, steps_url
from analytics.period import Period
from analytics.rollups import RUNS, STEPS
from execution.choices import Watched
from execution.language.acts import say_act
from execution.models import DriftWatch
from sentences.said import worded
from workflows.graph import GraphSpec
from workflows.models import Workflow

MOST_STEPS = 15


@dataclass(frozen=True, slots=True, kw_only=True)
class VersionRow:
    number: int
    runs: str
    url: str
    alone: str
    alone_url: str
    succeeded: str
    succeeded_url: str
    failed: str
    failed_url: str
    accepted: str
    wrong: str
    wrong_url: str


@dataclass(frozen=True, slots=True, kw_only=True)
class StepRow:
    """An action: how often, how long, and what goes wrong with it."""

    words: str
    screen: str
    url: str
    done: str
    seconds: str
    time: SafeString  # its share of all the robot's time
    failed: str
    failed_url: str
    retries: str
    retries_url: str
    unverified: str
    unverified_url: str
    wrong: str
    wrong_url: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ScreenRow:
    name: str
    url: str
    visits: str
    now: str
    before: str
    changed: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkflowPage:
    workflow: Workflow
    period: Period
    cards: Sequence[Card]
    chart: Chart
    items: Sequence[Item]
    versions: Sequence[VersionRow]
    steps: Sequence[StepRow]
    screens: Sequence[ScreenRow]
    ways: Sequence[Way]
    ways_words: str
    hand: ByHand | None
    any_runs: bool

    @property
    def hand_minutes(self) -> str:
        return number_format(f"{self.hand.seconds / 60:.1f}") if self.hand else ""


def workflow_page(workflow: Any, period: Period, *, may_teach: bool) -> WorkflowPage:
    """`workflow` is a Workflow `with_standing`."""
    only = {"workflow_id": workflow.workflow_id}
    periods = [period, period.before]
    runs = summed(RUNS, periods, ("workflow_id", "version"), **only)
    steps = summed(STEPS, periods, ("workflow_id", "node_id", "edge_id", "rung"), **only)
    bars = by_bar(RUNS, period, (), panels.RUN_NAMES, **only).get((), [Counter() for _bar in period.bars])
    hand = by_hand({workflow.workflow_id: workflow.stated_s}).get(workflow.workflow_id)
    graph = _graph(workflow)
    drifted = DriftWatch.objects.filter(workflow=workflow, kind=Watched.SCREEN, is_drifting=True)
    last = last_wrong(execution__version__workflow=workflow)
    known = Known(
        workflow_id=workflow.workflow_id,
        name=workflow.name,
        learning_state=workflow.learning_state,
        screens={node.node_id: node.name for node in graph.nodes} if graph else {},
        corrections=workflow.corrections_open,
        drifted=list(drifted.values_list("name", flat=True)),
        failing=workflow.failing,
    )
    now, before = total(runs[0]), total(runs[1])
    here = {"workflow": workflow.workflow_id}
    given = panels.time_given(
        {workflow.workflow_id: now["alone"]}, {workflow.workflow_id: hand} if hand is not None else {}
    )
    screens = regrouped(steps[0], 0, 1), regrouped(steps[1], 0, 1)
    by_rung = regrouped(steps[0], 3)
    return WorkflowPage(
        workflow=workflow,
        period=period,
        cards=panels.cards(now, before, bars, period, given=given, steps=total(steps[0]), last=last, **here),
        chart=panels.runs_chart(bars, period, **here),
        items=items(
            [known], (regrouped(runs[0], 0), regrouped(runs[1], 0)), screens, period, may_teach=may_teach
        ),
        versions=[
            _version(key[1], sums, period, here) for key, sums in sorted(runs[0].items(), key=lambda one: -one[0][1])
        ],
        steps=_steps(regrouped(steps[0], 1, 2), graph, known, period),
        screens=_screens(screens, known, period),
        ways=panels.ways(by_rung, period, **here),
        ways_words=panels.ways_words(by_rung),
        hand=hand,
        any_runs=bool(now["runs"] or before["runs"]),
    )  # fmt: skip


def _graph(workflow: Workflow) -> GraphSpec | None:
    version = workflow.versions.order_by("-number").first()
    return version.spec() if version else None


def _version(number: int, sums: Sums, period: Period, here: Mapping[str, str]) -> VersionRow:
    return VersionRow(
        number=number,
        runs=panels.amount(sums["runs"]),
        url=runs_url(period, version=number, **here),
        alone=panels.per_cent(share(sums["alone"], sums["runs"])),
        alone_url=runs_url(period, version=number, how="alone", **here),
        succeeded=panels.per_cent(share(panels.completed(sums), sums["runs"])),
        succeeded_url=runs_url(period, version=number, how="completed", **here),
        failed=panels.amount(sums["failed"]),
        failed_url=runs_url(period, version=number, how="failed", **here),
        accepted=panels.per_cent(share(sums["accepted"], sums["suggestions"]), 0),
        wrong=panels.amount(sums["wrong"]),
        wrong_url=runs_url(period, version=number, how="wrong", **here),
    )


def _steps(
    by_edge: Mapping[tuple[Any, ...], Sums], graph: GraphSpec | None, known: Known, period: Period
) -> list[StepRow]:
    """Those that took most of the time first."""
    edges = {edge.edge_id: edge for edge in graph.edges} if graph else {}
    acted = {key: sums for key, sums in by_edge.items() if key[1]}
    whole = sum(sums["robot_us"] for sums in acted.values()) or 1
    here = {"workflow": known.workflow_id}
    longest = sorted(acted.items(), key=lambda one: -one[1]["robot_us"])[:MOST_STEPS]
    return [
        StepRow(
            words=worded(say_act(edges[edge_id], graph, {})) if graph and edge_id in edges else edge_id,
            screen=known.screens.get(node_id, node_id),
            url=steps_url(period, edge=edge_id, **here),
            done=panels.amount(sums["steps"]),
            seconds=panels.short_time(sums["robot_us"] / sums["steps"] / 1_000_000),
            time=charts.strip(100 * sums["robot_us"] / whole),
            failed=panels.per_cent(share(sums["steps"] - sums["succeeded"], sums["steps"])),
            failed_url=steps_url(period, edge=edge_id, failed=1, **here),
            retries=panels.amount(sums["retries"]),
            retries_url=steps_url(period, edge=edge_id, retried=1, **here),
            unverified=panels.per_cent(share(sums["unverified"], sums["steps"])),
            unverified_url=steps_url(period, edge=edge_id, verified="no", **here),
            wrong=panels.amount(sums["wrong"]),
            wrong_url=steps_url(period, edge=edge_id, wrong=1, **here),
        )
        for (node_id, edge_id), sums in longest
    ]


def _screens(
    screens: tuple[Mapping[Any, Sums], Mapping[Any, Sums]], known: Known, period: Period
) -> list[ScreenRow]:  # fmt: skip
    """The least sure first."""
    rows = []
    for (_workflow, node_id), sums in sorted(screens[0].items(), key=lambda one: sure(one[1])):
        if not node_id or not sums["recognised"]:
            continue
        was = screens[1].get((_workflow, node_id), Counter())
        rows.append(
            ScreenRow(
                name=known.screens.get(node_id, node_id),
                url=steps_url(period, workflow=known.workflow_id, node=node_id),
                visits=panels.amount(sums["recognised"]),
                now=number_format(f"{sure(sums):.2f}"),
                before=number_format(f"{sure(was):.2f}") if was["recognised"] else "–",
                changed=bool(was["recognised"]) and sure(sums) < sure(was) - 0.05,
            )
        )
    return rows
