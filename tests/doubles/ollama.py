"""An Ollama over real HTTP, for tests of what talks to it (RELIABILITY.md A.5).

Loads block until the test lets them end; an unload is answered before it happens; `/api/ps` hides what is being loaded;
a client that hangs up aborts the load. Nothing here waits for a clock.
"""

from __future__ import annotations

import json
import select
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

MB = 1024 * 1024
ON_DISK, LOADING, LOADED, STOPPING = "on_disk", "loading", "loaded", "stopping"


@dataclass
class Model:
    name: str
    size_mb: int = 4000
    remote_host: str = ""
    state: str = ON_DISK
    loads: int = 0
    aborted_loads: int = 0


@dataclass
class OllamaServer:
    """What a test sets and asks; every change is told to whoever waits on `changed`."""

    models: dict[str, Model]
    vram_free_mb: int = 24_000
    log: list[tuple[str, str]] = field(default_factory=list)  # (path, model) in the order of arrival
    hold_loads: bool = False  # loads wait for `let_loads_end`
    hold_unloads: bool = False  # unloads are answered and wait for `let_unloads_end`
    fail_loads: list[tuple[int, str]] = field(default_factory=list)  # answers of the next loads: status, text
    body_instead: str | None = None  # every answer is this text: something else listens there
    silent: bool = False  # accepts and says nothing until the client hangs up
    url: str = ""
    changed: threading.Condition = field(default_factory=threading.Condition)

    def let_loads_end(self) -> None:
        with self.changed:
            self.hold_loads = False
            self.changed.notify_all()

    def let_unloads_end(self) -> None:
        with self.changed:
            self.hold_unloads = False
            for model in self.models.values():
                if model.state == STOPPING:
                    self._gone(model)
            self.changed.notify_all()

    def wait_for(self, what: Any, timeout: float = 10) -> None:
        with self.changed:
            if not self.changed.wait_for(what, timeout):
                raise AssertionError(f"it did not happen; models: {self.models}, log: {self.log}")

    def named(self, name: str) -> Model | None:
        """The model of that name; without a tag it is the latest."""
        return self.models.get(name) or self.models.get(f"{name}:latest")

    def count(self, path: str) -> int:
        return sum(1 for asked, _model in self.log if asked == path)

    # --- what the server does ---------------------------------------------------------------------------------------
    def load(self, model: Model, client: socket.socket) -> tuple[int, dict[str, Any]] | None:
        """The answer to a load; None when the client hung up, which aborts it."""
        with self.changed:
            if model.state in (LOADED, STOPPING):
                model.state = LOADED  # a later request cancels an unload
                return 200, done(model, "load")
            if self.fail_loads:
                status, text = self.fail_loads.pop(0)
                return status, {"error": text}
            model.state = LOADING
            self.changed.notify_all()
            while self.hold_loads:
                if hung_up(client):
                    model.state, model.aborted_loads = ON_DISK, model.aborted_loads + 1
                    self.changed.notify_all()
                    return None
                self.changed.wait(0.02)
            model.state, model.loads = LOADED, model.loads + 1
            self.vram_free_mb -= model.size_mb
            self.changed.notify_all()
            return 200, done(model, "load")

    def unload(self, model: Model) -> tuple[int, dict[str, Any]]:
        """A receipt: nothing happens to a model that is not loaded, or is still being loaded."""
        with self.changed:
            if model.state == LOADED:
                model.state = STOPPING
                if not self.hold_unloads:
                    self._gone(model)
            self.changed.notify_all()
        return 200, done(model, "unload")

    def _gone(self, model: Model) -> None:
        model.state = ON_DISK
        self.vram_free_mb += model.size_mb

    def listed(self, *states: str) -> list[dict[str, Any]]:
        with self.changed:
            return [entry(model) for model in self.models.values() if model.state in states]


def done(model: Model, reason: str) -> dict[str, Any]:
    return {"model": model.name, "response": "", "done": True, "done_reason": reason}


def entry(model: Model) -> dict[str, Any]:
    size = model.size_mb * MB
    more = {"remote_host": model.remote_host, "remote_model": model.name} if model.remote_host else {}
    loaded = {"size_vram": size, "expires_at": "2318-01-01T00:00:00Z"} if model.state in (LOADED, STOPPING) else {}
    return {"name": model.name, "model": model.name, "size": size, **more, **loaded}


def hung_up(client: socket.socket) -> bool:
    readable, _, _ = select.select([client], [], [], 0)
    return bool(readable) and client.recv(1, socket.MSG_PEEK) == b""


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    ollama: OllamaServer

    def do_GET(self) -> None:
        self._serve({"/api/version": self._version, "/api/tags": self._tags, "/api/ps": self._ps})

    def do_POST(self) -> None:
        self._serve({"/api/show": self._show, "/api/generate": self._generate})

    def _serve(self, routes: dict[str, Any]) -> None:
        length = int(self.headers.get("Content-Length") or 0)
        asked = json.loads(self.rfile.read(length)) if length else {}
        with self.ollama.changed:
            self.ollama.log.append((self.path, asked.get("model", "")))
            self.ollama.changed.notify_all()
        if self.ollama.silent:
            select.select([self.connection], [], [])
            self.close_connection = True
            return
        if self.ollama.body_instead is not None:
            self._send(200, self.ollama.body_instead.encode(), "text/html")
            return
        route = routes.get(self.path)
        answer = route(asked) if route else (405, {"error": "method not allowed"})
        if answer is None:
            self.close_connection = True
            return
        self._send(answer[0], json.dumps(answer[1]).encode(), "application/json")

    def _version(self, asked: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        return 200, {"version": "0.33.0"}

    def _tags(self, asked: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        return 200, {"models": self.ollama.listed(ON_DISK, LOADING, LOADED, STOPPING)}

    def _ps(self, asked: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        return 200, {"models": self.ollama.listed(LOADED, STOPPING)}

    def _show(self, asked: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        model = self.ollama.named(asked.get("model", ""))
        if model is None:
            return not_found(asked)
        return 200, {"capabilities": ["completion", "vision"], "remote_host": model.remote_host}

    def _generate(self, asked: dict[str, Any]) -> tuple[int, dict[str, Any]] | None:
        model = self.ollama.named(asked.get("model", ""))
        if model is None:
            return not_found(asked)
        if asked.get("keep_alive") == 0:
            return self.ollama.unload(model)
        return self.ollama.load(model, self.connection)

    def _send(self, status: int, body: bytes, kind: str) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        return


def not_found(asked: dict[str, Any]) -> tuple[int, dict[str, Any]]:
    return 404, {"error": f"model '{asked.get('model')}' not found"}


@contextmanager
def ollama_server(*models: Model) -> Iterator[OllamaServer]:
    """A server on a free port of loopback, until the block ends."""
    state = OllamaServer({model.name: model for model in models})
    handler = type("BoundHandler", (Handler,), {"ollama": state})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    state.url = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield state
    finally:
        state.let_loads_end()
        server.shutdown()
        server.server_close()
        thread.join()
