"""A run, or one step of it, as one file: a page that opens from disk without the server, its pictures, and the same as
JSON for programs.

Everything in it is what was kept: pictures and texts as they were redacted. The taught pictures are not in it, for they
are not masked. It is made piece by piece as it is sent, so memory stays flat however many pictures there are.
"""

from __future__ import annotations

import json
import zipfile
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

from django.http import Http404, HttpRequest, HttpResponseBase
from django.template.loader import render_to_string
from django.utils import translation
from django.views.decorators.http import require_safe

from audit.models import Verb
from audit.recording import record
from execution.assistant.facts import Facts
from execution.choices import Origin
from execution.models import Decision, Execution, ExecutionEvent, Prompt, Step
from execution.pages.listing import badge
from execution.pages.packing import Pipe, sent, with_pictures, written
from execution.pages.viewer.ending import ending
from execution.pages.viewer.film import film, first_look
from execution.pages.viewer.story import story
from execution.pages.viewer.times import bars
from execution.permissions import VIEW, VIEW_PICTURE
from execution.record.events import as_message
from execution.record.hidden import Hidden, hidden_in
from execution.record.meant import corrected_steps
from execution.record.payloads import step_payload
from execution.record.summary import people, run_summary
from sentences.said import in_words
from workflows.permissions import permitted

PAGE = 50  # steps that are in memory at a time
CHUNK = 64 * 1024
# Of a step: where its pictures lie on this machine, and what only this installation can make something of.
NOT_FOR_OTHERS = frozenset({"screenshot_path", "file_size_bytes", "seal", "vector_id", "picture"})


@permitted(VIEW)
@permitted(VIEW_PICTURE)
@require_safe
def run_export(request: HttpRequest, execution_id: str) -> HttpResponseBase:
    """The run as a file to be kept or handed on."""
    execution = Execution.objects.select_related("version__published_by", "started_by").by_id(execution_id)
    record(Verb.EXPORT, user=request.user, origin=Origin.PAGE, kind="run", about=execution.execution_id)
    language = translation.get_language() or "en"
    pieces = archive(execution, language=language)
    return sent(request, pieces, name=f"run-{execution.pk}.zip")


@permitted(VIEW)
@permitted(VIEW_PICTURE)
@require_safe
def step_export(request: HttpRequest, execution_id: str, index: int) -> HttpResponseBase:
    """One step of it, for a colleague."""
    execution = Execution.objects.select_related("version__published_by", "started_by").by_id(execution_id)
    if not execution.steps.filter(index=index).exists():
        raise Http404
    about = execution.execution_id
    record(Verb.EXPORT, user=request.user, origin=Origin.PAGE, kind="run", about=about, step=index)
    pieces = archive(execution, only=index, language=translation.get_language() or "en")
    return sent(request, pieces, name=f"run-{execution.pk}-step-{index}.zip")


def archive(execution: Execution, *, only: int | None = None, language: str = "en") -> Iterator[bytes]:
    """The bytes of the file, in order: the page, the JSON, then each picture once. `only`: of that step alone."""
    pipe = Pipe()
    pictures: dict[str, None] = {}
    with zipfile.ZipFile(pipe, "w", zipfile.ZIP_DEFLATED) as packed:
        with translation.override(language):
            head = _head(execution)
        if only is not None:
            head["only"], head["pauses"] = only, []
        yield from written(packed, pipe, "index.html", _page(execution, head, pictures, language))
        yield from written(packed, pipe, "run.json", _json(execution, head))
        yield from with_pictures(packed, pipe, pictures)
    yield pipe.taken()


def _head(execution: Execution) -> dict[str, Any]:
    found = film(execution)
    first = first_look(found["steps"], execution.state)
    hidden = hidden_in(execution, execution.version.spec())
    ended_at = Step.objects.filter(execution=execution, index=first).first() if isinstance(first, int) else None
    said = hidden.of(ended_at) if ended_at else hidden  # the end may quote what was read there
    return {
        "format": "surehand-run",
        "format_version": 1,
        "exported_at": datetime.now(UTC).isoformat(),
        "execution": {
            **execution.progress(),
            "number": execution.pk,
            "workflow_name": execution.version.workflow.name,
            "version": execution.version.number,
            "state": execution.state,
            "started_at": execution.started_at.isoformat() if execution.started_at else None,
            "ended_at": execution.ended_at.isoformat() if execution.ended_at else None,
            "variables": hidden.any(execution.variables),
        },
        "ending": said.any(ending(execution, found["steps"], first)),
        "first": first,
        "summary": said.any({**run_summary(execution), **people(execution)}),
        "problems": {row["index"]: row["problem"] for row in found["steps"] if row.get("problem")},
        "pauses": said.any([_pause(row) for row in found["steps"] if "pause" in row]),
        "cells": {row["index"]: row["cell"] for row in found["steps"]},
    }


def _pause(row: dict[str, Any]) -> dict[str, Any]:
    """A screen at which it stood still, and that no step was opened for."""
    return {name: row[name] for name in ("index", "after", "message", "picture_before", "waited_ms", "started_at")}


# --- the page --------------------------------------------------------------------------------------------------------
def _page(execution: Execution, head: dict[str, Any], pictures: dict[str, None], language: str) -> Iterator[str]:
    """HTML that needs nothing beside its own file and the pictures; `pictures` is filled with those that it shows."""
    with translation.override(language):
        context = {"run": execution, "head": head, "badge": badge(execution), "language": language}
        start, end = render_to_string("execution/export.html", context).split("<!-- steps -->")
    yield start
    stood = list(head["pauses"])
    for step, facts, prompts, decisions in _steps(execution, head.get("only")):
        yield from _stood([one for one in stood if one["after"] < step.index], pictures, language)
        stood = [one for one in stood if one["after"] >= step.index]
        for digest in (step.picture_before, step.picture_after):
            if digest:
                pictures[digest] = None
        with translation.override(language):
            shown = {
                "step": step,
                "sentence": facts.sentence(step),
                "story": story(facts, step, prompts, decisions),
                "times": bars(step),
                "cell": head["cells"].get(step.index, ""),
                "box": _percent(step.suggestion.get("box")),
                "typed": facts.hidden.text((step.suggestion.get("params") or {}).get("text") or ""),
            }
            text = render_to_string("execution/_export_step.html", shown)
        yield text
    yield from _stood(stood, pictures, language)
    yield end


def _stood(pauses: list[dict[str, Any]], pictures: dict[str, None], language: str) -> Iterator[str]:
    for pause in pauses:
        pictures[pause["picture_before"]] = None
        with translation.override(language):
            yield render_to_string("execution/_export_pause.html", {"pause": pause})


def _percent(box: Any) -> dict[str, str] | None:
    """A box as the style of what is drawn over a picture."""
    if not box:
        return None
    return {name: f"{100 * value:.3f}%" for name, value in zip(("left", "top", "width", "height"), box, strict=True)}


# --- for programs ----------------------------------------------------------------------------------------------------
def _json(execution: Execution, head: dict[str, Any]) -> Iterator[str]:
    told = json.dumps({k: v for k, v in head.items() if k not in ("cells", "pauses")}, ensure_ascii=False)
    shown = json.dumps([_for_others(pause) for pause in head["pauses"]], ensure_ascii=False)
    yield told[:-1] + f', "pauses": {shown}, "steps": ['
    comma = ""
    for step, facts, _prompts, decisions in _steps(execution, head.get("only")):
        hidden = facts.hidden
        payload = hidden.any(_for_others(in_words(step_payload(step), codes=True)))
        answers = [
            {"choice": one.choice, "by": one.decided_by, "at": one.decided_at.isoformat(), "feedback": one.feedback}
            for one in decisions
        ]
        whole = {**payload, "screen": hidden.any(_for_others(step.screen)), "decisions": hidden.any(answers)}
        yield comma + json.dumps(whole, ensure_ascii=False)
        comma = ",\n"
    yield '], "events": ['
    yield from _events(execution, head.get("only"))
    yield "]}"


def _events(execution: Execution, only: int | None) -> Iterator[str]:
    hidden, comma, last = hidden_in(execution, execution.version.spec()), "", 0
    rows = ExecutionEvent.objects.filter(execution=execution).order_by("seq")
    if only is not None:
        step = execution.steps.get(index=only)
        rows = rows.filter(at__gte=step.started_at, at__lte=step.ended_at or datetime.now(UTC))
    while page := list(rows.filter(seq__gt=last)[:PAGE]):
        for event in page:
            yield comma + json.dumps(hidden.any(_for_others(in_words(as_message(event)))), ensure_ascii=False)
            comma = ",\n"
        last = page[-1].seq


def _for_others(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _for_others(inner) for name, inner in value.items() if name not in NOT_FOR_OTHERS}
    return [_for_others(inner) for inner in value] if isinstance(value, list) else value


# --- both ------------------------------------------------------------------------------------------------------------
def _steps(execution: Execution, only: int | None) -> Iterator[tuple[Step, Facts, list[Prompt], list[Decision]]]:
    """Each step with its questions and answers, a page of them in memory at a time."""
    graph = execution.version.spec()
    hidden: Hidden = hidden_in(execution, graph)
    common: dict[str, Any] = {"execution": execution, "graph": graph, "corrected": corrected_steps(execution)}
    rows, last = Step.objects.filter(execution=execution).order_by("index"), 0
    if only is not None:
        rows = rows.filter(index=only)
    while page := list(rows.filter(index__gt=last)[:PAGE]):
        prompts = list(Prompt.objects.filter(step__in=page).order_by("pk"))
        answers = Decision.objects.filter(prompt__in=prompts).select_related("user", "prompt").order_by("decided_at")
        decisions = list(answers)
        for step in page:
            step.execution = execution
            facts = Facts(**common, hidden=hidden.of(step), steps=(step,), focus=(step,))
            mine = [prompt for prompt in prompts if prompt.step_id == step.pk]
            yield step, facts, mine, [one for one in decisions if one.prompt.step_id == step.pk]
        last = page[-1].index
