"""A question's time stands still while its step is mended, and the run says who mends (S1.10, S6.14)."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from execution.actions import hold, mending
from execution.actions.decide import decide_open
from execution.actions.teach import close_lesson
from execution.choices import EventKind, ExecutionState, LessonState
from execution.lesson.begin_mending import begin_mending
from execution.lesson.slides import Slides
from execution.models import Execution, Lesson, Prompt
from execution.record.payloads import state_payload
from execution.running import lesson_session
from execution.running.lesson_session import LessonSession
from execution.types import Choice, DecisionSource
from tests.doubles.scripted import ScriptedDesktop
from tests.execution.lesson.test_mending import AS_TAUGHT, renamed
from tests.factories import make_user
from tests.support.display import wait_until
from tests.support.pictured import analyzer_of
from tests.support.scripted import publish_line, queue
from tests.support.teaching import run_loop, teacher_of
from workflows.pictures import PictureStore

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("own_folder")]
SIGN = timedelta(seconds=1)


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch, settings: Any) -> Iterator[Execution]:
    """A run that asks, for 6 s, for a button that is called otherwise now; signs of life are due every second."""
    settings.RPA_COACHING_TIMEOUT_S = 6
    monkeypatch.setattr(hold, "HOLD_FOR", SIGN)
    monkeypatch.setattr(lesson_session, "PRESENCE_EVERY_S", 0.2)
    pages = renamed()
    run = queue(publish_line("one", "two", "three"))
    with run_loop(ScriptedDesktop(pages), analyzer_of([*AS_TAUGHT, *pages])):
        wait_until(lambda: Prompt.objects.open().filter(execution=run).exists(), what="its question")
        yield run


def question(run: Execution) -> Prompt:
    return Prompt.objects.select_related("step", "held_by").get(execution=run)


def mended(run: Execution, **who: Any) -> dict[str, Any] | None:
    run.refresh_from_db()
    told: dict[str, Any] | None = state_payload(run)["mending"]
    return told


@pytest.mark.slow
def test_the_time_stands_still_while_its_step_is_mended_and_runs_on_afterwards(asked: Execution) -> None:
    """Far beyond its end it is asked as before; left, it ends as any other that nobody answers."""
    dora = make_user("designer", "dora")
    end = question(asked).deadline_at
    assert end is not None
    lesson = begin_mending(asked, question(asked).step.index, user=dora)
    assert mended(asked) == {"by": "dora", "step": lesson.step_index, "since": lesson.created_at.isoformat()}
    with teacher_of(lesson) as teacher:
        teacher.until(lambda: teacher.screen.get("state") in ("new", "known"), what="that it was read")
        wait_until(lambda: timezone.now() > end + 2 * SIGN, what="that its time would be over")
        assert question(asked).state == "open"
        assert question(asked).held_by == dora
        assert asked.events.filter(kind=EventKind.STATE).order_by("seq").last().payload["mending"]["by"] == "dora"
        close_lesson(lesson)
        mending.keep_waiting(lesson)  # as its robot may, before it has heard of it
        assert question(asked).held_by is None
        assert question(asked).deadline_at > end + SIGN
        assert mended(asked) is None
        assert asked.events.filter(kind=EventKind.STATE).order_by("seq").last().payload["mending"] is None
    wait_until(lambda: question(asked).state != "open", what="that its time is over")
    assert question(asked).decision.source == DecisionSource.POLICY


@pytest.mark.slow
def test_whoever_closes_the_browser_holds_it_no_more(asked: Execution) -> None:
    """S1.10: without a sign of life it was held until the last one was good."""
    lesson = begin_mending(asked, question(asked).step.index, user=make_user("designer", "dora"))
    with teacher_of(lesson) as teacher:
        teacher.until(lambda: teacher.screen.get("state") in ("new", "known"), what="that it was read")
        assert question(asked).state == "open"
    wait_until(lambda: question(asked).state != "open", what="that its time is over")
    assert Lesson.objects.get().state == LessonState.LIVE


def test_a_step_that_is_not_asked_about_stops_no_time(asked: Execution) -> None:
    lesson = begin_mending(asked, 1, user=make_user("designer", "dora"))
    assert question(asked).step.index != lesson.step_index
    assert question(asked).held_by is None


def test_somebody_else_may_answer_meanwhile(asked: Execution) -> None:
    """What waits is the time alone."""
    lesson = begin_mending(asked, question(asked).step.index, user=make_user("designer", "dora"))
    decide_open(execution=asked, choice=Choice.REJECT, user=make_user("operator", "olga"), source=DecisionSource.COACH)
    wait_until(lambda: Execution.objects.get(pk=asked.pk).state == ExecutionState.PAUSED, what="the pause")
    assert mended(asked) is not None
    close_lesson(lesson)
    assert mended(asked) is None


def test_a_lesson_that_was_closed_before_its_robot_took_it_stays_closed(asked: Execution) -> None:
    """Else nobody could teach the workflow, and the run would say for ever that somebody mends it."""
    lesson = begin_mending(asked, question(asked).step.index, user=make_user("designer", "dora"))
    store, leave = PictureStore(), threading.Event()
    shown = Slides(lesson, store)
    taken = LessonSession(lesson, desktop=shown, analyzer=analyzer_of([]), store=store, leave=leave)
    close_lesson(lesson)
    leave.set()
    taken.run()
    lesson.refresh_from_db()
    assert lesson.state == LessonState.DONE
    assert mended(asked) is None
