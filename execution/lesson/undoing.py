"""Taking steps of a lesson back: the rows that they made go, what they did on the desktop stays (S6.1)."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from django.db import transaction
from django.db.models import Q

from execution.choices import LessonStepState
from execution.lesson.as_it_was import allow_again, give_back, put_back
from execution.models import MEND, Lesson, LessonStep
from sentences.said import in_words
from workflows.models import Edge, Node, Target
from workflows.specs import graph_of
from workflows.validation.variables import unused
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
    give_back(step.lesson.workflow, made.get("dropped") or {})
    edges = Edge.objects.filter(pk__in=[*_keys(made.get("edges")), step.edge_id])
    targets = list(Target.objects.filter(Q(pk__in=_keys(made.get("targets"))) | Q(edges__in=edges)).distinct())
    edges.delete()
    for target in targets:
        if not target.edges.exists():
            target.delete()
    _drop_left(step.lesson, without=step)
    drop_unused(step.lesson, made.get("variables") or {})
    LessonStep.objects.filter(pk=step.pk).update(edge=None, state=LessonStepState.UNDONE)


def drop_unused(lesson: Lesson, variables: Mapping[str, Sequence[tuple[int, str]]]) -> None:
    """Those of the variables that nothing in the draft uses by now but the edges that had a text in its place, which
    have it again; with them what they are here."""
    gone = {name for name, put in variables.items() if _is_unused(lesson, name, put)}
    if gone:
        lesson.workflow.variables.filter(name__in=gone).delete()
        lesson.refresh_from_db(fields=["values"])
        lesson.values = {name: value for name, value in lesson.values.items() if name not in gone}
        lesson.save(update_fields=["values"])


def _is_unused(lesson: Lesson, name: str, put: Sequence[tuple[int, str]]) -> bool:
    said = "{{" + name + "}}"
    with transaction.atomic():
        for key, text in put:
            for edge in lesson.workflow.edges.filter(pk=key, params__text=said):
                edge.params = {**edge.params, "text": text}
                edge.save(update_fields=["params"])
        is_unused = name in {variable.name for variable in unused(graph_of(lesson.workflow))}
        transaction.set_rollback(not is_unused)  # it stays where it is used still
    return is_unused


def _drop_left(lesson: Lesson, *, without: LessonStep) -> None:
    """The screens on which nothing is done and to which nothing leads, now that those steps are gone that made them."""
    gone = lesson.steps.exclude(pk__in=lesson.steps.kept().exclude(pk=without.pk))
    came = [one["came"] for one in lesson.steps.values_list("made", flat=True) if one.get("came")]
    waits = {key for one in came for key in _keys(one["waits"])}
    left = [(key, one) for one in (*gone.values_list("made", flat=True), *came) for key in _keys(one.get("nodes"))]
    while of_none := [one for one in left if _is_of_none(one[0], waits)]:
        for key, one in of_none:
            Node.objects.filter(pk=key).delete()
            allow_again(one.get("absent") or ())


def _is_of_none(key: int, waits: Collection[int]) -> bool:
    node = Node.objects.filter(pk=key, is_entry=False).first()
    return node is not None and not node.outgoing.exists() and not node.incoming.exclude(pk__in=waits).exists()


def said_of(step: LessonStep) -> str:
    """What a mend changed, in the words it was kept with; "" for any other step."""
    return str(in_words(step.screen["said"])) if step.act == MEND else ""


def _keys(value: object) -> Sequence[int]:
    return [key for key in value if isinstance(key, int)] if isinstance(value, list) else []
