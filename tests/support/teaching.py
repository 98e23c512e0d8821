"""A teacher without a browser: one end of a lesson's line, and the run loop with a scripted desktop at the other."""

from __future__ import annotations

import json
import queue
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect
from websockets.typing import Origin

from execution.actions.teach import open_lesson
from execution.models import Lesson, Robot
from execution.perception.analyzer import ScreenAnalyzer
from execution.running.runner import Runner
from execution.running.teach_line import JSON, PICTURE_HEAD, line_of_lesson, packed, read_message
from execution.types import Box
from gpu.local_socket import address
from tests.doubles.scripted import ScriptedDesktop
from tests.support.scripted import analyzer
from workflows.models import Workflow

WAIT_S = 60.0


@dataclass
class Teacher:
    """What a browser of the lesson sends and is told."""

    say: Callable[[dict[str, Any]], None]
    lesson: dict[str, Any] = field(default_factory=dict)
    screen: dict[str, Any] = field(default_factory=dict)
    acted: dict[str, dict[str, Any]] = field(default_factory=dict)
    told: list[dict[str, Any]] = field(default_factory=list)
    pictures: list[tuple[int, float, bytes]] = field(default_factory=list)
    ended: bool = False
    _changed: threading.Condition = field(default_factory=threading.Condition)
    _number: int = 0

    def send(self, **message: Any) -> None:
        self.say(message)

    def do(self, **message: Any) -> dict[str, Any]:
        """Send something with an id, and wait for what became of it."""
        self._number += 1
        name = str(self._number)
        self.send(id=name, **message)
        return self.until(lambda: self.acted.get(name), what=f"an answer to {message}")

    def click(self, box: Box, **more: Any) -> dict[str, Any]:
        return self.do(type="act", act="click", x=box.center.x, y=box.center.y, **more)

    def until(self, done: Callable[[], Any], *, what: str) -> Any:
        """Wait until it is told; AssertionError with what was told last."""
        found: Any = None

        def look() -> bool:
            nonlocal found
            found = done()
            return bool(found)

        with self._changed:
            if not self._changed.wait_for(look, WAIT_S):
                last = json.dumps(self.lesson, indent=1)[-3000:]
                raise AssertionError(f"{what} did not come; {self.screen}; {self.told[-3:]}; {last}")
        return found

    def steps(self) -> list[dict[str, Any]]:
        return list(self.lesson.get("steps", []))

    def hear(self, messages: Iterator[str | bytes]) -> None:
        """Everything that comes, until the other end goes; pictures are acknowledged."""
        for message in messages:
            with self._changed:
                if isinstance(message, str):
                    self._take(json.loads(message))
                else:
                    number, taken_at = PICTURE_HEAD.unpack_from(message)
                    self.pictures.append((number, taken_at, message[PICTURE_HEAD.size :]))
                    with suppress(BrokenPipeError):  # the other end went while its last pictures came
                        self.say({"type": "picture_ack", "number": number})
                self._changed.notify_all()
        with self._changed:
            self.ended = True
            self._changed.notify_all()

    def _take(self, message: dict[str, Any]) -> None:
        self.told.append(message)
        if message["type"] == "lesson":
            self.lesson = message["lesson"]
        elif message["type"] == "screen":
            self.screen = message
        elif message["type"] == "acted":
            self.acted[message["id"]] = message


def _line(path: Path) -> socket.socket:
    """The line to the run loop, as soon as it listens there."""
    until = time.monotonic() + WAIT_S
    while time.monotonic() < until:
        line = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        with suppress(OSError), address(path) as place:
            line.connect(place)
            return line
        line.close()
        time.sleep(0.02)
    raise AssertionError("no run loop took the lesson")


@contextmanager
def teacher_of(lesson: Lesson, *, language: str = "en") -> Iterator[Teacher]:
    """A browser of the lesson, once a run loop has taken it."""
    with _line(line_of_lesson(lesson)) as line:
        line.sendall(packed({"type": "hello", "of": lesson.lesson_id, "language": language}))
        teacher = Teacher(lambda message: line.sendall(packed(message)))
        hearing = threading.Thread(target=teacher.hear, args=(_messages(line),), daemon=True)
        hearing.start()
        try:
            yield teacher
        finally:
            line.shutdown(socket.SHUT_RDWR)
            hearing.join()


def _messages(line: socket.socket) -> Iterator[str | bytes]:
    while (got := read_message(line)) is not None:
        kind, body = got
        yield body.decode() if kind == JSON else body


@contextmanager
def teacher_in_browser(url: str, lesson_id: str, cookies: str, *, language: str = "en") -> Iterator[Teacher]:
    """The end of the real WebSocket at `url`."""
    with connect(
        f"{url.replace('http', 'ws', 1)}/ws/teach/{lesson_id}/",
        origin=Origin(url),
        additional_headers={"Cookie": cookies, "Accept-Language": language},
        compression=None,
        max_size=None,
        proxy=None,
        open_timeout=60,
    ) as browser:

        def messages() -> Iterator[str | bytes]:
            with suppress(ConnectionClosed):
                while True:
                    yield browser.recv()

        def say(message: dict[str, Any]) -> None:
            with suppress(ConnectionClosed):  # what is said to somebody who has gone is not heard
                browser.send(json.dumps(message))

        teacher = Teacher(say)
        hearing = threading.Thread(target=teacher.hear, args=(messages(),), daemon=True)
        hearing.start()
        yield teacher
    hearing.join()


@contextmanager
def taught_on(desktop: ScriptedDesktop, *, user: Any, workflow: Workflow) -> Iterator[Lesson]:
    """A lesson on a run loop of its own in a thread; the robot is there before the lesson is."""
    with run_loop(desktop, analyzer(desktop)) as robot:
        yield open_lesson(workflow=workflow, robot=robot, user=user)


@contextmanager
def run_loop(desktop: ScriptedDesktop, eyes: ScreenAnalyzer) -> Iterator[Robot]:
    """A run loop of its own in a thread, once its robot has signed on."""
    from django.db import connections

    leave, problems = threading.Event(), queue.Queue[BaseException]()
    runner = Runner(desktop=desktop, analyzer=eyes, leave=leave)

    def work() -> None:
        try:
            runner.run()
        except BaseException as problem:
            problems.put(problem)
        finally:
            connections.close_all()

    thread = threading.Thread(target=work, name="run loop")
    thread.start()
    try:
        until = time.monotonic() + WAIT_S
        while not Robot.objects.alive().exists():
            assert time.monotonic() < until, "no robot signed on"
            time.sleep(0.02)
        yield Robot.objects.get()
    finally:
        leave.set()
        thread.join(WAIT_S)
    if not problems.empty():
        raise problems.get()
