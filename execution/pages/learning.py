"""Learning: what the runs prove of each workflow, what has changed, and who trusted it more or less, and why (S6.8)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_POST, require_safe

from execution.actions.prototypes import put_back
from execution.actions.trust import promote, take_back
from execution.assistant.phrases import capital
from execution.choices import Origin, Watched
from execution.exceptions import NotProved
from execution.learning.promotion import Proposal, promised
from execution.models import DriftWatch, Step
from execution.permissions import VIEW
from execution.record.drifting import begin_anew, name_of
from execution.record.standing import Proved, proved
from sentences.said import worded
from workflows.badges import LEARNING, Badge
from workflows.choices import LearningState
from workflows.models import TrustChange, Workflow
from workflows.permissions import DESIGN, permitted

LOGGED = 30
# Of what steps must be proved to, so that a run in automatic does not ask there.
LEVELS = ((0.0, gettext_lazy("never")), (0.5, "50 %"), (0.7, "70 %"), (0.8, "80 %"), (0.9, "90 %"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Drift:
    """One screen or step that has changed, or seems to."""

    watch: DriftWatch
    name: str
    recent: str
    mend: str  # where it is mended: on the step that told it, else by teaching

    @property
    def anchor(self) -> str:
        """Its name in the drawing of the workflow (`workflows.drawing`)."""
        return f"{'node' if self.watch.kind == Watched.SCREEN else 'edge'}-{self.watch.name}"

    @property
    def word(self) -> str:
        return _("has changed") if self.watch.is_drifting else _("may be changing")

    @property
    def said(self) -> str:
        """What there is to it, in a line."""
        recent = {"recent": self.recent}
        if self.watch.kind == Watched.SCREEN:
            what = _("sure, the last times: %(recent)s %%") % recent
        else:
            what = _("verified, the last times: %(recent)s") % recent
        return _("%(label)s: %(what)s") % {"label": capital(self.word), "what": what}


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """A workflow with all that its runs say of it, worded."""

    workflow: Workflow
    badge: Badge
    evidence: str
    proposal: Proposal | None
    to: str
    lacks: Sequence[str]
    drifts: Sequence[Drift]
    steps: Sequence[tuple[str, int, int, int]]  # name, right, of, at least, in per cent

    @property
    def has_drifted(self) -> bool:
        return any(one.watch.is_drifting for one in self.drifts)

    @property
    def marks(self) -> dict[str, dict[str, str | bool]]:
        """What the drawing of the workflow marks, and with which words."""
        return {
            one.anchor: {"word": one.word, "said": one.said, "changed": one.watch.is_drifting} for one in self.drifts
        }

    @property
    def weight(self) -> tuple[bool, bool, str]:
        """What somebody can do comes first."""
        return (not self.drifts, not (self.proposal and self.proposal.is_due), self.workflow.name)


def standing_of(workflow: Workflow) -> Standing:
    return standings_of([workflow])[0]


def standings_of(workflows: Iterable[Workflow]) -> list[Standing]:
    """Of each of them, in as many queries as for one."""
    known = proved(workflows)
    told = [(row.execution_id, row.step) for one in known for row in one.watches]
    steps = Step.objects.filter(
        execution__execution_id__in={run for run, _step in told}, index__in={s for _r, s in told}
    )
    there = set(steps.order_by().values_list("execution__execution_id", "index")) if told else set()
    return [_worded(one, there) for one in known]


def _worded(known: Proved, there: Collection[tuple[str, int]]) -> Standing:
    """`there`: the steps, of which run, that are still kept."""
    workflow, graph, evidence, proposal = known.workflow, known.graph, known.evidence, known.proposal()
    return Standing(
        workflow=workflow,
        badge=LEARNING[workflow.learning_state],
        evidence=worded(evidence.sentence()),
        proposal=proposal,
        to=str(LearningState(proposal.to).label) if proposal else "",
        lacks=[worded(one) for one in proposal.lacks] if proposal else [],
        drifts=[
            Drift(watch=row, name=name_of(row, graph), recent=_recent(row), mend=_mend(row, workflow, there))
            for row in known.watches
            if graph and row.action != "none"
        ],
        steps=[
            (evidence.names[edge], one.good, one.of, round(100 * promised(one.least)))
            for edge, one in evidence.steps.items()
        ],
    )


def _recent(row: DriftWatch) -> str:
    """The last ten, as people read them."""
    if row.kind == Watched.STEP:
        return " ".join("✓" if one else "✗" for one in row.recent)
    return " · ".join(f"{100 * one:.0f}" for one in row.recent)


def _mend(row: DriftWatch, workflow: Workflow, there: Collection[tuple[str, int]]) -> str:
    if (row.execution_id, row.step) in there:
        return reverse("teach_mend", args=[row.execution_id, row.step])
    return f"{reverse('teach_new')}?{urlencode({'workflow': workflow.workflow_id})}"


@permitted(VIEW)
@require_safe
def learning(request: HttpRequest) -> HttpResponse:
    workflows = Workflow.objects.filter(versions__isnull=False).distinct()
    log = list(TrustChange.objects.select_related("workflow", "user")[:LOGGED])
    newest: dict[int, int] = {}
    for change in log:
        newest.setdefault(change.workflow_id, change.pk)
    context = {
        "nav": "learning",
        "standings": sorted(standings_of(workflows), key=lambda one: one.weight),
        "log": [
            (
                change,
                LEARNING[change.state],
                newest[change.workflow_id] == change.pk,
                worded(change.reason),
                worded(change.evidence),
            )
            for change in log
        ],
    }
    return render(request, "execution/learning.html", context)


@permitted(DESIGN)
@require_POST
def learning_promote(request: HttpRequest, workflow_id: str) -> HttpResponse:
    workflow = Workflow.objects.by_id(workflow_id)
    try:
        change = promote(workflow=workflow, to=request.POST.get("to", ""), user=request.user, origin=Origin.PAGE)
    except NotProved as error:
        messages.error(request, worded(error))
    else:
        words = {"name": workflow.name, "state": change.get_state_display()}
        messages.success(request, _("“%(name)s” is trusted further: %(state)s.") % words)
    return redirect("learning")


@permitted(DESIGN)
@require_POST
def learning_take_back(request: HttpRequest, pk: int) -> HttpResponse:
    change = get_object_or_404(TrustChange, pk=pk)
    try:
        reason = request.POST.get("reason", "")
        back = take_back(change=change, user=request.user, reason=reason, origin=Origin.PAGE)
    except NotProved as error:
        messages.error(request, worded(error))
    else:
        words = {"name": change.workflow.name, "state": back.get_state_display()}
        messages.success(request, _("“%(name)s” is trusted as before: %(state)s.") % words)
    return redirect("learning")


@permitted(DESIGN)
@require_POST
def learning_begin_anew(request: HttpRequest, pk: int) -> HttpResponse:
    """It is as it should be: watched anew, and a screen looks as it was taught again."""
    row = get_object_or_404(DriftWatch, pk=pk)
    begin_anew(row)
    if row.kind == Watched.SCREEN:
        put_back(workflow=row.workflow, node_id=row.name, user=request.user, origin=Origin.PAGE)
    messages.success(request, _("What is seen there from now on counts as usual."))
    return redirect("learning")


@permitted(DESIGN)
@require_POST
def learning_ask(request: HttpRequest, workflow_id: str) -> HttpResponse:
    """From which level on runs in automatic work alone at a step; it counts for those that are started from now on."""
    workflow = Workflow.objects.by_id(workflow_id)
    asked = request.POST.get("ask_below", "")
    level = next((value for value, _words in LEVELS if f"{value:g}" == asked), None)
    if level is None:
        messages.error(request, _("There is no such level."))
    else:
        Workflow.objects.filter(pk=workflow.pk).update(ask_below=level)
        messages.success(request, _("It counts for runs that are started from now on."))
    return redirect("workflow", workflow_id)


def levels(workflow: Workflow) -> list[tuple[str, Any, bool]]:
    """Value, words, and whether it is the workflow's own."""
    return [(f"{value:g}", words, abs(value - workflow.ask_below) < 1e-9) for value, words in LEVELS]
