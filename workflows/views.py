"""The pages of workflows: the list, one workflow, publishing, and files in and out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django import forms
from django.contrib import messages
from django.db.models import F, Window
from django.db.models.functions import RowNumber
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.text import slugify
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from audit.models import Verb
from audit.recording import record
from sentences.said import worded
from workflows.actions.publish import digest_of, publish, publish_again
from workflows.badges import LEARNING, Badge
from workflows.bundle import export_bundle, import_bundle
from workflows.called import called_by, take_newest
from workflows.calling import expanded, published
from workflows.drawing import dialogs, elements, screens
from workflows.exceptions import DomainError, InvalidWorkflow
from workflows.links import linked
from workflows.models import Node, Workflow, WorkflowVersion
from workflows.models.workflow import text_id
from workflows.permissions import DESIGN, PUBLISH, VIEW, permitted
from workflows.specs import graph_of
from workflows.unpacking import uploaded
from workflows.validation import problems

# The forms of the pages; the admin has its own.


class PublishForm(forms.Form):
    note = forms.CharField(
        label=gettext_lazy("What has changed"),
        required=False,
        max_length=WorkflowVersion._meta.get_field("note").max_length,
    )


class ImportForm(forms.Form):
    file = forms.FileField(label=gettext_lazy("Workflow file"), widget=forms.FileInput(attrs={"accept": ".zip"}))
    workflow_id = forms.CharField(
        label=gettext_lazy("Import under another id"), required=False, max_length=100, validators=[text_id]
    )

    def read(self) -> dict[str, Any]:
        """What `import_bundle` takes; raises BadBundle."""
        return {"data": uploaded(self.cleaned_data["file"]), "workflow_id": self.cleaned_data["workflow_id"]}


@require_http_methods(["GET", "HEAD", "POST"])
@permitted(VIEW)
def workflows(request: HttpRequest) -> HttpResponse:
    """The list; a POST imports a workflow file."""
    if request.method == "POST":
        return import_workflow(request)
    return _listed(request, ImportForm())


@permitted(DESIGN)
def import_workflow(request: HttpRequest) -> HttpResponse:
    form = ImportForm(request.POST, request.FILES)
    if form.is_valid():
        try:
            workflow = import_bundle(**form.read(), user=request.user)
        except DomainError as error:
            form.add_error("file", worded(error))
        else:
            messages.success(
                request, _("“%(name)s” was imported as a draft. Publish it to run it.") % {"name": workflow.name}
            )
            return redirect("workflow", workflow.workflow_id)
    return _listed(request, form, status=422)


def _listed(request: HttpRequest, form: ImportForm, *, status: int = 200) -> HttpResponse:
    found = list(Workflow.objects.with_latest_version())
    context = {"nav": "workflows", "rows": rows(found), "import_form": form}
    return render(request, "workflows/list.html", context, status=status)


@require_GET
@permitted(VIEW)
def workflow(request: HttpRequest, workflow_id: str) -> HttpResponse:
    return _shown(request, Workflow.objects.by_id(workflow_id), PublishForm())


@require_POST
@permitted(PUBLISH)
def publish_workflow(request: HttpRequest, workflow_id: str) -> HttpResponse:
    workflow = Workflow.objects.by_id(workflow_id)
    form = PublishForm(request.POST)
    if not form.is_valid():
        return _shown(request, workflow, form, status=422)
    before = workflow.versions.count()
    try:
        version = publish(workflow=workflow, user=request.user, note=form.cleaned_data["note"])
    except InvalidWorkflow as error:
        messages.error(request, worded(error))
        return _shown(request, workflow, form, status=error.status_code)
    if version.workflow.versions.count() == before:
        messages.info(request, _("Nothing has changed since version %(n)d.") % {"n": version.number})
    else:
        messages.success(request, _("Published as version %(n)d.") % {"n": version.number})
    return redirect("workflow", workflow_id)


@require_POST
@permitted(PUBLISH)
def publish_version(request: HttpRequest, workflow_id: str, number: int) -> HttpResponse:
    """An earlier version is the one that runs use from now on."""
    workflow = Workflow.objects.by_id(workflow_id)
    before = workflow.latest_version()
    version = publish_again(workflow=workflow, number=number, user=request.user)
    if version == before:
        messages.info(request, _("Nothing has changed since version %(n)d.") % {"n": version.number})
    else:
        words = _("Version %(m)d is as version %(n)d was, and new runs take it. The draft is as it was.")
        messages.success(request, words % {"m": version.number, "n": number})
    return redirect("workflow", workflow_id)


@require_POST
@permitted(DESIGN)
def update_call(request: HttpRequest, workflow_id: str, edge_id: str) -> HttpResponse:
    """The draft does the newest version of another workflow from now on."""
    workflow = Workflow.objects.by_id(workflow_id)
    try:
        number = take_newest(workflow, edge_id)
    except InvalidWorkflow as error:
        messages.error(request, worded(error))
    else:
        messages.success(request, _("The draft does version %(n)d now. Publish it to run it.") % {"n": number})
    return redirect("workflow", workflow_id)


@require_GET
@permitted(VIEW)
def export_workflow(request: HttpRequest, workflow_id: str) -> HttpResponse:
    workflow = Workflow.objects.by_id(workflow_id)
    try:
        data = export_bundle(workflow)
    except InvalidWorkflow as error:
        messages.error(request, worded(error))
        return _shown(request, workflow, PublishForm(), status=error.status_code)
    record(Verb.EXPORT, user=request.user, origin="page", kind="workflow", about=workflow.workflow_id)
    name = f"{slugify(workflow.workflow_id) or 'workflow'}.zip"
    return HttpResponse(
        data, content_type="application/zip", headers={"Content-Disposition": f'attachment; filename="{name}"'}
    )


def _shown(request: HttpRequest, workflow: Workflow, form: PublishForm, *, status: int = 200) -> HttpResponse:
    graph = graph_of(workflow)
    found = problems(graph)
    called = called_by(graph)
    versions = list(workflow.versions.select_related("published_by").defer("graph"))
    latest = versions[0] if versions else None
    context = {
        "nav": "workflows",
        "workflow": workflow,
        "learning": LEARNING[workflow.learning_state],
        "graph": graph,
        "screens": screens(graph, found, called),
        "drawing": elements(graph, called),
        "dialogs": dialogs(graph),
        "problems": linked(found, workflow, back=request.path),
        "errors": sum(p.is_error for p in found),
        "versions": versions,
        "latest": latest,
        "unpublished_changes": latest is not None and latest.digest != digest_of(expanded(graph, published)),
        "publish_form": form,
    }
    return render(request, "workflows/detail.html", context, status=status)


# What the list of workflows shows beside their rows: the entry screen and the last runs.

LAST_RUNS = 8
CELL_OF_STATE = {"completed": "done", "failed": "failed", "stopped": "skipped", "paused": "unsure"}
COLOUR_OF_CELL = {"done": "green", "failed": "red", "unsure": "amber", "now": "blue", "skipped": "grey"}
ICON_OF_CELL = {
    "done": "circle-check",
    "failed": "alert-circle",
    "unsure": "player-pause",
    "now": "player-play",
    "skipped": "player-stop",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    execution_id: str
    state: str
    label: str
    created_at: datetime

    @property
    def cell(self) -> str:
        return CELL_OF_STATE.get(self.state, "now")

    @property
    def colour(self) -> str:
        return COLOUR_OF_CELL[self.cell]

    @property
    def icon(self) -> str:
        return ICON_OF_CELL[self.cell]


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkflowRow:
    workflow: Workflow
    picture: str
    runs: tuple[Run, ...]  # oldest first

    @property
    def learning(self) -> Badge:
        return LEARNING[self.workflow.learning_state]

    @property
    def last(self) -> Run | None:
        return self.runs[-1] if self.runs else None

    @property
    def runs_words(self) -> str:
        """“Last 8 runs: 6 completed, 2 failed”."""
        labels = [run.label for run in self.runs]
        counted = ", ".join(f"{labels.count(label)} {label}" for label in dict.fromkeys(labels))
        said = ngettext("Last run: %(states)s", "Last %(count)d runs: %(states)s", len(labels))
        return said % {"count": len(labels), "states": counted}


def rows(workflows: Sequence[Workflow]) -> list[WorkflowRow]:
    """Two queries more, however many workflows there are."""
    pictures = _entry_pictures(workflows)
    runs = _last_runs(workflows)
    return [WorkflowRow(workflow=w, picture=pictures.get(w.pk, ""), runs=tuple(runs.get(w.pk, ()))) for w in workflows]


def _entry_pictures(workflows: Sequence[Workflow]) -> dict[int, str]:
    """The entry screen's picture, of the first entry that has one."""
    shown = Node.objects.filter(workflow__in=workflows, is_entry=True, reference__isnull=False).order_by("-pk")
    return dict(shown.values_list("workflow_id", "reference__digest"))


def _last_runs(workflows: Sequence[Workflow]) -> dict[int, list[Run]]:
    """By way of the versions: runs point at what was published, not the other way round."""
    newest = Window(RowNumber(), partition_by=F("workflow_id"), order_by=F("executions__created_at").desc())
    found = (
        WorkflowVersion.objects.filter(workflow__in=workflows, executions__isnull=False)
        .annotate(age=newest)
        .filter(age__lte=LAST_RUNS)
        .order_by("executions__created_at")
        .values("workflow_id", "executions__execution_id", "executions__state", "executions__created_at")
    )
    labels = _state_labels()
    runs: dict[int, list[Run]] = {}
    for row in found:
        state = row["executions__state"]
        runs.setdefault(row["workflow_id"], []).append(
            Run(
                execution_id=row["executions__execution_id"],
                state=state,
                label=str(labels.get(state, state)),
                created_at=row["executions__created_at"],
            )
        )
    return runs


def _state_labels() -> dict[str, Any]:
    execution: Any = WorkflowVersion._meta.get_field("executions").related_model
    return dict(execution._meta.get_field("state").flatchoices)
