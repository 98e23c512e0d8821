"""What a person did under control becomes a taught way (S6.15)."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import numpy as np
import pytest

from execution.actions import control
from execution.actions.teach import open_picture_lesson
from execution.choices import EventKind, LessonKind, PauseReason
from execution.lesson.known_acts import act_of, slides_of_control
from execution.lesson.sight import Sight
from execution.lesson.slides import Slide
from execution.models import Execution
from execution.running.control_session import field_at
from execution.types import Box, Element, ElementRole, Frame, Point, ScreenState
from tests.doubles.scripted import ScriptedDesktop
from tests.support.control import hands_on, run_loop, until
from tests.support.pictured import analyzer_of
from tests.support.scripted import BUTTON, publish_line, queue, screens
from tests.support.teaching import teacher_of
from workflows.models import Workflow
from workflows.pictures import PictureStore

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("own_folder")]

SECRET = "hunter2-zürich"


def row(execution: Execution) -> Execution:
    return Execution.objects.by_id(execution.execution_id)


@pytest.fixture
def run(desktop: ScriptedDesktop) -> Any:
    """A supervised run that asks before its first click."""
    execution = queue(publish_line("one", "two", "three"), mode="supervised")
    with run_loop(desktop, analyzer=analyzer_of(screens("one", "two", "three"))):
        until(lambda: execution.prompts.open().exists(), "the first question")
        yield execution


def by_hand(run: Execution, desktop: ScriptedDesktop, operator: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two pages further, and something typed that nobody may keep. What is not read yet has no picture: they look."""
    sights: list[Sight] = []
    start = Sight.start
    monkeypatch.setattr(Sight, "start", lambda self: (sights.append(self), start(self))[1])

    def looked_at() -> None:
        until(lambda: sights and sights[0].current(), "that the screen is read")

    control.take_control(execution_id=run.execution_id, user=operator)
    until(lambda: row(run).pause_reason == PauseReason.CONTROL, "control")
    with hands_on(run) as hands:
        until(lambda: hands.pictures and hands.told, "a picture and the size")
        for page in ("two", "three"):
            looked_at()
            hands.do(type="act", act="click", x=BUTTON.center.x, y=BUTTON.center.y)
            until(lambda page=page: desktop.screen == page, page)
        looked_at()
        for part in (SECRET[:7], SECRET[7:]):
            hands.do(type="type", text=part)
        looked_at()
        hands.do(type="act", act="right_click", x=5, y=5)
    control.resume(execution_id=run.execution_id, user=operator)
    until(lambda: row(run).is_final, "its end")


@pytest.mark.slow
def test_what_was_done_by_hand_is_kept_as_steps_on_its_pictures(run, desktop, make_user, monkeypatch) -> None:
    """S6.15, S6.16: an act that nobody asked about is the teacher's; what was typed is kept nowhere."""
    by_hand(run, desktop, make_user("olga", "operator"), monkeypatch)
    slides = slides_of_control(row(run), PictureStore())
    assert [slide.did.get("act") for slide in slides if slide.did] == ["click", "click", "type_text", "right_click"]
    assert [slide.did.get("unseen", False) for slide in slides if slide.did] == [False, False, False, True]
    assert slides[3].name == "by hand 4, of which no picture was kept: show it yourself"
    assert (slides[0].title, slides[2].title, slides[2].did["length"]) == ("One - Forms", "Three - Forms", len(SECRET))
    [after] = [e.payload for e in run.events.filter(kind=EventKind.CONTROL) if e.payload["act"] == "right_click"]
    assert "picture" not in after  # nobody can tell which field it was typed into
    assert SECRET not in str([event.payload for event in run.events.filter(kind=EventKind.CONTROL)])
    workflow = Workflow.objects.create(workflow_id="wf_by_hand", name="By hand")
    lesson = open_picture_lesson(
        workflow=workflow,
        user=make_user("dora", "designer"),
        pictures=[slide.to_json() for slide in slides],
        kind=LessonKind.RUN,
        execution=row(run),
    )
    with teacher_of(lesson) as teacher:
        for number in (1, 2):
            teacher.until(lambda: teacher.screen.get("state") in ("new", "known"), what="a screen")
            teacher.send(type="picture", did=True)
            teacher.until(lambda number=number: teacher.lesson["pictures"]["at"] == number, what="the next picture")
            teacher.until(lambda number=number: len(teacher.lesson["screens"]) == number + 1, what="its screen")
        teacher.send(type="picture", did=True)
        teacher.until(lambda: "Nobody knows what was typed" in str(teacher.told[-1].get("text")), what="the refusal")
    edges = [(e.source.name, e.destination.name, e.action_type) for e in workflow.edges.all()]
    assert edges == [
        ("One - Forms", "Two - Forms", "click"),
        ("Two - Forms", "Three - Forms", "click"),
    ]


@pytest.mark.parametrize(
    ("did", "told"),
    [
        ({"act": "click", "at": [0.5, 0.25]}, ("click", (640, 200), 0, 0, "")),
        ({"act": "drag", "at": [0.5, 0.25], "to": [0.25, 0.5]}, ("drag", (640, 200), -320, 200, "")),
        ({"act": "scroll", "at": [0.5, 0.25], "dx": 0, "dy": 3}, ("scroll", (640, 200), 0, 3, "")),
        ({"act": "press_keys", "keys": "ctrl+s"}, ("press_keys", (0, 0), 0, 0, "ctrl+s")),
        ({"act": "type_text", "length": 4}, None),
        ({"act": "click", "at": [0.5, 0.25], "unseen": True}, None),
        ({}, None),
    ],
)
def test_an_act_is_told_by_what_was_kept_of_it(did: dict[str, Any], told: Any) -> None:
    act = act_of(Slide(picture="0" * 64, size=(1280, 800), did=did))
    assert (act and (act.kind, tuple(act.point), act.dx, act.dy, act.keys)) == told


def test_the_field_that_was_clicked_is_what_is_painted_over() -> None:
    """S10.4"""
    frame = Frame(pixels=np.zeros((800, 1280, 3), np.uint8), taken_at=datetime.now(UTC))
    inner, outer = Box(100, 100, 200, 40), Box(50, 50, 600, 400)
    elements = [Element(box=box, role=ElementRole.FIELD) for box in (outer, inner)]
    elements.append(Element(box=Box(700, 100, 80, 40), role=ElementRole.BUTTON))
    state = ScreenState(frame=frame, elements=tuple(elements))
    assert field_at(state, Point(150, 120)) == inner.grown(2, frame.size).normalised(frame.size)
    assert field_at(state, Point(740, 120)) is None
