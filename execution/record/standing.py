"""What the last runs prove of a workflow and of each of its steps, from their rows (S6.8)."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import reduce
from operator import or_
from typing import Any

from django.db.models import OuterRef, Q, Subquery

from execution.choices import PERFORMED, CorrectionState, Feedback, Outcome, PromptKind, StepPhase, Verified, Watched
from execution.learning.overlay import fits
from execution.learning.promotion import WINDOW, Evidence, Proposal, Tally, Trial, proposed, tally
from execution.models import Decision, DriftWatch, Execution, LearnedCorrection, Step, StepMark
from execution.record.corrections import as_taught
from execution.record.drifting import name_of
from execution.types import Choice, DecisionSource
from workflows.choices import LearningState
from workflows.graph import CALL, EdgeSpec, GraphSpec
from workflows.models import Workflow, WorkflowVersion
from workflows.words import sentence

# The robot asked what to do, or whether; where it asks what came of an act, the act speaks for itself.
_JUDGED = (PromptKind.COACHING, PromptKind.CONFIRMATION, PromptKind.TARGET)
_AT_ONCE = 200  # workflows in one query


def evidence_of(workflow: Workflow, *, since: datetime | None = None) -> Evidence:
    """Of the newest version's steps, over its last runs; of a step that was taught otherwise before, only since then.

    `since`: only what was done after that.
    """
    version = workflow.versions.order_by("-number").first()
    if version is None:
        return Evidence()
    return _evidence(version.spec(), _trials([version], since=since)[workflow.pk])


def _evidence(graph: GraphSpec, trials: list[Trial]) -> Evidence:
    names = {edge.edge_id: sentence(edge, graph) for edge in graph.edges if is_act(edge)}
    return Evidence.of(trials, names)


def is_act(edge: EdgeSpec) -> bool:
    """Not where another workflow begins or is over: that does nothing, and its own steps are counted."""
    return not edge.returns and edge.action_type != CALL


def tally_of(execution: Execution, edge_id: str) -> Tally:
    """Of one step, as the version of this run has it."""
    return tally(_trials([execution.version], edge_id=edge_id)[execution.version.workflow_id])


def drifting(workflow: Workflow, graph: GraphSpec) -> list[str]:
    """The names of the screens and steps of that graph that have changed."""
    rows = DriftWatch.objects.filter(workflow=workflow, is_drifting=True)
    return [name_of(row, graph) for row in _there(rows, graph)]


def _there(rows: Iterable[DriftWatch], graph: GraphSpec) -> list[DriftWatch]:
    """Those of screens and steps that the graph still has."""
    known = {Watched.SCREEN: {n.node_id for n in graph.nodes}, Watched.STEP: {e.edge_id for e in graph.edges}}
    return [row for row in rows if row.name in known[Watched(row.kind)]]


def open_corrections(workflow: Workflow) -> int:
    """Those that did not prove right yet, or that a person must decide about; of what was taught anew since no run says
    anything any more."""
    version = workflow.versions.order_by("-number").first()
    return _open_corrections({workflow.pk: version.spec()})[workflow.pk] if version else 0


def _open_corrections(graphs: Mapping[int, GraphSpec]) -> Counter[int]:
    """By workflow."""
    undecided = (CorrectionState.ON_TRIAL, CorrectionState.NEEDS_PERSON)
    rows = LearnedCorrection.objects.filter(pack__workflow__in=list(graphs), state__in=undecided)
    of = ((row.pack.workflow_id, as_taught(row)) for row in rows.with_runs().select_related("pack").defer("box"))
    return Counter(pk for pk, taught in of if fits(graphs[pk], taught))


@dataclass(frozen=True, slots=True, kw_only=True)
class Proved:
    """What the runs of a workflow say of its newest version; `graph` is None where nothing was published."""

    workflow: Workflow
    graph: GraphSpec | None
    evidence: Evidence
    corrections: int
    watches: Sequence[DriftWatch]  # what has changed of it, or may be changing: the worst first

    def proposal(self) -> Proposal | None:
        """What may be proposed to a person, as `proposal_for` says."""
        if self.graph is None:
            return None
        changed = [name_of(row, self.graph) for row in self.watches if row.is_drifting]
        return _proposed(self.workflow, self.evidence, self.corrections, changed)


def proved(workflows: Iterable[Workflow]) -> list[Proved]:
    """Of each of them, in as many queries as for one."""
    workflows = list(workflows)
    versions = list(WorkflowVersion.objects.newest().filter(workflow__in=workflows))
    graphs = {version.workflow_id: version.spec() for version in versions}
    trials, corrections = _trials(versions), _open_corrections(graphs)
    watches: dict[int, list[DriftWatch]] = defaultdict(list)
    told = Q(is_drifting=True) | ~Q(action="none")
    for row in DriftWatch.objects.filter(told, workflow__in=workflows).order_by("-is_drifting", "-severity"):
        watches[row.workflow_id].append(row)
    return [
        Proved(
            workflow=one,
            graph=(graph := graphs.get(one.pk)),
            evidence=_evidence(graph, trials[one.pk]) if graph else Evidence(),
            corrections=corrections[one.pk],
            watches=_there(watches[one.pk], graph) if graph else [],
        )
        for one in workflows
    ]


def proposal_for(workflow: Workflow, evidence: Evidence | None = None) -> Proposal | None:
    """What may be proposed to a person, and what lacks for it; None without a version, or at the highest state."""
    version = workflow.versions.order_by("-number").first()
    if version is None:
        return None
    evidence = evidence if evidence is not None else evidence_of(workflow)
    return _proposed(workflow, evidence, open_corrections(workflow), drifting(workflow, version.spec()))


def _proposed(workflow: Workflow, evidence: Evidence, corrections: int, changed: list[str]) -> Proposal | None:
    state, ask_below = LearningState(workflow.learning_state), workflow.ask_below
    return proposed(state, evidence, corrections=corrections, drifting=changed, ask_below=ask_below)


def _trials(
    versions: Collection[WorkflowVersion], *, edge_id: str = "", since: datetime | None = None
) -> defaultdict[int, list[Trial]]:
    """By workflow, of which each of these versions is another's."""
    now = {version.workflow_id: version for version in versions}
    last = {pk: (of, version) for pk, of, version in _newest_runs(list(now))}
    steps = Step.objects.filter(execution__in=list(last), phase=StepPhase.CLOSED).exclude(edge_id="")
    if edge_id:
        steps = steps.filter(edge_id=edge_id)
    if since is not None:
        steps = steps.filter(ended_at__gt=since)
    rows = list(steps.values("pk", "execution_id", "edge_id", "outcome", "verified", "agreed"))
    same = _unchanged(set(last.values()), now)
    rows = [row for row in rows if (last[row["execution_id"]][1], row["edge_id"]) in same]
    marks, decisions = _marks(rows), _decisions(rows)
    found: defaultdict[int, list[Trial]] = defaultdict(list)
    for row in rows:
        good = _is_good(row, marks.get(row["pk"]), decisions.get(row["pk"]))
        if good is not None:
            found[last[row["execution_id"]][0]].append(Trial(row["execution_id"], row["edge_id"], good))
    return found


def _newest_runs(workflows: Sequence[int]) -> Iterator[tuple[int, int, int]]:
    """The last runs of each workflow, with it and their version: some of those did nothing that says anything. Of
    hundreds of thousands no others are read."""
    runs = Execution.objects.filter(started_at__isnull=False)
    most, of = 2 * WINDOW, ("version__workflow_id", "version_id")
    if len(workflows) == 1:
        yield from runs.filter(version__workflow=workflows[0]).order_by("-pk").values_list("pk", *of)[:most]
        return
    of_each = runs.filter(version__workflow=OuterRef("pk")).order_by("-pk").values("pk")[most - 1 : most]
    for start in range(0, len(workflows), _AT_ONCE):
        some = Workflow.objects.filter(pk__in=workflows[start : start + _AT_ONCE])
        since = some.annotate(first=Subquery(of_each)).values_list("pk", "first")
        wanted = reduce(or_, (Q(version__workflow=pk, pk__gte=first or 0) for pk, first in since), Q(pk__in=[]))
        yield from runs.filter(wanted).order_by().values_list("pk", *of)


def _is_good(row: Mapping[str, Any], mark: str | None, decision: Mapping[str, Any] | None) -> bool | None:
    """Whether the robot was right; None where that step says nothing of it.

    What a person says afterwards comes first; that it was right they can say only of what the robot did, or would have
    done. What a person put something else in the place of was not right; nobody's
    answer in time says nothing. An act that was done and could not be verified is no verified one.
    """
    if mark and (mark != Feedback.CORRECT or row["outcome"] in PERFORMED | {Outcome.OBSERVED}):
        return mark == Feedback.CORRECT
    if row["outcome"] == Outcome.OBSERVED:
        agreed: bool | None = row["agreed"]
        return agreed
    if decision and decision["source"] == DecisionSource.POLICY:
        return None
    if decision and decision["choice"] in (Choice.REJECT, Choice.MANUAL, Choice.SKIP):
        return False
    if decision and decision["choice"] == Choice.CORRECT and decision["correction"]:
        return False
    if row["outcome"] == Outcome.SUCCEEDED:
        return row["verified"] == Verified.YES if row["verified"] else None
    return False if row["outcome"] == Outcome.FAILED else None


def _marks(rows: Iterable[Mapping[str, Any]]) -> dict[int, str]:
    of = StepMark.objects.filter(step__in=[row["pk"] for row in rows]).order_by("marked_at", "pk")
    return dict(of.values_list("step_id", "feedback"))  # the newest of a step is put last


def _decisions(rows: Iterable[Mapping[str, Any]]) -> dict[int, Mapping[str, Any]]:
    of = Decision.objects.filter(prompt__step__in=[row["pk"] for row in rows], prompt__kind__in=_JUDGED)
    found = of.order_by("decided_at", "pk").values("prompt__step_id", "choice", "source", "correction")
    return {row["prompt__step_id"]: row for row in found}


def _unchanged(ran: set[tuple[int, int]], now: Mapping[int, WorkflowVersion]) -> set[tuple[int, str]]:
    """Which steps of the versions that ran, each with its workflow, are taught as they are now: a step that was mended
    must prove itself anew."""
    wanted = {pk: {edge["edge_id"]: edge for edge in version.graph["edges"]} for pk, version in now.items()}
    found: set[tuple[int, str]] = {(version.pk, edge_id) for pk, version in now.items() for edge_id in wanted[pk]}
    earlier = {version for _of, version in ran} - {version.pk for version in now.values()}
    for version in WorkflowVersion.objects.filter(pk__in=earlier):
        taught = wanted[version.workflow_id]
        found |= {(version.pk, e["edge_id"]) for e in version.graph["edges"] if taught.get(e["edge_id"]) == e}
    return found
