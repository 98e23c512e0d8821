"""Two quick clicks are one double click, and a target that was kept can be drawn anew (S6.1, S6.11)."""

from __future__ import annotations

import time

import pytest

from execution.lesson import going_on
from execution.models import Lesson
from tests.doubles.scripted import ScriptedDesktop
from tests.support.scripted import BUTTON
from tests.support.teaching import Teacher

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("own_folder")]

HEADING = {"x": 60, "y": 95}
PRESSED = {"x": BUTTON.center.x, "y": BUTTON.center.y}  # what is opened from a list is asked about


def test_the_second_of_two_quick_clicks_clicks_once_more_and_makes_one_step(
    teacher: Teacher, lesson: Lesson, desktop: ScriptedDesktop, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A third click would hit whatever the first two opened."""
    monkeypatch.setattr(going_on, "_TWICE_S", 60)  # however slow the machine is
    heard = counted_clicks(desktop, monkeypatch)
    assert teacher.do(type="act", act="click", **PRESSED)["state"] == "done"
    assert teacher.do(type="act", act="double_click", instead_of="1", **PRESSED)["state"] == "done"
    assert heard == [1, 1]
    teacher.until(lambda: [step["act"] for step in teacher.steps()] == ["double_click"], what="one step")
    assert lesson.workflow.edges.get().action_type == "double_click"


def test_a_second_click_that_comes_too_late_for_the_program_is_a_double_click_anew(
    teacher: Teacher, lesson: Lesson, desktop: ScriptedDesktop, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Keeping the first one took its time: the page knows of two quick clicks, the program of two slow ones."""
    monkeypatch.setattr(going_on, "_TWICE_S", 0)
    heard = counted_clicks(desktop, monkeypatch)
    teacher.do(type="act", act="click", **PRESSED)
    began = time.monotonic()
    assert teacher.do(type="act", act="double_click", instead_of="1", **PRESSED)["state"] == "done"
    assert heard == [1, 2]
    assert time.monotonic() - began > going_on._ONCE_S / 2, "else it is the second and the third of three"
    teacher.until(lambda: [step["act"] for step in teacher.steps()] == ["double_click"], what="one step")


def counted_clicks(desktop: ScriptedDesktop, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    heard: list[int] = []
    click = desktop.click
    monkeypatch.setattr(desktop, "click", lambda *a, **k: (heard.append(k.get("count", 1)), click(*a, **k))[1])
    return heard


def test_a_target_is_drawn_anew_on_the_picture_it_was_taught_on(teacher: Teacher, lesson: Lesson) -> None:
    teacher.do(type="act", act="click", **HEADING)
    teacher.until(teacher.steps, what="the step")
    target = lesson.workflow.targets.get()
    assert target.text == "Page one"
    width, height = teacher.lesson["size"]
    box = [BUTTON.x / width, BUTTON.y / height, BUTTON.w / width, BUTTON.h / height]
    teacher.send(type="redraw", step=1, box=box)
    teacher.until(lambda: teacher.steps()[0]["target"]["signs"][0]["text"] == "Text “Go on”", what="the other text")
    target.refresh_from_db()
    assert target.text == "Go on"
    assert lesson.workflow.edges.get().target == target


@pytest.mark.parametrize("message", [{"step": 9, "box": [0, 0, 1, 1]}, {"step": 1, "box": [0, 0, 3, 1]}, {"step": "1"}])
def test_what_is_no_redrawing_changes_nothing(teacher: Teacher, lesson: Lesson, message: dict[str, object]) -> None:
    teacher.do(type="act", act="click", **HEADING)
    teacher.until(teacher.steps, what="the step")
    teacher.send(type="redraw", **message)
    teacher.until(lambda: any(m["type"] == "trouble" for m in teacher.told), what="a refusal")
    assert lesson.workflow.targets.get().text == "Page one"
