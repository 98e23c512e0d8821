"""Taking steps of a lesson back: the rows that they made go, what they did on the desktop stays (S6.1)."""

from __future__ import annotations

from collections.abc import Sequence

from django.db import transaction

from execution.choices import LessonStepState
from execution.lesson.as_it_was import put_back
from execution.models import MEND, Lesson, LessonStep
from sentences.said import in_words
from workflows.models import Edge, Node, Target
from workflows.specs import graph_of
from workflows.words import of_action, sentence


def take_back(lesson: Lesson, count: int) -> list[str]:
    """The last `count` steps of the draft taken back; what each was, as people read it, the last one first."""
    last = list(lesson.steps.kept().select_related("edge").order_by("-index")[: max(0, count)])
    graph = graph_of(lesson.workflow)
    told = []
    with transaction.atomic():
        for step in last:
            edge = graph.edge(step.edge.edge_id) if step.edge else None
            told.append(
                said_of(step) or (sentence(edge, graph) if edge else of_action(step.act, step.params, label=None))
            )
            take_out(step)
    return told


def take_out(step: LessonStep) -> None:
    """One step and what it made, but for what other steps need; what it changed is as it was.

    Call inside a transaction.
    """
    made = step.made
    put_back(step.lesson.workflow, step.was)
    edges = Edge.objects.filter(pk__in=_keys(made.get("edges")))
    targets = Target.objects.filter(pk__in=_keys(made.get("targets")))
    edges.delete()
    for target in targets:
        if not target.edges.exists():
            target.delete()
    for node in Node.objects.filter(pk__in=_keys(made.get("nodes"))):
        leads_on = node.outgoing.exclude(destination=node).exists()
        if not leads_on and not node.incoming.exclude(source=node).exists() and not _has_steps(node, but=step):
            node.delete()
    step.edge, step.state = None, LessonStepState.UNDONE
    step.save()


def said_of(step: LessonStep) -> str:
    """What a mend changed, in the words it was kept with; "" for any other step."""
    return str(in_words(step.screen["said"])) if step.act == MEND else ""


def _has_steps(node: Node, *, but: LessonStep) -> bool:
    return LessonStep.objects.kept().filter(node=node).exclude(pk=but.pk).exists()


def _keys(value: object) -> Sequence[int]:
    return [key for key in value if isinstance(key, int)] if isinstance(value, list) else []
