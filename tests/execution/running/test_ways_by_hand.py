"""What a person did by hand is proposed as a way: shown, taught if somebody says so, never gone by itself (S6.4)."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import Any

import pytest
from django.test import Client

from execution.actions import control
from execution.actions.decide import decide
from execution.choices import CorrectionState, ExecutionState, LessonStepState, PauseReason
from execution.lesson.known_acts import act_of
from execution.lesson.sight import Sight
from execution.lesson.slides import slides_of
from execution.models import Execution, LearnedCorrection, Lesson, LessonStep, Prompt
from execution.record.corrections import in_force
from execution.record.pruning import drop_texts
from execution.types import DecisionSource
from tests.doubles.scripted import ScriptedDesktop
from tests.support.control import hands_on, run_loop, until
from tests.support.pictured import analyzer_of
from tests.support.scripted import BUTTON, publish_line, queue, screens
from workflows.actions.publish import publish
from workflows.models import WorkflowVersion

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("own_folder")]

PAGES = ("one", "two", "three")
SIGHTS: list[Sight] = []


@pytest.fixture
def version() -> WorkflowVersion:
    return publish_line(*PAGES)


@pytest.fixture
def operator(make_user: Any) -> Any:
    return make_user("olga", "operator")


def now(execution: Execution) -> Execution:
    return Execution.objects.by_id(execution.execution_id)


def asked(execution: Execution) -> Prompt:
    until(lambda: execution.prompts.open().exists() or now(execution).is_final, "a question")
    return execution.prompts.open().get()


@pytest.fixture(autouse=True)
def sights(monkeypatch: pytest.MonkeyPatch) -> list[Sight]:
    """The eyes of whoever has control, in the order that they were opened."""
    SIGHTS.clear()
    start = Sight.start
    monkeypatch.setattr(Sight, "start", lambda self: (SIGHTS.append(self), start(self))[1])
    return SIGHTS


def read_now() -> str:
    """The title of what was read of what shows now."""
    state = SIGHTS[-1].current() if SIGHTS else None
    return state.window.title if state and state.window else ""


def by_hand(
    version: WorkflowVersion, operator: Any, *pages: str, at: Any = BUTTON.center, stop: bool = False
) -> Execution:
    """A run that a person took control of at its first question and led over those pages, to its end; they look before
    they act, so that each act has its picture."""
    desktop = ScriptedDesktop(screens(*PAGES))
    execution = queue(version, mode="supervised")
    with run_loop(desktop, analyzer=analyzer_of(screens(*PAGES))):
        asked(execution)
        control.take_control(execution_id=execution.execution_id, user=operator)
        until(lambda: now(execution).pause_reason == PauseReason.CONTROL, "control")
        with hands_on(execution) as hands:
            until(lambda: hands.pictures and hands.told, "a picture and the size")
            for before, page in pairwise(("one", *pages)):
                until(lambda name=before: read_now() == f"{name.title()} - Forms", "that the screen is read")
                hands.do(type="act", act="click", x=at.x, y=at.y)
                until(lambda page=page: desktop.screen == page, page)
        if stop:
            control.stop(execution_id=execution.execution_id, user=operator)
        else:
            control.resume(execution_id=execution.execution_id, user=operator)
        while not now(execution).is_final:
            until(lambda: now(execution).is_final or execution.prompts.open().exists(), "the end, or a question")
            for prompt in execution.prompts.open():
                decide(prompt_id=prompt.pk, choice="accept", source=DecisionSource.PROGRAM)
                until(lambda pk=prompt.pk: not execution.prompts.open().filter(pk=pk).exists(), "the answer heard")
    return now(execution)


def test_what_was_done_under_control_is_proposed_and_gone_by_nobody(version: Any, operator: Any) -> None:
    first = by_hand(version, operator, "two", "three")
    way = LearnedCorrection.objects.get()
    assert (way.kind, way.node_id, way.payload["to"], way.state) == ("way", "one", "three", "needs_person")
    assert (way.learned_by, way.execution_id) == (operator, first.execution_id)
    assert "Go on" not in json.dumps(way.payload), "what was done is in the run's events, and goes with them"
    assert in_force(version.workflow.workflow_id) == ()


def test_where_the_run_was_stopped_under_control_nobody_knows_where_it_led(version: Any, operator: Any) -> None:
    assert by_hand(version, operator, "two", stop=True).state == ExecutionState.STOPPED
    way = LearnedCorrection.objects.get()
    assert (way.node_id, way.payload["to"]) == ("one", "")


def test_a_step_that_a_person_did_elsewhere_is_proposed(version: Any, operator: Any) -> None:
    """Nobody saw how: it is taught from the step's pictures."""
    desktop = ScriptedDesktop(screens(*PAGES))
    execution = queue(version, mode="coaching")
    with run_loop(desktop, analyzer=analyzer_of(screens(*PAGES))):
        prompt = asked(execution)
        for _page in range(2):
            desktop.click(BUTTON.center)
        decide(prompt_id=prompt.pk, choice="manual", user=operator)
        until(lambda: now(execution).state == ExecutionState.PAUSED, "the pause")
        control.resume(execution_id=execution.execution_id, user=operator, node_id="three")
        until(lambda: now(execution).is_final, "the end")
    way = LearnedCorrection.objects.filter(kind="way").get()
    assert (way.node_id, way.edge_id, way.payload["to"], way.payload["until"]) == ("one", "one_two", "three", 0)
    assert way.learned_by == operator


@pytest.fixture
def proposed(version: WorkflowVersion, operator: Any) -> LearnedCorrection:
    by_hand(version, operator, "two", "three")
    return LearnedCorrection.objects.get()


@pytest.fixture
def designer(client: Client, make_user: Any) -> Any:
    user = make_user("dora", "designer")
    client.force_login(user)
    return user


def test_its_card_shows_the_acts_and_a_lesson_begins_with_them(client: Client, designer: Any, proposed: Any) -> None:
    page = client.get("/learning/corrections").content.decode()
    assert "A person went from “One” to “Three” by hand." in page
    assert page.count("olga: click “Go on”") >= 2
    assert "Make it part of the workflow" in page
    assert "Let it be" in page
    assert "Not tried on stored pictures" not in page
    begun = client.post(f"/learning/corrections/{proposed.pk}/teach")
    lesson = Lesson.objects.get()
    assert begun.headers["Location"] == f"/teach/{lesson.lesson_id}"
    acts = [act_of(slide) for slide in slides_of(lesson) if slide.did]
    assert [(act.kind, act.point) for act in acts if act] == [("click", BUTTON.center)] * 2
    assert lesson.workflow == proposed.pack.workflow


def test_it_is_part_of_the_version_that_was_published_after_it_was_taught(
    client: Client, designer: Any, proposed: Any
) -> None:
    workflow = proposed.pack.workflow
    client.post(f"/learning/corrections/{proposed.pk}/teach")
    workflow.nodes.filter(node_id="two").update(name="Two, anew")
    publish(workflow=workflow, user=designer)
    proposed.refresh_from_db()
    assert proposed.state == CorrectionState.NEEDS_PERSON, "of that lesson nothing was kept"
    lesson = Lesson.objects.get()
    LessonStep.objects.create(lesson=lesson, index=lesson.next_index(), act="click", state=LessonStepState.DONE)
    workflow.nodes.filter(node_id="two").update(name="Two, once more")
    number = publish(workflow=workflow, user=designer).number
    proposed.refresh_from_db()
    assert (proposed.state, proposed.changed_by) == (CorrectionState.MERGED, "dora")
    assert str(number) in str(proposed.why)
    assert client.post(f"/learning/corrections/{proposed.pk}/teach").headers["Location"] == "/learning/corrections"


def test_once_its_run_is_pruned_nothing_of_it_is_left_to_teach(client: Client, designer: Any, proposed: Any) -> None:
    drop_texts([Execution.objects.get(execution_id=proposed.execution_id).pk])
    page = client.get("/learning/corrections").content.decode()
    assert "What was done is not kept any more." in page
    assert "Make it part of the workflow" not in page
    assert client.post(f"/learning/corrections/{proposed.pk}/teach").status_code == 302
    assert not Lesson.objects.exists()
