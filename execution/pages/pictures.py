"""Pictures: those of the store by digest, and the live ones of the desktops."""

from __future__ import annotations

import logging
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path

import cv2
import numpy as np
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseNotModified, JsonResponse
from django.shortcuts import get_object_or_404, render
from django.utils.http import http_date, parse_etags
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from audit.recording import record_look
from execution.choices import ON_DESKTOP, Origin
from execution.models import Execution, Robot, Step
from execution.permissions import VIEW, VIEW_PICTURE, sees_unmasked
from execution.record.pauses import pauses
from execution.running import live_picture, unmasked
from execution.types import Box, Size
from sentences.said import say
from workflows.exceptions import BadParameter, PictureAway, PictureMissing
from workflows.parsing import finite_number, whole_number
from workflows.permissions import permitted
from workflows.pictures import PictureStore

log = logging.getLogger(__name__)

VIEW_ROBOT = "execution.view_robot"
PARTS_KEPT = 1000  # some thousand bytes each
WIDEST_PART, NARROWEST_PART = 960, 16
WEBP_QUALITY = 55  # thumbnails and crops: fourteen of them stay under 60 kB
TYPES = {".jpg": "image/jpeg", ".webp": "image/webp", ".png": "image/png"}


@permitted(VIEW_PICTURE)
@require_safe
def picture(request: HttpRequest, digest: str) -> HttpResponse:
    """A stored picture; its name is the digest of its pixels, so it never changes."""
    store, tag = PictureStore(), f'"{digest}"'
    try:
        if tag in parse_etags(request.headers.get("If-None-Match", "")) and store.has(digest):
            return _cached(HttpResponseNotModified(), tag)
        return _cached(HttpResponse(store.bytes_of(digest), content_type="image/png"), tag)
    except PictureAway as error:
        return _away(request, error)


@permitted(VIEW_PICTURE)
@require_safe
def picture_part(request: HttpRequest, digest: str) -> HttpResponse:
    """A part of a stored picture (`box`: four fractions of it; the whole without), no wider than `width` pixels."""
    store, tag = PictureStore(), f'"{digest}-{request.GET.get("box", "")}-{request.GET.get("width", "")}"'
    try:
        if not store.has(digest):  # what was deleted from the store is not shown from memory either
            raise PictureMissing(say("pictures.not_in_store", digest=digest[:8]))
        if tag in parse_etags(request.headers.get("If-None-Match", "")):
            return _cached(HttpResponseNotModified(), tag)
        data = _part(digest, _box(request.GET.get("box", "")), _width(request.GET.get("width", "")))
    except PictureAway as error:
        return _away(request, error)
    return _cached(HttpResponse(data, content_type="image/webp"), tag)


def _away(request: HttpRequest, error: PictureAway) -> HttpResponse:
    """In the place of a picture, one that says so: a browser shows it whatever the status is. Others get the reason."""
    if not request.headers.get("accept", "").startswith("image/"):
        raise error
    response = render(request, "execution/picture_away.svg", status=503, content_type="image/svg+xml")
    response.headers["Cache-Control"] = "no-store"
    response._has_been_logged = True  # type: ignore[attr-defined]  # Django's own mark: the store has said so once
    return response


@lru_cache(maxsize=PARTS_KEPT)
def _part(digest: str, box: tuple[float, float, float, float] | None, width: int) -> bytes:
    return part_of(PictureStore().get(digest), box, width)


def part_of(pixels: np.ndarray, box: tuple[float, float, float, float] | None, width: int) -> bytes:
    """WebP of a box of the pixels, made smaller where it is wider than `width`."""
    if box:
        size = Size(pixels.shape[1], pixels.shape[0])
        whole = Box(0, 0, size.width, size.height)
        cut = Box.from_normalised(box, size).intersection(whole)
        pixels = pixels[cut.y : max(cut.bottom, cut.y + 1), cut.x : max(cut.right, cut.x + 1)]
    height = max(1, round(pixels.shape[0] * width / pixels.shape[1]))
    if pixels.shape[1] > width:
        pixels = cv2.resize(pixels, (width, height), interpolation=cv2.INTER_AREA)
    _ok, encoded = cv2.imencode(".webp", np.ascontiguousarray(pixels), [cv2.IMWRITE_WEBP_QUALITY, WEBP_QUALITY])
    return encoded.tobytes()


def _box(text: str) -> tuple[float, float, float, float] | None:
    if not text:
        return None
    sides = [finite_number(part) for part in text.split(",")]
    x, y, w, h = (min(1.0, max(0.0, side or 0.0)) for side in sides) if len(sides) == 4 else (0.0,) * 4
    if None in sides or x == 1 or y == 1 or not (w and h):
        raise BadParameter(_("Write box as left, top, width and height, in fractions of the picture."))
    return (x, y, w, h)


def _width(text: str) -> int:
    width = whole_number(text or str(WIDEST_PART))
    if width is None:
        raise BadParameter(_("Write width as a whole number of pixels."))
    return min(WIDEST_PART, max(NARROWEST_PART, width))


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
        record_look(user=request.user, execution_id=execution.execution_id, origin=Origin.PAGE, unmasked=True)
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


@permitted(VIEW)
@require_safe
def run_pause_screen(request: HttpRequest, execution_id: str, pause: int) -> JsonResponse:
    """The same of a screen at which the run stood still: its texts."""
    found = next((one for one in pauses(Execution.objects.by_id(execution_id)) if one.seq == pause), None)
    if found is None:
        raise Http404(_("The run %(id)s did not stand still there.") % {"id": execution_id})
    response = JsonResponse({"perception": found.perception})
    response.headers["Cache-Control"] = "no-store"
    return response
