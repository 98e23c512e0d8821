"""A lesson begins on what happened in a run: on a step, with what the draft differs in from the run's version; or on
a way that a person went by hand."""

from __future__ import annotations

from typing import Any

from django.db import transaction
from django.utils.translation import gettext as _

from execution.actions.corrections import locked
from execution.actions.teach import open_picture_lesson
from execution.choices import FINAL, CorrectionKind, CorrectionState, ExecutionState, LessonKind, LessonStepState
from execution.exceptions import BadDecision, NoPictures
from execution.lesson.changes import changes_of
from execution.lesson.known_acts import slides_between
from execution.lesson.of_runs import slides_of_step
from execution.lesson.slides import Slide
from execution.models import Execution, LearnedCorrection, Lesson, LessonStep, Step
from execution.record.kept_screens import size_of
from execution.types import Size
from workflows.pictures import PictureStore
from workflows.specs import graph_of


def begin_mending(execution: Execution, index: int, *, user: Any) -> Lesson:
    """Raises PermissionDenied, LessonTaken, and NoPictures where no picture of the step is kept."""
    store, workflow = PictureStore(), execution.version.workflow
    step = execution.steps.filter(index=index).first()
    slides = list(slides_of_step(step, store)) if step else []
    showing = 0
    if (paused := _paused(execution, step, store)) is not None:
        if paused.picture not in [slide.picture for slide in slides]:
            slides.insert(1 if slides else 0, paused)
        showing = [slide.picture for slide in slides].index(paused.picture)
    if not slides:
        raise NoPictures(_("No picture of this step is kept, so it cannot be mended from it."))
    with transaction.atomic():
        lesson = open_picture_lesson(
            workflow=workflow,
            user=user,
            pictures=[slide.to_json() for slide in slides],
            kind=LessonKind.RUN,
            execution=execution,
            step=index,
            showing=showing,
        )
        found = [one.what for one in changes_of(execution.version.spec(), graph_of(workflow))]
        LessonStep.objects.create(
            lesson=lesson, index=1, act="mend_begun", state=LessonStepState.UNKEPT, params={"differs": found}
        )
    return lesson


def teach_way(row: LearnedCorrection, *, user: Any) -> Lesson:
    """A lesson on what a person did by hand: each act on its picture, kept as soon as the teacher says so; or on the
    step that they did elsewhere. Raises as `begin_mending`, and BadDecision for what is no open proposal."""
    if row.kind != CorrectionKind.WAY or row.state != CorrectionState.NEEDS_PERSON:
        raise BadDecision(_("This is no way that waits for a decision: look again."))
    store, run = PictureStore(), Execution.objects.filter(execution_id=row.execution_id).first()
    slides: list[Slide] = []
    if run is not None and (until := int(row.payload.get("until") or 0)):
        slides = slides_between(run, store, after=int(row.payload.get("after") or 0), until=until)
    elif run is not None and (step := run.steps.filter(index=row.step).first()):
        slides = list(slides_of_step(step, store))
    if not slides:
        raise NoPictures(_("No picture of this way is kept any more, so it cannot be taught from it."))
    with transaction.atomic():
        row = locked(row.pk, row.state)  # meanwhile another run went the same way, or somebody decided of it
        lesson = open_picture_lesson(
            workflow=row.pack.workflow,
            user=user,
            pictures=[slide.to_json() for slide in slides],
            kind=LessonKind.RUN,
            execution=run,
        )
        row.payload = {**row.payload, "lesson": lesson.lesson_id}
        row.save(update_fields=["payload"])
    return lesson


def _paused(execution: Execution, step: Step | None, store: PictureStore) -> Slide | None:
    """What showed when the run came to a stand, if that was after this step, its last one."""
    detail, last = execution.pause_detail, execution.steps.order_by("index").last()
    picture = str(detail.get("picture") or "")
    if execution.state not in (ExecutionState.PAUSED, *FINAL) or (last is not None and step != last) or not picture:
        return None
    if not store.has(picture):
        return None
    size = size_of(step.screen) if step else None
    if size is None:
        height, width = store.get(picture).shape[:2]
        size = Size(width, height)
    return Slide(picture=picture, size=size, name=_("where it stands"), title=str(detail.get("window") or ""))
