"""The robots: which run loops live, on which desktop, and what they do; and the GPU that they share."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from execution.choices import ON_DESKTOP
from execution.models import Execution, Robot
from execution.pages.listing import badge, listed
from execution.pages.pictures import VIEW_ROBOT
from execution.pages.robot_texts import eyes_in_words
from execution.running import live_picture
from gpu.pages.board import gpu_context
from sentences.said import worded
from workflows.permissions import permitted


@permitted(VIEW_ROBOT)
@require_safe
def robots(request: HttpRequest) -> HttpResponse:
    """Those alive first, with their live picture; then those that went, with when and why."""
    at_work = {e.robot_id: e for e in listed(Execution.objects.filter(state__in=ON_DESKTOP, robot__isnull=False))}
    everyone = list(Robot.objects.order_by("name"))
    alive = [described(robot, at_work.get(robot.pk)) for robot in everyone if robot.is_alive]
    gone = sorted((r for r in everyone if not r.is_alive), key=lambda r: r.heartbeat_at, reverse=True)
    template = "execution/_robots_board.html" if request.GET.get("board") else "execution/robots.html"
    queued = Execution.objects.queued().count()
    context = {"alive": alive, "gone": gone, "queued": queued, **gpu_context(request.user)}
    return render(request, template, context)


def described(robot: Robot, execution: Execution | None) -> dict[str, object]:
    return {
        "robot": robot,
        "execution": execution,
        "badge": badge(execution) if execution else None,
        "has_picture": live_picture.path_of(robot.name).exists(),
        "eyes": eyes_in_words(robot.perception),
        "problems": [worded(problem) for problem in robot.perception.get("problems") or ()],
        "warnings": [worded(w.get("message", "")) for w in robot.warnings.values() if isinstance(w, dict)],
    }
