"""A lesson and a database that is away: the run loop waits, and the lesson goes on by itself (S6.1, S9.4)."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

import pytest
from django.db import OperationalError
from django.db.backends.utils import CursorWrapper

from execution.actions.teach import open_picture_lesson
from execution.choices import LessonState, LessonStepState
from execution.exceptions import LeaseLost
from execution.models import Lesson, Robot
from execution.record.claims import Heartbeat
from execution.record.patience import loops_waiting
from tests.doubles.scripted import ScriptedDesktop
from tests.execution.lesson.scripted_lesson import goes_on
from tests.execution.lesson.test_pictures import PAGES, at, slides
from tests.factories import make_user
from tests.support.display import wait_until
from tests.support.scripted import BUTTON, analyzer, screens
from tests.support.teaching import run_loop, taught_on, teacher_of
from workflows.models import Workflow

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("own_folder")]


class Away(threading.Event):
    """While it is set nothing of the threads of that name reaches the database."""

    says, of, tries = "database is locked", "run loop", 0


@pytest.fixture
def away(monkeypatch: pytest.MonkeyPatch) -> Iterator[Away]:
    gone, execute = Away(), CursorWrapper.execute

    def asked(self: CursorWrapper, sql: str, params: Any = None) -> Any:
        if gone.is_set() and threading.current_thread().name.startswith(gone.of):
            gone.tries += 1
            raise OperationalError(gone.says)
        return execute(self, sql, params)

    monkeypatch.setattr(CursorWrapper, "execute", asked)
    yield gone
    gone.clear()


@pytest.fixture
def desktop() -> ScriptedDesktop:
    return ScriptedDesktop(screens("one", "two", "three"))


@pytest.fixture
def lesson(desktop: ScriptedDesktop) -> Iterator[Lesson]:
    workflow = Workflow.objects.create(workflow_id="wf_taught", name="Taught")
    with taught_on(desktop, user=make_user("designer"), workflow=workflow) as lesson:
        yield lesson


@pytest.mark.parametrize("says", ["database is locked", "unable to open database file"])
def test_a_lesson_goes_on_when_the_database_is_there_again(away: Away, lesson: Lesson, says: str) -> None:
    with teacher_of(lesson) as teacher:
        teacher.until(lambda: teacher.screen.get("node_id"), what="the first screen")
        goes_on(teacher)
        away.says = says
        away.set()
        wait_until(loops_waiting, what="a run loop that says that it waits")
        away.clear()
    with teacher_of(lesson) as again:
        again.until(lambda: again.screen.get("name") == "Two - Forms", what="the second screen")
        goes_on(again, 3)
        assert Lesson.objects.get().state == LessonState.LIVE
    assert lesson.workflow.edges.count() == 2


def test_what_was_done_while_it_went_away_is_in_doubt(
    away: Away, lesson: Lesson, desktop: ScriptedDesktop, monkeypatch: pytest.MonkeyPatch
) -> None:
    """S9.1: the intent was committed and nothing of what came of it."""
    click = desktop.click

    def clicked(*args: Any, **more: Any) -> None:
        click(*args, **more)
        away.set()

    with teacher_of(lesson) as teacher:
        teacher.until(lambda: teacher.screen.get("node_id"), what="the first screen")
        monkeypatch.setattr(desktop, "click", clicked)
        teacher.send(type="act", act="click", x=BUTTON.center.x, y=BUTTON.center.y, id="1")
        wait_until(lambda: away.tries, what="a try to keep it")
        monkeypatch.setattr(desktop, "click", click)
        away.clear()
        teacher.until(lambda: teacher.ended, what="the end of its line")  # else who comes next may come to this one yet
    with teacher_of(lesson) as again:
        again.until(lambda: [step["state"] for step in again.steps()] == ["doubt"], what="that it is in doubt")
    assert lesson.steps.get().state == LessonStepState.DOUBT


def test_a_heartbeat_that_could_not_be_written_ends_no_run_loop(
    lesson: Lesson, monkeypatch: pytest.MonkeyPatch
) -> None:
    check, lost = Heartbeat.check, [LeaseLost("no heartbeat could be written")]

    def checked(self: Heartbeat) -> None:
        if lost:
            raise lost.pop()
        check(self)

    monkeypatch.setattr(Heartbeat, "check", checked)
    with teacher_of(lesson) as teacher:
        teacher.until(lambda: teacher.screen.get("node_id"), what="the first screen")
        teacher.send(type="act", act="click", x=BUTTON.center.x, y=BUTTON.center.y, id="1")
        teacher.until(lambda: teacher.ended, what="the end of its line")
    with teacher_of(lesson) as again:
        again.until(lambda: again.screen.get("node_id"), what="the first screen")
        goes_on(again)


def test_a_lesson_whose_run_loop_leaves_waits_for_its_desktop(desktop: ScriptedDesktop) -> None:
    """S6.10: nobody is told that it is being taught where nobody can teach it."""
    workflow = Workflow.objects.create(workflow_id="wf_left", name="Left")
    with taught_on(desktop, user=make_user("designer"), workflow=workflow) as lesson, teacher_of(lesson) as teacher:
        teacher.until(lambda: teacher.screen.get("node_id"), what="the first screen")
        assert Lesson.objects.get().state == LessonState.LIVE
    assert not Robot.objects.alive().exists()
    assert Lesson.objects.get().state == LessonState.WAITING


def test_a_lesson_on_pictures_goes_on_too(away: Away, desktop: ScriptedDesktop) -> None:
    workflow = Workflow.objects.create(workflow_id="wf_pictures", name="From pictures")
    with run_loop(desktop, analyzer(desktop)):
        pictures = [one.to_json() for one in slides(PAGES)]
        lesson = open_picture_lesson(workflow=workflow, user=make_user("designer"), pictures=pictures)
        with teacher_of(lesson) as teacher:
            teacher.until(lambda: teacher.screen.get("node_id"), what="the first screen")
            away.of = "lesson "
            away.set()
            teacher.until(lambda: teacher.ended, what="the end of its line")
            away.clear()
        with teacher_of(lesson) as again:
            again.until(lambda: again.screen.get("node_id"), what="the first screen")
            assert again.click(BUTTON)["state"] == "done"
            again.until(lambda: at(again)[0] == 1, what="the next picture")
        assert (Lesson.objects.get().state, Lesson.objects.get().problem) == (LessonState.LIVE, "")
