"""An X display that nobody but this process may look at: what a client shows on it is another machine's desktop."""

from __future__ import annotations

import os
import secrets
import select
import socket
import struct
import subprocess
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from execution.desktop.base import DesktopUnavailable
from execution.desktop.elsewhere import programs
from execution.desktop.elsewhere.address import Keyboard
from execution.types import Box, Size
from sentences.said import say

STARTED_WITHIN_S = 20.0
_COOKIE = b"MIT-MAGIC-COOKIE-1"
_LOCAL = 256  # the family of a display that is reached by a socket of this machine


class PrivateDisplay:
    """Xvfb with a key of its own in `folder`; without a window manager, so that no key is taken before the client."""

    def __init__(self, size: Size, keyboard: Keyboard, *, folder: Path) -> None:
        self.size, self._folder = size, folder
        authority = folder / "xauthority"
        _write_key(authority)
        path = os.environ.get("PATH", os.defpath)
        self.env = {"PATH": path, "HOME": str(folder), "LANG": "C.UTF-8", "XAUTHORITY": str(authority)}
        self._outside = os.environ.get("XAUTHORITY")
        self._server, self.name = self._started()
        self.env["DISPLAY"] = self.name
        # The libraries that look at a display and press its keys know the key's place by the environment alone.
        os.environ["XAUTHORITY"] = str(authority)
        with ExitStack() as undone:
            undone.callback(self.close)
            self._set_layout(keyboard)
            undone.pop_all()

    def close(self) -> None:
        programs.end(self._server)
        if os.environ.get("XAUTHORITY") == self.env["XAUTHORITY"]:
            if self._outside is None:
                del os.environ["XAUTHORITY"]
            else:
                os.environ["XAUTHORITY"] = self._outside

    def _started(self) -> tuple[subprocess.Popen[bytes], str]:
        read_end, write_end = os.pipe()
        try:
            command = ["Xvfb", "-displayfd", str(write_end), "-screen", "0"]
            # -r: it repeats no key whose release comes late; no act holds one down.
            command += [f"{self.size.width}x{self.size.height}x24", "-nolisten", "tcp", "-noreset", "-r"]
            command += ["-auth", self.env["XAUTHORITY"]]
            server = programs.start(command, env=self.env, log=self._folder / "display.log", pass_fds=[write_end])
            os.close(write_end)
            write_end = -1
            number = _line_from(read_end)
        finally:
            os.close(read_end)
            if write_end >= 0:
                os.close(write_end)
        if not number:
            programs.end(server)
            raise DesktopUnavailable(say("desktop.elsewhere_no_display"))
        return server, f":{number}"

    def _set_layout(self, keyboard: Keyboard) -> None:
        command = ["setxkbmap", "-display", self.name, "-layout", keyboard.layout, "-variant", keyboard.variant]
        log = self._folder / "layout.log"
        setting = programs.start(command, env=self.env, log=log)
        if setting.wait(STARTED_WITHIN_S):
            raise DesktopUnavailable(say("desktop.elsewhere_layout_refused", layout=keyboard.layout))


def shown_on(connection: Any) -> list[tuple[int, Box]]:
    """The windows that lie on a display without a window manager, lowest first: their numbers and places."""
    from Xlib import X, error

    windows = []
    with connection.talking():
        for window in connection.root.query_tree().children:
            try:
                attributes, place = window.get_attributes(), window.get_geometry()
            except (error.BadWindow, error.BadDrawable):
                continue  # it closed between two questions
            seen = attributes.map_state == X.IsViewable and attributes.win_class == X.InputOutput
            if seen and place.width > 1 and place.height > 1:
                windows.append((int(window.id), Box(place.x, place.y, place.width, place.height)))
    return windows


def give_keyboard(connection: Any, window_id: int) -> None:
    """What a window manager would do: keys go to that window, wherever the pointer is."""
    from Xlib import X

    with connection.talking() as display:
        window = display.create_resource_object("window", window_id)
        window.set_input_focus(X.RevertToPointerRoot, X.CurrentTime)
        display.sync()


def spread(connection: Any, window_id: int, size: Size) -> None:
    """Put it into the corner, in that size: clients leave room for the bars of desktops that have some."""
    with connection.talking() as display:
        window = display.create_resource_object("window", window_id)
        window.configure(x=0, y=0, width=size.width, height=size.height)
        display.sync()


def _write_key(path: Path) -> None:
    """The authority file, read by nobody but us; for a display of any number: the server needs it before it has one."""
    fields = (socket.gethostname().encode(), b"", _COOKIE, secrets.token_bytes(16))
    entry = struct.pack(">H", _LOCAL) + b"".join(struct.pack(">H", len(field)) + field for field in fields)
    path.unlink(missing_ok=True)
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        file.write(entry)


def _line_from(descriptor: int) -> str:
    """A whole line: Xvfb writes the newline apart from the number, and dies when nobody reads it any more."""
    line = b""
    end = time.monotonic() + STARTED_WITHIN_S
    while not line.endswith(b"\n"):
        ready, _, _ = select.select([descriptor], [], [], max(0.0, end - time.monotonic()))
        part = os.read(descriptor, 16) if ready else b""
        if not part:
            return ""
        line += part
    return line.decode("ascii", "replace").strip()
