"""The robots: which run loops live, on which desktop, and what they do; and the GPU that they share."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.template.defaultfilters import filesizeformat
from django.utils.dateparse import parse_datetime
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_POST, require_safe

from execution.actions.maintain import set_maintenance, set_tags
from execution.choices import ON_DESKTOP
from execution.models import AbilityOrigin, Execution, Robot
from execution.models.robot import Connection
from execution.pages.listing import badge, listed
from execution.pages.pictures import VIEW_ROBOT
from execution.perception.harmless import CARET, CLOCK, MASK
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


# What a robot tells of its eyes, in words for the robots page (S2.6).


def eyes_in_words(report: Mapping[str, Any]) -> list[str]:
    """Which parts look at the screen, and how often a screen was known; empty before its models are loaded."""
    return [_parts(report), *_cache(report.get("cache") or {})] if report else []


def connection_of(robot: Robot) -> dict[str, Any]:
    """How the connection to a desktop elsewhere is; empty for one of its own machine.

    A robot that was told to leave, or that died, holds no connection any more, whatever it said last.
    """
    told = robot.connection
    if not told or (told.get("state") == Connection.CONNECTED and not robot.is_alive):
        return {}
    return {
        "state": told.get("state"),
        "since": parse_datetime(told.get("since") or ""),
        "cuts": told.get("cuts") or 0,
        "tries": told.get("tries") or 0,
        "why": worded(told.get("why") or ""),
    }


def _parts(report: Mapping[str, Any]) -> str:
    reader, detector, embedder = report.get("reader"), report.get("detector"), report.get("embedder")
    said = [
        _("Text: %(name)s.") % {"name": reader} if reader else _("No text is read."),
        _("Elements: %(name)s.") % {"name": detector} if detector else _("No elements are detected."),
        _("Looks: %(name)s.") % {"name": embedder} if embedder else _("Looks are not compared."),
    ]
    return " ".join(said)


def _cache(counts: Mapping[str, Any]) -> list[str]:
    near: Mapping[str, int] = counts.get("near") or {}
    exact, misses = counts.get("hits", 0), counts.get("misses", 0)
    looks = exact + misses + sum(near.values())
    if not looks:
        return []
    known = ngettext(
        "Of %(looks)d look %(known)d showed a screen that was known (%(share)d %%).",
        "Of %(looks)d looks %(known)d showed a screen that was known (%(share)d %%).",
        looks,
    ) % {"looks": looks, "known": looks - misses, "share": round(100 * (looks - misses) / looks)}
    names = {CARET: _("a text cursor"), CLOCK: _("a clock"), MASK: _("a masked region")}
    differing = ", ".join(
        _("%(what)s: %(n)d") % {"what": names.get(reason, reason), "n": count} for reason, count in sorted(near.items())
    )
    kept = ngettext(
        "%(n)d screen is kept (%(size)s).", "%(n)d screens are kept (%(size)s).", counts.get("entries", 0)
    ) % {"n": counts.get("entries", 0), "size": filesizeformat(counts.get("bytes", 0))}
    return [known, *([_("Known but for %(what)s.") % {"what": differing}] if near else []), kept]
