"""Pictures: those of the store by digest, and the live ones of the desktops."""

from __future__ import annotations

import logging
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path

from django.http import HttpRequest, HttpResponse, HttpResponseNotModified, JsonResponse
from django.shortcuts import get_object_or_404
from django.utils.http import http_date, parse_etags
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from execution.choices import ON_DESKTOP
from execution.models import Execution, Robot, Step
from execution.permissions import VIEW, sees_unmasked
from execution.running import live_picture, unmasked
from sentences.said import say
from workflows.exceptions import PictureMissing
from workflows.permissions import permitted
from workflows.pictures import PictureStore

log = logging.getLogger(__name__)

VIEW_PICTURE = "workflows.view_picture"
VIEW_ROBOT = "execution.view_robot"
TYPES = {".jpg": "image/jpeg", ".webp": "image/webp", ".png": "image/png"}


@permitted(VIEW_PICTURE)
@require_safe
def picture(request: HttpRequest, digest: str) -> HttpResponse:
    """A stored picture; its name is the digest of its pixels, so it never changes."""
    path, tag = PictureStore().path(digest), f'"{digest}"'
    if tag in parse_etags(request.headers.get("If-None-Match", "")) and path.exists():
        return _cached(HttpResponseNotModified(), tag)
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        raise PictureMissing(say("pictures.not_in_store", digest=digest[:8])) from None
    return _cached(HttpResponse(data, content_type="image/png"), tag)


def _cached(response: HttpResponse, tag: str) -> HttpResponse:
    response.headers["ETag"] = tag
    response.headers["Cache-Control"] = "no-store"
    return response


@permitted(VIEW)
@require_safe
def run_frame(request: HttpRequest, execution_id: str) -> HttpResponse:
    """What the desktop of a run at work shows now."""
    execution = Execution.objects.by_id(execution_id)
    if execution.state not in ON_DESKTOP or execution.robot is None:
        return none_yet(_("This run is on no desktop now, so there is no live picture of it."))
    if sees_unmasked(request.user) and (seen := unmasked.ask(execution.robot.name)):
        _tell_once(execution_id, request.user.get_username())
        tag = f'"{seen.taken_at.timestamp():.6f}-unmasked"'
        return _fresh(request, tag, seen.taken_at.timestamp(), seen.jpeg, "image/jpeg")
    return live(request, execution.robot)


@lru_cache(maxsize=1000)
def _tell_once(execution_id: str, name: str) -> None:
    log.info("the live picture of %s is seen unmasked by %s", execution_id, name)


@permitted(VIEW_ROBOT)
@require_safe
def robot_frame(request: HttpRequest, name: str) -> HttpResponse:
    return live(request, get_object_or_404(Robot, name=name))


def live(request: HttpRequest, robot: Robot) -> HttpResponse:
    """The newest picture of a robot's desktop; asked again with its tag, only whether there is a newer one."""
    path = live_picture.path_of(robot.name)
    try:
        data, stat = path.read_bytes(), path.stat()
    except OSError:
        return none_yet(_("There is no live picture of this desktop yet."))
    return _fresh(request, f'"{stat.st_mtime_ns:x}-{stat.st_size:x}"', stat.st_mtime, data, _type(path))


def _fresh(request: HttpRequest, tag: str, taken: float, data: bytes, kind: str) -> HttpResponse:
    """The picture, unless the browser has the one with that tag; `taken` in seconds since 1970."""
    known = tag in parse_etags(request.headers.get("If-None-Match", ""))
    response = HttpResponseNotModified() if known else HttpResponse(data, content_type=kind)
    response.headers["ETag"] = tag
    response.headers["Cache-Control"] = "no-store"
    response.headers["Last-Modified"] = http_date(taken)
    response.headers["X-Taken-At"] = datetime.fromtimestamp(taken, UTC).isoformat()
    return response


def none_yet(sentence: str) -> HttpResponse:
    response = HttpResponse(sentence, status=404, content_type="text/plain; charset=utf-8")
    response.headers["Cache-Control"] = "no-store"
    return response


def _type(path: Path) -> str:
    return TYPES.get(path.suffix, "application/octet-stream")


@permitted(VIEW)
@require_safe
def run_screen(request: HttpRequest, execution_id: str, index: int) -> JsonResponse:
    """What was read and detected on a step's screen, for the layers of text and elements (S11.6)."""
    execution = Execution.objects.by_id(execution_id)
    step = get_object_or_404(Step.objects.only("screen"), execution=execution, index=index)
    response = JsonResponse(step.screen)
    response.headers["Cache-Control"] = "no-store"
    return response
