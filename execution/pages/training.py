"""Training data as a file and as a page: every decision and its outcome, with the pictures (S6.3)."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Iterator
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_safe

from execution.choices import Feedback
from execution.models import TrainingRecord, TrainingSession
from execution.pages.jobs import told_on
from execution.pages.packing import Pipe, with_pictures, written
from execution.record.training import lines
from execution.types import Choice
from workflows.models import Workflow
from workflows.parsing import whole_number
from workflows.permissions import DESIGN, permitted

PAGE = 50  # records on a page
EXPORT, AGAIN = "training", "training_again"  # what is done behind the scenes
CHOSEN = {
    Choice.ACCEPT: _("Accepted"),
    Choice.CORRECT: _("Corrected"),
    Choice.MANUAL: _("Done by a person"),
    Choice.SKIP: _("Skipped"),
    Choice.REJECT: _("Rejected"),
}


@permitted(DESIGN)
@require_safe
def training(request: HttpRequest) -> HttpResponse:
    """The newest records; older ones by `?before=`, the number of the last one shown."""
    workflow_id = request.GET.get("workflow", "")
    before = whole_number(request.GET.get("before", ""))
    records = TrainingRecord.objects.select_related("session__execution").order_by("-pk")
    if workflow_id:
        records = records.filter(workflow_id=workflow_id)
    if before is not None:
        records = records.filter(pk__lt=before)
    names = dict(Workflow.objects.values_list("workflow_id", "name"))
    jobs = told_on(EXPORT, AGAIN, may_know=True, names=names)
    if request.headers.get("HX-Request") == "true":
        return render(request, "execution/_jobs.html", jobs)
    shown = list(records[: PAGE + 1])
    return render(
        request,
        "execution/training.html",
        {
            **jobs,
            "rows": [_row(one, names) for one in shown[:PAGE]],
            "older": shown[PAGE - 1].pk if len(shown) > PAGE else None,
            "workflow_id": workflow_id,
            "workflows": sorted(names.items(), key=lambda item: item[1]),
            "sessions": _sessions(workflow_id),
        },
    )


def how_much(workflow_id: str = "") -> int:
    """How many pieces `archive` is made of, or a few more."""
    pictures = sum(1 for _digest in _pictures(workflow_id))
    return TrainingRecord.objects.filter(**({"workflow_id": workflow_id} if workflow_id else {})).count() + pictures


def archive(workflow_id: str = "") -> Iterator[bytes]:
    """The bytes of the file: `training.jsonl`, a record a line, then each picture that they name, once."""
    pipe = Pipe()
    with zipfile.ZipFile(pipe, "w", zipfile.ZIP_DEFLATED) as packed:
        yield from written(packed, pipe, "training.jsonl", (f"{_line(one)}\n" for one in lines(workflow_id)))
        yield from with_pictures(packed, pipe, _pictures(workflow_id))
    yield pipe.taken()


def _line(one: TrainingRecord) -> str:
    return json.dumps(one.as_json(), ensure_ascii=False)


def _pictures(workflow_id: str) -> Iterator[str]:
    """Each picture once, in the order of its digest: nobody has to remember which were sent."""
    records = TrainingRecord.objects.filter(workflow_id=workflow_id) if workflow_id else TrainingRecord.objects.all()
    before = records.exclude(picture="").order_by().values_list("picture")
    after = records.exclude(picture_after="").order_by().values_list("picture_after")
    for (digest,) in before.union(after).order_by("picture").iterator():
        yield digest


def _sessions(workflow_id: str) -> int:
    sessions = TrainingSession.objects.all()
    return sessions.filter(workflow_id=workflow_id).count() if workflow_id else sessions.count()


def _row(one: TrainingRecord, names: dict[str, str]) -> dict[str, Any]:
    return {
        "record": one,
        "workflow": names.get(one.workflow_id, one.workflow_id),
        "run": one.session.execution,
        "what": one.original_target.get("label") or one.edge_id,
        "decision": CHOSEN[Choice(one.decision)] if one.decision in set(CHOSEN) else "",
        "said": Feedback(one.feedback_type).label if one.feedback_type in Feedback.values else "",
    }
