"""When a step of the draft is done: only if, for each line of a list, on whose record; and that in words (S6.13).

Whatever changes it raises BadEdit; what is merely unfinished is a problem of the draft and is told there.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from django.utils.translation import gettext as _

from execution.exceptions import BadEdit
from execution.language.fuzzy import SEEN, find_all, words
from execution.language.screen_texts import ScreenWords, Sighting
from execution.lesson.as_it_was import give_back
from execution.models import Lesson, LessonStep
from execution.teaching.labels import naming_label
from execution.types import Answer, ElementRole, ScreenState
from execution.verification import identity
from execution.verification.reading import ScreenReading
from sentences.said import say, worded
from workflows.choices import VariableKind
from workflows.conditions import COMPARED_WITH_NOTHING, ONE_OF, say_conditions
from workflows.graph import EdgeSpec, GraphSpec, IdentitySpec
from workflows.models import Edge, Node, Variable
from workflows.specs import graph_of
from workflows.text import VARIABLE_NAME, fill, names, sole_name
from workflows.validation.ways import MOST_ROUNDS
from workflows.words import sentence, when

Told = dict[str, Any]

_IN_PLACE = 8  # pixels: a line that moved farther is not where it was
_HEADING = 1.3  # of the usual height of a line


# --- in words --------------------------------------------------------------------------------------------------------
def told_of(edge: EdgeSpec, graph: GraphSpec) -> Told:
    """The sentences below a step: another way, only if, for each line, in each round; and those of its repetition."""
    said = [worded(say("lesson.another_way", node=graph.name_of(edge.source)))] if is_another_way(edge, graph) else []
    said += when(edge, graph)
    repeated = list(when(replace(edge, condition=()), graph))
    for other in graph.outgoing(edge.source):
        if other.repeat and edge.edge_id in other.repeat.steps:
            said.append(worded(say("lesson.in_each_round", counter=f"{{{{{other.repeat.counter}}}}}")))
    only_if = worded(say_conditions(edge.condition, graph)) if edge.condition else ""
    return {"when": said, "only_if": only_if, "repeat_told": repeated}


def is_another_way(edge: EdgeSpec, graph: GraphSpec) -> bool:
    """Whether another step leads on from its screen before it, and neither is a part of a repetition."""
    edges = graph.outgoing(edge.source)
    rounds = {i for e in edges if e.repeat for i in (e.edge_id, *e.repeat.steps)}
    leading = [e.edge_id for e in edges if e.destination != e.source and e.edge_id not in rounds and not e.optional]
    return edge.edge_id in leading[1:]


def in_order(node_id: str, graph: GraphSpec) -> list[Told]:
    """What a run tries on a screen, the first thing first, where several ways lead on from it; else nothing."""
    edges = graph.outgoing(node_id)
    if sum(edge.destination != edge.source for edge in edges) < 2:
        return []
    return [
        {
            "edge_id": edge.edge_id,
            "sentence": sentence(edge, graph),
            "leads_to": graph.name_of(edge.destination) if edge.destination != node_id else "",
        }
        for edge in edges
    ]


def put_in_order(node: Node, wanted: Sequence[str]) -> None:
    """The steps of a screen, all of them, in the order in which a run tries them."""
    edges = {edge.edge_id: edge for edge in node.outgoing.all()}
    if sorted(wanted) != sorted(edges):
        raise BadEdit(_("The steps of this screen have changed meanwhile. Look again."))
    for place, edge_id in enumerate(wanted):
        edges[edge_id].order = place
        edges[edge_id].save(update_fields=["order"])


def repeat_told(edge: EdgeSpec) -> Told | None:
    repeat = edge.repeat
    if repeat is None:
        return None
    return {
        "counter": repeat.counter, "most": repeat.most, "until": list(repeat.until), "steps": list(repeat.steps),
    }  # fmt: skip


# --- only if ---------------------------------------------------------------------------------------------------------
def change_condition(lesson: Lesson, edge: Edge, wanted: Sequence[Mapping[str, Any]]) -> None:
    """All of them must be so, or the step is left out; none: it is always done."""
    graph = graph_of(lesson.workflow)
    edge.condition = [_condition(one, graph) for one in wanted]


def _condition(wanted: Mapping[str, Any], graph: GraphSpec) -> Told:
    name, test, to = wanted["value"], wanted["test"], _texts(wanted.get("to"))
    if name not in graph.kinds:
        raise BadEdit(_("“%(name)s” is no value that a run has. Choose one that is there.") % {"name": name})
    wants = 0 if test in COMPARED_WITH_NOTHING else 1
    if len(to) < wants or (test != ONE_OF and len(to) > wants):
        raise BadEdit(_("Say what “%(name)s” is compared with.") % {"name": graph.label_of(name)})
    return {"value": name, "test": test, "to": to}


def _texts(given: Sequence[str] | None) -> list[str]:
    return [text.strip() for text in given or () if text.strip()]


# --- for each line ---------------------------------------------------------------------------------------------------
def change_repeat(lesson: Lesson, step: LessonStep, edge: Edge, wanted: Mapping[str, Any] | None) -> None:
    """How often, until when, and with which steps; None: it is done once again, for the line that was shown.

    To begin with, its target has to be counted on its picture, which a robot does (`counting_lines`).
    """
    if wanted is None:
        edge.repeat = {}
        give_back(lesson.workflow, step.made.get("dropped") or {})
        step.drops_no_more()
        edge.refresh_from_db(fields=["before", "expect", "target"])
        _uncount(step, edge)
        if edge.destination_id != edge.source_id:  # else a run would be over before what leads on
            Node.objects.filter(pk=edge.source_id, ends_too=False).update(is_end=False)
        return
    counter = str(wanted.get("counter") or (edge.repeat or {}).get("counter") or "")
    if not edge.target or sole_name(str(edge.target.evidence.get("number") or "")) != counter:
        raise BadEdit(_("First say on the picture which line of its list it is."))
    edge.repeat = repeat_of(lesson, edge, {**(edge.repeat or {}), **wanted, "counter": counter})


def repeat_of(lesson: Lesson, edge: Edge, wanted: Mapping[str, Any]) -> dict[str, Any]:
    """A repetition as it is kept; its counter is no variable that people give any more."""
    counter, most = str(wanted["counter"]), int(wanted.get("most") or 0)
    if not VARIABLE_NAME.fullmatch(counter):
        raise BadEdit(_("“%(name)s” is no name for the line: write a letter first, such as n.") % {"name": counter})
    if not 1 <= most <= MOST_ROUNDS:
        raise BadEdit(_("Say how many lines it is done for at most: 1 to %(most)d.") % {"most": MOST_ROUNDS})
    others = set(edge.source.outgoing.exclude(pk=edge.pk).values_list("edge_id", flat=True))
    given = lesson.workflow.variables.filter(name=counter).first()
    if given is not None:
        if given.kind != VariableKind.NUMBER:
            raise BadEdit(_("There is a variable “%(name)s” already.") % {"name": counter})
        given.delete()
    return {
        "counter": counter,
        "most": most,
        "until": _texts(wanted.get("until")),
        "steps": [step for step in wanted.get("steps") or [] if step in others],
    }


def _uncount(step: LessonStep, edge: Edge) -> None:
    """The target is what it was before it was counted; where that is not known, a run gives the number."""
    target = edge.target
    if target is None:
        return
    was = step.screen.get("uncounted")
    if was:
        target.label, target.evidence = was["label"], was["evidence"]
        target.save(update_fields=["label", "evidence"])
        step.note(drop="uncounted")
    elif name := sole_name(str(target.evidence.get("number") or "")):
        Variable.objects.get_or_create(
            workflow=edge.workflow, name=name, defaults={"label": name, "kind": VariableKind.NUMBER, "example": "1"}
        )


# --- whose record ----------------------------------------------------------------------------------------------------
def accept_record(step: LessonStep, *, accepted: bool) -> None:
    """What the page proposed of the screen that the step led to: go on there only where those values are seen."""
    offered = step.screen.get("record")
    if not offered or step.edge is None:
        raise BadEdit(_("Nothing was proposed for this step."))
    step.note(record={**offered, "accepted": accepted})
    if accepted:
        for edge in step.edge.destination.outgoing.all():
            edge.identity = with_record(edge.identity, offered["identity"])
            edge.save(update_fields=["identity"])


def records_of(lesson: Lesson, node: Node) -> list[dict[str, str]]:
    """Whose record a new step on that screen is done on, as was agreed to when the screen was come to."""
    agreed: list[dict[str, str]] = []
    for step in lesson.steps.of_draft().filter(edge__destination=node):
        if (step.screen.get("record") or {}).get("accepted"):
            agreed = with_record(agreed, step.screen["record"]["identity"])
    return agreed


def proposed_record(
    edge: Edge, state: ScreenState, values: Mapping[str, str], *, before: ScreenState | None
) -> list[dict[str, str]]:
    """The values by which a line was chosen, where they stand on the screen that it led to; none where none does.

    What is asked for must hold of that record and of no other, so not of the list that may still stand beside it: a
    value counts at a label of its own that says nothing of it on the screen `before`, or as a heading that is nowhere
    else.
    """
    row = names(list((edge.target.evidence.get("row") or []) if edge.target else []))
    told = []
    for name in sorted(row & values.keys()):
        value = "{{" + name + "}}"
        if (label := _stands_at(value, values, state, before)) is not None:
            told.append({"value": value, **({"label": label} if label else {})})
    return told


def _stands_at(value: str, values: Mapping[str, str], state: ScreenState, before: ScreenState | None) -> str | None:
    """The label beside that value, "" for a heading without one; None where it says nothing of whose record it is."""
    seen = [one for one in ScreenWords.of(state.texts).sightings(fill(value, values), strict=True) if one.score >= SEEN]
    came = [one for one in seen if before is None or not _was_there(one, before)]
    for one in came:
        label = _label_of(one, fill(value, values), state)
        if label and _holds(value, label, values, state) and not (before and _holds(value, label, values, before)):
            return label
    return "" if len(seen) == 1 and came and _is_heading(came[0], state) and _holds(value, "", values, state) else None


def _was_there(one: Sighting, before: ScreenState) -> bool:
    """Whether the screen before said it at that place: a line of the list that was clicked."""
    return any(
        words(line.text).key == words(one.line.text).key
        and abs(line.box.center.x - one.line.box.center.x) <= _IN_PLACE
        and abs(line.box.center.y - one.line.box.center.y) <= _IN_PLACE
        for line in before.texts
    )


def _label_of(one: Sighting, value: str, state: ScreenState) -> str:
    """What names it, which ends with a colon: before it on its line, or beside it; else ""."""
    line = words(one.line.text)
    ahead = [line.text[: place.start] for place in find_all(value, line, strict=True)]
    beside = naming_label(one.box, ElementRole.FIELD, state)
    texts = [re.split(r"[,;|•]", text)[-1].strip() for text in ahead] + ([beside.text] if beside else [])
    return next((text for text in texts if text.rstrip().endswith((":", "："))), "")


def _holds(value: str, label: str, values: Mapping[str, str], state: ScreenState) -> bool:
    spec = IdentitySpec(value=value, label=label)
    return identity.check(spec, ScreenReading(state), values).answer is Answer.YES


def _is_heading(one: Sighting, state: ScreenState) -> bool:
    """Whether it is written larger than the rest."""
    heights = sorted(line.box.h for line in state.texts)
    return one.line.box.h > _HEADING * heights[len(heights) // 2]


def with_record(known: Sequence[Mapping[str, str]], more: Sequence[Mapping[str, str]]) -> list[dict[str, str]]:
    told = {one["value"] for one in known}
    return [dict(one) for one in (*known, *(one for one in more if one["value"] not in told))]
