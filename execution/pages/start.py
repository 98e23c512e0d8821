"""The form that starts a run; an ordinary POST, it works without script."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from execution.models import Execution, Robot
from execution.pages.forms import StartForm
from execution.pages.gains import flag_rows
from execution.pages.presets import PRESETS
from execution.permissions import OPERATE
from execution.record.hidden import HIDDEN
from workflows.models import Workflow
from workflows.models.workflow import WorkflowQuerySet
from workflows.permissions import permitted
from workflows.words import sentence


@permitted(OPERATE)
@require_http_methods(["GET", "HEAD", "POST"])
def start(request: HttpRequest) -> HttpResponse:
    """Choose a workflow, then its mode and values; what is wrong comes back beside its field."""
    published = Workflow.objects.filter(versions__isnull=False).distinct()
    asked = request.POST.get("workflow") or request.GET.get("workflow", "")
    workflow = Workflow.objects.by_id(asked) if asked else _usual(request, published)
    context: dict[str, Any] = {"workflows": published, "workflow": workflow, "robots": Robot.objects.alive().count()}
    if workflow is None:
        return render(request, "execution/start.html", context)
    latest = workflow.latest_version()
    number = request.POST.get("version") or request.GET.get("version", "")
    version = workflow.version_numbered(int(number)) if number.isdecimal() else latest
    graph = version.spec()
    form = StartForm(
        request.POST or None,
        initial=_again(request),
        workflow=workflow,
        graph=graph,
        user=request.user,
        version_number=version.number if number else None,
    )
    if request.method == "POST" and form.is_valid():
        execution = form.start()
        if execution is not None:
            return redirect("run", execution_id=execution.execution_id)
    entry = graph.node(next(iter(graph.entry_nodes), ""))
    named = {v.name: f"[{v.label or v.name}]" for v in graph.variables}  # nobody has given their values yet
    context |= {
        "form": form,
        "version": version,
        "latest": latest,
        "entry": entry,
        "flags": flag_rows(workflow),
        "presets": [preset for name, preset in PRESETS.items() if name],
        "path": [sentence(edge, graph, named) for edge in graph.likely_path(entry.node_id)] if entry else [],
    }
    return render(request, "execution/start.html", context, status=422 if form.errors else 200)


def _usual(request: HttpRequest, published: WorkflowQuerySet) -> Workflow | None:
    """The workflow this person started last, else the first one."""
    last = Execution.objects.filter(started_by__username=request.user.get_username()).order_by("-created_at").first()
    return last.version.workflow if last else published.first()


def _again(request: HttpRequest) -> dict[str, str]:
    """The values of an earlier run, to start the same again."""
    execution = Execution.objects.filter(execution_id=request.GET.get("again", "")).first()
    if execution is None:
        return {}
    return {
        "mode": execution.mode,
        "start_node_id": request.GET.get("node", ""),
        **{f"var_{name}": value for name, value in execution.variables.items() if value != HIDDEN},
    }
