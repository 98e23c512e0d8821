"""Stored steps looked at again: who asked, how far it is, what would differ, and asking for it (S6.17)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.core.paginator import Paginator
from django.db.models import Case, When
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from execution.choices import Origin
from execution.exceptions import BadReplay
from execution.models import Replay, ReplayDifference
from execution.pages.crops import Crop, crop
from execution.permissions import OPERATE, VIEW, VIEW_PICTURE
from execution.replay.answers import BREAKS, About, Passed, Verdict
from execution.replay.asking import ask_for, stop_it
from sentences.said import worded
from workflows.exceptions import DomainError
from workflows.graph import GraphSpec
from workflows.models import Workflow
from workflows.permissions import permitted
from workflows.pictures import PictureStore

REPLAYS = 25
ROWS = 25
FIRST = (Verdict.WRONG, Verdict.WORSE, Verdict.OTHER, Verdict.BETTER)
COLOURS = {Verdict.WRONG: "red", Verdict.WORSE: "amber", Verdict.OTHER: "grey", Verdict.BETTER: "green"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """A replay as a line of the list."""

    row: Replay
    breaks: int
    counts: list[tuple[str, Any, int]]
    is_stuck: bool  # nobody is at it


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One answer that differs, with both on the picture."""

    row: ReplayDifference
    about: Any
    verdict: Any
    colour: str
    was: Crop | None
    now: Crop | None
    was_said: str
    now_said: str
    why: str


@require_http_methods(["GET", "HEAD", "POST"])
@permitted(VIEW)
def replays(request: HttpRequest) -> HttpResponse:
    """The newest first; a POST asks for one."""
    if request.method == "POST":
        return replay_ask(request)
    found = Replay.objects.select_related("workflow", "version", "asked_by").defer("version__graph")
    page = Paginator(found, REPLAYS).get_page(request.GET.get("page"))
    told = [told_of(row) for row in page.object_list]
    context = {
        "nav": "learning",
        "tab": "replays",
        "page": page,
        "replays": told,
        "stuck": any(one.is_stuck for one in told),
        "at_work": any(not one.row.is_final for one in told),
        "workflows": Workflow.objects.filter(versions__isnull=False).distinct().order_by("name"),
    }
    part = request.headers.get("HX-Request") == "true"
    return render(request, "execution/learning/_replays.html" if part else "execution/learning/replays.html", context)


@permitted(OPERATE)
def replay_ask(request: HttpRequest) -> HttpResponse:
    said = request.POST
    try:
        replay = ask_for(
            workflow_id=said.get("workflow", ""),
            version=said.get("version", ""),
            runs=said.get("runs", ""),
            user=request.user,
            origin=Origin.PAGE,
        )
    except DomainError as error:
        messages.error(request, worded(error))
        return redirect("replays")
    messages.success(request, _("It is looked at as soon as a worker is free."))
    return redirect("replay", replay.replay_id)


@permitted(VIEW)
@permitted(VIEW_PICTURE)
@require_safe
def replay(request: HttpRequest, replay_id: str) -> HttpResponse:
    """What would differ: what was right before and would not be any more comes first."""
    row = get_object_or_404(Replay.objects.select_related("workflow", "version"), replay_id=replay_id)
    verdict, about = request.GET.get("verdict", ""), request.GET.get("about", "")
    found = row.differences.select_related("step__execution__version").defer("step__screen", "step__suggestion")
    if verdict in Verdict.values:
        found = found.filter(verdict=verdict)
    if about in About.values:
        found = found.filter(about=about)
    by_verdict = Case(*(When(verdict=one, then=n) for n, one in enumerate(FIRST)), default=len(FIRST))
    page = Paginator(found.order_by(by_verdict, "step_id", "pk"), ROWS).get_page(request.GET.get("page"))
    kept = request.GET.copy()
    kept.pop("page", None)
    context = {
        "nav": "learning",
        "tab": "replays",
        "told": told_of(row),
        "passed": [(Passed(why).label, n) for why, n in row.passed_over.items() if why in Passed.values],
        "page": page,
        "lines": _lines(page.object_list),
        "verdict": verdict,
        "about": about,
        "verdicts": [(one.value, one.label) for one in FIRST],
        "abouts": About.choices,
        "problem": worded(row.problem),
        "kept": kept.urlencode(),
    }
    return render(request, "execution/learning/replay.html", context)


@permitted(OPERATE)
@require_POST
def replay_stop(request: HttpRequest, replay_id: str) -> HttpResponse:
    try:
        stop_it(replay_id, user=request.user, origin=Origin.PAGE)
    except BadReplay as error:
        messages.error(request, worded(error))
    else:
        messages.success(request, _("It was stopped; what was found until then is kept."))
    return redirect("replays")


def told_of(row: Replay) -> Told:
    counts = [(one.value, one.label, row.of_verdict(one)) for one in FIRST]
    return Told(
        row=row,
        breaks=sum(row.of_verdict(one) for one in BREAKS),
        counts=[one for one in counts if one[2]],
        is_stuck=row.is_stuck,
    )


def _lines(rows: Any) -> list[Line]:
    store, graphs = PictureStore(), dict[int, GraphSpec]()
    return [_line(row, store, graphs) for row in rows]


def _line(row: ReplayDifference, store: PictureStore, graphs: dict[int, GraphSpec]) -> Line:
    digest, is_place = row.step.picture_before, row.about == About.PLACE
    version = row.step.execution.version
    if version.pk not in graphs:
        graphs[version.pk] = version.spec()
    return Line(
        row=row,
        about=About(row.about).label if row.about in About.values else row.about,
        verdict=Verdict(row.verdict).label if row.verdict in Verdict.values else row.verdict,
        colour=COLOURS.get(Verdict(row.verdict), "grey") if row.verdict in Verdict.values else "grey",
        was=crop(digest, row.was if is_place else None, store=store) if row.was or not is_place else None,
        now=crop(digest, row.now, store=store) if is_place and row.now else None,
        was_said="" if is_place else _screen(row.was, graphs[version.pk]),
        now_said="" if is_place else _screen(row.now, graphs[version.pk]),
        why=worded(row.why),
    )


def _screen(node_id: Any, graph: GraphSpec) -> str:
    node = graph.node(str(node_id)) if node_id else None
    return node.name if node else str(node_id) if node_id else _("none that is known")
