"""The draft of a lesson as its page shows it: what was taught, what was understood of it, what is left to mend."""

from __future__ import annotations

from typing import Any

from execution.choices import LessonStepState
from execution.models import Lesson, LessonStep
from sentences.said import in_words
from workflows.specs import graph_of
from workflows.validation import problems
from workflows.words import of_action, sentence

Told = dict[str, Any]

# What is no part of the draft: taken back, or done without being kept.
_GONE = (LessonStepState.UNDONE, LessonStepState.UNKEPT)


def draft_told(lesson: Lesson, *, paused: bool = False) -> Told:
    """The whole draft, worded in the language of the moment."""
    graph = graph_of(lesson.workflow)
    steps = list(lesson.steps.exclude(state__in=_GONE).select_related("edge", "node").order_by("index"))
    return {
        "lesson_id": lesson.lesson_id,
        "workflow": {"id": lesson.workflow.workflow_id, "name": lesson.workflow.name},
        "state": lesson.state,
        "robot": lesson.robot.name if lesson.robot else "",
        "teacher": lesson.teacher.get_username() if lesson.teacher else "",
        "size": [lesson.robot.screen_width, lesson.robot.screen_height] if lesson.robot else [0, 0],
        "paused": paused,
        "screens": [
            {"node_id": n.node_id, "name": n.name, "texts": [{"text": t, "kind": "tells"} for t in n.texts]}
            for n in graph.nodes
        ],
        "steps": [_step(step, graph) for step in steps],
        "question": next((question_told(s) for s in steps if s.state == LessonStepState.HELD), None),
        "variables": [{"name": v.name, "label": v.label, "kind": v.kind} for v in graph.variables],
        "problems": [{"code": p.code, "text": p.message} for p in problems(graph)],
    }


def question_told(step: LessonStep) -> Told:
    """What is asked of an act that is held."""
    return {"id": str(step.index), **in_words(step.question)}


def _step(step: LessonStep, graph: Any) -> Told:
    edge = graph.edge(step.edge.edge_id) if step.edge else None
    label = str(step.screen.get("label") or "") or None
    return {
        "index": step.index,
        "node_id": step.node.node_id if step.node else "",
        "act": step.act,
        "sentence": sentence(edge, graph) if edge else of_action(step.act, step.params, label=label),
        "state": step.state,
        "at": step.at.isoformat(),
        "edge_id": edge.edge_id if edge else "",
        "target": {"sentence": edge.target.label} if edge and edge.target else None,
        "after": [{"text": text, "used": True} for text in edge.expect.texts] if edge else [],
    }
