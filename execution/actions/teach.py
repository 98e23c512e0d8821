"""Opening and closing a lesson: one teacher at a time with a workflow, one lesson at a time on a desktop (S6.10)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.core.exceptions import PermissionDenied
from django.db import IntegrityError, transaction
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext as _

from audit.models import Verb
from audit.recording import record
from execution.actions import mending
from execution.actions.earlier_steps import take_up_steps
from execution.choices import LessonKind, LessonState
from execution.exceptions import LessonTaken, UnknownLesson
from execution.models import Execution, Lesson, Robot
from sentences.said import say
from workflows.models import Workflow
from workflows.permissions import DESIGN


def open_lesson(*, workflow: Workflow, robot: Robot | None, user: Any, kind: str = LessonKind.DESKTOP) -> Lesson:
    """The teacher's lesson of this workflow on that robot: one of theirs that is open there, or a new one.

    A lesson that its teacher went away from is closed by whoever teaches the workflow next: the draft is in its rows.
    Raises PermissionDenied where `user` may not teach, and LessonTaken with who teaches there, since when.
    """
    if not user.has_perm(DESIGN):
        raise PermissionDenied(DESIGN)
    with transaction.atomic():
        mine = Lesson.objects.open().filter(workflow=workflow, teacher=user, robot=robot, kind=kind).first()
        if mine is not None:
            return mine
        _raise_taken(workflow, robot)
        Lesson.objects.filter(workflow=workflow, state=LessonState.AWAY).update(
            state=LessonState.DONE, ended_at=timezone.now()
        )
        try:
            with transaction.atomic():
                return _begun(Lesson.objects.create(workflow=workflow, robot=robot, teacher=user, kind=kind))
        except IntegrityError:  # somebody else was first, between the look and the row
            _raise_taken(workflow, robot)
            raise


def open_picture_lesson(
    *,
    workflow: Workflow,
    user: Any,
    pictures: Sequence[Mapping[str, Any]],
    kind: str = LessonKind.PICTURES,
    execution: Execution | None = None,
    step: int | None = None,
    showing: int = 0,
) -> Lesson:
    """A lesson without a desktop; it ends one on other pictures that the same teacher left open (S6.16).

    `pictures` are slides as JSON (`lesson.slides`), `execution` the run that they are of, `step` the one of its steps
    that is mended. Raises as `open_lesson`.
    """
    if not user.has_perm(DESIGN):
        raise PermissionDenied(DESIGN)
    with transaction.atomic():
        mine = Lesson.objects.filter(workflow=workflow, teacher=user).exclude(kind=LessonKind.DESKTOP)
        for one in mine.exclude(state=LessonState.DONE):
            close_lesson(one)
        _raise_taken(workflow, None)
        Lesson.objects.filter(workflow=workflow, state=LessonState.AWAY).update(
            state=LessonState.DONE, ended_at=timezone.now()
        )
        lesson = Lesson.objects.create(
            workflow=workflow,
            teacher=user,
            kind=kind,
            pictures=list(pictures),
            showing=showing,
            execution=execution,
            step_index=step,
        )
        mending.begun(lesson)
        return _begun(lesson)


def _begun(lesson: Lesson) -> Lesson:
    if lesson.step_index is None:  # a step that is mended is shown alone
        take_up_steps(lesson)
    about = lesson.workflow.workflow_id
    record(Verb.TEACH, user=lesson.teacher, kind="workflow", about=about, lesson=lesson.lesson_id, on=str(lesson.kind))
    return lesson


def _close_left_behind(workflow: Workflow) -> None:
    """A lesson of a command that was killed: nobody will ever close it, and its draft is in its rows."""
    silent = timezone.now() - timedelta(seconds=settings.RPA_TEACH_AWAY_S)
    left = Lesson.objects.open().filter(workflow=workflow, robot=None, kind=LessonKind.DESKTOP)
    left.filter(presence_at__lt=silent).update(state=LessonState.DONE, ended_at=timezone.now())


def come_back(lesson: Lesson) -> None:
    """A teacher who was away is there again: the lesson waits for its desktop. Raises LessonTaken."""
    with transaction.atomic():
        _raise_taken(lesson.workflow, lesson.robot if lesson.has_desktop else None, but=lesson)
        Lesson.objects.filter(pk=lesson.pk, state=LessonState.AWAY).update(
            state=LessonState.WAITING, presence_at=timezone.now(), problem=""
        )
        lesson.refresh_from_db()
        mending.begun(lesson)


def close_lesson(lesson: Lesson, *, by: Any = None) -> None:
    """The lesson is over and its desktop free; the draft is what it is. Where somebody else than its teacher ends it,
    that is recorded, and the teacher is told."""
    is_others = by is not None and by.pk != lesson.teacher_id
    problem = say("lesson.ended_by", who=by.get_username()) if is_others else ""
    with transaction.atomic():
        is_last = Lesson.objects.filter(pk=lesson.pk).exclude(state=LessonState.DONE)
        if is_last.update(state=LessonState.DONE, ended_at=timezone.now(), problem=problem):
            mending.over(lesson)
            if is_others:
                about = lesson.workflow.workflow_id
                record(Verb.CHANGED, user=by, kind="workflow", about=about, lesson=lesson.lesson_id, fields=["lesson"])
    lesson.refresh_from_db()


def lesson_by_id(lesson_id: str) -> Lesson:
    """Raises UnknownLesson."""
    try:
        return Lesson.objects.select_related("workflow", "robot", "teacher", "execution").get(lesson_id=lesson_id)
    except Lesson.DoesNotExist:
        raise UnknownLesson(_("There is no lesson “%(id)s”.") % {"id": lesson_id}) from None


def _raise_taken(workflow: Workflow, robot: Robot | None, *, but: Lesson | None = None) -> None:
    _close_left_behind(workflow)
    others = Lesson.objects.open().select_related("teacher", "workflow")
    if but is not None:
        others = others.exclude(pk=but.pk)
    if other := others.filter(workflow=workflow).first():
        said = _("%(who)s is teaching “%(workflow)s” since %(when)s.")
        raise LessonTaken(said % {**_told(other), "workflow": workflow.name}, lesson_id=other.lesson_id)
    if robot is not None and (other := others.filter(robot=robot, kind=LessonKind.DESKTOP).first()):
        said = _("%(who)s is teaching “%(workflow)s” on this desktop since %(when)s.")
        raise LessonTaken(said % {**_told(other), "workflow": other.workflow.name}, lesson_id=other.lesson_id)


def _told(lesson: Lesson) -> dict[str, str]:
    who = lesson.teacher.get_username() if lesson.teacher else _("somebody")
    return {"who": who, "when": date_format(timezone.localtime(lesson.created_at), "SHORT_DATETIME_FORMAT")}
