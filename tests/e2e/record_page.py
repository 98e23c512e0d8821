"""A record in a browser with buttons of which the wrong one does harm; it is taught as it is and shown as it became."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from tests.support.display import VirtualDesktop, wait_until
from tests.support.story import Act, Screen, Story

STORY = Story(
    workflow_id="wf_archive",
    values={},
    parts=(
        Screen(node_id="record", title="Record 4711*", texts=("Record 4711", "Attached letters")),
        Act(edge_id="archive", action="click", text="Archive", window="Record 4711"),
        Screen(node_id="archived", title="Record 4711*", texts=("The record is in the archive",)),
    ),
)
PAGE = """<!doctype html><html lang="en"><meta charset="utf-8"><title>Record 4711</title>
<style>
  body { font: 17px/1.5 "DejaVu Sans", sans-serif; margin: 40px; position: relative }
  button { font: inherit; padding: 9px 24px; margin-right: 16px }
  #cover { position: absolute; left: 0; top: 210px; width: 460px; height: 190px; padding: 24px; background: #fff4d6;
           border: 1px solid #a80 }
</style>
<h1>Record 4711</h1><p>Attached letters: two. Last seen by the front desk.</p>
<div style="height: 60px"></div>
<p id="buttons">%s</p><p id="state"></p>%s
<script>
  document.addEventListener("click", (event) => {
    const what = event.target.textContent.trim().slice(0, 40);
    fetch("/clicked", { method: "POST", body: what });
    if (what === "Archive") {
      document.getElementById("buttons").remove();
      document.getElementById("state").textContent = "The record is in the archive";
    }
  });
</script></html>"""
BUTTONS = "<button>Archive</button><button>Delete for ever</button><button>Print</button>"


def as_taught() -> str:
    return PAGE % (BUTTONS, "")


def removed() -> str:
    """The button is gone and its neighbour has moved to where it was."""
    return PAGE % (BUTTONS.replace("<button>Archive</button>", ""), "")


def renamed() -> str:
    """In its place stands a button that does something else."""
    return PAGE % (BUTTONS.replace("Archive", "Release"), "")


def covered() -> str:
    """A notice lies over the buttons."""
    return PAGE % (BUTTONS, '<div id="cover">The letters of this record are being sorted by a colleague.</div>')


@dataclass
class Site:
    """What is served now, and what was clicked on it."""

    page: str = ""
    clicked: list[str] = field(default_factory=list)
    port: int = 0


@contextmanager
def site() -> Iterator[Site]:
    one = Site()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self._answer(one.page.encode())

        def do_POST(self) -> None:
            one.clicked.append(self.rfile.read(int(self.headers["Content-Length"])).decode())
            self._answer(b"")

        def _answer(self, body: bytes) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *args: Any) -> None:
            return None

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        one.port = server.server_port
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        try:
            yield one
        finally:
            server.shutdown()
            thread.join()


@contextmanager
def shown(screen: VirtualDesktop, one: Site, page: str, *, chromium: str) -> Iterator[None]:
    """The page in a window of its own, in front."""
    one.page = page
    one.clicked.clear()
    profile = screen.folder / f"profile-{len(screen.processes)}"
    process = screen.spawn(
        [
            chromium, "--no-sandbox", "--test-type", "--disable-gpu", "--no-first-run", "--disable-sync",
            "--disable-background-networking", "--disable-component-update", "--password-store=basic",
            f"--user-data-dir={profile}", "--window-size=1000,680", "--window-position=60,40",
            f"--app=http://127.0.0.1:{one.port}/",
        ]
    )  # fmt: skip
    try:
        screen.wait_for_window("Record 4711")
        yield
    finally:
        screen.end(process)
        wait_until(lambda: not screen.windows(), what="the browser's end")
