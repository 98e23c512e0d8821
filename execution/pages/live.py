"""The live page of a run."""

from __future__ import annotations

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_safe

from audit.recording import record_look
from execution.assistant.panel_texts import counted
from execution.choices import Feedback, Origin
from execution.models import Execution, Step
from execution.pages import script_texts, snapshot
from execution.pages.viewer.ending import ending
from execution.pages.viewer.film import film, first_look
from execution.pages.viewer.standing import key_of, told_of
from execution.pages.viewer.stretch import around, packed, stretch
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
        "page_data": {
            "snapshot": snapshot.snapshot(execution, steps=not ended),
            "film": whole(execution, begin) if ended else None,
            "at": begin,
            "graph": snapshot.graph_json(execution.version.spec(), execution.variables),
            "run": run_data(execution),
            "me": {**person(request), "sees_unmasked": hides(execution) and sees_unmasked(request.user)},
            "actions": actions(),
            "words": {**script_texts.live(), **viewer()},
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


# The texts that the scripts of the run viewer show, in the reader's language; placeholders as in Python: %(name)s.


def viewer() -> dict[str, object]:
    return {**_film(), **_picture(), **_step(), **_hand_on()}


def _film() -> dict[str, object]:
    return {
        "film_cell": _("Step %(n)s: %(sentence)s: %(outcome)s"),
        "film_wide": _("Slow steps wider"),
        "clock_title": _("The run by the clock"),
        "clock_robot": _("the robot %(time)s"),
        "clock_waited": _("waiting for a person %(time)s"),
        "clock_still": _("standing still %(time)s"),
        "later_steps": counted(
            lambda n: ngettext("%(n)s later step is not shown", "%(n)s later steps are not shown", n)
        ),
        "problems": counted(lambda n: ngettext("%(n)s step to look at", "%(n)s steps to look at", n)),
        "no_problem": _("Nothing to look at"),
        "next_problem": _("Next step that was not as usual"),
        "compare_run": _("Compare"),
        "export_run": _("Export"),
        "play": _("Play"),
        "rest": _("Stop playing"),
        "play_title": _("Show step after step, before and after (P)"),
        "tried_again": counted(lambda n: ngettext("done at the 2nd try", "done after %(n)s more tries", n)),
    }


def _picture() -> dict[str, object]:
    return {
        "side": {"before": _("Before"), "slide": _("Both"), "after": _("After")},
        "differs": _("Differs"),
        "differs_n": counted(lambda n: ngettext("%(n)s place differs after it", "%(n)s places differ after it", n)),
        "picture_gone": _("This picture is no longer kept."),
        "typed": _("typed: %(text)s"),
        "pressed": _("pressed: %(keys)s"),
        "what_robot_sees": _("What the robot sees"),
        "no_texts": _("No text was read on this screen, or it is no longer kept."),
        "search_text": _("Where else was this read?"),
    }


def _step() -> dict[str, object]:
    return {
        "tab_step": _("Step %(n)s"),
        "tab_step_none": _("Step"),
        "stood_still": _("Stood still"),
        "stood_cell": _("Stood still: %(why)s"),
        "why_title": _("What it rests on"),
        "problem": {
            "failed": _("This step failed."),
            "rejected": _("This step was rejected."),
            "interrupted": _("This step was begun and not carried out."),
            "doubt": _("Nobody knows whether this step was done."),
            "asked": _("A person had to help here."),
            "retried": _("It took more than one try."),
            "unverified": _("It was done, and nothing on the screen proved it."),
            "corrected": _("A person corrected what was meant."),
            "skipped": _("It was skipped."),
            "degraded": _("It was done while the run saw less than usual."),
            "ended": _("The run ended here."),
            "paused": _("The run stood still here: no step was begun on this screen."),
        },
        "where_time": _("Where the time went"),
        "whole_step": _("the step in all"),
        "read_parts": _("text %(text)s, elements %(elements)s"),
        "check_yes": _("yes"),
        "check_no": _("no"),
        "earlier_runs": _("The same step in earlier runs"),
        "last_good": _("Against the last run that went well"),
        "run_n": _("run %(n)s"),
        "run_n_step": _("run %(n)s, step %(step)s"),
        "then_run": _("Then, run %(n)s"),
        "now_run": _("In this run"),
        "first_none": _("both went the same way, step for step"),
        "first_here": _("this is the first step that went another way"),
        "first_at": _("the first step that went another way is step %(n)s"),
        "corrections": _("Corrected"),
        "attempts": _("Attempts"),
        "attempt_n": _("Attempt %(n)s"),
        "was_it_right": _("Was it right?"),
        "mark": {"correct": _("Was right"), "incorrect": _("Was wrong"), "partial": _("In part")},
        "mark_reason": _("Why? (one line, optional)"),
        "marked": _("%(who)s: %(word)s."),
        "feedback": {one.value: str(one.label) for one in Feedback},
    }


def _hand_on() -> dict[str, object]:
    return {
        "hand_on": _("Go on from here"),
        "again_from": _("Start again from step %(n)s"),
        "again_hint": _("It looks at the desktop first, and stands still where another screen shows."),
        "again_not": _("A run cannot start here."),
        "step_as_file": _("Step as file"),
        "copy_link": _("Copy link"),
        "link_copied": _("The link is copied."),
    }
