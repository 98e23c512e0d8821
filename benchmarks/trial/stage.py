"""The programs of the trial on a desktop of its own, as a person would have left them, and what came of the work."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.support.display import ShownWindow, VirtualDesktop, wait_until
from tests.support.site import CHROMIUM, serving

SIZE = (2560, 1600)
PAGE = Path(__file__).with_name("page.html")
# Title, and where the window stands: left, top, width, height of what is inside its frame.
EDITOR = ("Untitled 1 - Mousepad", (90, 140, 1100, 900))
CALCULATOR = ("galculator", (1700, 110, 420, 480))
BROWSER = ("Visit form", (1240, 660, 1180, 830))
NEEDED = ("mousepad", "galculator", "chromium", "xdotool")


@dataclass
class Clinic:
    """The server of the form: serves the page and keeps what was sent."""

    records: list[dict[str, Any]] = field(default_factory=list)
    port: int = 0


@contextmanager
def clinic() -> Iterator[Clinic]:
    one = Clinic()
    with serving(lambda path: PAGE.read_text(), lambda path, body: one.records.append(json.loads(body))) as one.port:
        yield one


@contextmanager
def programs(screen: VirtualDesktop, port: int, *, shift: tuple[int, int] = (0, 0)) -> Iterator[None]:
    """Browser, calculator and editor side by side, the editor in front; all ended afterwards."""
    documents = Path(screen.env["HOME"]) / "Documents"
    profile = screen.folder / f"profile-{len(screen.processes)}"
    settings = screen.folder / f"settings-{len(screen.processes)}"
    settings.mkdir()
    own = {"XDG_CONFIG_HOME": str(settings)}
    before = len(screen.processes)
    try:
        url = f"http://127.0.0.1:{port}/"
        options = ["--force-device-scale-factor=1", f"--user-data-dir={profile}", f"--app={url}"]
        screen.spawn([*CHROMIUM, *options], env=own)
        place(screen, BROWSER, shift)
        screen.spawn(["galculator"], env=own)
        place(screen, CALCULATOR, shift)
        screen.spawn(["env", "-C", str(documents), "mousepad"], env=own)
        place(screen, EDITOR, shift)
        yield
    finally:
        for process in reversed(screen.processes[before:]):
            screen.end(process)
        wait_until(lambda: not screen.windows(), what="the programs' end")


def place(screen: VirtualDesktop, what: tuple[str, tuple[int, int, int, int]], shift: tuple[int, int]) -> None:
    """Wait for the window and put it where it belongs."""
    title, (left, top, width, height) = what
    shown = screen.wait_for_window(title)
    left, top = left + shift[0], top + shift[1]
    screen.run(["xdotool", "windowsize", str(shown.id), str(width), str(height)])
    screen.run(["xdotool", "windowmove", str(shown.id), str(left), str(top)])

    def there() -> ShownWindow | None:
        now = next((w for w in screen.windows() if w.id == shown.id), None)
        near = now is not None and abs(now.x - left) < 40 and abs(now.y - top) < 40
        return now if near and abs(now.width - width) < 60 else None

    wait_until(there, what=f"{title} at {left}, {top}")
