"""The draft of a lesson as its page shows it: what was taught, what was understood of it, what is left to mend.

This one value is all that the page knows of the draft, with a robot at the other end of the line and without.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from django.utils.translation import gettext as _

from execution.choices import LessonStepState
from execution.lesson.signs import signs_told
from execution.models import Lesson, LessonStep
from sentences.said import in_words
from workflows.catalogue import ACTIONS
from workflows.choices import VariableKind
from workflows.graph import EdgeSpec, GraphSpec, TargetSpec, VariableSpec
from workflows.models import Node, Target
from workflows.specs import graph_of
from workflows.validation import Problem, problems
from workflows.words import of_action, sentence

Told = dict[str, Any]

_CHANGEABLE = ("keys", "text", "name", "kind", "timeout_s")

# What is no part of the draft: taken back, or done without being kept.
_GONE = (LessonStepState.UNDONE, LessonStepState.UNKEPT)


def draft_told(lesson: Lesson, *, paused: bool = False) -> Told:
    """The whole draft, worded in the language of the moment."""
    workflow = lesson.workflow
    graph = graph_of(workflow)
    kept = lesson.steps.exclude(state__in=_GONE).order_by("index")
    steps = list(kept.select_related("edge__target__picture", "node"))
    nodes = workflow.nodes.select_related("reference").prefetch_related("looks")
    return {
        "lesson_id": lesson.lesson_id,
        "workflow": {"id": workflow.workflow_id, "name": workflow.name},
        "state": lesson.state,
        "problem": in_words(lesson.problem),
        "robot": lesson.robot.name if lesson.robot else "",
        "teacher": lesson.teacher.get_username() if lesson.teacher else "",
        "size": [lesson.robot.screen_width, lesson.robot.screen_height] if lesson.robot else [0, 0],
        "paused": paused,
        "can": ["redraw", "try"],
        "screens": [_screen(node, lesson.told_apart.get(node.node_id)) for node in nodes],
        "steps": [_step(step, graph) for step in steps],
        "question": next((question_told(s) for s in steps if s.state == LessonStepState.HELD), None),
        "variables": [_variable(one) for one in graph.variables],
        "problems": [*(_problem(one, graph, steps) for one in problems(graph)), *_doubts(lesson, steps, graph)],
    }


def question_told(step: LessonStep) -> Told:
    """What is asked of an act that is held."""
    return {"id": str(step.index), **in_words(step.question)}


def _screen(node: Node, told_apart: Told | None) -> Told:
    """A screen; beside the texts that it is known by those that were set aside."""
    tells = [{"text": text, "kind": "tells"} for text in node.texts]
    return {
        "node_id": node.node_id,
        "name": node.name,
        "is_entry": node.is_entry,
        "is_end": node.is_end,
        "picture": node.reference.digest if node.reference else "",
        "looks": len(node.looks.all()) + bool(node.reference),
        "texts": tells + [one for one in node.aside if one["text"] not in node.texts],
        "regions": node.regions,
        "told_apart": told_apart,
    }


def _step(step: LessonStep, graph: GraphSpec) -> Told:
    edge = graph.edge(step.edge.edge_id) if step.edge else None
    told: Told = {
        "index": step.index,
        "node_id": step.node.node_id if step.node else "",
        "act": step.act,
        "sentence": sentence(edge, graph) if edge else of_action(step.act, step.params, label=_asked_of(step)),
        "detail": _detail(step),
        "state": step.state,
        "at": step.at.isoformat(),
        "edge_id": edge.edge_id if edge else "",
        "picture": step.picture_before,
    }
    return told if edge is None else told | _understood(edge, step)


def _understood(edge: EdgeSpec, step: LessonStep) -> Told:
    row = step.edge.target if step.edge else None
    return {
        "optional": edge.optional,
        "value": _value(edge),
        "params": _params(edge),
        "target": _target(edge.target, row, step) if edge.target and row else None,
        "after": _after(edge, step),
        "identity": [{"value": one.value, "label": one.label} for one in edge.identity],
    }


def _target(target: TargetSpec, row: Target, step: LessonStep) -> Told:
    return {
        "sentence": target.label,
        "picture": target.context or target.picture,
        "signs": signs_told(row, counts=step.screen.get("counts") or {}),
        "proof": step.screen.get("proof"),
    }


def _value(edge: EdgeSpec) -> Told | None:
    if edge.action_type != "type_text":
        return None
    params = edge.params
    return {"text": str(params.get("text", "")), **{name: bool(params.get(name)) for name in ("clear", "enter")}}


def _params(edge: EdgeSpec) -> Told:
    """What can be changed of an act that types nothing."""
    if edge.action_type == "type_text":
        return {}
    spec = ACTIONS.get(edge.action_type)
    known = {param.name: param.default for param in spec.params} if spec else {}
    told = {name: edge.params.get(name, known[name]) for name in _CHANGEABLE if name in known}
    return {name: "+".join(value) if isinstance(value, list | tuple) else value for name, value in told.items()}


def _after(edge: EdgeSpec, step: LessonStep) -> list[Told]:
    """The texts that must be seen after it, and those that were and need not be."""
    used = list(edge.expect.texts)
    others = [text for text in step.screen.get("after") or [] if text not in used]
    return [{"text": text, "used": text in used} for text in used + others]


def _asked_of(step: LessonStep) -> str | None:
    """What a held act is about, before it has a target."""
    return str(step.screen.get("label") or "") or None


def _detail(step: LessonStep) -> str:
    """The second line of a step: what was typed where it is a variable now, what is in doubt, what went wrong."""
    if said := step.screen.get("why") or step.screen.get("problem"):
        return str(in_words(said))
    was = step.screen.get("typed")
    return _("was “%(text)s”") % {"text": was} if was else ""


def _variable(one: VariableSpec) -> Told:
    secret = one.kind == VariableKind.SECRET
    return {
        "name": one.name,
        "label": one.label,
        "kind": one.kind,
        "example": "" if secret else one.example,
        "default": "" if secret else one.default,
        "choices": [] if secret else list(one.choices),
        "secret": secret,
    }


# --- what is left to mend --------------------------------------------------------------------------------------------
def _problem(one: Problem, graph: GraphSpec, steps: Sequence[LessonStep]) -> Told:
    where, goto = _place(one, graph, steps)
    where = "" if where in one.message else where  # once is enough
    return {"code": one.code, "severity": one.severity, "text": one.message, "where": where, "goto": goto}


def _doubts(lesson: Lesson, steps: Sequence[LessonStep], graph: GraphSpec) -> Iterator[Told]:
    """What trying it on the stored pictures left in doubt: screens and targets that may be taken for others."""
    for node in graph.nodes:
        apart = lesson.told_apart.get(node.node_id) or {}
        if apart.get("weak") and apart.get("nearest"):
            said = _("“%(name)s” may be taken for “%(other)s”. Add a text or an area that tells them apart.")
            near = apart["nearest"]
            of_another = "" if near.get("workflow", graph.name) == graph.name else f" ({near['workflow']})"
            text = said % {"name": node.name, "other": near.get("name", "") + of_another}
            yield _doubt("weak_screen", text, f"screen:{node.node_id}")
    for step in steps:
        edge = graph.edge(step.edge.edge_id) if step.edge else None
        proof = step.screen.get("proof") or {}
        missed, elsewhere = proof.get("of", 0) - proof.get("found", 0), proof.get("elsewhere", 0)
        if edge is not None and (missed or elsewhere):
            said = _(
                "%(step)s: not found on %(missed)d of %(of)d pictures, and found on %(elsewhere)d of other screens."
            )
            words = {"step": sentence(edge, graph), "of": proof["of"], "missed": missed, "elsewhere": elsewhere}
            yield _doubt("weak_target", said % words, f"step:{step.index}")


def _doubt(code: str, text: str, goto: str) -> Told:
    return {"code": code, "severity": "warning", "text": text, "where": "", "goto": goto}


def _place(one: Problem, graph: GraphSpec, steps: Sequence[LessonStep]) -> tuple[str, str]:
    """Where it is mended, in words, and where the page goes for it: a step, a screen, a variable, or the workflow."""
    if one.kind == "node" and (node := graph.node(one.where)):
        return _("the screen “%(name)s”") % {"name": node.name}, f"screen:{node.node_id}"
    if one.kind == "variable":
        return _("the variable “%(name)s”") % {"name": one.where}, f"variable:{one.where}"
    edge = next((e for e in graph.edges if one.where in _ids(e, one.kind)), None)
    if edge is not None:
        step = next((s for s in steps if s.edge and s.edge.edge_id == edge.edge_id), None)
        goto = f"step:{step.index}" if step else f"/workflows/{graph.workflow_id}#edge-{edge.edge_id}"
        return sentence(edge, graph), goto
    return "", _of_workflow(one, graph)


def _ids(edge: EdgeSpec, kind: str) -> tuple[str, ...]:
    if kind == "target":
        return (edge.target.target_id,) if edge.target else ()
    return (edge.edge_id,) if kind == "edge" else ()


def _of_workflow(one: Problem, graph: GraphSpec) -> str:
    """A missing beginning is said on the first screen, a missing end on the last one."""
    if one.code == "no_entry" and graph.nodes:
        return f"screen:{graph.nodes[0].node_id}"
    return f"screen:{graph.nodes[-1].node_id}" if one.code == "no_end" and graph.nodes else ""
