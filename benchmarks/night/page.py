"""The same record program as a page in a browser: served from here, kept in the same store."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from benchmarks.night.records import AFTER, BEFORE, CRASH, Store

PAGE = Path(__file__).with_name("page.html")


@contextmanager
def served(store: Store, desktop: str, on_crash: Callable[[], object]) -> Iterator[int]:
    """The port of the program for one desktop; `on_crash` ends what shows it."""

    def opened(stay: str, diet: str) -> dict[str, Any]:
        patient = store.patient(stay)
        kind, said = (store.trouble(stay, BEFORE, CRASH) if patient is not None else None) or ("", "")
        if kind == CRASH:
            on_crash()
        return {"patient": patient, "said": said}

    def ordered(stay: str, diet: str) -> dict[str, Any]:
        receipt = store.order(stay, diet, desktop)
        _kind, said = store.trouble(stay, AFTER) or ("", "")
        return {"receipt": receipt, "said": said}

    answers = {"/open": opened, "/order": ordered}

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self._answer(PAGE.read_bytes(), "text/html; charset=utf-8")

        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            told = answers[self.path](asked["stay"], asked.get("diet", ""))
            self._answer(json.dumps(told).encode(), "application/json")

        def _answer(self, body: bytes, kind: str) -> None:
            self.send_response(200)
            self.send_header("Content-Type", kind)
            self.send_header("Cache-Control", "no-store")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            with suppress(BrokenPipeError, ConnectionResetError):  # what has crashed does not hear it
                self.wfile.write(body)

        def log_message(self, format: str, *args: Any) -> None:
            """Nothing on the terminal of the benchmark."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        try:
            yield server.server_port
        finally:
            server.shutdown()
            thread.join()
