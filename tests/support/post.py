"""A real mail server and a real web server on this machine, which keep what they were given."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

from aiosmtpd.smtp import Envelope

SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"


class Mails:
    """What a mail server was given; `answer` is what it says to it."""

    def __init__(self) -> None:
        self.envelopes: list[Envelope] = []
        self.answer = "250 OK"

    async def handle_DATA(self, server: Any, session: Any, envelope: Envelope) -> str:  # noqa: N802  aiosmtpd's own name
        self.envelopes.append(envelope)
        return self.answer


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


class Caught(ThreadingHTTPServer):
    """What a web server was given; `status` is what it answers."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Catcher)
        self.requests: list[tuple[dict[str, str], bytes]] = []
        self.status = 204


@contextmanager
def catching() -> Iterator[Caught]:
    """A web server that listens for as long as this lasts."""
    with Caught() as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()


class Catcher(BaseHTTPRequestHandler):
    server: Caught

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["content-length"]))
        self.server.requests.append((dict(self.headers), body))
        self.send_response(self.server.status)
        self.send_header("location", "/elsewhere")
        self.end_headers()
        if self.server.status >= 400:
            self.wfile.write(b"the queue is full")

    def log_message(self, format: str, *args: Any) -> None:
        pass
