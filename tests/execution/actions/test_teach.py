from __future__ import annotations

import pytest
from django.core.exceptions import PermissionDenied
from django.db import IntegrityError

from execution.actions.teach import close_lesson, come_back, open_lesson
from execution.choices import LessonState
from execution.exceptions import LessonTaken
from execution.models import Lesson, Robot
from tests.factories import make_user
from workflows.models import Workflow

pytestmark = pytest.mark.django_db


@pytest.fixture
def robot() -> Robot:
    return Robot.objects.create(name="host:1", desktop="host:1", host="host", pid=1)


@pytest.fixture
def workflow() -> Workflow:
    return Workflow.objects.create(workflow_id="wf_one", name="One")


def test_a_second_teacher_is_told_who_has_the_workflow_and_since_when(workflow: Workflow, robot: Robot) -> None:
    """S6.10"""
    lesson = open_lesson(workflow=workflow, robot=robot, user=make_user("designer", "dora"))
    with pytest.raises(LessonTaken, match="dora is teaching “One” since") as taken:
        open_lesson(workflow=workflow, robot=None, user=make_user("designer", "dan"))
    assert taken.value.details() == {"lesson_id": lesson.lesson_id}


def test_a_desktop_has_one_lesson_at_a_time(workflow: Workflow, robot: Robot) -> None:
    open_lesson(workflow=workflow, robot=robot, user=make_user("designer", "dora"))
    other = Workflow.objects.create(workflow_id="wf_two", name="Two")
    with pytest.raises(LessonTaken, match="dora is teaching “One” on this desktop since"):
        open_lesson(workflow=other, robot=robot, user=make_user("designer", "dan"))


def test_the_teacher_finds_the_open_lesson_again(workflow: Workflow, robot: Robot) -> None:
    dora = make_user("designer", "dora")
    assert open_lesson(workflow=workflow, robot=robot, user=dora) == open_lesson(
        workflow=workflow, robot=robot, user=dora
    )


def test_who_teaches_next_closes_a_lesson_that_its_teacher_went_away_from(workflow: Workflow, robot: Robot) -> None:
    first = open_lesson(workflow=workflow, robot=robot, user=make_user("designer", "dora"))
    Lesson.objects.filter(pk=first.pk).update(state=LessonState.AWAY)
    open_lesson(workflow=workflow, robot=robot, user=make_user("designer", "dan"))
    first.refresh_from_db()
    assert first.state == LessonState.DONE
    assert first.ended_at


def test_a_teacher_who_comes_back_waits_for_the_desktop_and_is_told_where_somebody_else_has_it(
    workflow: Workflow, robot: Robot
) -> None:
    first = open_lesson(workflow=workflow, robot=robot, user=make_user("designer", "dora"))
    Lesson.objects.filter(pk=first.pk).update(state=LessonState.AWAY)
    first.refresh_from_db()
    come_back(first)
    assert first.state == LessonState.WAITING
    Lesson.objects.filter(pk=first.pk).update(state=LessonState.AWAY)
    other = Workflow.objects.create(workflow_id="wf_two", name="Two")
    open_lesson(workflow=other, robot=robot, user=make_user("designer", "dan"))
    with pytest.raises(LessonTaken, match="dan"):
        come_back(first)


@pytest.mark.parametrize("role", ["viewer", "operator"])
def test_only_designers_teach(workflow: Workflow, robot: Robot, role: str) -> None:
    with pytest.raises(PermissionDenied):
        open_lesson(workflow=workflow, robot=robot, user=make_user(role, "vera"))


def test_the_database_keeps_two_open_lessons_of_a_workflow_apart(workflow: Workflow, robot: Robot) -> None:
    Lesson.objects.create(workflow=workflow, robot=robot)
    with pytest.raises(IntegrityError):
        Lesson.objects.create(workflow=workflow)


def test_a_closed_lesson_frees_the_workflow(workflow: Workflow, robot: Robot) -> None:
    dora = make_user("designer", "dora")
    close_lesson(open_lesson(workflow=workflow, robot=robot, user=dora))
    assert open_lesson(workflow=workflow, robot=robot, user=make_user("designer", "dan")).is_open
