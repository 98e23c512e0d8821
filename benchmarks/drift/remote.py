"""Programs as a client of remote desktops shows them: on a second display, in a viewer, VNC or RDP.

The truth is that of the display they run on, moved by the viewer's place.
"""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from benchmarks.drift.app_screens import Shown
from benchmarks.drift.dresses import Dress
from benchmarks.screens.apps import write
from benchmarks.screens.stage import Stage
from execution.desktop.x11 import X11Desktop
from execution.types import Box, Frame
from tests.support.display import VirtualDesktop, virtual_desktop, wait_until

NEEDED = ("X0tigervnc", "xtigervncviewer", "freerdp-shadow-cli", "xfreerdp")
_WIDTH, _HEIGHT = 1920, 1080
_NEAR, _FAR = 9.0, 60  # mean difference of pixels, and the share of a hundred that may differ by as much, of 255
_SHARE = 0.002


@dataclass(frozen=True, slots=True, kw_only=True)
class Client:
    """How a display is shown: `serve` and `show` are commands in which {display} and {port} stand for themselves."""

    serve: tuple[str, ...]
    show: tuple[str, ...]
    place: tuple[int, int]


_SERVE_VNC = ("X0tigervnc", "-display", "{display}", "-rfbport", "{port}", "-localhost", "-SecurityTypes", "None")
_SHOW_VNC = (
    "xtigervncviewer", "-SecurityTypes", "None", "-RemoteResize=0", "-AutoSelect=0", "-PreferredEncoding=Tight",
    "-FullColor=1",
)  # fmt: skip
CLIENTS = {
    "vnc": Client(serve=_SERVE_VNC, show=(*_SHOW_VNC, "-QualityLevel=6", "127.0.0.1::{port}"), place=(320, 148)),
    "vnc-poor": Client(serve=_SERVE_VNC, show=(*_SHOW_VNC, "-QualityLevel=1", "127.0.0.1::{port}"), place=(90, 210)),
    "rdp": Client(
        serve=("freerdp-shadow-cli", "/port:{port}", "/bind-address:127.0.0.1", "-auth", "/sec:tls"),
        show=(
            "xfreerdp", "/v:127.0.0.1:{port}", "/cert:ignore", "/sec:tls", "/u:marie", "/p:marie", "/size:1280x800",
            "/bpp:16",
        ),
        place=(500, 90),
    ),
}  # fmt: skip


class Viewer:
    """A client that shows the display of a stage on another display."""

    def __init__(self, screen: VirtualDesktop, desktop: X11Desktop, inner: Stage) -> None:
        self.screen, self.desktop, self.inner = screen, desktop, inner

    def seen(self, shown: Shown, folder: Path) -> Shown:
        """The same state of the program as the client shows it, saved in place of its own picture."""
        box = self._box()
        what = f"{shown.screen.name} in the client"
        frame = wait_until(lambda: self._shows_it(box), timeout=20, what=what)
        write(folder / shown.screen.picture, frame)
        moved = {
            path: replace(control, box=control.box._replace(x=control.box.x + box.x, y=control.box.y + box.y))
            for path, control in shown.elements.items()
        }
        return replace(shown, elements=moved, screen=replace(shown.screen, window=self.desktop.window()))

    def _shows_it(self, box: Box) -> Frame | None:
        """The picture, once what it shows of the display is what is there, but for the losses of its coding."""
        there, frame = self.inner.desktop.grab().pixels, self.desktop.grab()
        gap = np.abs(frame.crop(box).astype(np.int16) - there).max(axis=2)
        return frame if float(gap.mean()) < _NEAR and float((gap > _FAR).mean()) < _SHARE else None

    def _box(self) -> Box:
        window = next(window for window in self.screen.windows())
        look = self.inner.look
        assert (window.width, window.height) == (look.width, look.height), window
        return Box(window.x, window.y, window.width, window.height)


@contextmanager
def viewer(inner: Stage, dress: Dress) -> Iterator[Viewer]:
    """The client of `dress` with the display of `inner` in it."""
    client = CLIENTS[dress.client]
    port = _free_port()
    words = {"display": inner.screen.display, "port": str(port)}
    with virtual_desktop(_WIDTH, _HEIGHT) as screen:
        inner.screen.spawn([word.format(**words) for word in client.serve])
        wait_until(lambda: _answers(port), timeout=30, what=f"the server of {dress.client}")
        screen.spawn([word.format(**words) for word in client.show])
        wait_until(screen.windows, timeout=30, what=f"the window of {dress.client}")
        desktop = X11Desktop(screen.display)
        try:
            on = Stage(screen, desktop, inner.look)
            window = screen.windows()[0]
            on.put(window, Box(*client.place, window.width, window.height))
            yield Viewer(screen, desktop, inner)
        finally:
            desktop.close()


def _free_port() -> int:
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        return int(bound.getsockname()[1])


def _answers(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port), timeout=1).close()
    except OSError:
        return False
    return True
