"""A real X server of one's own for tests: Xvfb, a window manager, a session bus and the programs shown on it.

    with virtual_desktop(1280, 800) as screen:
        screen.spawn(["mousepad", str(path)])
        screen.wait_for_window("notes.txt")
        desktop = X11Desktop(screen.display)

Everything that was started is ended by its process id, children included, when the block is left.
"""

from __future__ import annotations

import os
import select
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

import psutil

T = TypeVar("T")

NEEDED = ("Xvfb", "openbox", "dbus-daemon")
POLL_S = 0.02


class DisplayProblem(AssertionError):
    """The display or a program on it did not do what the test waits for; the message says what was there instead."""


def windows_of(display: str) -> list[ShownWindow]:
    """What the window manager of `display` lists now, oldest first; empty without a window manager."""
    with _connection(display) as connection:
        return _listed_windows(connection)


def missing_programs(*also: str) -> list[str]:
    """Programs that a display test needs and this machine lacks."""
    return [program for program in (*NEEDED, *also) if shutil.which(program) is None]


def wait_until(condition: Callable[[], T | None], *, timeout: float = 60.0, what: str = "the condition") -> T:
    """The first truthy answer of `condition`; raises DisplayProblem when it does not come in time."""
    end = time.monotonic() + timeout
    while not (answer := condition()):
        if time.monotonic() > end:
            raise DisplayProblem(f"{what} did not come within {timeout:g} s")
        time.sleep(POLL_S)
    return answer


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownWindow:
    """A top-level window as the window manager lists it; the box is its client area on the root window."""

    id: int
    title: str
    app_name: str
    x: int
    y: int
    width: int
    height: int
    active: bool  # shown, active for the window manager and holding the keyboard


@dataclass(slots=True, kw_only=True)
class VirtualDesktop:
    """One running X server: `display` is its name (":7"), `env` what a program needs to be shown on it."""

    display: str
    width: int
    height: int
    folder: Path
    env: dict[str, str]
    server: subprocess.Popen[bytes]
    vnc: Sequence[str] = ()
    processes: list[subprocess.Popen[bytes]] = field(default_factory=list)

    def spawn(self, command: Sequence[str], *, env: dict[str, str] | None = None) -> subprocess.Popen[bytes]:
        """Start a program on this desktop; its output goes to a log in `folder`."""
        log = self.folder / f"{len(self.processes)}-{Path(command[0]).name}.log"
        with log.open("wb") as output:
            process = subprocess.Popen(
                list(command),
                env={**self.env, **(env or {})},
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        self.processes.append(process)
        return process

    def run(self, command: Sequence[str], *, timeout: float = 20.0) -> str:
        """Run a short program on this desktop to its end; returns its output, raises when it fails."""
        done = subprocess.run(list(command), env=self.env, capture_output=True, text=True, timeout=timeout, check=False)
        if done.returncode:
            raise DisplayProblem(f"{' '.join(command)} ended with {done.returncode}: {done.stderr.strip()}")
        return done.stdout

    def windows(self) -> list[ShownWindow]:
        """What the window manager lists now, oldest first; empty without a window manager."""
        return windows_of(self.display)

    def wait_for_window(self, title: str, *, timeout: float = 60.0, active: bool = True) -> ShownWindow:
        """The window whose title contains `title`, once it is there (and has the focus, unless `active` is off)."""
        seen: list[ShownWindow] = []

        def found() -> ShownWindow | None:
            seen[:] = self.windows()
            return next((w for w in seen if title in w.title and (w.active or not active)), None)

        try:
            return wait_until(found, timeout=timeout)
        except DisplayProblem:
            raise DisplayProblem(
                f"no window {title!r} within {timeout:g} s; there are: {seen}\n{self.logs()}"
            ) from None

    def logs(self) -> str:
        """The last lines that each program of this desktop wrote."""
        parts = [
            f"--- {log.name}\n{log.read_text(errors='replace')[-800:]}" for log in sorted(self.folder.glob("*.log"))
        ]
        return "\n".join(parts)

    def end(self, process: subprocess.Popen[bytes], *, grace: float = 3.0) -> None:
        """End one program and all its children."""
        family = _children(process.pid) if process.poll() is None else []  # a number may be another's by now
        process.terminate()
        try:
            process.wait(grace)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait(grace)
        _, alive = psutil.wait_procs(family, timeout=0.2)
        for child in alive:
            with suppress(psutil.NoSuchProcess):
                child.terminate()
        for child in psutil.wait_procs(alive, timeout=grace)[1]:
            with suppress(psutil.NoSuchProcess):
                child.kill()

    def kill_server(self) -> None:
        """Kill the X server as a crash would; the programs shown on it lose their display."""
        self.server.kill()
        self.server.wait(60)

    def restart_server(self) -> None:
        """Another X server under the same display name, with nothing on it."""
        if self.server.poll() is None:
            self.kill_server()
        self.server, _ = start_server(
            self.width, self.height, folder=self.folder, env=self.env, display=self.display, vnc=self.vnc
        )


@contextmanager
def virtual_desktop(
    width: int = 1280,
    height: int = 800,
    *,
    window_manager: bool = True,
    accessibility: bool = False,
    vnc: Sequence[str] = (),
) -> Iterator[VirtualDesktop]:
    """An X server of that size with openbox and a session bus; `accessibility` turns the AT-SPI bridge on.

    With `vnc`, its options, it is TigerVNC's X server, which shows the desktop to those who connect.
    """
    with tempfile.TemporaryDirectory(prefix="desktop-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        env = _environment(folder, accessibility=accessibility)
        server, display = start_server(width, height, folder=folder, env=env, vnc=vnc)
        env["DISPLAY"] = display
        screen = VirtualDesktop(
            display=display, width=width, height=height, folder=folder, env=env, server=server, vnc=vnc
        )
        try:
            _start_bus(screen)
            if window_manager:
                screen.spawn(["openbox"])
                wait_until(lambda: _window_manager_is_up(display), what="openbox")
            yield screen
        finally:
            for process in reversed(screen.processes):
                screen.end(process)
            screen.end(screen.server)


def start_server(
    width: int,
    height: int,
    *,
    folder: Path,
    env: dict[str, str],
    display: str | None = None,
    extra: Sequence[str] = (),
    vnc: Sequence[str] = (),
) -> tuple[subprocess.Popen[bytes], str]:
    """Start Xvfb and wait until it answers; without `display` it chooses a free number itself."""
    read_end, write_end = os.pipe()
    program = "Xtigervnc" if vnc else "Xvfb"
    shape = ["-geometry", f"{width}x{height}", *vnc] if vnc else ["-screen", "0", f"{width}x{height}x24"]
    command = [program, *([display] if display else []), "-displayfd", str(write_end), *shape]
    command += ["-nolisten", "tcp", "-noreset", *extra]
    try:
        with (folder / "xvfb.log").open("ab") as output:
            server = subprocess.Popen(
                command, env=env, pass_fds=[write_end], stdin=subprocess.DEVNULL, stdout=output, stderr=output
            )
        os.close(write_end)
        number = _line_from(read_end, timeout=20)
    finally:
        os.close(read_end)
    if not number:
        server.kill()
        server.wait(60)
        raise DisplayProblem(f"{program} did not start: {(folder / 'xvfb.log').read_text(errors='replace')[-800:]}")
    return server, f":{number.decode()}"


def _line_from(descriptor: int, *, timeout: float) -> bytes:
    """A whole line: Xvfb writes the newline apart from the number, and dies when nobody reads it any more."""
    line = b""
    end = time.monotonic() + timeout
    while not line.endswith(b"\n"):
        ready, _, _ = select.select([descriptor], [], [], max(0.0, end - time.monotonic()))
        part = os.read(descriptor, 16) if ready else b""
        if not part:
            return b""
        line += part
    return line.strip()


def _environment(folder: Path, *, accessibility: bool) -> dict[str, str]:
    """The caller's environment with settings, run-time files and X authority of its own: no test sees another's."""
    dropped = ("DISPLAY", "WAYLAND_DISPLAY", "GTK_IM_MODULE", "QT_IM_MODULE", "XMODIFIERS", "SESSION_MANAGER")
    env = {key: value for key, value in os.environ.items() if key not in dropped}
    for variable in ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME", "XDG_RUNTIME_DIR", "HOME"):
        place = folder / variable.lower()
        place.mkdir(mode=0o700)
        env[variable] = str(place)
    authority = folder / "xauthority"
    authority.touch(mode=0o600)
    env |= {"XAUTHORITY": str(authority), "GDK_BACKEND": "x11", "LANG": "C.UTF-8", "LC_ALL": "C.UTF-8"}
    env |= {"GSETTINGS_BACKEND": "memory", "NO_AT_BRIDGE": "0" if accessibility else "1"}
    if accessibility:
        env |= {"QT_LINUX_ACCESSIBILITY_ALWAYS_ON": "1", "GTK_MODULES": "gail:atk-bridge"}
    return env


def _start_bus(screen: VirtualDesktop) -> None:
    """A session bus, as dbus-run-session gives, but one that lives as long as the desktop does."""
    address = f"unix:path={screen.folder / 'bus'}"
    screen.spawn(["dbus-daemon", "--session", "--nofork", "--nopidfile", f"--address={address}"])
    screen.env["DBUS_SESSION_BUS_ADDRESS"] = address
    wait_until((screen.folder / "bus").exists, what="the session bus")


def _children(pid: int) -> list[psutil.Process]:
    try:
        return psutil.Process(pid).children(recursive=True)
    except psutil.NoSuchProcess:
        return []


@contextmanager
def _connection(display: str) -> Iterator[object]:
    from execution.desktop.x11_library import display as library

    connection = library.Display(f"unix/{display}")
    try:
        yield connection
    finally:
        connection.close()


def _window_manager_is_up(display: str) -> bool:
    with _connection(display) as connection:
        root = connection.screen().root
        return root.get_full_property(connection.intern_atom("_NET_SUPPORTING_WM_CHECK"), 0) is not None


def _listed_windows(connection) -> list[ShownWindow]:
    from Xlib import error

    root = connection.screen().root
    listed = root.get_full_property(connection.intern_atom("_NET_CLIENT_LIST"), 0)
    active = root.get_full_property(connection.intern_atom("_NET_ACTIVE_WINDOW"), 0)
    active_id = active.value[0] if active is not None and len(active.value) else 0
    windows = []
    for window_id in listed.value if listed is not None else ():
        with suppress(error.BadWindow, error.BadDrawable):  # it may close between the list and the question
            active = window_id == active_id and _has_keyboard(connection, window_id)
            windows.append(_described(connection, window_id, active=active))
    return windows


def _has_keyboard(connection, window_id: int) -> bool:
    """Whether keys go to that window: it is named active before it is shown and given the focus."""
    from Xlib import X

    if connection.create_resource_object("window", window_id).get_attributes().map_state != X.IsViewable:
        return False
    focused = connection.get_input_focus().focus
    root = connection.screen().root
    while not isinstance(focused, int) and focused != root:
        if focused.id == window_id:
            return True
        focused = focused.query_tree().parent
    return False


def _described(connection, window_id: int, *, active: bool) -> ShownWindow:
    window = connection.create_resource_object("window", window_id)
    title = window.get_full_property(connection.intern_atom("_NET_WM_NAME"), 0)
    text = title.value if title is not None else window.get_wm_name() or ""
    geometry = window.get_geometry()
    corner = window.translate_coords(connection.screen().root, 0, 0)
    wm_class = window.get_wm_class()
    return ShownWindow(
        id=window_id,
        title=text.decode("utf-8", "replace") if isinstance(text, bytes) else text,
        app_name=wm_class[1] if wm_class else "",
        x=-corner.x,
        y=-corner.y,
        width=geometry.width,
        height=geometry.height,
        active=active,
    )
