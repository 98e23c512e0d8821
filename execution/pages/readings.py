"""Stored pictures that a worker reads when somebody asks, and the page that shows for a day what it saw."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.core.files.base import ContentFile
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _

from execution.behind.asking import ask
from execution.behind.leases import Piece
from execution.behind.old import file_of, files
from execution.choices import Origin
from execution.models import Job
from execution.models.work import WorkState
from execution.perception.ocr import NO_READER
from execution.permissions import OPERATE
from sentences.said import Said, say, worded
from workflows.exceptions import PictureMissing
from workflows.permissions import permitted
from workflows.pictures import PictureStore


def page(
    request: HttpRequest,
    kind: str,
    digests: Sequence[str],
    *,
    template: str,
    told: Callable[[dict[str, Any]], dict[str, Any]],
) -> HttpResponse:
    """What was seen on the pictures, once they were read; a POST has them read. `told` readies it for `template`."""
    for digest in digests:
        if not PictureStore().has(digest):  # what was deleted from the store is not told of either
            raise PictureMissing(say("pictures.not_in_store", digest=digest[:8]))
    about = ":".join(digests)
    if request.method == "POST":
        return _asked(request, kind, about)
    job = Job.objects.filter(kind=kind, about=about).first()
    seen = _kept(job)
    context = {
        "digests": digests,
        "job": job,
        "at_work": job is not None and not job.is_final,
        "problem": _problem(job),
        "seen": told(seen) if seen else None,
        "no_reader": worded(say("perception.no_reader")) if settings.RPA_OCR_ENGINE == NO_READER else "",
    }
    part = request.headers.get("HX-Request") == "true"
    return render(request, f"execution/{'_' if part else ''}{template}.html", context)


@permitted(OPERATE)
def _asked(request: HttpRequest, kind: str, about: str) -> HttpResponse:
    """One reading of a kind at a time; what no worker takes up holds up nobody."""
    others = Job.objects.left().filter(kind=kind).exclude(about=about)
    if all(other.is_stuck for other in others):
        ask(kind, about=about, user=request.user, origin=Origin.PAGE)
    else:
        messages.error(request, _("Another screenshot is being read. Try again in a few seconds."))
    return redirect(request.path)


def keep(job: Job, seen: dict[str, Any]) -> Iterator[Piece]:
    """What was seen, in a file that goes after a day: it tells what stands on a screen."""
    name = files().save(f"{job.job_id}.json", ContentFile(json.dumps(seen)))
    try:
        yield Piece(done=1, write=lambda: {"file": name})
    except GeneratorExit:  # it is another's by now, who reads it anew
        files().delete(name)
        raise


def _kept(job: Job | None) -> dict[str, Any] | None:
    """None where it was not read, or is not kept any more."""
    name = file_of(job) if job else ""
    if not name or not files().exists(name):
        return None
    with files().open(name) as file:
        seen: dict[str, Any] = json.load(file)
    return seen


def _problem(job: Job | None) -> str:
    """Why it could not be read; of a fault of the product only that, for its words may tell what nobody should see."""
    if job is None or job.state != WorkState.FAILED:
        return ""
    said = job.problem
    return worded(said) if isinstance(said, Said) else _("Reading failed. The worker's log on the server says why.")
