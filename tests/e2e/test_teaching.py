"""Teaching over the socket on a real editor, from the first click to an automatic run whose file is right (S6.1)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

from execution.desktop.capture import settle
from execution.desktop.x11 import X11Desktop
from execution.language.fuzzy import folded
from execution.perception.analyzer import ScreenAnalyzer
from execution.types import Box, Point
from tests.support.display import wait_until
from tests.support.eyes import patient_analyzer
from tests.support.product import Product, product
from tests.support.run_ends import run
from tests.support.teaching import Teacher, teacher_in_browser

pytestmark = [pytest.mark.display, pytest.mark.slow]

BEGIN = """
from django.contrib.auth.models import User
from execution.actions.teach import open_lesson
from execution.models import Robot
from workflows.models import Variable, Workflow
workflow = Workflow.objects.create(workflow_id="wf_taught", name="Taught note", learning_state="AUTO_CONFIRMED")
for name, value in {values!r}.items():
    Variable.objects.create(workflow=workflow, name=name, label=name, default=value)
robot = Robot.objects.alive().get()
print(open_lesson(workflow=workflow, robot=robot, user=User.objects.get(username="dora")).lesson_id)
"""
FINISH = """
from execution.actions.teach import close_lesson, lesson_by_id
from workflows.actions.publish import publish
from workflows.models import Node
lesson = lesson_by_id({lesson_id!r})
Node.objects.filter(pk=lesson.cursor.pk).update(is_end=True)
close_lesson(lesson)
print(publish(workflow=lesson.workflow, user=None, note="taught").number)
"""


@pytest.fixture(scope="module")
def analyzer() -> ScreenAnalyzer:
    return patient_analyzer()


@pytest.fixture
def world(tmp_path: Path) -> Iterator[Product]:
    with product(tmp_path) as one:
        yield one


class Hand:
    """A person at the page: sees where things are on the picture, and clicks there."""

    def __init__(self, teacher: Teacher, desktop: X11Desktop, analyzer: ScreenAnalyzer) -> None:
        self.teacher, self.desktop, self.analyzer = teacher, desktop, analyzer

    def place(self, text: str, *, beside: int = 0) -> Point:
        """The middle of the lowest line that says it."""
        found: list[Box] = []

        def look() -> bool:
            settle(self.desktop, settle_ms=200, timeout_ms=3000)
            state = self.analyzer.analyze(self.desktop.grab(), self.desktop.window())
            found[:] = [line.box for line in state.texts if folded(line.text) == folded(text)]
            return bool(found)

        wait_until(look, what=f"“{text}” on the screen")
        middle = max(found, key=lambda box: box.y).center
        return Point(middle.x + beside, middle.y)

    def click(self, text: str, **more: Any) -> None:
        """Click on a text; where it is asked which, the place itself is meant."""
        at = self.place(text, **more)
        acted = self.teacher.do(type="act", act="click", x=at.x, y=at.y)
        if acted["state"] == "held":
            question = self.teacher.until(lambda: self.teacher.lesson.get("question"), what="a question")
            self.teacher.send(type="answer", question=question["id"], choice="this_place", values={})
            self.teacher.until(lambda: not self.teacher.lesson.get("question"), what="the end of the question")
        else:
            assert acted["state"] == "done", acted

    def type(self, text: str) -> None:
        for piece in (text[:3], text[3:]):
            assert self.teacher.do(type="type", text=piece)["state"] == "done"

    def keys(self, keys: str) -> None:
        assert self.teacher.do(type="keys", keys=keys)["state"] == "done"

    def waits_for(self, title: str) -> None:
        wait_until(lambda: title in getattr(self.desktop.window(), "title", ""), what=f"the window {title}")


@contextmanager
def taught(world: Product, analyzer: ScreenAnalyzer, values: dict[str, str]) -> Iterator[tuple[Hand, str]]:
    lesson_id = world.manage("shell", "-v0", "-c", BEGIN.format(values=values)).stdout.split()[-1]
    with closing(world.client("dora")) as dora, closing(X11Desktop(world.screen.display)) as desktop:
        cookies = "; ".join(f"{name}={value}" for name, value in dora.cookies.items())
        with teacher_in_browser(world.url, lesson_id, cookies) as teacher:
            teacher.until(lambda: teacher.screen.get("node_id"), what="the first screen")
            yield Hand(teacher, desktop, analyzer), lesson_id


def test_a_note_is_taught_by_clicking_published_and_written_by_itself(world: Product, analyzer: ScreenAnalyzer) -> None:
    """S6.1, S6.10"""
    # Where one file alone is there a dialog of GTK at times fills in its name and lays the list of what begins so over
    # what the step is known by: then a person is asked.
    (world.documents / "another.txt").write_text("of another day")
    world.start_runloop()
    world.open_editor()
    values = {"patient": "Marie Lefèvre", "filename": "taught.txt"}
    with taught(world, analyzer, values) as (hand, lesson_id):
        hand.type(values["patient"])
        hand.click("File")
        hand.click("Save As...")
        hand.waits_for("Save As")
        hand.keys("ctrl+a")
        hand.type(values["filename"])
        hand.click("Save")
        hand.waits_for("taught.txt - Mousepad")
        hand.click("File")
        hand.click("Quit")
        hand.teacher.until(lambda: hand.teacher.screen.get("name") == "Surehand demo desktop", what="the end")
    assert (world.documents / "taught.txt").read_bytes() == "Marie Lefèvre".encode()
    assert world.manage("shell", "-v0", "-c", FINISH.format(lesson_id=lesson_id)).stdout.split()[-1] == "1"
    for patient, filename in (("Anna Rossi", "second.txt"), ("Zoë Martin", "third.txt")):
        world.open_editor()
        found = run(world, "wf_taught", patient=patient, filename=filename)
        assert found.is_finished, found.told
        assert (world.documents / filename).read_bytes() == patient.encode()


def test_page_and_hand_teach_in_turns_and_what_they_made_is_run(world: Product, analyzer: ScreenAnalyzer) -> None:
    """S6.2: the hand is another client of the X server, with XTEST as the product has it; each act is kept once."""
    world.start_runloop()
    world.open_editor()

    def by_hand(*words: str) -> None:
        world.screen.run(["xdotool", *words])

    values = {"patient": "Anna Rossi", "filename": "by-hand.txt"}
    with taught(world, analyzer, values) as (hand, lesson_id):
        by_hand("type", "--delay", "30", values["patient"])
        hand.teacher.until(lambda: len(hand.teacher.steps()) == 1, what="the text that was typed by hand")
        hand.click("File")
        at = hand.place("Save As...")
        by_hand("mousemove", str(at.x), str(at.y), "click", "1")
        hand.waits_for("Save As")
        hand.teacher.until(lambda: len(hand.teacher.steps()) == 3, what="the click by hand")
        hand.keys("ctrl+a")
        hand.type(values["filename"])
        at = hand.place("Save")
        by_hand("mousemove", str(at.x), str(at.y), "click", "1")
        hand.waits_for("by-hand.txt - Mousepad")
        made = ["type_text", "click", "click", "type_text", "click"]  # ctrl+a is a part of the text, once it ends
        hand.teacher.until(lambda: [step["act"] for step in hand.teacher.steps()] == made, what="the last click")
        hand.teacher.until(lambda: len(hand.teacher.lesson["screens"]) == 4, what="the last screen")
    assert (world.documents / "by-hand.txt").read_bytes() == b"Anna Rossi"
    assert world.manage("shell", "-v0", "-c", FINISH.format(lesson_id=lesson_id)).stdout.split()[-1] == "1"
    edges = world.rows("SELECT params FROM workflows_edge e JOIN workflows_workflow w ON w.id = e.workflow_id "
                       "WHERE w.workflow_id = 'wf_taught' AND action_type = 'type_text' ORDER BY e.id")  # fmt: skip
    assert ["{{patient}}" in edges[0][0], "{{filename}}" in edges[1][0]] == [True, True]


def test_a_run_loop_that_is_killed_in_the_middle_leaves_a_whole_draft_with_a_step_in_doubt(
    world: Product, analyzer: ScreenAnalyzer
) -> None:
    """S9.2: the next one lets go of the keys that were down, and takes the lesson again."""
    crashing = world.start_runloop("-m", "tests.support.crashing_runloop", world.screen.display)
    world.open_editor()
    with taught(world, analyzer, {}) as (hand, lesson_id):
        hand.click("File")
        hand.teacher.until(lambda: len(hand.teacher.lesson["screens"]) == 2, what="the menu")
        hand.keys("escape")
        hand.teacher.until(lambda: len(hand.teacher.steps()) == 2, what="two steps")
        hand.teacher.send(type="type", id="t", text="Marie Lefèvre")
        wait_until(lambda: crashing.poll() is not None, what="the end of the run loop")
        assert world.keys_down()
    world.start_runloop()
    assert not world.keys_down()
    with back(world, lesson_id) as teacher:
        teacher.until(lambda: teacher.screen.get("node_id"), what="the screen")
        assert [(step["act"], step["state"]) for step in teacher.steps()] == [
            ("click", "done"),
            ("press_keys", "done"),
            ("type_text", "doubt"),
        ]
        assert teacher.do(type="keys", keys="ctrl+end")["state"] == "done"
        teacher.until(lambda: len(teacher.steps()) == 4, what="the next step")
    edges = world.rows("SELECT action_type FROM workflows_edge ORDER BY id DESC LIMIT 3")
    assert [kind for (kind,) in edges] == ["press_keys", "press_keys", "click"]


@contextmanager
def back(world: Product, lesson_id: str) -> Iterator[Teacher]:
    """The teacher's browser, opened again."""
    with closing(world.client("dora")) as dora:
        cookies = "; ".join(f"{name}={value}" for name, value in dora.cookies.items())
        with teacher_in_browser(world.url, lesson_id, cookies) as teacher:
            yield teacher
