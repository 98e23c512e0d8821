"""The steps that a draft has before a lesson are rows of the lesson too, so that its page changes them (S6.10)."""

from __future__ import annotations

from typing import Any

from execution.choices import LessonKind, LessonStepState
from execution.models import Lesson, LessonStep
from workflows.models import Edge, Workflow
from workflows.pictures import PictureStore
from workflows.specs import graph_of

# Of what an earlier lesson kept beside a step: questions that nobody answered are not asked again.
_STAYS = ("box", "label", "counts", "after", "typed", "uncounted", "places")


def take_up_steps(lesson: Lesson) -> None:
    """A row for each step of the draft, in the order in which a run comes by them."""
    steps = steps_of_draft(lesson.workflow, PictureStore())
    for index, step in enumerate(steps, start=1):
        step.lesson, step.index = lesson, index
    LessonStep.objects.bulk_create(steps)


def steps_of_draft(workflow: Workflow, store: PictureStore) -> list[LessonStep]:
    """Rows that are not saved; each with the picture that it was taught on, or else that of its screen."""
    edges = {e.edge_id: e for e in workflow.edges.select_related("source__reference", "target")}
    taught = _taught_before(workflow)
    steps = []
    for edge in (edges[spec.edge_id] for spec in graph_of(workflow).in_order):
        before, reference = taught.get(edge.pk), edge.source.reference
        picture = before.picture_before if before is not None and store.has(before.picture_before) else ""
        steps.append(
            LessonStep(
                act=edge.action_type,
                params=dict(edge.params),
                state=LessonStepState.EARLIER,
                edge=edge,
                node=edge.source,
                picture_before=picture or (reference.digest if reference else ""),
                screen=_screen(edge, before),
                at=before.at if before is not None else workflow.updated_at,
            )
        )
    return steps


def _taught_before(workflow: Workflow) -> dict[int, LessonStep]:
    """By edge the newest step that taught it; not those on the pictures of a run, which go with the run."""
    steps = LessonStep.objects.filter(edge__workflow=workflow).exclude(lesson__kind=LessonKind.RUN)
    return {step.edge_id: step for step in steps.exclude(picture_before="").order_by("pk") if step.edge_id}


def _screen(edge: Edge, before: LessonStep | None) -> dict[str, Any]:
    known = before.screen if before is not None else {}
    screen = {name: known[name] for name in _STAYS if name in known}
    if (known.get("record") or {}).get("accepted"):
        screen["record"] = known["record"]
    box = edge.target.evidence.get("box") if edge.target else None
    return screen if "box" in screen or not box else {**screen, "box": box}
