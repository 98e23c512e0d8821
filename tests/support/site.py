"""A small web site of a test's own, and the window it is shown in.

The server hears what the page sends it, so that nothing that the product says of itself has to be believed.
"""

from __future__ import annotations

import shutil
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from tests.support.display import VirtualDesktop, wait_until

CHROMIUM = (
    shutil.which("chromium") or "chromium", "--no-sandbox", "--test-type", "--disable-gpu", "--no-first-run",
    "--disable-sync", "--disable-background-networking", "--disable-component-update", "--password-store=basic",
    "--disable-features=Translate",
)  # fmt: skip


@contextmanager
def serving(page: Callable[[str], str], hear: Callable[[str, str], object]) -> Iterator[int]:
    """The port of a server: `page(path)` is what it shows, `hear(path, body)` is told what it is sent."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self._answer(page(self.path).encode())

        def do_POST(self) -> None:
            hear(self.path, self.rfile.read(int(self.headers["Content-Length"])).decode())
            self._answer(b"")

        def _answer(self, body: bytes) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.send_header("Cache-Control", "no-store")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *args: Any) -> None:
            """Nothing on the terminal of the tests."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        try:
            yield server.server_port
        finally:
            server.shutdown()
            thread.join()


@contextmanager
def shown(
    screen: VirtualDesktop, port: int, title: str, *, size: tuple[int, int], at: tuple[int, int]
) -> Iterator[None]:
    """The site in a window of its own, in front; `size` and `at` in pixels."""
    profile = screen.folder / f"profile-{len(screen.processes)}"
    place = [f"--window-size={size[0]},{size[1]}", f"--window-position={at[0]},{at[1]}"]
    app = f"--app=http://127.0.0.1:{port}/"
    process = screen.spawn([*CHROMIUM, f"--user-data-dir={profile}", *place, app])
    try:
        screen.wait_for_window(title, timeout=60)
        yield
    finally:
        screen.end(process)
        wait_until(lambda: not screen.windows(), timeout=60, what="the browser's end")


@dataclass
class Site:
    """One page, what it sent of what was done on it, and where it is served."""

    page: str = ""
    done: list[str] = field(default_factory=list)
    port: int = 0


@contextmanager
def site() -> Iterator[Site]:
    one = Site()
    with serving(lambda path: one.page, lambda path, body: one.done.append(body)) as one.port:
        yield one


@contextmanager
def shown_anew(
    screen: VirtualDesktop,
    one: Site,
    page: str,
    title: str,
    *,
    size: tuple[int, int] = (1000, 680),
    at: tuple[int, int] = (60, 40),
) -> Iterator[None]:
    """The page in a window of its own, in front, with nothing done yet."""
    one.page = page
    one.done.clear()
    with shown(screen, one.port, title, size=size, at=at):
        yield
