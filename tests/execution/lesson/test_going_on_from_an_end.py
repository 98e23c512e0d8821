"""A draft that goes on from where its published version ended ends there no more, unless the teacher says so."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from django.db import connection

from execution.lesson.here import _made_in
from execution.lesson.telling import draft_told
from execution.models import Lesson, LessonStep
from tests.doubles.scripted import ScriptedDesktop
from tests.execution.lesson.scripted_lesson import goes_on
from tests.factories import make_user
from tests.support.scripted import publish_line, screens
from tests.support.teaching import Teacher, taught_on, teacher_of
from workflows.actions.publish import publish

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("own_folder")]


@pytest.fixture
def desktop() -> ScriptedDesktop:
    desktop = ScriptedDesktop(screens("one", "two", "three", "four"))
    desktop.show("three")
    return desktop


@pytest.fixture
def lesson(desktop: ScriptedDesktop) -> Iterator[Lesson]:
    """On the end of a published workflow."""
    workflow = publish_line("one", "two", "three").workflow
    with taught_on(desktop, user=make_user("designer", "dora"), workflow=workflow) as lesson:
        yield lesson


@pytest.fixture
def teacher(lesson: Lesson) -> Iterator[Teacher]:
    with teacher_of(lesson) as teacher:
        teacher.until(lambda: teacher.screen.get("state") == "new", what="that it was read")
        teacher.send(type="same_screen", node_id="three")  # it was published without a picture
        teacher.until(lambda: teacher.screen.get("node_id") == "three", what="the end")
        yield teacher


def ends(lesson: Lesson) -> set[str]:
    return set(lesson.workflow.nodes.filter(is_end=True).values_list("name", flat=True))


def test_it_ends_where_it_goes_on_to_and_says_so(teacher: Teacher, lesson: Lesson) -> None:
    goes_on(teacher, 4)
    assert ends(lesson) == {"Four - Forms"}
    said = teacher.steps()[-1]["detail"]
    assert said.startswith("A run does not end on “Three” any more, as it goes on from there.")
    assert publish(workflow=lesson.workflow, user=None).spec().end_nodes == ("four_forms",)
    lesson.refresh_from_db()
    assert lesson.workflow.nodes.get(node_id="three").pk in _made_in(lesson)  # also for whoever takes the lesson up


def test_taken_back_it_ends_there_as_before(teacher: Teacher, lesson: Lesson) -> None:
    goes_on(teacher, 4)
    teacher.send(type="undo", n=1)
    before = ["earlier", "earlier"]  # what was published is no act of this lesson
    teacher.until(lambda: [one["state"] for one in teacher.steps()] == before, what="that it is taken back")
    assert ends(lesson) == {"Three"}


@pytest.mark.parametrize("before", [True, False])
def test_it_may_end_there_too_if_the_teacher_says_so(
    teacher: Teacher, lesson: Lesson, desktop: ScriptedDesktop, client_of: Any, before: bool
) -> None:
    """Before it is gone on from, or afterwards; and that stays when something else is taught there."""
    path = f"/api/lessons/{lesson.lesson_id}/screens/three/"

    def says(is_end: bool) -> None:
        answer = client_of(lesson.teacher).post(path, {"is_end": is_end}, content_type="application/json")
        assert answer.status_code == 200

    if before:
        says(True)
    goes_on(teacher, 4)
    if not before:
        says(True)
        teacher.until(lambda: teacher.lesson["screens"][2]["is_end"], what="that it was heard")
    assert ends(lesson) == {"Three", "Four - Forms"}
    assert teacher.steps()[-1]["detail"] == ""
    teacher.do(type="keys", keys="f5")
    teacher.until(lambda: len(teacher.steps()) == 4, what="another step")
    assert ends(lesson) == {"Three", "Four - Forms"}
    says(False)
    assert ends(lesson) == {"Four - Forms"}


def test_a_step_and_its_screen_are_told_of_one_reading() -> None:
    """That it may end there too may be said between two questions to the database."""
    workflow = publish_line("one", "two", "three").workflow
    workflow.nodes.filter(node_id="three").update(is_end=False)
    three, lesson = workflow.nodes.get(node_id="three"), Lesson.objects.create(workflow=workflow, teacher=make_user())
    LessonStep.objects.create(lesson=lesson, index=1, act="click", state="done", node=three, made={"ended": three.pk})
    before = draft_told(lesson)
    assert not before["screens"][2]["is_end"]
    assert before["steps"][0]["detail"]
    said = list[str]()

    def said_in_between(execute: Any, sql: str, *rest: Any) -> Any:
        if said == ["screens are read"]:
            said.append("it may end there")
            workflow.nodes.filter(node_id="three").update(is_end=True)
        if sql.startswith("SELECT") and 'FROM "workflows_node"' in sql and not said:
            said.append("screens are read")
        return execute(sql, *rest)

    with connection.execute_wrapper(said_in_between):
        told = draft_told(lesson)
    assert len(said) == 2
    assert told["screens"][2]["is_end"] is (told["steps"][0]["detail"] == "")
    assert draft_told(lesson)["screens"][2]["is_end"]
