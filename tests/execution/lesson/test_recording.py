"""`manage.py record` on a scripted desktop: hot keys, and what is asked at its end (S6.2)."""

from __future__ import annotations

import io
import sys
import threading
from collections.abc import Callable
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from execution.management.commands import record
from execution.models import Lesson, LessonStep
from execution.perception.analyzer import ScreenAnalyzer
from execution.perception.ocr.base import ReaderUnavailable
from execution.types import Point
from tests.execution.lesson.scripted_lesson import PEOPLE, SECOND, queue_of
from tests.execution.lesson.scripted_lesson import record as sheet
from tests.support.by_hand import FrameReader, WatchedDesktop
from tests.support.display import wait_until
from workflows.models import Variable, Workflow

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("own_folder")]
GO, STOP, NAME = "ctrl+shift+f9", "ctrl+shift+f10", "ctrl+shift+f11"


class Terminal(io.StringIO):
    """Somebody at it, who gives these answers."""

    def isatty(self) -> bool:
        return True


@pytest.fixture
def desktop(monkeypatch: pytest.MonkeyPatch) -> WatchedDesktop:
    made = WatchedDesktop([queue_of(*PEOPLE[:2], to={"open1": "record"}), sheet()])
    monkeypatch.setattr(record, "open_named", lambda name: made)
    monkeypatch.setattr(record, "build_analyzer", lambda config: ScreenAnalyzer(FrameReader(made), None, None))
    return made


def recorded(person: Callable[[Callable[[str], None]], None], **options: Any) -> str:
    """What the command says while the person is at the desktop; `says` waits for a word of it."""
    out, problems = io.StringIO(), list[BaseException]()

    def says(text: str) -> None:
        wait_until(lambda: text in out.getvalue(), what=f"“{text}” in {out.getvalue()}")

    def sit() -> None:
        try:
            says("Nothing is recorded yet")
            person(says)
        except BaseException as problem:
            problems.append(problem)

    sitting = threading.Thread(target=sit)
    sitting.start()
    call_command("record", user="dora", stdout=out, **options)
    sitting.join()
    assert not problems, problems
    return out.getvalue()


def test_what_could_mean_several_is_asked_at_the_end_and_answered_by_number(
    desktop: WatchedDesktop, make_user: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """S6.2, S6.11: the likely answer first; a screen is named at the end as well."""
    make_user("dora", "designer")
    workflow = Workflow.objects.create(workflow_id="wf_queue", name="Queue")
    Variable.objects.create(workflow=workflow, name="patient", example="LEFEBVRE Marie")
    monkeypatch.setattr(sys, "stdin", Terminal("1\nThe sheet\n"))

    def person(says: Callable[[str], None]) -> None:
        desktop.hand_clicks(Point(700, 700))  # paused: nothing of it is kept
        desktop.hand_presses(GO)
        says("What you do is recorded")
        desktop.hand_clicks(SECOND.center)
        says("Step")
        desktop.hand_presses(NAME)
        says("At the end you are asked for the name")
        desktop.hand_presses(STOP)

    said = recorded(person, into="wf_queue")
    assert "There are 2 Open. What says that it is this one?" in said
    assert "   1) The line of “patient”" in said
    edge = workflow.edges.get()
    assert edge.target is not None
    assert edge.target.evidence["row"] == ["{{patient}}"]
    assert edge.destination.name == "The sheet"
    assert edge.destination.is_end
    assert Lesson.objects.get().state == "done"
    assert [act.kind for act in desktop.log].count("press") == 0  # hot keys reach nobody


def test_where_nobody_answers_a_run_asks(desktop: WatchedDesktop, make_user: Any) -> None:
    make_user("dora", "designer")

    def person(says: Callable[[str], None]) -> None:
        desktop.hand_presses(GO)
        says("What you do is recorded")
        desktop.hand_clicks(SECOND.center)
        says("Step")
        desktop.hand_presses(STOP)

    said = recorded(person, workflow="Left open")
    assert "Which of several is meant was not said: a run asks." in said
    assert Workflow.objects.get().edges.get().target is not None


def test_an_operator_does_not_record(desktop: WatchedDesktop, make_user: Any) -> None:
    """S10.1"""
    make_user("dora", "operator")
    with pytest.raises(CommandError):
        call_command("record", user="dora", workflow="X")
    assert desktop._heard is None
    assert not Workflow.objects.exists()


def test_a_reader_that_cannot_be_had_is_said_before_anything_is_recorded(
    desktop: WatchedDesktop, make_user: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """S2.13: it is warmed up first, so that no screen waits for it."""
    make_user("dora", "designer")

    def missing(_analyzer: Any) -> None:
        raise ReaderUnavailable("The reader rapidocr is not installed: pip install rapidocr.")

    monkeypatch.setattr(ScreenAnalyzer, "warm_up", missing)
    with pytest.raises(CommandError, match="is not installed"):
        call_command("record", user="dora", workflow="No reader", stdout=io.StringIO())
    assert not LessonStep.objects.exists()
