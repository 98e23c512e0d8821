"""The corrections of Learning: cards, what each did, and what people decide of them (S6.4, S6.17)."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.core.paginator import Paginator
from django.db.models import Case, Count, When
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from execution.actions.corrections import choose, put_correction
from execution.actions.merging import merge, planned
from execution.choices import CorrectionState, Origin, UseOutcome
from execution.exceptions import BadDecision, ExecutionError
from execution.lesson.begin_mending import teach_way
from execution.models import LearnedCorrection
from execution.pages.correction_cards import cards_of
from execution.pages.merge_diff import changes_of
from execution.permissions import VIEW, VIEW_PICTURE
from sentences.said import worded
from workflows.exceptions import DomainError
from workflows.models import Workflow
from workflows.parsing import whole_number
from workflows.permissions import DESIGN, PUBLISH, permitted

CARDS = 10
USES = 50
MOST_MERGED = 50
_FIRST = (
    CorrectionState.NEEDS_PERSON, CorrectionState.ON_TRIAL, CorrectionState.TRUSTED, CorrectionState.OFF,
    CorrectionState.MERGED,
)  # fmt: skip


@permitted(VIEW)
@permitted(VIEW_PICTURE)
@require_safe
def corrections(request: HttpRequest) -> HttpResponse:
    """What needs a person first, then the newest; by workflow and state."""
    workflow, state = request.GET.get("workflow", ""), request.GET.get("state", "")
    found = LearnedCorrection.objects.with_runs().select_related("pack__workflow")
    counts = LearnedCorrection.objects.order_by()
    if workflow:
        found, counts = found.of_workflow(workflow), counts.of_workflow(workflow)
    states = dict(counts.values_list("state").annotate(n=Count("pk")))
    if state in CorrectionState.values:
        found = found.filter(state=state)
    by_state = Case(*(When(state=one, then=n) for n, one in enumerate(_FIRST)), default=len(_FIRST))
    page = Paginator(found.order_by(by_state, "-pk"), CARDS).get_page(request.GET.get("page"))
    kept = request.GET.copy()
    kept.pop("page", None)
    cards = cards_of(list(page.object_list))
    corrected = Workflow.objects.filter(correction_pack__isnull=False).order_by("name")
    context = {
        "merges": request.user.has_perm(PUBLISH) and any(card.may_merge for card in cards),
        "nav": "learning",
        "tab": "corrections",
        "page": page,
        "cards": cards,
        "workflow": workflow,
        "state": state,
        "states": [(one.value, one.label, states.get(one.value, 0)) for one in _FIRST],
        "workflows": list(corrected.values_list("workflow_id", "name")),
        "kept": kept.urlencode(),
        "here": request.get_full_path(),
    }
    return render(request, "execution/learning/corrections.html", context)


@permitted(VIEW)
@permitted(VIEW_PICTURE)
@require_safe
def correction(request: HttpRequest, number: int) -> HttpResponse:
    """One of them, with the act that was ordered with it, each time it was used, and how that came out."""
    row = get_object_or_404(LearnedCorrection.objects.with_runs().select_related("pack__workflow"), pk=number)
    outcome = request.GET.get("outcome", "")
    uses = row.uses.select_related("step__execution").defer("step__screen").order_by("-used_at", "-pk")
    if outcome in UseOutcome.values:  # as they are counted on the card
        uses = uses.filter(outcome=outcome, ordered=False)
    context = {
        "nav": "learning",
        "tab": "corrections",
        "card": cards_of([row])[0],
        "outcome": outcome,
        "outcomes": UseOutcome.choices,
        "page": Paginator(uses, USES).get_page(request.GET.get("page")),
        "here": request.get_full_path(),
        "whole": True,
    }
    return render(request, "execution/learning/correction.html", context)


@permitted(DESIGN)
@require_POST
def correction_rule(request: HttpRequest, number: int) -> HttpResponse:
    """On trial, trusted or off, as somebody decides."""
    return _decided(request, put_correction, number, state=request.POST.get("state", ""))


@permitted(DESIGN)
@require_POST
def correction_choose(request: HttpRequest, number: int) -> HttpResponse:
    """Of two that contradict each other this one."""
    return _decided(request, choose, number)


@permitted(VIEW)
@permitted(VIEW_PICTURE)
@permitted(DESIGN)
@require_POST
def correction_teach(request: HttpRequest, number: int) -> HttpResponse:
    """A lesson on a way that a person went by hand; it becomes part of the workflow as anything that is taught."""
    row = get_object_or_404(LearnedCorrection.objects.select_related("pack__workflow"), pk=number)
    try:
        return redirect("teach", teach_way(row, user=request.user).lesson_id)
    except ExecutionError as error:
        messages.error(request, worded(error))
        return _back(request)


@permitted(PUBLISH)
@require_http_methods(["GET", "HEAD", "POST"])
def corrections_merge(request: HttpRequest) -> HttpResponse:
    """What those that were chosen (`c`) would change of the workflow, before it is published; a POST publishes it."""
    asked = (request.POST if request.method == "POST" else request.GET).getlist("c")
    numbers = [number for one in asked[:MOST_MERGED] if (number := whole_number(one)) is not None]
    try:
        if request.method == "POST":
            version = merge(numbers, user=request.user, note=request.POST.get("note", ""), origin=Origin.PAGE)
            messages.success(request, _("Published as version %(n)d.") % {"n": version.number})
            return redirect("workflow", version.workflow.workflow_id)
        plan, problem = planned(numbers), ""
    except DomainError as error:
        if request.method == "POST":
            messages.error(request, worded(error))
            return redirect("corrections")
        plan, problem = None, worded(error)
    changes = changes_of(plan) if plan else []
    context = {"nav": "learning", "tab": "corrections", "plan": plan, "changes": changes, "problem": problem}
    return render(request, "execution/learning/merge.html", context)


def _decided(request: HttpRequest, decide: Any, number: int, **more: Any) -> HttpResponse:
    said = {"was": request.POST.get("was", ""), "reason": request.POST.get("reason", "")}
    try:
        row = decide(correction_id=number, user=request.user, origin=Origin.PAGE, **said, **more)
    except BadDecision as error:
        messages.error(request, worded(error))
    else:
        words = _("Correction %(n)d is %(state)s from now on.")
        messages.success(request, words % {"n": row.pk, "state": row.get_state_display()})
    return _back(request)


def _back(request: HttpRequest) -> HttpResponse:
    """To the page where it was decided."""
    to = request.POST.get("back", "")
    own = url_has_allowed_host_and_scheme(to, {request.get_host()}, require_https=request.is_secure())
    return redirect(to if own else "corrections")
