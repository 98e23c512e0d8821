"""What was published is changed in a later lesson, on its own pictures: all of it is there (S6.10, S6.16)."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from execution.actions.teach import close_lesson, open_lesson, open_picture_lesson
from execution.lesson.changes import changes_told
from execution.lesson.own_pictures import slides_of_draft
from execution.lesson.telling import draft_told
from execution.lesson.trying import Trying
from execution.models import Lesson, LessonStep, Robot
from tests.doubles.scripted import ScriptedDesktop
from tests.factories import make_user
from tests.support.pictured import analyzer_of, slides
from tests.support.scripted import BUTTON, publish_line, screens
from tests.support.teaching import Teacher, run_loop, teacher_of
from workflows.actions.publish import publish
from workflows.models import Workflow
from workflows.pictures import PictureStore
from workflows.specs import graph_of

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("own_folder")]

PAGES = screens("one", "two", "three")


@pytest.fixture
def robot(desktop: ScriptedDesktop) -> Iterator[Robot]:
    with run_loop(desktop, analyzer_of(PAGES)) as robot:
        yield robot


def ready(teacher: Teacher) -> None:
    teacher.until(lambda: teacher.screen.get("node_id"), what="the first screen")


@pytest.fixture
def workflow(robot: Robot) -> Workflow:
    """Two clicks, taught on three pictures and published."""
    workflow = Workflow.objects.create(workflow_id="wf_pictures", name="From pictures")
    pictures = [one.to_json() for one in slides(PAGES)]
    lesson = open_picture_lesson(workflow=workflow, user=make_user("designer", "dora"), pictures=pictures)
    with teacher_of(lesson) as teacher:
        ready(teacher)
        for count in (2, 3):
            teacher.click(BUTTON)
            teacher.until(lambda count=count: len(teacher.lesson["screens"]) == count, what="the next screen")
    close_lesson(lesson)
    publish(workflow=workflow, user=lesson.teacher)
    return workflow


@pytest.fixture
def lesson(workflow: Workflow) -> Lesson:
    pictures = [slide.to_json() for slide in slides_of_draft(workflow, PictureStore())]
    return open_picture_lesson(workflow=workflow, user=workflow.lessons.get().teacher, pictures=pictures)


@pytest.fixture
def teacher(lesson: Lesson) -> Iterator[Teacher]:
    with teacher_of(lesson) as teacher:
        ready(teacher)
        yield teacher


def names(teacher: Teacher) -> list[tuple[int, str]]:
    return [(step["index"], step["act"]) for step in teacher.steps()]


@pytest.mark.usefixtures("proofs")
def test_each_step_is_there_with_the_picture_it_was_taught_on(teacher: Teacher, workflow: Workflow) -> None:
    assert [step["state"] for step in teacher.steps()] == ["earlier", "earlier"]
    assert [step["slide"] for step in teacher.steps()] == [0, 1]
    assert teacher.lesson["pictures"]["of"] == 3  # the last screen, on which nothing is done, has its own
    assert [len(step["box"]) for step in teacher.steps()] == [4, 4]
    assert draft_told(workflow.lessons.order_by("pk").last())["question"] is None
    teacher.until(lambda: all(step["target"]["proof"] for step in teacher.steps()), what="that they were tried")


def test_its_target_is_another_by_a_click_on_its_own_picture(teacher: Teacher, workflow: Workflow) -> None:
    """S6.11"""
    width, height = teacher.lesson["size"]
    teacher.send(type="redraw", step=1, at=[70 / width, 100 / height])
    teacher.until(lambda: workflow.edges.get(source__name="One - Forms").target.text == "Page one", what="the heading")
    told = changes_told(workflow.lessons.order_by("pk").last())
    assert told["since"] == 1
    [change] = told["changes"]
    assert change["kind"] == "changed"
    assert "Go on" in " ".join(change["was"]) and "Page one" in " ".join(change["now"])
    assert len(set(change["pictures"])) == 2


def test_what_is_no_place_on_it_changes_nothing(teacher: Teacher, workflow: Workflow) -> None:
    for number, where in enumerate(({"at": [2, 0.1]}, {"at": [0.1]}, {"at": "here"}, {}), 1):
        teacher.send(type="redraw", step=1, **where)
        refused = lambda number=number: [m["type"] for m in teacher.told].count("trouble") == number  # noqa: E731
        teacher.until(refused, what=f"the refusal of {where}")
    assert {edge.target.text for edge in workflow.edges.all()} == {"Go on"}


def test_a_step_is_inserted_where_the_one_before_it_leads(teacher: Teacher, workflow: Workflow) -> None:
    """S6.10: behind the first click the second page shows; what is done there comes before the second click."""
    teacher.send(type="insert", after=1)
    teacher.until(lambda: teacher.lesson["inserts_after"] == 1, what="that steps are inserted")
    teacher.until(lambda: teacher.screen.get("name") == "Two - Forms", what="the second page")
    teacher.do(type="keys", keys="f5")
    teacher.until(lambda: teacher.lesson["inserts_after"] == 3, what="that more would come behind it")
    teacher.do(type="keys", keys="f6")
    teacher.until(lambda: len(teacher.steps()) == 4, what="the second one")
    assert names(teacher) == [(1, "click"), (3, "press_keys"), (4, "press_keys"), (2, "click")]
    assert [e.params.get("keys") for e in graph_of(workflow).outgoing("two_forms")] == ["f5", "f6", None]
    teacher.send(type="insert", after=None)
    teacher.until(lambda: teacher.lesson["inserts_after"] is None, what="that nothing is inserted any more")
    teacher.do(type="keys", keys="f7")
    teacher.until(lambda: len(teacher.steps()) == 5, what="one more")
    assert [e.params.get("keys") for e in graph_of(workflow).outgoing("two_forms")] == ["f5", "f6", None, "f7"]


def test_undo_takes_back_what_this_lesson_did_and_no_more(teacher: Teacher, workflow: Workflow) -> None:
    teacher.do(type="keys", keys="f5")
    teacher.until(lambda: len(teacher.steps()) == 3, what="a step")
    teacher.send(type="undo", n=5)
    teacher.until(lambda: len(teacher.steps()) == 2, what="that it is taken back")
    assert workflow.edges.count() == 2


def test_a_trial_does_them_in_the_order_of_a_run(teacher: Teacher, lesson: Lesson) -> None:
    teacher.send(type="insert", after=1)
    teacher.until(lambda: teacher.screen.get("name") == "Two - Forms", what="the second page")
    teacher.do(type="keys", keys="f5")
    teacher.until(lambda: len(teacher.steps()) == 3, what="the step")

    class Draft:
        graph = staticmethod(lambda: graph_of(lesson.workflow))

    class Recorder:
        draft = Draft

    Recorder.lesson = lesson  # type: ignore[attr-defined]
    for first, wanted in ((1, [1, 3, 2]), (3, [3, 2]), (2, [2])):
        assert [step.index for step in Trying(Recorder, first).left] == wanted  # type: ignore[arg-type]


def test_what_was_published_without_a_lesson_has_the_pictures_of_its_screens(desktop: ScriptedDesktop) -> None:
    version = publish_line("one", "two", "three")
    lesson = open_lesson(workflow=version.workflow, robot=None, user=make_user("designer", "dan"))
    steps = list(LessonStep.objects.filter(lesson=lesson).order_by("index"))
    assert [(step.index, step.state, step.edge.edge_id) for step in steps if step.edge] == [
        (1, "earlier", "one_two"), (2, "earlier", "two_three"),
    ]  # fmt: skip
    assert slides_of_draft(version.workflow, PictureStore()) == []  # it has none at all
    assert not changes_told(lesson)["changes"]
