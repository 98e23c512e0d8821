"""The live page of a run."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from audit.recording import record_look
from execution.assistant.commands import CommandName, written
from execution.choices import Origin
from execution.models import Execution, Step
from execution.pages import snapshot
from execution.pages.value_words import value_words
from execution.pages.viewer.ending import ending
from execution.pages.viewer.film import around, film, first_look, packed, stretch
from execution.pages.viewer.standing import key_of, told_of
from execution.pages.viewer.told import told
from execution.permissions import OPERATE, VIEW, sees_unmasked
from execution.record.pauses import pauses
from workflows.catalogue import ACTIONS, CORRECTING_ACTION_TYPES
from workflows.permissions import DESIGN, permitted


@permitted(VIEW)
@require_safe
def live(request: HttpRequest, execution_id: str, index: int | None = None, pause: int | None = None) -> HttpResponse:
    """One run: its steps, what the robot sees, its question, and why; once it has ended, all that happened in it.

    `index` is the step to begin with, `pause` the event of a pause.
    """
    execution = Execution.objects.by_id(execution_id)
    if index is not None and not Step.objects.filter(execution=execution, index=index).exists():
        raise Http404(_("The run %(id)s has no step %(index)d.") % {"id": execution_id, "index": index})
    if pause is not None and all(one.seq != pause for one in pauses(execution)):
        raise Http404(_("The run %(id)s did not stand still there.") % {"id": execution_id})
    ended = execution.is_final
    begin = index if pause is None else key_of(pause)
    record_look(user=request.user, execution_id=execution.execution_id, origin=Origin.PAGE)
    context = {
        "execution": execution,
        "head": snapshot.head(execution),
        "may_operate": request.user.has_perm(OPERATE),
        "assistant": {"name": settings.RPA_ASSISTANT_NAME, "help": written(CommandName.HELP)},
        "page_data": {
            "snapshot": snapshot.snapshot(execution, steps=not ended),
            "film": whole(execution, begin) if ended else None,
            "at": begin,
            "graph": snapshot.graph_json(execution.version.spec(), execution.variables),
            "run": run_data(execution),
            "me": {**person(request), "sees_unmasked": hides(execution) and sees_unmasked(request.user)},
            "actions": actions(),
            "words": value_words(),
        },
    }
    return render(request, "execution/live.html", context)


@permitted(VIEW)
@require_safe
def run_snapshot(request: HttpRequest, execution_id: str) -> JsonResponse:
    """What the page asks for again and again where no socket gets through."""
    return _uncached(snapshot.snapshot(Execution.objects.by_id(execution_id)))


@permitted(VIEW)
@require_safe
def run_film(request: HttpRequest, execution_id: str) -> JsonResponse:
    """The whole run in short rows: what a live page asks for once the run has ended."""
    return _uncached(whole(Execution.objects.by_id(execution_id)))


@permitted(VIEW)
@require_safe
def run_stretch(request: HttpRequest, execution_id: str, number: int) -> JsonResponse:
    """The sentences and pictures of a stretch of steps: what the film asks for as somebody comes there."""
    return _uncached(stretch(Execution.objects.by_id(execution_id), number))


@permitted(VIEW)
@require_safe
def run_told(request: HttpRequest, execution_id: str, index: int) -> JsonResponse:
    """Everything about one step, in words."""
    runs = Execution.objects.select_related("version__published_by")
    execution = runs.by_id(execution_id)
    step = get_object_or_404(Step, execution=execution, index=index)
    step.execution = execution
    return _uncached(told(execution, step))


@permitted(VIEW)
@require_safe
def run_pause_told(request: HttpRequest, execution_id: str, pause: int) -> JsonResponse:
    """Everything about a screen at which the run stood still, in words."""
    found = told_of(Execution.objects.select_related("version").by_id(execution_id), pause)
    if found is None:
        raise Http404(_("The run %(id)s did not stand still there.") % {"id": execution_id})
    return _uncached(found)


def whole(execution: Execution, at: int | str | None = None) -> dict[str, Any]:
    """The film of a run, the step to begin with, how it ended, and the long part of the steps around `at`."""
    found = film(execution)
    first = first_look(found["steps"], execution.state)
    return {
        **packed(found),
        "first": first,
        "ending": ending(execution, found["steps"], first),
        "near": around(execution, found, first if at is None else at),
    }


def _uncached(found: dict[str, Any]) -> JsonResponse:
    response = JsonResponse(found)
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
        "waiting": f"/api/executions/{key}/waiting/",
        "lesson": reverse("teach", args=["0"]),
        "end_lesson": reverse("api_lesson_end", args=["0"]),
        "remember": reverse("api_execution_remember_dialog", args=[key]),
        "control": f"/api/executions/{key}/control/",
        "control_socket": f"/ws/control/{key}/",
        "snapshot": reverse("run_snapshot", args=[key]),
        "film": reverse("run_film", args=[key]),
        "stretch": reverse("run_stretch", args=[key, 0]),
        "told": reverse("run_told", args=[key, 0]),
        "step": reverse("run_step", args=[key, 0]),
        "pause": reverse("run_pause", args=[key, 0]),
        "mark": reverse("api_execution_mark", args=[key, 0]),
        "page": reverse("run", args=[key]),
        "export": reverse("run_export", args=[key]),
        "step_export": reverse("step_export", args=[key, 0]),
        "search": reverse("texts"),
        "compare": reverse("run_compare", args=[key]),
        "part": reverse("picture_part", args=["0" * 64]),
        "scene": reverse("picture_scene", args=["0" * 64]),
        "beside": reverse("pictures_beside", args=["0" * 64, "1" * 64]),
        "frame": reverse("run_frame", args=[key]),
        "screen": reverse("run_screen", args=[key, 0]),
        "picture": reverse("picture", args=["0" * 64]),
        "workflow": reverse("workflow", args=[workflow.workflow_id]),
        "mend": reverse("teach_mend", args=[key, 0]),
        "teach": f"{reverse('teach_new')}?run={key}",
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
        if name in CORRECTING_ACTION_TYPES
    }
