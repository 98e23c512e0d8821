"""The draft of a lesson as its page shows it: what was taught, what was understood of it, what is left to mend.

This one value is all that the page knows of the draft, with a robot at the other end of the line and without.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from execution.choices import LessonStepState
from execution.lesson import ways
from execution.lesson.calling import open_among
from execution.lesson.mend_telling import mend_told
from execution.lesson.read_backs import changes_nothing, proof_told, with_names
from execution.lesson.signs import signs_told
from execution.lesson.slides import slides_of
from execution.lesson.step_order import in_order, moves_of
from execution.lesson.undoing import said_of
from execution.models import Lesson, LessonStep
from sentences.said import in_words, say, worded
from workflows.catalogue import ACTIONS, VALUE_PARAMS, allowed_values
from workflows.choices import VariableKind
from workflows.graph import EdgeSpec, GraphSpec, TargetSpec, VariableSpec
from workflows.models import Edge, Node, Target
from workflows.secret_names import holds_secret
from workflows.specs import graph_of, nodes_of
from workflows.text import names
from workflows.validation import Problem, problems
from workflows.words import of_action, sentence

Told = dict[str, Any]

_CHANGEABLE = ("keys", "text", "columns", "name", "kind", "format", "timeout_s")

_TEXTS = frozenset({"type_text", "choose"})
_MOST_TYPED = 8

# What is no part of the draft: taken back, or done without being kept.
_GONE = (LessonStepState.UNDONE, LessonStepState.UNKEPT)


def draft_told(
    lesson: Lesson, *, paused: bool = False, leads_on: bool = True, inserts_after: Edge | None = None
) -> Told:
    """The whole draft, worded in the language of the moment; `leads_on` as pictures do (`lesson.slides`),
    `inserts_after` the step that the next one is put behind."""
    workflow = lesson.workflow
    nodes = nodes_of(workflow)  # of one reading: what is told of screens and steps agrees
    graph = with_names(graph_of(workflow, nodes))
    kept = lesson.steps.exclude(state__in=_GONE).order_by("index")
    steps = in_order(kept.select_related("edge__target__picture", "node"), graph)
    slides = {slide.picture: at for at, slide in enumerate(slides_of(lesson))}
    ends = {node.pk for node in nodes if node.is_end}
    return {
        "lesson_id": lesson.lesson_id,
        "workflow": {"id": workflow.workflow_id, "name": workflow.name},
        "state": lesson.state,
        "problem": in_words(lesson.problem),
        "robot": lesson.robot.name if lesson.robot else "",
        "teacher": lesson.teacher.get_username() if lesson.teacher else "",
        "size": _size(lesson),
        "pictures": None if lesson.has_desktop else _pictures(lesson, leads_on),
        "paused": paused,
        "mend": mend_told(lesson, graph),
        "call": _call(steps, graph),
        "can": ["redraw", "repeat", "set", "try"] if lesson.has_desktop else ["redraw", "repeat"],
        "screens": [_screen(node, lesson.told_apart.get(node.node_id), graph) for node in nodes],
        "inserts_after": next((s.index for s in steps if inserts_after and s.edge_id == inserts_after.pk), None),
        "steps": [_step(step, graph, ends, slides) for step in steps],
        "question": asked_now(steps),
        "variables": [_variable(one) for one in graph.variables],
        "values": _values(lesson, graph),
        "typed": _typed(graph),
        "problems": [*(_problem(one, graph, steps) for one in problems(graph)), *_doubts(lesson, steps, graph)],
    }


def _size(lesson: Lesson) -> list[int]:
    """Of what is taught on, in pixels."""
    if lesson.has_desktop:
        return [lesson.robot.screen_width, lesson.robot.screen_height] if lesson.robot else [0, 0]
    slides = slides_of(lesson)
    return list(slides[min(lesson.showing, len(slides) - 1)].size) if slides else [0, 0]


def _pictures(lesson: Lesson, leads_on: bool) -> Told:
    """What is shown in the place of a desktop: which of how many, by its name; never by a digest."""
    slides = slides_of(lesson)
    at = min(lesson.showing, max(len(slides) - 1, 0))
    return {
        "kind": lesson.kind,
        "at": at,
        "of": len(slides),
        "name": slides[at].name if slides else "",
        "leads_on": leads_on,
        "did": slides[at].did if slides else {},
        "run": lesson.execution.execution_id if lesson.execution else "",
    }


def _is_kept(step: LessonStep) -> bool:
    return step.state != LessonStepState.HELD


def _is_asked(step: LessonStep) -> bool:
    """Whether an answer is waited for: of an act that is held, or of one that was done by hand and is kept."""
    return not _is_kept(step) or bool(step.question and not step.answered and step.edge_id)


def asked_now(steps: Iterable[LessonStep]) -> Told | None:
    """The question of a lesson that is open: of an act that is held, else the first of those that are kept."""
    return next((question_told(step) for step in sorted(steps, key=_is_kept) if _is_asked(step)), None)


def question_told(step: LessonStep) -> Told:
    """What is asked of an act."""
    return {"id": str(step.index), **in_words(step.question)}


def _screen(node: Node, told_apart: Told | None, graph: GraphSpec) -> Told:
    """A screen; beside the texts that it is known by those that were set aside."""
    tells = [{"text": text, "kind": "tells"} for text in node.texts]
    return {
        "node_id": node.node_id,
        "name": node.name,
        "is_entry": node.is_entry,
        "is_end": node.is_end,
        "exception": node.exception,
        "picture": node.reference.digest if node.reference else "",
        "looks": len(node.looks.all()) + bool(node.reference),
        "texts": tells + [one for one in node.aside if one["text"] not in node.texts],
        "regions": node.regions,
        "ways": ways.in_order(node.node_id, graph),
        "told_apart": told_apart,
    }


def _step(step: LessonStep, graph: GraphSpec, ends: Collection[int], slides: Mapping[str, int]) -> Told:
    edge = graph.edge(step.edge.edge_id) if step.edge else None
    told: Told = {
        "index": step.index,
        "node_id": step.node.node_id if step.node else "",
        "act": step.act,
        "sentence": _sentence(step, edge, graph),
        "detail": _detail(step, ends),
        "state": step.state,
        "at": step.at.isoformat(),
        "edge_id": edge.edge_id if edge else "",
        "picture": step.picture_before,
        "slide": slides.get(step.picture_before),
        "box": step.screen.get("box"),
    }
    return told if edge is None else told | _understood(edge, step, graph) | ways.told_of(edge, graph)


def _sentence(step: LessonStep, edge: EdgeSpec | None, graph: GraphSpec) -> str:
    if edge is None:
        return said_of(step) or of_action(step.act, step.params, label=_asked_of(step))
    return sentence(edge, graph)


def _understood(edge: EdgeSpec, step: LessonStep, graph: GraphSpec) -> Told:
    row = step.edge.target if step.edge else None
    return {
        "optional": edge.optional,
        "moves": moves_of(edge, graph),
        "value": _value(edge),
        "params": _params(edge),
        "target": _target(edge.target, row, step) if edge.target and row else None,
        "after": _after(edge, step),
        "identity": [{"value": one.value, "label": one.label} for one in edge.identity],
        "condition": [{"value": one.value, "test": one.test, "to": list(one.to)} for one in edge.condition],
        "repeat": ways.repeat_told(edge),
        "proved_by": proof_told(edge),
        "changes_nothing": changes_nothing(edge),
        "record": _record(step),
        "offer": _offer(step),
    }


def _offer(step: LessonStep) -> Told | None:
    """What a click on a control may be meant for, while nobody said."""
    offer = step.screen.get("offer")
    return {"act": offer["act"], "params": offer["params"], "label": offer["label"]} if offer else None


def _record(step: LessonStep) -> Told | None:
    """Whose record the screen that it led to seems to be, while nobody said whether that is to be asked."""
    offered = step.screen.get("record") or {}
    if not offered or "accepted" in offered:
        return None
    return {"identity": offered["identity"]}


def _target(target: TargetSpec, row: Target, step: LessonStep) -> Told:
    return {
        "sentence": target.label,
        "picture": target.context or target.picture,
        "signs": signs_told(row, counts=step.screen.get("counts") or {}),
        "proof": step.screen.get("proof"),
    }


def _call(steps: Iterable[LessonStep], graph: GraphSpec) -> Told | None:
    """The other workflow that is being done by hand."""
    step = open_among(steps)
    edge = graph.edge(step.edge.edge_id) if step and step.edge else None
    return {"index": step.index, "sentence": sentence(edge, graph)} if step and edge else None


def _value(edge: EdgeSpec) -> Told | None:
    """What an act brings to its place: a text that is typed, an option, on or off, a day."""
    name = VALUE_PARAMS.get(edge.action_type)
    if name is None:
        return None
    params = edge.params
    told: Told = {"param": name, "text": str(params.get(name, ""))}
    if edge.action_type == "type_text":
        return told | {switch: bool(params.get(switch)) for switch in ("clear", "enter")}
    return told | {"allowed": list(allowed_values(edge.action_type, name))}


def _params(edge: EdgeSpec) -> Told:
    """What can be changed of an act beside its value."""
    if edge.action_type == "type_text":
        return {}
    spec = ACTIONS.get(edge.action_type)
    own = VALUE_PARAMS.get(edge.action_type)
    known = {param.name: param.default for param in spec.params if param.name != own} if spec else {}
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


def _detail(step: LessonStep, ends: Collection[int]) -> str:
    """The second line of a step: what was typed where it is a variable now, what was read, what is in doubt, what went
    wrong."""
    if said := step.screen.get("why") or step.screen.get("problem"):
        return str(in_words(said))
    if "ended" in step.made and step.node and step.node.pk not in ends:
        return str(worded(say("lesson.no_end_any_more", node=step.node.name)))
    if step.act == "read_value" and (read := step.lesson.values.get(str(step.params.get("name")))):
        return _("read “%(text)s”") % {"text": read}
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


def _values(lesson: Lesson, graph: GraphSpec) -> list[Told]:
    """What a run has a value of by name, with the one that it has here: what it is given, reads, and counts by."""
    given = {v.name: v for v in graph.variables if not holds_secret(v)}
    told = []
    for name, kind in graph.kinds.items():
        if name not in given and any(v.name == name for v in graph.variables):
            continue
        one = given.get(name)
        value = str(lesson.values.get(name) or "") or (one.example or one.default if one else "")
        choices = list(one.choices) if one else []
        is_read = one is None and name in graph.outputs
        source = "given" if one else "read" if is_read else "counted"
        told.append(
            {"name": name, "label": graph.label_of(name), "kind": kind, "value": value, "choices": choices,
             "source": source}
        )  # fmt: skip
    return told


def _typed(graph: GraphSpec) -> list[str]:
    """The texts that are typed, or chosen, as they stand: offered where one is asked for; the last ones first."""
    texts = [str(e.params.get(VALUE_PARAMS[e.action_type], "")) for e in graph.edges if e.action_type in _TEXTS]
    plain = [text for text in reversed(texts) if text.strip() and "\n" not in text and not names(text)]
    return list(dict.fromkeys(plain))[:_MOST_TYPED]


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
            text = said % {"name": node.name, "other": apart["nearest"]["name"]}
            yield _doubt("weak_screen", text, f"screen:{node.node_id}")
    for step in steps:
        edge = graph.edge(step.edge.edge_id) if step.edge else None
        begins = step.screen.get("begins") or {}
        if edge is not None and begins.get("failed"):
            said = _("%(step)s: it does not begin on “%(node)s”, by %(failed)d of its %(of)d pictures.")
            words = {**begins, "step": sentence(edge, graph), "node": graph.name_of(edge.source)}
            yield _doubt("call_elsewhere", said % words, f"step:{step.index}")
        proof = step.screen.get("proof") or {}
        missed, elsewhere = proof.get("of", 0) - proof.get("found", 0), proof.get("elsewhere", 0)
        if edge is not None and (missed or elsewhere):
            said = f"{_on_its_own(sentence(edge, graph), proof['of'], missed)} {_on_others(elsewhere)}".strip()
            yield _doubt("weak_target", said, f"step:{step.index}")


def _on_its_own(step: str, of: int, missed: int) -> str:
    found = ngettext(
        "%(step)s: checked on %(of)d screenshot, found there.",
        "%(step)s: checked on %(of)d screenshots, found on all.",
        of,
    )
    lost = ngettext(
        "%(step)s: checked on %(of)d screenshot, not found there.",
        "%(step)s: checked on %(of)d screenshots, not found on %(missed)d.",
        of,
    )
    return (lost if missed else found) % {"step": step, "of": of, "missed": missed}


def _on_others(elsewhere: int) -> str:
    if not elsewhere:
        return ""
    also = ngettext(
        "It is also found on %(n)d other screen, where it should not be.",
        "It is also found on %(n)d other screens, where it should not be.",
        elsewhere,
    )
    return also % {"n": elsewhere}


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
