"""The live page of a run."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe

from execution.models import Execution
from execution.pages import script_texts, snapshot
from execution.permissions import OPERATE, VIEW, sees_unmasked
from workflows.catalogue import ACTIONS
from workflows.permissions import DESIGN, permitted


@permitted(VIEW)
@require_safe
def live(request: HttpRequest, execution_id: str) -> HttpResponse:
    """One run: its steps, what the robot sees, its question, and why."""
    execution = Execution.objects.by_id(execution_id)
    context = {
        "execution": execution,
        "head": snapshot.head(execution),
        "may_operate": request.user.has_perm(OPERATE),
        "page_data": {
            "snapshot": snapshot.snapshot(execution),
            "graph": snapshot.graph_json(execution.version.spec(), execution.variables),
            "run": run_data(execution),
            "me": {**person(request), "sees_unmasked": hides(execution) and sees_unmasked(request.user)},
            "actions": actions(),
            "words": script_texts.live(),
        },
    }
    return render(request, "execution/live.html", context)


@permitted(VIEW)
@require_safe
def run_snapshot(request: HttpRequest, execution_id: str) -> JsonResponse:
    """What the page asks for again and again where no socket gets through."""
    response = JsonResponse(snapshot.snapshot(Execution.objects.by_id(execution_id)))
    response.headers["Cache-Control"] = "no-store"
    return response


def run_data(execution: Execution) -> dict[str, Any]:
    """Names and addresses that do not change while the run lives."""
    key, workflow = execution.execution_id, execution.version.workflow
    return {
        "id": key,
        "number": execution.pk,
        "name": workflow.name,
        "start_node": execution.start_node_id,
        "socket": f"/ws/executions/{key}/",
        "decide": f"/api/executions/{key}/decide/",
        "hold": f"/api/executions/{key}/hold/",
        "control": f"/api/executions/{key}/control/",
        "control_socket": f"/ws/control/{key}/",
        "snapshot": reverse("run_snapshot", args=[key]),
        "frame": reverse("run_frame", args=[key]),
        "screen": reverse("run_screen", args=[key, 0]),
        "picture": reverse("picture", args=["0" * 64]),
        "workflow": reverse("workflow", args=[workflow.workflow_id]),
        "again": f"{reverse('run_start')}?workflow={workflow.workflow_id}&again={key}",
    }


def hides(execution: Execution) -> bool:
    """Whether the run's workflow masks something of its screens."""
    flags = execution.version.spec().flags
    return bool(flags.get("masks") or flags.get("mask_patterns"))


def person(request: HttpRequest) -> dict[str, Any]:
    return {
        "name": request.user.get_username(),
        "may_operate": request.user.has_perm(OPERATE),
        "may_design": request.user.has_perm(DESIGN),
    }


def actions() -> dict[str, Any]:
    """The action types with the parameters that a correction may change."""
    return {
        name: {
            "label": str(spec.label),
            "target": spec.target,
            "params": [{"name": p.name, "kind": p.kind, "default": p.default} for p in spec.params],
        }
        for name, spec in ACTIONS.items()
    }
