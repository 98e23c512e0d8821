"""What was offered in the place of a click is taken, or the click is kept: rows alone (S6.12)."""

from __future__ import annotations

from django.db import transaction
from django.utils.translation import gettext as _

from execution.exceptions import BadEdit
from execution.lesson.drafting import Draft
from execution.lesson.undoing import take_out
from execution.models import Lesson, LessonStep
from workflows.models import Edge, Target
from workflows.pictures import PictureStore


@transaction.atomic
def answer_offer(lesson: Lesson, step: LessonStep, *, accepted: bool) -> None:
    """Raises BadEdit where nothing is offered any more."""
    offer, edge = step.screen.get("offer") or {}, step.edge
    target = lesson.workflow.targets.filter(pk=offer.get("target", 0)).first()
    if edge is None or target is None:
        raise BadEdit(_("Nothing was proposed for this step."))
    step.screen = {key: value for key, value in step.screen.items() if key != "offer"}
    if not accepted:
        _let_go(step, target)
        return
    before = edge.target
    opener = None if offer["opener"] is None else lesson.steps.kept().filter(index=offer["opener"]).first()
    if opener is not None and opener.edge is not None:
        opened = edge.source
        edge.source, step.node = opener.edge.source, opener.node
        if edge.destination_id == opened.pk:  # where it leads was not seen yet
            edge.destination = edge.source
        edge.order, step.picture_before = opener.edge.order, opener.picture_before
        if opener.screen.get("box"):
            step.screen = {**step.screen, "box": opener.screen["box"]}
    edge.target, edge.expect, edge.before = target, {}, {}  # what it is set to is seen on the control itself
    Draft(lesson.workflow, PictureStore()).change_edge(
        edge, action_type=offer["act"], params=offer["params"], called=offer["label"]
    )
    step.act, step.params = offer["act"], {**step.params, **offer["params"]}
    step.screen = {**step.screen, "label": offer["label"], "after": [], "counts": {}, "proof": None, "taken": True}
    step.save()
    if before is not None:
        _let_go(step, before)
    if opener is not None:
        take_out(opener)  # opening it is a part of choosing; the open list is no screen of its own
        _stay(lesson, step, edge)


def is_taken_unasked(lesson: Lesson, step: LessonStep) -> bool:
    """Whether what is offered is taken at once, as somebody took one in this lesson before."""
    return bool(step.screen.get("offer")) and lesson.steps.kept().filter(screen__taken=True).exists()


def _stay(lesson: Lesson, step: LessonStep, edge: Edge) -> None:
    """What a control shows as chosen makes no other screen: the one that seemed to come with it goes."""
    made = lesson.workflow.nodes.filter(pk__in=step.made.get("nodes") or [])
    for node in made:
        if node.outgoing.exclude(destination=node).exists() or lesson.steps.kept().filter(node=node).exists():
            continue
        edge.destination = edge.source
        edge.save(update_fields=["destination"])
        step.made = {**step.made, "nodes": []}
        step.save(update_fields=["made"])
        node.delete()


def _let_go(step: LessonStep, target: Target) -> None:
    if not target.edges.exists():
        step.made = {**step.made, "targets": [key for key in step.made.get("targets") or [] if key != target.pk]}
        target.delete()
    step.save()
