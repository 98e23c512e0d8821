"""Teaching over the socket on a real editor, with a run loop that dies in the middle (S6.1)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from execution.desktop.capture import settle
from execution.desktop.x11 import X11Desktop
from execution.language.fuzzy import folded
from execution.types import Box
from tests.support.display import wait_until
from tests.support.eyes import patient_analyzer
from tests.support.product import Product, product
from tests.support.teaching import Teacher, teacher_in_browser

pytestmark = [pytest.mark.display, pytest.mark.slow]

BEGIN = """
from django.contrib.auth.models import User
from execution.actions.teach import open_lesson
from execution.models import Robot
from workflows.models import Workflow
workflow = Workflow.objects.create(workflow_id="wf_taught", name="Taught note", learning_state="AUTO_CONFIRMED")
robot = Robot.objects.alive().get()
print(open_lesson(workflow=workflow, robot=robot, user=User.objects.get(username="dora")).lesson_id)
"""


@pytest.fixture
def world(tmp_path: Path) -> Iterator[Product]:
    with product(tmp_path) as one:
        yield one


def place(world: Product, text: str) -> Box:
    """The lowest line that says it."""
    analyzer, found = patient_analyzer(), list[Box]()

    def look() -> bool:
        settle(desktop, settle_ms=200, timeout_ms=3000)
        state = analyzer.analyze(desktop.grab(), desktop.window())
        found[:] = [line.box for line in state.texts if folded(line.text) == folded(text)]
        return bool(found)

    with closing(X11Desktop(world.screen.display)) as desktop:
        wait_until(look, what=f"“{text}” on the screen")
    return max(found, key=lambda box: box.y)


@contextmanager
def browser_of(world: Product, lesson_id: str) -> Iterator[Teacher]:
    with closing(world.client("dora")) as dora:
        cookies = "; ".join(f"{name}={value}" for name, value in dora.cookies.items())
        with teacher_in_browser(world.url, lesson_id, cookies) as teacher:
            teacher.until(lambda: teacher.screen.get("node_id"), what="the screen")
            yield teacher


def test_a_run_loop_that_is_killed_in_the_middle_leaves_a_whole_draft_with_a_step_in_doubt(world: Product) -> None:
    """S9.2: the next one lets go of the keys that were down, and takes the lesson again."""
    crashing = world.start_runloop("-m", "tests.support.crashing_runloop", world.screen.display)
    world.open_editor()
    lesson_id = world.manage("shell", "-v0", "-c", BEGIN).stdout.split()[-1]
    with browser_of(world, lesson_id) as teacher:
        assert teacher.click(place(world, "File"))["state"] == "done"
        teacher.until(lambda: len(teacher.lesson["screens"]) == 2, what="the menu")
        assert teacher.do(type="keys", keys="escape")["state"] == "done"
        teacher.until(lambda: len(teacher.steps()) == 2, what="two steps")
        teacher.send(type="type", id="t", text="Marie Lefèvre")
        wait_until(lambda: crashing.poll() is not None, what="the end of the run loop")
        assert world.keys_down()
    world.start_runloop()
    assert not world.keys_down()
    with browser_of(world, lesson_id) as teacher:
        assert [(step["act"], step["state"]) for step in teacher.steps()] == [
            ("click", "done"),
            ("press_keys", "done"),
            ("type_text", "doubt"),
        ]
        assert teacher.do(type="keys", keys="ctrl+end")["state"] == "done"
        teacher.until(lambda: len(teacher.steps()) == 4, what="the next step")
    edges = world.rows("SELECT action_type FROM workflows_edge ORDER BY id DESC LIMIT 3")
    assert [kind for (kind,) in edges] == ["press_keys", "press_keys", "click"]
