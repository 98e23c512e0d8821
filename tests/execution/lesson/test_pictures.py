"""Lessons without a desktop: from pictures, and from a finished run; beside whatever the robot does (S6.16)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from execution.actions.control import pause, resume
from execution.actions.decide import decide_open
from execution.actions.teach import close_lesson, open_lesson, open_picture_lesson
from execution.choices import ExecutionState, LessonKind, LessonState
from execution.lesson.of_runs import slides_of_run
from execution.models import Lesson, Robot
from tests.doubles.scripted import ScriptedDesktop
from tests.factories import make_user
from tests.support.display import wait_until
from tests.support.pictured import analyzer_of, slides
from tests.support.scripted import BUTTON, publish_line, queue, screens
from tests.support.teaching import Teacher, run_loop, teacher_of
from workflows.models import Workflow
from workflows.pictures import PictureStore

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("own_folder")]

PAGES = screens("one", "two", "three")


@pytest.fixture
def robot(desktop: ScriptedDesktop) -> Iterator[Robot]:
    with run_loop(desktop, analyzer_of(PAGES)) as robot:
        yield robot


@pytest.fixture
def lesson(robot: Robot) -> Lesson:
    workflow = Workflow.objects.create(workflow_id="wf_pictures", name="From pictures")
    pictures = [one.to_json() for one in slides(PAGES)]
    return open_picture_lesson(workflow=workflow, user=make_user("designer"), pictures=pictures)


@pytest.fixture
def teacher(lesson: Lesson) -> Iterator[Teacher]:
    with teacher_of(lesson) as teacher:
        teacher.until(lambda: teacher.screen.get("node_id"), what="the first screen")
        yield teacher


def at(teacher: Teacher) -> tuple[int, str]:
    told = teacher.lesson["pictures"]
    return told["at"], told["name"]


def test_what_is_clicked_is_kept_and_done_nowhere(teacher: Teacher, lesson: Lesson, desktop: ScriptedDesktop) -> None:
    """S6.16: the next picture is where it leads; the robot's desktop is not touched, and not held."""
    for number, name in ((1, "two.png"), (2, "three.png")):
        assert teacher.click(BUTTON)["state"] == "done"
        teacher.until(lambda number=number, name=name: at(teacher) == (number, name), what="the next picture")
        teacher.until(lambda number=number: len(teacher.lesson["screens"]) == number + 1, what="its screen")
    assert [(e.source.name, e.destination.name, e.target.text) for e in lesson.workflow.edges.all() if e.target] == [
        ("One - Forms", "Two - Forms", "Go on"),
        ("Two - Forms", "Three - Forms", "Go on"),
    ]
    assert [n.is_end for n in lesson.workflow.nodes.all()] == [False, False, True]
    assert desktop.screen == "one"
    assert [act for act in desktop.log if act.kind != "release_all"] == []
    assert teacher.lesson["robot"] == Robot.objects.get().name
    assert teacher.lesson["size"] == [1280, 800]


def test_controls_are_not_set_on_pictures(teacher: Teacher, lesson: Lesson) -> None:
    """Whether it came of it is looked at afterwards, and a picture shows nothing of it."""
    refused = teacher.do(type="set", act="choose", x=BUTTON.center.x, y=BUTTON.center.y, option="Go on")
    assert refused["state"] == "refused"
    assert "on a desktop" in refused["why"]
    assert not lesson.workflow.edges.exists()
    assert "set" not in teacher.lesson["can"]


def test_it_waits_for_no_run_and_no_run_waits_for_it(robot: Robot, desktop: ScriptedDesktop) -> None:
    """S6.16: a run stands paused on the only robot's desktop, and pictures of it are taught from all the same."""
    run = queue(publish_line("one", "two", "three"), mode="coaching")
    wait_until(lambda: _state(run) == ExecutionState.WAITING_COACHING, what="its question")
    pause(execution_id=run.execution_id)
    wait_until(lambda: _state(run) == ExecutionState.PAUSED, what="the pause")
    other = Workflow.objects.create(workflow_id="wf_pictures", name="From pictures")
    pictures = [one.to_json() for one in slides(PAGES)]
    lesson = open_picture_lesson(workflow=other, user=make_user("designer"), pictures=pictures)
    with teacher_of(lesson) as teacher:
        teacher.until(lambda: teacher.screen.get("node_id"), what="the first screen")
        assert teacher.click(BUTTON)["state"] == "done"
        teacher.until(lambda: at(teacher)[0] == 1, what="the next picture")
        resume(execution_id=run.execution_id)
        wait_until(lambda: _state(run) == ExecutionState.WAITING_COACHING, what="its question again")
        decide_open(execution=run, choice="accept")
        wait_until(lambda: desktop.screen == "two", what="the run's own click")
        assert Lesson.objects.get(pk=lesson.pk).state == LessonState.LIVE
    assert _state(run) != ExecutionState.FAILED


def _state(run) -> str:
    run.refresh_from_db()
    return run.state


def test_a_desktop_can_be_taught_on_while_pictures_are_read_there(lesson: Lesson, robot: Robot) -> None:
    with teacher_of(lesson) as on_pictures:
        on_pictures.until(lambda: on_pictures.screen.get("node_id"), what="the first screen")
        other = Workflow.objects.create(workflow_id="wf_desktop", name="On the desktop")
        on_desktop = open_lesson(workflow=other, robot=robot, user=make_user("designer", "dan"))
        with teacher_of(on_desktop) as teacher:
            teacher.until(lambda: teacher.screen.get("node_id"), what="the desktop's screen")
            close_lesson(on_desktop)
        assert on_pictures.click(BUTTON)["state"] == "done"


def test_turning_on_is_where_the_last_step_leads_and_turning_back_leads_nowhere(
    teacher: Teacher, lesson: Lesson
) -> None:
    """S6.16: an act that is not to show the next picture stays, and "next" is what came of it."""
    teacher.send(type="picture", leads_on=False)
    teacher.until(lambda: not teacher.lesson["pictures"]["leads_on"], what="that acts stay")
    teacher.click(BUTTON)
    teacher.until(lambda: len(teacher.steps()) == 1, what="the step")
    assert at(teacher)[0] == 0
    teacher.send(type="picture", to=1)
    teacher.until(lambda: len(teacher.lesson["screens"]) == 2, what="the second screen")
    edge = lesson.workflow.edges.get()
    assert (edge.source.name, edge.destination.name) == ("One - Forms", "Two - Forms")
    teacher.send(type="picture", to=0)
    teacher.until(lambda: teacher.screen.get("name") == "One - Forms", what="the first one again")
    edge.refresh_from_db()
    assert edge.destination.name == "Two - Forms"
    teacher.send(type="picture", to=7)
    teacher.until(lambda: teacher.told[-1].get("text") == "There is no such picture.", what="the refusal")


def test_two_quick_clicks_are_a_double_click_and_turn_one_page(teacher: Teacher, lesson: Lesson) -> None:
    first = teacher.click(BUTTON)
    middle = BUTTON.center
    second = teacher.do(type="act", act="double_click", x=middle.x, y=middle.y, instead_of="1")
    assert (first["state"], second["state"]) == ("done", "done")
    teacher.until(lambda: len(teacher.lesson["screens"]) == 2, what="the second screen")
    assert at(teacher)[0] == 1
    assert [edge.action_type for edge in lesson.workflow.edges.all()] == ["double_click"]


def test_typing_stays_on_its_picture(teacher: Teacher, lesson: Lesson) -> None:
    assert teacher.do(type="type", text="Marie")["state"] == "done"
    teacher.do(type="keys", keys="tab")
    teacher.until(lambda: len(teacher.steps()) == 2, what="both steps")
    assert at(teacher)[0] == 0
    teacher.do(type="keys", keys="enter")
    teacher.until(lambda: at(teacher)[0] == 1, what="the next picture")
    assert [e.action_type for e in lesson.workflow.edges.all()] == ["type_text", "press_keys", "press_keys"]


@pytest.mark.slow
def test_it_goes_on_where_it_was_left_when_the_run_loop_begins_anew(desktop: ScriptedDesktop) -> None:
    workflow = Workflow.objects.create(workflow_id="wf_pictures", name="From pictures")
    pictures = [one.to_json() for one in slides(PAGES)]
    lesson = open_picture_lesson(workflow=workflow, user=make_user("designer"), pictures=pictures)
    for number in (1, 2):
        with (
            run_loop(ScriptedDesktop(screens("one", "two", "three")), analyzer_of(PAGES)),
            teacher_of(lesson) as teacher,
        ):
            teacher.until(lambda: teacher.screen.get("node_id"), what="its screen")
            assert at(teacher)[0] == number - 1
            teacher.click(BUTTON)
            teacher.until(lambda number=number: at(teacher)[0] == number, what="the next picture")
            teacher.until(lambda number=number: len(teacher.lesson["screens"]) == number + 1, what="its screen")
    assert workflow.nodes.count() == 3


def test_pictures_that_are_gone_are_said(robot: Robot) -> None:
    workflow = Workflow.objects.create(workflow_id="wf_pictures", name="From pictures")
    pictures = [replace(slides(PAGES)[0], picture="0" * 64).to_json()]
    lesson = open_picture_lesson(workflow=workflow, user=make_user("designer"), pictures=pictures)
    wait_until(lambda: Lesson.objects.get(pk=lesson.pk).state == LessonState.AWAY, what="that it ended")
    assert "cannot be shown" in str(Lesson.objects.get(pk=lesson.pk).problem)


def test_a_finished_run_is_taught_from(desktop: ScriptedDesktop, robot: Robot) -> None:
    """S6.16: its pictures, in the order of its steps, with the titles that were kept."""
    run = queue(publish_line("one", "two", "three"))
    wait_until(lambda: _state(run) == ExecutionState.COMPLETED, what="its end")
    found = slides_of_run(run, PictureStore())
    assert [(one.step, one.title) for one in found[:2]] == [(1, "One - Forms"), (2, "Two - Forms")]
    workflow = Workflow.objects.create(workflow_id="wf_again", name="Again")
    lesson = open_picture_lesson(
        workflow=workflow,
        user=make_user("designer"),
        pictures=[one.to_json() for one in found],
        kind=LessonKind.RUN,
        execution=run,
    )
    with teacher_of(lesson) as teacher:
        teacher.until(lambda: teacher.screen.get("node_id"), what="the first screen")
        for number in (1, 2):
            teacher.click(BUTTON)
            teacher.until(lambda number=number: len(teacher.lesson["screens"]) == number + 1, what="the next screen")
    assert [node.name for node in workflow.nodes.all()] == ["One - Forms", "Two - Forms", "Three - Forms"]
