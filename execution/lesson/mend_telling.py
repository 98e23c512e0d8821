"""What a lesson that mends a step tells its page: which one, what went wrong, whether the run can go on (S6.14)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from django.urls import reverse

from execution.choices import STANDS_STILL
from execution.lesson.mending import mended_edge, mended_step
from execution.models import Lesson
from sentences.said import in_words, say, to_json
from workflows.graph import GraphSpec
from workflows.words import sentence

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


def differences(was: GraphSpec, now: GraphSpec) -> list[str]:
    """What of a draft is not as in a version, by the names that people know."""
    return list(dict.fromkeys(_differences(was, now)))


def _differences(was: GraphSpec, now: GraphSpec) -> Iterator[str]:
    nodes = {node.node_id: node for node in was.nodes}
    for node in now.nodes:
        if nodes.pop(node.node_id, None) != node:
            yield node.name
    yield from (node.name for node in nodes.values())
    edges = {edge.edge_id: edge for edge in was.edges}
    for edge in now.edges:
        if edges.pop(edge.edge_id, None) != edge:
            yield sentence(edge, now)
    yield from (sentence(edge, was) for edge in edges.values())
    variables = {variable.name: variable for variable in was.variables}
    for variable in now.variables:
        if variables.pop(variable.name, None) != variable:
            yield variable.label or variable.name
    yield from (variable.label or variable.name for variable in variables.values())
    if was.popups != now.popups:
        yield from (
            popup.name for popup in (*was.popups, *now.popups) if popup not in was.popups or popup not in now.popups
        )
