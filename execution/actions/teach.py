"""Opening and closing a lesson: one teacher at a time with a workflow, one lesson at a time on a desktop (S6.10)."""

from __future__ import annotations

from typing import Any

from django.core.exceptions import PermissionDenied
from django.db import IntegrityError, transaction
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext as _

from execution.choices import LessonKind, LessonState
from execution.exceptions import LessonTaken, UnknownLesson
from execution.models import Lesson, Robot
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
                return Lesson.objects.create(workflow=workflow, robot=robot, teacher=user, kind=kind)
        except IntegrityError:  # somebody else was first, between the look and the row
            _raise_taken(workflow, robot)
            raise


def come_back(lesson: Lesson) -> None:
    """A teacher who was away is there again: the lesson waits for its desktop. Raises LessonTaken."""
    with transaction.atomic():
        _raise_taken(lesson.workflow, lesson.robot, but=lesson)
        Lesson.objects.filter(pk=lesson.pk, state=LessonState.AWAY).update(
            state=LessonState.WAITING, presence_at=timezone.now(), problem=""
        )
        lesson.refresh_from_db()


def close_lesson(lesson: Lesson) -> None:
    """The lesson is over and its desktop free; the draft is what it is."""
    Lesson.objects.filter(pk=lesson.pk).exclude(state=LessonState.DONE).update(
        state=LessonState.DONE, ended_at=timezone.now()
    )
    lesson.refresh_from_db()


def lesson_by_id(lesson_id: str) -> Lesson:
    """Raises UnknownLesson."""
    try:
        return Lesson.objects.select_related("workflow", "robot", "teacher").get(lesson_id=lesson_id)
    except Lesson.DoesNotExist:
        raise UnknownLesson(_("There is no lesson “%(id)s”.") % {"id": lesson_id}) from None


def _raise_taken(workflow: Workflow, robot: Robot | None, *, but: Lesson | None = None) -> None:
    others = Lesson.objects.open().select_related("teacher", "workflow")
    if but is not None:
        others = others.exclude(pk=but.pk)
    if other := others.filter(workflow=workflow).first():
        said = _("%(who)s is teaching “%(workflow)s” since %(when)s.")
        raise LessonTaken(said % {**_told(other), "workflow": workflow.name}, lesson_id=other.lesson_id)
    if robot is not None and (other := others.filter(robot=robot).first()):
        said = _("%(who)s is teaching “%(workflow)s” on this desktop since %(when)s.")
        raise LessonTaken(said % {**_told(other), "workflow": other.workflow.name}, lesson_id=other.lesson_id)


def _told(lesson: Lesson) -> dict[str, str]:
    who = lesson.teacher.get_username() if lesson.teacher else _("somebody")
    return {"who": who, "when": date_format(timezone.localtime(lesson.created_at), "SHORT_DATETIME_FORMAT")}
