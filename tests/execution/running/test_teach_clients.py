"""The browsers that act on a run loop's desktop: what they send waits, and not without bound."""

from __future__ import annotations

import queue
import socket
import threading
from pathlib import Path
from typing import Any

from execution.running.teach_clients import MOST_WAITING, Client, Clients
from execution.running.teach_line import packed
from gpu.local_socket import address

WAIT_S = 30


def test_a_browser_is_heard_no_faster_than_its_messages_are_taken_up(tmp_path: Path) -> None:
    heard: list[int] = []
    changed = threading.Condition()
    browsers: list[Client] = []

    def hear(client: Client, message: dict[str, Any]) -> None:
        with changed:
            heard.append(message["n"])
            changed.notify_all()

    clients = Clients(tmp_path / "line", "one", heard=hear, came=browsers.append)
    clients.start()
    try:
        with socket.socket(socket.AF_UNIX) as line:
            with address(tmp_path / "line") as place:
                line.connect(place)
            line.sendall(packed({"type": "hello", "of": "one"}))
            line.sendall(b"".join(packed({"type": "act", "n": n}) for n in range(MOST_WAITING + 10)))
            with changed:
                assert changed.wait_for(lambda: len(heard) == MOST_WAITING, WAIT_S)
                assert not changed.wait_for(lambda: len(heard) > MOST_WAITING, 0.2)
            for n in range(1, 11):
                browsers[0].taken()
                with changed:
                    assert changed.wait_for(lambda n=n: len(heard) == MOST_WAITING + n, WAIT_S)
            assert heard == list(range(MOST_WAITING + 10))
    finally:
        clients.stop()


def test_a_full_browser_that_is_closed_holds_no_thread(tmp_path: Path) -> None:
    came: queue.Queue[threading.Thread] = queue.Queue()

    def greet(client: Client) -> None:
        came.put(threading.current_thread())

    clients = Clients(tmp_path / "line", "one", heard=lambda client, message: None, came=greet)
    clients.start()
    with socket.socket(socket.AF_UNIX) as line:
        with address(tmp_path / "line") as place:
            line.connect(place)
        line.sendall(packed({"type": "hello", "of": "one"}))
        line.sendall(b"".join(packed({"type": "act", "n": n}) for n in range(MOST_WAITING + 10)))
        browser = came.get(timeout=WAIT_S)
        clients.stop()
        browser.join(WAIT_S)
    assert not browser.is_alive()
