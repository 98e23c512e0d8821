"""A draft's own pictures in the place of a desktop: what each step was taught on, and the screens (S6.10, S6.16)."""

from __future__ import annotations

from collections.abc import Iterator

from execution.actions.earlier_steps import steps_of_draft
from execution.lesson.slides import Slide
from execution.models import Lesson
from workflows.models import Edge, Workflow
from workflows.pictures import PictureStore


def slides_of_draft(workflow: Workflow, store: PictureStore) -> list[Slide]:
    """In the order of the steps, each picture once. Empty where no picture is kept."""
    slides: dict[str, Slide] = {}
    for digest, name, title in _shown(workflow, store):
        if digest and digest not in slides and store.has(digest):
            height, width = store.get(digest).shape[:2]
            slides[digest] = Slide(picture=digest, size=(width, height), name=name, title=title)
    return list(slides.values())


def _shown(workflow: Workflow, store: PictureStore) -> Iterator[tuple[str, str, str]]:
    """Digest, name of its screen and title of its window, where that is known."""
    for step in steps_of_draft(workflow, store):
        target = step.edge.target if step.edge else None
        title = str(target.evidence.get("window_title") or "") if target else ""
        yield step.picture_before, step.node.name if step.node else "", title
    for node in workflow.nodes.select_related("reference"):
        yield node.reference.digest if node.reference else "", node.name, ""


def picture_after(edge: Edge, lesson: Lesson) -> str:
    """What shows once the step was done: what the next one there was taught on, or else the picture of its screen."""
    there = edge.destination
    steps = lesson.steps.of_draft().filter(edge__source=there).exclude(picture_before="")
    if there == edge.source:
        steps = steps.filter(edge__order__gt=edge.order)
    following = steps.order_by("edge__order", "edge__edge_id").first()
    if following is not None:
        return following.picture_before
    return there.reference.digest if there.reference else ""
