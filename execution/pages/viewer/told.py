"""Everything that the page tells of one step, asked for when somebody comes to it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from urllib.parse import urlencode

from django.urls import reverse
from django.utils.translation import gettext as _

from execution.assistant.facts import Facts
from execution.assistant.phrases import seconds
from execution.models import Decision, Execution, Prompt, Step, StepMark, ValueRead
from execution.pages.viewer.earlier import difference, earlier, runs_before
from execution.pages.viewer.story import story
from execution.pages.viewer.times import bars
from execution.record.attribution import for_people
from execution.record.hidden import hidden_in
from execution.record.payloads import step_payload
from execution.record.sentences import texts_are_gone
from sentences.said import in_words
from workflows.graph import GraphSpec
from workflows.models import Correction, WorkflowVersion
from workflows.text import names as variables_in
from workflows.words import PARAM_WORDS


def told(execution: Execution, step: Step) -> dict[str, Any]:
    """The step, its story, times, corrections, attempts, marks, and what it is held against."""
    graph = execution.version.spec()
    prompts = list(Prompt.objects.filter(step=step).order_by("pk"))
    answers = Decision.objects.filter(prompt__step=step).select_related("user", "prompt").order_by("decided_at", "pk")
    decisions = list(answers)
    hidden = hidden_in(execution, graph).of(step)
    facts = Facts(execution=execution, graph=graph, hidden=hidden, steps=(step,), focus=(step,))
    return {
        "step": in_words(step_payload(step)),
        "story": story(facts, step, prompts, decisions),
        "times": bars(step, asked_after=_asked_after(step, prompts)),
        "earlier": earlier(step, runs_before(execution)),
        "difference": difference(execution, step),
        "corrections": _corrections(execution, step),
        "attempts": _attempts(facts, step),
        "marks": [mark.as_json() for mark in StepMark.objects.filter(step=step)],
        "keeps_words": not texts_are_gone(step),  # of a mark: its reason
        "again": again_from(execution, step),
        "mend": step.index if step.picture_before else None,
    }


def _asked_after(step: Step, prompts: Sequence[Prompt]) -> bool:
    """Whether it was done before a person was asked about it."""
    acted = step.intent_at
    return acted is not None and any(prompt.created_at > acted for prompt in prompts)


def _corrections(execution: Execution, step: Step) -> list[dict[str, Any]]:
    """What a coach put in the place of what was meant, old and new."""
    kept = Correction.objects.filter(execution_id=execution.execution_id, step=step.index)
    return [_correction(one) for one in kept.select_related("decided_by").order_by("pk")]


def _correction(one: Correction) -> dict[str, Any]:
    old, new = one.original_target or {}, one.corrected_target or {}
    rows = []
    if new:
        label = (old.get("target") or {}).get("label") or _("no place")
        rows.append(
            {"what": _("Place"), "old": label, "new": new.get("text") or new.get("label") or _("the place shown")}
        )
    for name, value in (one.corrected_params or {}).items():
        what = str(PARAM_WORDS.get(name, name))
        rows.append({"what": what, "old": str((one.original_params or {}).get(name, "")), "new": str(value)})
    if one.corrected_action:
        rows.append({"what": _("Action"), "old": "", "new": one.corrected_action})
    for wait, what in ((one.wait_before, _("Wait before")), (one.wait_after, _("Wait after"))):
        if wait:
            rows.append({"what": what, "old": "", "new": seconds(wait)})
    return {
        "rows": rows,
        "reason": one.feedback,
        "by": one.decided_by.get_username() if one.decided_by else "",
        "old_box": old.get("box"),
        "new_box": new.get("box"),
    }


def _attempts(facts: Facts, step: Step) -> list[dict[str, Any]]:
    """Each attempt at the same action: those within this step, and the steps beside it that tried it again."""
    found = [
        {
            "index": step.index,
            "said": facts.hidden.text(attempt.get("message")),
            "ms": round(sum(attempt.get(name, 0) for name in ("act_ms", "look_ms", "verify_ms"))),
            "picture": attempt.get("picture") or "",
            "outcome": "failed",
        }
        for attempt in step.attempts
    ]
    last = {
        "index": step.index,
        "said": facts.hidden.text(for_people(step.message)),
        "ms": round(step.act_ms + step.look_ms + step.verify_ms),
        "picture": step.picture_after or step.picture_before,
        "outcome": step.outcome,
    }
    others = _neighbours(facts, step)
    if not found and not others:
        return []
    return sorted([*found, last, *others], key=lambda one: one["index"])


def _neighbours(facts: Facts, step: Step) -> Sequence[dict[str, Any]]:
    """Steps of the same action that follow one another."""
    if not step.edge_id:
        return []
    near = Step.objects.filter(execution_id=step.execution_id, index__range=(step.index - 4, step.index + 4))
    rows = {row.index: row for row in near.defer("screen", "recognition")}
    found = []
    for direction in (-1, 1):
        index = step.index + direction
        while index in rows and rows[index].edge_id == step.edge_id:
            found.append(rows[index])
            index += direction
    return [
        {
            "index": one.index,
            "said": facts.hidden.text(for_people(one.message)),
            "ms": round(one.total_ms),
            "picture": one.picture_after or one.picture_before,
            "outcome": one.outcome,
        }
        for one in found
    ]


# Whether a run may be started again from the screen of a step, and if not why (S1.22).
# The page never acts: a run that begins looks first, and stands still where the desktop shows another screen.


def again_from(execution: Execution, step: Step) -> dict[str, str]:
    """`url` of the form that starts it, or `why_not` in a sentence."""
    if why_not := _why_not(execution, step):
        return {"url": "", "why_not": why_not}
    workflow = execution.version.workflow
    asked = {"workflow": workflow.workflow_id, "again": execution.execution_id, "node": step.node_id}
    return {"url": f"{reverse('run_start')}?{urlencode(asked)}", "why_not": ""}


def _why_not(execution: Execution, step: Step) -> str:
    if not step.node_id:
        return _("The screen of this step was not recognised, so no run can begin with it.")
    latest = WorkflowVersion.objects.filter(workflow=execution.version.workflow).order_by("-number").first()
    graph = latest.spec() if latest else None
    if graph is None or graph.node(step.node_id) is None:
        return _("The published version has no such screen any more.")
    if Step.objects.filter(execution=execution, index__lte=step.index, suggestion__line__gte=1).exists():
        return _("It is after the first line of a list: a new run would begin that list again.")
    lacking = _lacking(execution, step, graph)
    if lacking:
        return _("From there on the value of “%(names)s” is needed, which is read before.") % {
            "names": ", ".join(sorted(lacking))
        }
    return ""


def _lacking(execution: Execution, step: Step, graph: GraphSpec) -> set[str]:
    """Values that were read before this step and are used after it."""
    read = ValueRead.objects.filter(execution=execution, step__index__lt=step.index)
    names = set(read.values_list("name", flat=True))
    if not names:
        return set()
    reached = graph.reachable([step.node_id])
    return names & variables_in([edge for edge in graph.to_json()["edges"] if edge["source"] in reached])
