"""What the robot sees on a stored picture: read by a worker when somebody asks, and shown over the picture (S2.12)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods

from execution.behind.jobs import Kind, register
from execution.behind.leases import Piece
from execution.models import Job
from execution.pages.readings import keep, page
from execution.perception.scene import Source
from execution.permissions import VIEW, VIEW_PICTURE
from sentences.said import to_json, worded
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
    return page(request, SCENE, [digest], template="scene", told=_told)


def _read(job: Job) -> Iterator[Piece]:
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
    yield from keep(job, seen)


def _told(seen: dict[str, Any]) -> dict[str, Any]:
    """What was seen, for the page."""
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
