"""What the robot sees on a stored picture: read by a worker when somebody asks, and shown over the picture (S2.12)."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.core.files.base import ContentFile
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods

from execution.behind.asking import ask
from execution.behind.jobs import Kind, register
from execution.behind.leases import Piece
from execution.behind.old import file_of, files
from execution.choices import Origin
from execution.models import Job
from execution.models.work import WorkState
from execution.perception.ocr import NO_READER
from execution.perception.scene import Source
from execution.permissions import OPERATE, VIEW, VIEW_PICTURE
from sentences.said import Said, say, to_json, worded
from workflows.exceptions import PictureMissing
from workflows.permissions import permitted
from workflows.pictures import PictureStore

SCENE = "scene"
KINDS = {
    "button": gettext_lazy("button"),
    "field": gettext_lazy("field"),
    "checkbox": gettext_lazy("check box"),
    "radio": gettext_lazy("radio button"),
    "tab": gettext_lazy("tab"),
    "menu_item": gettext_lazy("menu entry"),
    "link": gettext_lazy("link"),
    "icon": gettext_lazy("icon"),
    "picture": gettext_lazy("picture"),
    "text": gettext_lazy("text"),
    "band": gettext_lazy("row"),
}
SOURCES = {
    Source.ELEMENT: gettext_lazy("control"),
    Source.FRAME: gettext_lazy("frame"),
    Source.INK: gettext_lazy("drawing"),
    Source.TEXT: gettext_lazy("text"),
    Source.VALUE: gettext_lazy("value after a label"),
    Source.BAND: gettext_lazy("between two lines"),
}


def connect() -> None:
    label = gettext_lazy("What the robot sees on a screenshot")
    register(Kind(name=SCENE, label=label, count=lambda job: 1, pieces=_read, whole=True))


@require_http_methods(["GET", "HEAD", "POST"])
@permitted(VIEW)
@permitted(VIEW_PICTURE)
def picture_scene(request: HttpRequest, digest: str) -> HttpResponse:
    """The things on a stored picture, once it was read; a POST has it read."""
    if not PictureStore().has(digest):  # what was deleted from the store is not told of either
        raise PictureMissing(say("pictures.not_in_store", digest=digest[:8]))
    if request.method == "POST":
        return scene_ask(request, digest)
    job = Job.objects.filter(kind=SCENE, about=digest).first()
    context = {
        "digest": digest,
        "job": job,
        "at_work": job is not None and not job.is_final,
        "problem": _problem(job),
        "seen": _told(job),
        "no_reader": worded(say("perception.no_reader")) if settings.RPA_OCR_ENGINE == NO_READER else "",
    }
    part = request.headers.get("HX-Request") == "true"
    return render(request, "execution/_scene.html" if part else "execution/scene.html", context)


@permitted(OPERATE)
def scene_ask(request: HttpRequest, digest: str) -> HttpResponse:
    """One picture is read at a time; what no worker takes up holds up nobody."""
    others = Job.objects.left().filter(kind=SCENE).exclude(about=digest)
    if all(other.is_stuck for other in others):
        ask(SCENE, about=digest, user=request.user, origin=Origin.PAGE)
    else:
        messages.error(request, _("Another screenshot is being read. Try again in a few seconds."))
    return redirect("picture_scene", digest)


def _read(job: Job) -> Iterator[Piece]:
    """Look at the picture, and keep what is seen in a file that goes after a day: it tells what stands on a screen."""
    from execution.perception.single_look import look_at  # a worker alone needs these, every process has this module
    from execution.replay.tasks import eyes

    pixels = PictureStore().get(job.about)
    look = look_at(pixels, eyes())
    seen = {
        "size": [pixels.shape[1], pixels.shape[0]],
        "read_s": look.read_s,
        "scene_s": look.scene_s,
        "notes": to_json(list(look.notes)),
        "things": [[t.kind, t.source, t.box, t.text] for t in look.things],
    }
    name = files().save(f"{job.job_id}.json", ContentFile(json.dumps(seen)))
    try:
        yield Piece(done=1, write=lambda: {"file": name})
    except GeneratorExit:  # it is another's by now, who reads it anew
        files().delete(name)
        raise


def _told(job: Job | None) -> dict[str, Any] | None:
    """What was seen, for the page; None where it was not read, or is not kept any more."""
    name = file_of(job) if job else ""
    if not name or not files().exists(name):
        return None
    with files().open(name) as file:
        seen: dict[str, Any] = json.load(file)
    things = [
        {"number": n, "kind": KINDS.get(kind, kind), "source": source, "by": SOURCES[source], "box": box, "text": text}
        for n, (kind, source, box, text) in enumerate(seen["things"], 1)
    ]
    counts = Counter(thing["source"] for thing in things)
    return {
        **seen,
        "notes": [worded(note) for note in seen["notes"]],
        "things": things,
        "large_first": sorted(things, key=lambda thing: -thing["box"][2] * thing["box"][3]),
        "sources": [(source, label, counts[source]) for source, label in SOURCES.items() if counts[source]],
    }


def _problem(job: Job | None) -> str:
    """Why it could not be read; of a fault of the product only that, for its words may tell what nobody should see."""
    if job is None or job.state != WorkState.FAILED:
        return ""
    said = job.problem
    return worded(said) if isinstance(said, Said) else _("Reading failed. The worker's log on the server says why.")
