"""Training data behind the scenes: as a file to be taken away, and made again from the runs."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from django.conf import settings
from django.core.files import File
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from django.views.decorators.http import require_POST, require_safe

from audit.models import Verb
from audit.recording import record
from execution.behind.asking import ask
from execution.behind.jobs import Kind, register
from execution.behind.leases import Piece
from execution.behind.old import file_of, files
from execution.choices import Origin
from execution.models import Job
from execution.pages.packing import sent
from execution.pages.training import AGAIN, EXPORT, archive, how_much
from execution.permissions import VIEW_PICTURE
from execution.record import training
from workflows.models import Workflow
from workflows.permissions import DESIGN, permitted

TELL_S = 1.0  # between two words of how far it is


def connect() -> None:
    register(
        Kind(
            name=EXPORT,
            label=gettext_lazy("Training data as a file"),
            count=lambda job: how_much(job.about),
            pieces=_file,
            whole=True,
        )
    )
    register(
        Kind(
            name=AGAIN,
            label=gettext_lazy("Training data is made again from the runs"),
            count=lambda job: training.to_rebuild(),
            pieces=lambda job: training.rebuilding(job.place),
            told=_made,
        )
    )


@permitted(DESIGN)
@permitted(VIEW_PICTURE)
@require_POST
def training_export(request: HttpRequest) -> HttpResponse:
    """All of it, or that of one workflow, is made a file by a worker."""
    workflow_id = request.POST.get("workflow", "")
    if workflow_id:
        workflow_id = Workflow.objects.by_id(workflow_id).workflow_id
    ask(EXPORT, about=workflow_id, user=request.user, origin=Origin.PAGE)
    return redirect(f"{reverse('training')}#jobs")


@permitted(DESIGN)
@require_POST
def training_again(request: HttpRequest) -> HttpResponse:
    ask(AGAIN, user=request.user, origin=Origin.PAGE)
    return redirect(f"{reverse('training')}#jobs")


@permitted(DESIGN)
@permitted(VIEW_PICTURE)
@require_safe
def training_file(request: HttpRequest, job_id: str) -> HttpResponseBase:
    """The file that was made, while it is kept."""
    job = get_object_or_404(Job, kind=EXPORT, job_id=job_id)
    name = file_of(job)
    if not name or not files().exists(name):
        raise Http404(_("This file is not kept any more. Have it made again."))
    record(Verb.EXPORT, user=request.user, origin=Origin.PAGE, kind="training", about=job.about)
    return sent(request, _read(name), name="training.zip")


def _read(name: str) -> Iterator[bytes]:
    with files().open(name) as file:
        yield from file.chunks()


def _file(job: Job) -> Iterator[Piece]:
    """The whole of it, in a file that nobody sees until it is whole."""
    Path(settings.DATA_DIR).mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryFile(dir=settings.DATA_DIR) as out:
        done, last = 0, time.monotonic()
        for done, data in enumerate(archive(job.about)):
            out.write(data)
            if time.monotonic() - last > TELL_S:
                yield Piece(done=min(done, job.of))
                last = time.monotonic()
        out.seek(0)
        name = files().save(f"{job.job_id}.zip", File(out))
    try:
        yield Piece(done=job.of, write=lambda: {"file": name})
    except GeneratorExit:  # it is another's by now, who makes it anew
        files().delete(name)
        raise


def _made(job: Job) -> list[str]:
    n = job.place.get("made", 0)
    return [ngettext("%(n)d record was made.", "%(n)d records were made.", n) % {"n": n}]
