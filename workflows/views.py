"""The pages of workflows: the list, one workflow, publishing, and files in and out."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.text import slugify
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from audit.models import Verb
from audit.recording import record
from sentences.said import worded
from workflows import listing
from workflows.actions.publish import digest_of, publish, publish_again
from workflows.badges import LEARNING
from workflows.bundle import export_bundle, import_bundle
from workflows.called import called_by, take_newest
from workflows.calling import expanded, published
from workflows.drawing import dialogs, elements, screens
from workflows.exceptions import DomainError, InvalidWorkflow
from workflows.forms import ImportForm, PublishForm
from workflows.links import linked
from workflows.models import Workflow
from workflows.permissions import DESIGN, PUBLISH, VIEW, permitted
from workflows.specs import graph_of
from workflows.validation import problems


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
    context = {"nav": "workflows", "rows": listing.rows(found), "import_form": form}
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
