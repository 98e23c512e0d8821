"""The robots: which run loops live, on which desktop, and what they do; and the GPU that they share."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_POST, require_safe

from execution.actions.maintain import set_maintenance, set_tags
from execution.choices import ON_DESKTOP
from execution.models import AbilityOrigin, Execution, Robot
from execution.pages.listing import badge, listed
from execution.pages.pictures import VIEW_ROBOT
from execution.pages.robot_texts import connection_of, eyes_in_words
from execution.permissions import OPERATE
from execution.running import live_picture
from gpu.pages.board import gpu_context
from sentences.said import worded
from workflows.choices import AbilityKind
from workflows.permissions import DESIGN, permitted

MOST = 50  # tags of a robot


@permitted(VIEW_ROBOT)
@require_safe
def robots(request: HttpRequest) -> HttpResponse:
    """Those alive first, with their live picture; then those that went, with when and why."""
    at_work = {e.robot_id: e for e in listed(Execution.objects.filter(state__in=ON_DESKTOP, robot__isnull=False))}
    everyone = list(Robot.objects.order_by("name").prefetch_related("abilities"))
    alive = [described(robot, at_work.get(robot.pk)) for robot in everyone if robot.is_alive]
    gone = sorted((r for r in everyone if not r.is_alive), key=lambda r: r.heartbeat_at, reverse=True)
    template = "execution/_robots_board.html" if request.GET.get("board") else "execution/robots.html"
    queued = Execution.objects.queued().count()
    context = {
        "alive": alive,
        "gone": [{"robot": one, "connection": connection_of(one)} for one in gone],
        "queued": queued,
        **gpu_context(request.user),
    }
    context |= {"may_maintain": request.user.has_perm(OPERATE), "may_tag": request.user.has_perm(DESIGN)}
    return render(request, template, context)


@permitted(OPERATE)
@require_POST
def robot_maintenance(request: HttpRequest, name: str) -> HttpResponse:
    """It takes nothing new from now on, or it may again."""
    set_maintenance(robot=get_object_or_404(Robot, name=name), on=request.POST.get("on") == "1", user=request.user)
    return redirect("robots")


@permitted(DESIGN)
@require_POST
def robot_tags(request: HttpRequest, name: str) -> HttpResponse:
    """The tags that it has by this page, with commas between."""
    set_tags(
        robot=get_object_or_404(Robot, name=name),
        tags=request.POST.get("tags", "").split(",")[:MOST],
        user=request.user,
    )
    return redirect("robots")


def described(robot: Robot, execution: Execution | None) -> dict[str, object]:
    return {
        "robot": robot,
        "execution": execution,
        "badge": badge(execution) if execution else None,
        "has_picture": live_picture.path_of(robot.name).exists(),
        **abilities(robot),
        "connection": connection_of(robot),
        "eyes": eyes_in_words(robot.perception),
        "problems": [worded(problem) for problem in robot.perception.get("problems") or ()],
        "warnings": [worded(w.get("message", "")) for w in robot.warnings.values() if isinstance(w, dict)],
    }


def abilities(robot: Robot) -> dict[str, list[str]]:
    """What it has, by name: its tags, those of them that this page gave it, its programs."""
    has = list(robot.abilities.all())
    tags = [one for one in has if one.kind == AbilityKind.TAG]
    return {
        "tags": sorted({one.name for one in tags}),
        "own_tags": [one.name for one in tags if one.origin == AbilityOrigin.PAGE],
        "programs": [one.name for one in has if one.kind == AbilityKind.PROGRAM],
    }
