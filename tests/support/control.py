"""A person with control of a run's desktop, without a browser: one end of the line, and the run loop at the other."""

from __future__ import annotations

import json
import queue
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from execution.desktop.base import Desktop
from execution.models import Execution
from execution.running.runner import Hooks, Runner
from execution.running.teach_line import JSON, PICTURE_HEAD, control_line_of, packed, read_message
from gpu.local_socket import address

WAIT_S = 60.0


def until(done: Callable[[], Any], what: str, *, every_s: float = 0.02) -> Any:
    """Wait for something that is true; AssertionError with `what` where it does not come."""
    end = time.monotonic() + WAIT_S
    while not (found := done()):
        assert time.monotonic() < end, f"{what} did not come"
        time.sleep(every_s)
    return found


class Hands:
    """What a browser of whoever has control sends and hears."""

    def __init__(self, line: socket.socket) -> None:
        self._line = line
        self._number = 0
        self.told: list[dict[str, Any]] = []
        self.pictures: list[bytes] = []
        self.ended = threading.Event()

    def send(self, **message: Any) -> None:
        self._line.sendall(packed(message))

    def do(self, **message: Any) -> dict[str, Any]:
        """Send something, and wait for what became of it."""
        self._number += 1
        name = str(self._number)
        self.send(id=name, **message)
        return until(lambda: next((m for m in self.told if m.get("id") == name), None), f"an answer to {message}")

    def hear(self) -> None:
        while (got := read_message(self._line)) is not None:
            kind, body = got
            if kind == JSON:
                self.told.append(json.loads(body))
            else:
                self.pictures.append(body[PICTURE_HEAD.size :])
                with suppress(BrokenPipeError):  # the other end went while its last pictures came
                    self.send(type="picture_ack", number=PICTURE_HEAD.unpack_from(body)[0])
        self.ended.set()


def _connected(path: Path) -> socket.socket | None:
    line = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        with address(path) as place:
            line.connect(place)
    except OSError:  # it does not listen yet
        line.close()
        return None
    return line


@contextmanager
def hands_on(execution: Execution, *, language: str = "en") -> Iterator[Hands]:
    """A browser at the run's line, as the web process opens it for whoever has control."""
    robot = Execution.objects.select_related("robot").get(pk=execution.pk).robot
    assert robot is not None
    path = control_line_of(robot.name)
    with until(lambda: _connected(path), "the line") as line:
        line.sendall(packed({"type": "hello", "of": execution.execution_id, "language": language}))
        hands = Hands(line)
        hearing = threading.Thread(target=hands.hear, daemon=True)
        hearing.start()
        try:
            yield hands
        finally:
            line.shutdown(socket.SHUT_RDWR)  # a line that is only closed stays open while somebody listens to it
            hearing.join(WAIT_S)


@contextmanager
def run_loop(desktop: Desktop, *, analyzer: Any, hooks: Hooks | None = None) -> Iterator[Runner]:
    """A run loop of its own in a thread, until the block is left."""
    from django.db import connections

    leave, problems = threading.Event(), queue.Queue[BaseException]()
    runner = Runner(desktop=desktop, analyzer=analyzer, leave=leave, hooks=hooks)

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
        yield runner
    finally:
        leave.set()
        thread.join(WAIT_S)
        assert not thread.is_alive(), "the run loop did not leave"
    if not problems.empty():
        raise problems.get()
