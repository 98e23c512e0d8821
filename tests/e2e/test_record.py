"""`manage.py record` at a real desktop: a person types and clicks in real programs, and what it makes is run (S6.2)."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import cv2
import numpy as np
import pytest

from execution.desktop.x11 import X11Desktop
from execution.lesson.story_places import places_of
from execution.perception.analyzer import ScreenAnalyzer
from execution.types import Frame, Point, ScreenState, pixels_digest
from tests.support.display import wait_until
from tests.support.eyes import patient_analyzer
from tests.support.product import Product, product
from tests.support.site import serving, shown

pytestmark = [pytest.mark.display, pytest.mark.slow, pytest.mark.timeout(600)]
GO, STOP, NAME, SECRET = "ctrl+shift+F9", "ctrl+shift+F10", "ctrl+shift+F11", "ctrl+shift+F12"
SCRIPTED = "scripted:tests.doubles.patient_record.patient_desktop"
TEXT = "Marie Lefèvre, née à Orléans: 12"
FILE = "note-by-hand.txt"


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Product]:
    with product(tmp_path_factory.mktemp("product")) as one:
        one.screen.run(["setxkbmap", "fr"])  # so that xdotool presses keys that are there, as a person does
        yield one


class Person:
    """Looks where things are, and does them by hand; goes on once the screen shows what came of it."""

    def __init__(self, world: Product, analyzer: ScreenAnalyzer) -> None:
        self.world, self.analyzer = world, analyzer
        self.eyes = X11Desktop(world.screen.display)

    def sees(self) -> ScreenState:
        return self.analyzer.analyze(self.eyes.grab(), self.eyes.window())

    def finds(self, text: str, *, last: bool = False) -> Point:
        boxes = wait_until(lambda: places_of(text, self.sees()), timeout=40, what=f"“{text}”")
        return boxes[-1 if last else 0].center

    def does(self, *words: str) -> None:
        self.world.screen.run(["xdotool", *words])

    def clicks(self, text: str, *, last: bool = False) -> None:
        point = self.finds(text, last=last)
        self.does("mousemove", str(point.x), str(point.y))
        self.does("click", "1")

    def waits_to_press(self, text: str, *, beside: str) -> None:
        """Until that button is no longer greyed out: written as darkly as the one beside it."""

        def may_be_pressed() -> bool:
            screen = self.sees()
            boxes = [places_of(one, screen)[-1:] for one in (text, beside)]
            button, other = (np.ptp(screen.frame.crop(box[0])) if box else 0 for box in boxes)
            return bool(other and button > 0.9 * other)

        wait_until(may_be_pressed, timeout=40, what=f"a “{text}” that may be pressed")

    def types(self, text: str) -> None:
        self.does("type", "--delay", "40", text)


@pytest.fixture
def person(world: Product) -> Iterator[Person]:
    one = Person(world, patient_analyzer())
    yield one
    one.eyes.close()


class Recorded:
    """The command as it runs."""

    def __init__(self, world: Product, name: str, *more: str) -> None:
        self.world, self.log = world, world.log("record")
        self.log.unlink(missing_ok=True)
        command = [sys.executable, "-u", "manage.py", "record", "--workflow", name, "--user", "dora", *more]
        self.process = world.start("record", [*command, "--desktop", world.screen.display])

    def says(self, text: str, *, timeout: float = 60) -> None:
        wait_until(lambda: text in self.log.read_text(), timeout=timeout, what=f"“{text}” in {self.log.read_text()}")

    def edges(self) -> list[tuple[str, str]]:
        rows = self.world.rows(
            "SELECT e.action_type, e.params FROM workflows_edge e JOIN workflows_workflow w ON w.id = e.workflow_id "
            "WHERE w.workflow_id != 'wf_patient_note' ORDER BY e.id"
        )
        return [(kind, params) for kind, params in rows]

    def has(self, count: int) -> None:
        said = f"{count} steps: {self.edges()} {self.log.read_text()}"
        wait_until(lambda: len(self.edges()) >= count, timeout=60, what=said)

    def ends(self) -> str:
        wait_until(lambda: self.process.poll() is not None, timeout=60, what=f"its end: {self.log.read_text()}")
        assert self.process.returncode == 0, self.log.read_text()
        return self.log.read_text()


def test_a_note_that_was_written_by_hand_is_recorded_and_run(world: Product, person: Person) -> None:
    """S6.2: from the first key to a file that a run writes by itself, byte by byte."""
    editor = world.open_editor()
    record = Recorded(world, "Note by hand", "--publish")
    record.says("Nothing is recorded yet")
    person.types("before")  # paused: nobody's business
    for _ in "before":
        person.does("key", "BackSpace")
    person.does("key", GO)
    record.says("What you do is recorded")
    person.types(TEXT)
    record.has(1)
    person.clicks("File")
    record.has(2)
    person.clicks("Save As...")
    record.has(3)
    person.finds("Encoding:")
    person.does("key", NAME)
    record.says("At the end you are asked for the name")
    person.does("key", "ctrl+a")
    person.types(FILE)
    record.has(4)
    person.finds(FILE)
    person.waits_to_press("Save", beside="Cancel")
    person.clicks("Save", last=True)
    record.has(5)
    written = world.documents / FILE
    wait_until(written.exists, what="the file")
    person.does("key", STOP)
    said = record.ends()
    assert "Published as version 1." in said, said
    assert written.read_text() == TEXT
    assert [kind for kind, _ in record.edges()] == ["type_text", "click", "click", "type_text", "click"]
    assert "before" not in str(record.edges())
    assert not world.keys_down()
    world.screen.end(editor)
    written.unlink()

    again = world.open_editor()
    command = ("manage.py", "runloop", "--desktop", world.screen.display, "--workflow", "wf_note_by_hand")
    process = world.start_runloop(*command, "--mode", "automatic", "--once")
    wait_until(
        lambda: world.rows("SELECT 1 FROM execution_execution WHERE state IN ('completed', 'paused', 'failed')")
        or world.rows("SELECT 1 FROM execution_prompt WHERE state = 'open'"),
        timeout=120, what=world.log("runloop").read_text()[-2000:],
    )  # fmt: skip
    prompts = world.rows("SELECT kind, message FROM execution_prompt")
    assert world.rows("SELECT state FROM execution_execution") == [("completed",)], prompts
    assert written.read_text() == TEXT
    process.wait(60)
    world.screen.end(again)


def test_where_nothing_can_be_watched_it_says_so_and_leaves(world: Product) -> None:
    done = world.manage("record", "--workflow", "X", "--user", "dora", "--desktop", SCRIPTED, check=False)
    assert done.returncode == 1
    assert "only desktops shown by an X server can be watched" in done.stderr


LOGIN = """<!doctype html><html lang="en"><meta charset="utf-8"><title>Ward login</title>
<style>body { font: 18px/1.6 "DejaVu Sans", sans-serif; margin: 40px } input, button { font: inherit; padding: 6px }
  label { display: block; margin: 14px 0 } input { display: block; width: 320px }</style>
<h1>Ward login</h1><form onsubmit="document.body.innerHTML = '<h1>Your ward today</h1>'; return false">
<label>User name <input autocomplete="off"></label><label>Access <input type="password"></label>
<button>Log in</button></form></html>"""
SECRET_TYPED = "Kranich7wolke"


@pytest.mark.browser
@pytest.mark.security
def test_a_password_that_is_typed_by_hand_is_kept_nowhere(world: Product, person: Person) -> None:
    """S6.2, S10.4: its field shows dots, and nothing else says what it is."""
    with (
        serving(lambda path: LOGIN, lambda path, body: None) as port,
        shown(world.screen, port, "Ward login", size=(900, 620), at=(60, 40)),
    ):
        record = Recorded(world, "Log in by hand")
        record.says("Nothing is recorded yet")
        before = len(record.edges())
        person.finds("Log in")
        person.does("key", GO)
        record.says("What you do is recorded")
        point = person.finds("User name")
        person.does("mousemove", str(point.x + 60), str(point.y + 34), "click", "1")
        person.types("anna")
        record.has(before + 1)
        person.does("key", "Tab")
        person.types(SECRET_TYPED)
        person.does("key", "Return")
        person.finds("Your ward today")
        record.has(before + 4)
        person.does("key", STOP)
        said = record.ends()
        assert [kind for kind, _ in record.edges()[before:]] == ["type_text", "press_keys", "type_text", "press_keys"]
        assert "anna" in record.edges()[before][1]
        assert "{{secret}}" in record.edges()[before + 2][1]
        assert "it may be a password" in said
        world.stop_runloops()
        kept = [file for file in world.data.rglob("*") if file.is_file()]
        assert len(kept) > 5
        assert [file for file in kept if SECRET_TYPED.encode() in file.read_bytes()] == []
        pictures = [file for file in kept if file.suffix == ".png"]
        assert pictures
        for picture in pictures:
            shown_there = person.analyzer.analyze(frame_in(picture), None)
            assert SECRET_TYPED[:6] not in " ".join(line.text for line in shown_there.texts), picture


def frame_in(picture: Path) -> Frame:
    pixels = cv2.imread(str(picture))
    return Frame(pixels=pixels, taken_at=datetime.now(UTC), digest=pixels_digest(pixels), method="file")
