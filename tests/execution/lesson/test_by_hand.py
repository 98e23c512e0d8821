"""What a person does on the desktop itself while a lesson is live becomes steps of its draft (S6.2)."""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime
from typing import Any

import pytest
from django.apps import apps

from execution.choices import LessonStepState
from execution.lesson.onlooking import IDLE_S
from execution.lesson.sight import Sight
from execution.models import Lesson
from execution.perception.analyzer import ScreenAnalyzer
from execution.types import Box, Point, ScreenState, TextLine
from tests.doubles.widgets import Field, TextLabel
from tests.execution.lesson.scripted_lesson import PEOPLE, SECOND, answers, question_of, queue_of, record
from tests.factories import make_user
from tests.support import teaching
from tests.support.by_hand import FrameReader, WatchedDesktop
from tests.support.display import wait_until
from tests.support.scripted import BUTTON, screens
from tests.support.teaching import Teacher, taught_on, teacher_of
from workflows.models import Variable, Workflow

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("own_folder")]
FIELD = Box(300, 200, 400, 40)


@pytest.fixture
def desktop(request: pytest.FixtureRequest) -> WatchedDesktop:
    page, *others = screens("one", "two", "three")
    field = [Field(name="note", label="Note", box=FIELD)]
    at = Point(1100, 60) if getattr(request, "param", "") == "{clock}" else Point(170, 208)
    label = [TextLabel(text=request.param, at=at, name="label")] if hasattr(request, "param") else []
    memory = {"clock": "14:07:01"}
    return WatchedDesktop([replace(page, widgets=[*page.widgets, *field, *label]), *others], memory=memory)


@pytest.fixture
def reader(desktop: WatchedDesktop, monkeypatch: pytest.MonkeyPatch) -> FrameReader:
    made = FrameReader(desktop)
    monkeypatch.setattr(teaching, "analyzer", lambda desktop: ScreenAnalyzer(made, None, None))
    return made


@pytest.fixture
def lesson(desktop: WatchedDesktop, reader: FrameReader) -> Iterator[Lesson]:
    with taught_on(desktop, user=make_user("designer"), workflow=Workflow.objects.create(workflow_id="wf")) as lesson:
        yield lesson


@pytest.fixture
def teacher(lesson: Lesson, desktop: WatchedDesktop) -> Iterator[Teacher]:
    with teacher_of(lesson) as teacher:
        teacher.until(lambda: teacher.screen.get("node_id"), what="a screen")
        wait_until(lambda: desktop._heard, what="somebody who listens")
        yield teacher


def edges(lesson: Lesson) -> list[tuple[str, dict[str, Any]]]:
    return [(edge.action_type, edge.params) for edge in lesson.workflow.edges.order_by("pk")]


def test_a_click_by_hand_is_kept_on_the_screen_it_was_done_on(teacher, lesson, desktop) -> None:
    """S6.2: by then the next one shows."""
    desktop.hand_clicks(BUTTON.center)
    teacher.until(lambda: len(teacher.lesson["screens"]) == 2, what="the second screen")
    edge = lesson.workflow.edges.get()
    assert (edge.action_type, edge.source.name, edge.destination.name) == ("click", "One - Forms", "Two - Forms")
    assert edge.target is not None
    assert edge.target.text == "Go on"
    assert [act.kind for act in desktop.log].count("click") == 1  # the person's own: it is not done once more


def test_hand_and_browser_make_one_line_of_steps(teacher, lesson, desktop) -> None:
    desktop.hand_clicks(BUTTON.center)
    teacher.until(lambda: len(teacher.lesson["screens"]) == 2, what="the second screen")
    assert teacher.click(BUTTON)["state"] == "done"
    teacher.until(lambda: len(teacher.lesson["screens"]) == 3, what="the third screen")
    assert [(e.source.name, e.destination.name) for e in lesson.workflow.edges.order_by("pk")] == [
        ("One - Forms", "Two - Forms"),
        ("Two - Forms", "Three - Forms"),
    ]


def test_a_text_by_hand_that_shows_is_one_step_with_its_field(teacher, lesson, desktop) -> None:
    desktop.hand_clicks(FIELD.center)
    desktop.hand_types("Mariee")
    desktop.hand_presses("backspace")
    teacher.until(lambda: edges(lesson) == [("type_text", {"text": "Marie"})], what=f"the text: {edges(lesson)}")
    assert lesson.workflow.edges.get().target is not None


def test_what_is_typed_while_it_is_read_is_the_same_text(teacher, lesson, desktop, monkeypatch) -> None:
    """Who goes on typing is ahead of what was heard: the screen shows more than is judged."""
    waits, rest = Sight.wait, iter(("i", "e"))

    def wait(self: Sight, timeout_s: float) -> ScreenState | None:
        for text in rest:
            desktop.hand_types(text)
        return waits(self, timeout_s)

    desktop.hand_clicks(FIELD.center)
    teacher.until(lambda: len(edges(lesson)) == 1, what="the click")
    monkeypatch.setattr(Sight, "wait", wait)
    desktop.hand_types("Mar")
    teacher.until(lambda: edges(lesson)[0][0] == "type_text", what="the text")
    assert edges(lesson) == [("type_text", {"text": "Marie"})]


def test_a_chord_closes_the_text_and_is_a_step(teacher, lesson, desktop) -> None:
    desktop.hand_clicks(FIELD.center)
    desktop.hand_types("Marie")
    desktop.hand_presses("tab")
    expected = [("type_text", {"text": "Marie"}), ("press_keys", {"keys": "tab"})]
    teacher.until(lambda: edges(lesson) == expected, what=f"both: {edges(lesson)}")


SECRET = "Tr0ub4dor&3"


@pytest.mark.parametrize("dots", ["•", ""], ids=["dots", "nothing is read"])
@pytest.mark.security
@pytest.mark.slow
def test_of_what_does_not_show_not_a_character_is_kept(
    teacher: Teacher, lesson: Lesson, desktop: WatchedDesktop, reader: FrameReader, dots: str, caplog: Any
) -> None:
    """S6.2, S10.4: in no row, log or told message."""
    caplog.set_level(logging.DEBUG)
    reader.dots, reader.reads_fields = dots, bool(dots)
    desktop.hand_clicks(FIELD.center)
    desktop.hand_types(SECRET)
    teacher.until(lambda: any(text == "type_text" for text, _ in edges(lesson)), what=f"the step: {edges(lesson)}")
    desktop.hand_clicks(BUTTON.center)
    teacher.until(lambda: len(teacher.lesson["screens"]) == 2, what="the second screen")
    both = [("type_text", {"text": "{{secret}}"}), ("click", {})]
    teacher.until(lambda: edges(lesson) == both, what=f"both: {edges(lesson)}")
    assert Variable.objects.get().kind == "secret"
    said = next(m for m in teacher.told if m["type"] == "told")["text"]
    assert said == "What was typed there is not kept: it may be a password. In a run it is the secret “secret”."
    assert said in [step["detail"] for step in teacher.steps()]
    assert SECRET not in rows() + caplog.text + repr(teacher.told)
    assert SECRET[:4] not in rows()


@pytest.mark.security
@pytest.mark.parametrize("desktop", ["Password:"], indirect=True)
def test_no_screen_is_kept_while_nobody_knows_what_is_being_typed(
    teacher: Teacher, lesson: Lesson, desktop: WatchedDesktop, reader: FrameReader
) -> None:
    """S6.2, S10.4: a field that shows the letters of a password, read when half of them stand there."""
    desktop.hand_clicks(FIELD.center)
    teacher.until(lambda: len(edges(lesson)) == 1, what="the click")
    for half in (SECRET[:5], SECRET[5:]):
        desktop.hand_types(half)
        wait_until(lambda: desktop.memory["note"] in reader.seen, what="somebody who has read it")
    teacher.until(lambda: edges(lesson)[0][0] == "type_text", what=f"the step: {edges(lesson)}")
    assert edges(lesson) == [("type_text", {"text": "{{password}}"})]
    assert SECRET[:5] not in rows()


def rows() -> str:
    """Everything that is in the database but times and measures, whose digits are anybody's."""
    models = [model for model in apps.get_models() if model._meta.app_label in ("execution", "workflows")]
    found = (row for model in models for row in model.objects.values())
    return repr([{name: held for name, held in row.items() if not isinstance(held, datetime | float)} for row in found])


def test_several_that_could_be_meant_are_asked_about_afterwards_and_nothing_is_held_up(lesson_of_queue) -> None:
    """S6.2, S6.11: it was done already; the likely answer first."""
    teacher, lesson, desktop = lesson_of_queue
    desktop.hand_clicks(SECOND.center)
    question = question_of(teacher)
    teacher.until(lambda: len(teacher.lesson["screens"]) == 2, what="the record")
    assert [a["code"] for a in question["answers"]] == ["row:patient", "nth", "this_place", "something_else"]
    assert question["detail"] == "The click was done before the screen was read."
    assert [step["detail"] for step in teacher.steps()] == ["Which of several is meant was not said: a run asks."]
    desktop.hand_presses("f5")
    teacher.until(lambda: len(teacher.steps()) == 2, what="the next step, while it is asked")
    assert teacher.do(type="keys", keys="f6")["state"] == "done"
    answers(teacher, "row:patient")
    teacher.until(lambda: not teacher.lesson["question"], what="the end of the question")
    edge = lesson.workflow.edges.get(action_type="click")
    assert edge.target is not None
    assert edge.target.evidence["row"] == ["{{patient}}"]
    assert (edge.source.name, edge.destination.name) == ("Queue", "Record")
    assert teacher.steps()[0]["detail"] == ""
    assert lesson.workflow.targets.count() == 1


def test_a_question_that_is_let_be_stays_a_question_to_the_run(lesson_of_queue) -> None:
    teacher, lesson, desktop = lesson_of_queue
    desktop.hand_clicks(SECOND.center)
    question = question_of(teacher)
    teacher.send(type="cancel", question=question["id"])
    teacher.until(lambda: not teacher.lesson["question"], what="the end of the question")
    assert lesson.workflow.edges.get().target is not None
    assert teacher.steps()[0]["detail"] == "Which of several is meant was not said: a run asks."


@pytest.fixture
def lesson_of_queue(monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Teacher, Lesson, WatchedDesktop]]:
    desktop = WatchedDesktop([queue_of(*PEOPLE, to={"open1": "record"}), record()])
    made = FrameReader(desktop)
    monkeypatch.setattr(teaching, "analyzer", lambda desktop: ScreenAnalyzer(made, None, None))
    workflow = Workflow.objects.create(workflow_id="wf_queue", name="Queue")
    Variable.objects.create(workflow=workflow, name="patient", example="LEFEBVRE Marie")
    with (
        taught_on(desktop, user=make_user("designer"), workflow=workflow) as lesson,
        teacher_of(lesson) as teacher,
    ):
        teacher.until(lambda: teacher.screen.get("node_id"), what="a screen")
        yield teacher, lesson, desktop


def test_what_is_no_step_is_told_and_where_it_leads_is_not_kept(teacher, lesson, desktop) -> None:
    desktop.hand_clicks(BUTTON.center, button="left", held="ctrl")
    told = teacher.until(lambda: [m for m in teacher.told if m["type"] == "told"], what="a word about it")
    assert "no step of a workflow" in told[0]["text"]
    assert not lesson.workflow.edges.exists()
    assert lesson.steps.get().state == LessonStepState.UNKEPT


def test_a_paused_lesson_keeps_nothing_of_what_is_done_by_hand(teacher, lesson, desktop) -> None:
    teacher.send(type="pause")
    teacher.until(lambda: teacher.lesson.get("paused"), what="the pause")
    desktop.hand_clicks(BUTTON.center)
    teacher.send(type="go_on")
    teacher.until(lambda: not teacher.lesson.get("paused"), what="the end of the pause")
    desktop.hand_clicks(BUTTON.center)
    teacher.until(lambda: lesson.workflow.edges.exists(), what="the second click")
    teacher.until(lambda: teacher.screen.get("name") == "Three - Forms", what="the third screen")
    edge = lesson.workflow.edges.get()
    assert (edge.source.name, edge.destination.name) == ("Two - Forms", "Three - Forms")


def test_a_wheel_that_is_turned_on_is_one_step(teacher, lesson, desktop) -> None:
    desktop.hand_scrolls(Point(640, 400), 3)
    teacher.until(lambda: edges(lesson) == [("scroll", {"dx": 0, "dy": 3})], what=f"one step: {edges(lesson)}")


# --- who types slowly -------------------------------------------------------------------------------------------------


class ClockReader(FrameReader):
    """Reads what a clock shows, too."""

    def read(self, pixels: Any, region: Box | None = None) -> tuple[TextLine, ...]:
        clock = self.desktop.on(pixels)[1].get("clock", "")
        return tuple(replace(line, text=line.text.replace("{clock}", clock)) for line in super().read(pixels, region))


@pytest.fixture
def clocked(desktop: WatchedDesktop, reader: FrameReader, monkeypatch: pytest.MonkeyPatch) -> ClockReader:
    """In the place of the other reader, on a desktop with a clock."""
    made = ClockReader(desktop)
    monkeypatch.setattr(teaching, "analyzer", lambda desktop: ScreenAnalyzer(made, None, None))
    return made


def types_slowly(teacher: Teacher, lesson: Lesson, desktop: WatchedDesktop, parts: list[tuple[str, str]]) -> None:
    """Part by part, each judged before the next one comes; the clock goes on meanwhile."""
    for part, clock in parts:
        desktop.hand_types(part)
        desktop.show("one", clock=clock)
        desktop._focus = "note"
        time.sleep(2 * IDLE_S)  # the person's own slowness


@pytest.mark.security
@pytest.mark.parametrize("desktop", ["{clock}"], indirect=True)
@pytest.mark.parametrize(
    "parts",
    [
        [("4", "14:07:04"), ("7", "14:07:17"), ("0", "14:07:30"), ("2", "14:07:42")],
        [("hun", "14:07:04"), ("ter", "14:07:17"), ("22", "14:07:30")],
        [("070", "070"), ("4702", "14:07:42")],  # its beginning came with something else, and was kept
    ],
    ids=["digits", "pieces", "shown at first"],
)
@pytest.mark.slow
def test_a_secret_typed_slowly_is_one_secret(
    clocked: ClockReader, teacher: Teacher, lesson: Lesson, desktop: WatchedDesktop, parts: list[tuple[str, str]]
) -> None:
    """S6.2, S10.4: what shows by chance is no echo, and the parts of a text are no texts."""
    clocked.reads_fields = False
    desktop.hand_clicks(FIELD.center)
    types_slowly(teacher, lesson, desktop, parts)
    desktop.hand_clicks(BUTTON.center)
    teacher.until(lambda: ("click", {}) in edges(lesson), what="the click")
    both = [("type_text", {"text": "{{secret}}"}), ("click", {})]
    teacher.until(lambda: edges(lesson) == both, what=f"both: {edges(lesson)}")
    assert Variable.objects.get().kind == "secret"
    whole = "".join(part for part, _clock in parts)
    assert desktop.memory["note"] == whole
    assert whole not in rows()


@pytest.mark.parametrize("desktop", ["{clock}"], indirect=True)
@pytest.mark.slow
def test_a_text_typed_slowly_that_shows_is_one_text(
    clocked: ClockReader, teacher: Teacher, lesson: Lesson, desktop: WatchedDesktop
) -> None:
    """Of its first letters alone nobody could tell."""
    desktop.hand_clicks(FIELD.center)
    types_slowly(teacher, lesson, desktop, [("Dr", "14:07:04"), (" Mar", "14:07:17"), ("tin", "14:07:30")])
    desktop.hand_clicks(BUTTON.center)
    teacher.until(lambda: ("click", {}) in edges(lesson), what="the click")
    assert "".join(params["text"] for kind, params in edges(lesson) if kind == "type_text") == "Dr Martin"
    assert not Variable.objects.exists()
