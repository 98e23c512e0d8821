"""The browsers that act on a run loop's desktop, as it hears and answers them: each with its language and its pace."""

from __future__ import annotations

import logging
import socket
import threading
from collections import deque
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from django.utils import translation

from execution.lesson.acts import Acted
from execution.running.teach_line import JSON, packed, packed_picture, read_message
from gpu.local_socket import is_of_our_account, listening
from sentences.said import worded
from workflows.parsing import json_object

log = logging.getLogger(__name__)

CREDITS = 2  # pictures on their way that were not acknowledged
HELLO_S = 5.0
MOST_WAITING = 64  # messages of a browser that were heard and not taken up; the next one waits on the line


class Client:
    """One browser. A picture that it has no room for is replaced by the next; everything else waits in order."""

    def __init__(self, line: socket.socket, language: str, *, watches: bool) -> None:
        self.language, self.watches = language, watches
        self._line = line
        self._outbox: deque[bytes] = deque()
        self._picture: tuple[int, float, bytes] | None = None
        self._under_way: deque[int] = deque()
        self._changed = threading.Condition()
        self._waiting = 0
        self._closed = False

    def wait_for_room(self) -> None:
        """Wait until its next message may be heard; a line that is not read makes its other end wait, too."""
        with self._changed:
            self._changed.wait_for(lambda: self._closed or self._waiting < MOST_WAITING)
            self._waiting += 1

    def taken(self) -> None:
        """One of its messages was taken up."""
        with self._changed:
            self._waiting -= 1
            self._changed.notify_all()

    def send(self, message: Mapping[str, Any]) -> None:
        with self._changed:
            self._outbox.append(packed(message))
            self._changed.notify_all()

    def tell_acted(self, act: str, acted: Acted) -> None:
        """What became of an act, in the browser's language."""
        with translation.override(self.language):
            told = {"id": act, "state": acted.state, "ms": round(acted.ms, 1), "why": worded(acted.why)}
            self.send({"type": "acted", **told})

    def refuse(self, message: Mapping[str, Any], why: str) -> None:
        """Nothing was done of a message, and why."""
        if "id" in message:
            self.tell_acted(str(message["id"]), Acted(state="refused", why=why))
            return
        with translation.override(self.language):
            self.send({"type": "trouble", "text": worded(why)})

    def show(self, number: int, taken_at: float, jpeg: bytes) -> None:
        with self._changed:
            self._picture = (number, taken_at, jpeg)
            self._changed.notify_all()

    def acknowledged(self, number: int) -> None:
        with self._changed:
            while self._under_way and self._under_way[0] <= number:
                self._under_way.popleft()
            self._changed.notify_all()

    def close(self) -> None:
        with self._changed:
            self._closed = True
            self._changed.notify_all()
        try:
            self._line.shutdown(socket.SHUT_RDWR)
        except OSError:
            log.debug("a line had ended already")

    def write(self) -> None:
        """Send until it is closed; in a thread of its own."""
        try:
            while (body := self._next()) is not None:
                self._line.sendall(body)
        except OSError:
            self.close()

    def _next(self) -> bytes | None:
        with self._changed:
            self._changed.wait_for(lambda: self._closed or self._outbox or self._may_show())
            if self._closed:
                return None
            if self._outbox:
                return self._outbox.popleft()
            assert self._picture is not None
            number, taken_at, jpeg = self._picture
            self._picture = None
            self._under_way.append(number)
            return packed_picture(number, taken_at, jpeg)

    def _may_show(self) -> bool:
        return self._picture is not None and len(self._under_way) < CREDITS


class Clients:
    """All browsers `of` a lesson, or of a run. `heard` gets each message with who sent it, in that one's thread, and
    calls that one's `taken` when it takes the message up."""

    def __init__(
        self,
        path: Path,
        of: str,
        *,
        heard: Callable[[Client, dict[str, Any]], None],
        came: Callable[[Client], None],
    ) -> None:
        self._path, self._of = path, of
        self._heard, self._came = heard, came
        self._clients: set[Client] = set()
        self._lock = threading.Lock()
        self._listener: socket.socket | None = None
        self._newest: tuple[int, float, bytes] | None = None

    def start(self) -> None:
        """Raises OSError where nobody can listen there."""
        self._listener = listening(self._path)
        threading.Thread(target=self._accept, args=(self._listener,), name="lesson-line", daemon=True).start()

    def stop(self) -> None:
        if self._listener is None:
            return
        self._path.unlink(missing_ok=True)
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self._listener = None
        for client in self.all():
            client.close()

    def all(self) -> list[Client]:
        with self._lock:
            return [client for client in self._clients if client.watches]

    def show(self, number: int, taken_at: float, jpeg: bytes) -> None:
        self._newest = (number, taken_at, jpeg)
        for client in self.all():
            client.show(number, taken_at, jpeg)

    def _accept(self, listener: socket.socket) -> None:
        while True:
            try:
                line, _from = listener.accept()
            except OSError:  # it was closed
                return
            threading.Thread(target=self._serve, args=(line,), name="lesson-browser", daemon=True).start()

    def _serve(self, line: socket.socket) -> None:
        with line:
            client = self._greeted(line)
            if client is None:
                return
            writer = threading.Thread(target=client.write, name="lesson-writer", daemon=True)
            with self._lock:
                self._clients.add(client)
            writer.start()
            try:
                if client.watches and self._newest is not None:
                    client.show(*self._newest)
                self._came(client)
                while (got := read_message(line)) is not None:
                    self._take(client, got[1])
            except ValueError as error:
                log.warning("a browser's line was ended: %s", error)
            finally:
                with self._lock:
                    self._clients.discard(client)
                client.close()
                writer.join()

    def _greeted(self, line: socket.socket) -> Client | None:
        """Whoever speaks for this lesson or run, from a process of our own account."""
        if not is_of_our_account(line):
            return None
        line.settimeout(HELLO_S)
        got = read_message(line)
        hello = json_object(got[1]) if got is not None and got[0] == JSON else {}
        if hello.get("type") != "hello" or hello.get("of") != self._of:
            return None
        line.settimeout(None)
        return Client(line, str(hello.get("language") or "en"), watches=bool(hello.get("watches", True)))

    def _take(self, client: Client, body: bytes) -> None:
        message = json_object(body)
        number = message.get("number")
        if message.get("type") == "picture_ack" and isinstance(number, int):
            client.acknowledged(number)
        elif message:
            client.wait_for_room()
            self._heard(client, message)
