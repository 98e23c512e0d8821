"""What a lesson that mends a step tells its page: which one, what went wrong, whether the run can go on (S6.14)."""

from __future__ import annotations

from typing import Any

from django.urls import reverse

from execution.choices import STANDS_STILL
from execution.lesson.mending import mended_edge, mended_step
from execution.models import Lesson
from sentences.said import in_words, say, to_json
from workflows.graph import GraphSpec

_MOST = 6  # differences that are named


def mend_told(lesson: Lesson, graph: GraphSpec) -> dict[str, Any] | None:
    """None where nothing of a run is mended; `differs` is what else publishing would take along."""
    run = lesson.execution
    if run is None or lesson.step_index is None:
        return None
    step = mended_step(lesson)
    edge = mended_edge(lesson, lesson.cursor)
    begun = lesson.steps.filter(act="mend_begun").first()
    differs = (begun.params.get("differs") or []) if begun else []
    words = say("lesson.draft_differs", version=run.version.number, what=differs[:_MOST]) if differs else ""
    return {
        "run": run.name_for_people,
        "url": reverse("run", args=[run.execution_id]),
        "step": lesson.step_index,
        "sentence": step.sentence if step else "",
        "screen": graph.name_of(step.node_id) if step and step.node_id else "",
        "why": in_words(run.pause_detail.get("message") or (to_json(step.message) if step else "")),
        "target": edge.target.label if edge and edge.target else "",
        "differs": in_words(to_json(words)),
        "can_resume": run.state in STANDS_STILL,
    }
