"""A desktop of another machine: a real VNC server with an editor on it, reached through a line that can be cut."""

from __future__ import annotations

import selectors
import socket
import struct
import subprocess
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import pytest
from Xlib import X

from execution.desktop.x11_library import display as library
from tests.support.display import VirtualDesktop, missing_programs, virtual_desktop, wait_until

CLIENTS = ("xtigervncviewer", "setpriv", "setxkbmap")


class Line:
    """Passes bytes on between a port of its own and `port`, until it is cut; then it takes new connections again."""

    def __init__(self, port: int) -> None:
        self._to = port
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listening.getsockname()[1]
        self._leave = threading.Event()
        self._lock = threading.Lock()
        self._pairs: list[tuple[socket.socket, socket.socket]] = []
        self._cut_after: int | None = None
        self.cuts = 0
        self.sent = 0  # by the client
        self.holds = False  # passes nothing on, and closes nothing: a cable that was pulled
        threading.Thread(target=self._serve, daemon=True).start()

    def cut(self) -> None:
        """As a router does that starts anew: both ends are told."""
        with self._lock:
            pairs, self._pairs = self._pairs, []
            self.cuts += bool(pairs)
            for one in (end for pair in pairs for end in pair):
                with suppress(OSError):  # it was closed by the other end
                    one.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                one.close()

    def cut_after(self, sent: int) -> None:
        """Cut it once the client has sent so many bytes more."""
        self._cut_after = self.sent + sent

    def take_little(self) -> None:
        """Of the next connections it takes no more than a few keys before it passes them on."""
        self._listening.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1024)

    def close(self) -> None:
        self._leave.set()
        self.cut()
        self._listening.close()

    def _serve(self) -> None:
        while not self._leave.is_set():
            with suppress(OSError):
                client, _ = self._listening.accept()
                try:
                    server = socket.create_connection(("127.0.0.1", self._to))
                except OSError:
                    client.close()
                    continue
                with self._lock:
                    self._pairs.append((client, server))
                threading.Thread(target=self._pass_on, args=(client, server), daemon=True).start()
                if self._leave.is_set():  # it came while the line was closed
                    self.cut()

    def _pass_on(self, client: socket.socket, server: socket.socket) -> None:
        other = {client: server, server: client}
        with suppress(OSError, ValueError), selectors.DefaultSelector() as ready:
            for one in other:
                ready.register(one, selectors.EVENT_READ)
            while not self._leave.is_set():
                for key, _ in ready.select(0.2):
                    end = key.fileobj
                    assert isinstance(end, socket.socket)
                    if self.holds:
                        self._leave.wait(0.05)
                        continue
                    data = end.recv(256 if end is client else 65536)
                    if not data:
                        raise OSError("closed")
                    other[end].sendall(data)
                    if end is client:
                        self.sent += len(data)
                        if self._cut_after is not None and self.sent >= self._cut_after:
                            self._cut_after = None
                            self.cut()
        for one in other:
            one.close()


@dataclass(slots=True, kw_only=True)
class Far:
    """`name` is its address for `--desktop`, by the line that can be cut."""

    display: str
    line: Line
    env: dict[str, str]
    folder: Path

    @property
    def name(self) -> str:
        return f"vnc://127.0.0.1:{self.line.port}"

    def run(self, *command: str) -> str:
        done = subprocess.run(command, env=self.env, capture_output=True, text=True, timeout=20, check=False)
        return done.stdout.strip()


@contextmanager
def far_editor(*, layout: str = "us", password: str = "", size: str = "1024x700") -> Iterator[tuple[Far, Path]]:
    """Xtigervnc with Mousepad on it, an empty file open; the file."""
    with tempfile.TemporaryDirectory() as kept:
        port, (width, height) = free_port(), (int(side) for side in size.split("x"))
        with virtual_desktop(width, height, vnc=vnc_options(port, Path(kept), password)) as screen:
            wait_until(lambda: answers(port), what="the VNC server")
            screen.run(["setxkbmap", "-layout", layout])
            text = screen.folder / "far.txt"
            text.touch()
            far = Far(display=screen.display, line=Line(port), env=screen.env, folder=screen.folder)
            try:
                screen.spawn(["mousepad", "--disable-server", str(text)])
                screen.wait_for_window(text.name)
                yield far, text
            finally:
                far.line.close()


def vnc_options(port: int, folder: Path, password: str) -> list[str]:
    """Those of TigerVNC's servers, which take connections of this machine alone."""
    options = ["-rfbport", str(port), "-localhost"]
    if not password:
        return [*options, "-SecurityTypes", "None"]
    file = folder / "vnc.passwd"
    made = subprocess.run(
        ["tigervncpasswd", "-f"], input=f"{password}\n", capture_output=True, encoding="latin-1", check=True
    )
    file.write_bytes(made.stdout.encode("latin-1"))
    return [*options, "-SecurityTypes", "VncAuth", "-PasswordFile", str(file)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """A server that a desktop of its own machine is reached by; `layout` is the keyboard there."""

    address: str
    layout: str
    programs: tuple[str, ...]
    own_display: bool = False  # it is TigerVNC's X server

    def name(self, port: int) -> str:
        return self.address.format(port=port)


PASSWORD = "Zebra-77"  # VNC knows eight characters
KINDS = {
    # A French keyboard on the one side and an American one on the other: VNC sends characters.
    "Xtigervnc": Kind(
        address="vnc://desk@127.0.0.1:{port}?layout=fr",
        layout="us",
        programs=("Xtigervnc", "tigervncpasswd"),
        own_display=True,
    ),
    # Before 1.13 it drops what the keyboard over there has not.
    "X0tigervnc": Kind(
        address="vnc://desk@127.0.0.1:{port}?layout=fr", layout="fr", programs=("X0tigervnc", "tigervncpasswd")
    ),
    "freerdp-shadow": Kind(
        address="rdp://desk@127.0.0.1:{port}?layout=fr&size=1280x800",
        layout="fr",
        programs=("xfreerdp", "freerdp-shadow-cli"),
    ),
    # It takes keys of a French keyboard and shows a desktop with an American one.
    "xrdp": Kind(
        address="rdp://desk@127.0.0.1:{port}?layout=fr&size=1280x800",
        layout="us",
        programs=("xfreerdp", "xrdp", "Xtigervnc", "tigervncpasswd"),
        own_display=True,
    ),
}
XRDP = """[Globals]
ini_version=1
fork=true
port=tcp://.:{port}
tcp_nodelay=true
security_layer=tls
certificate={folder}/cert.pem
key_file={folder}/key.pem
autorun=Desk
allow_channels=true
max_bpp=32
new_cursors=true
use_fastpath=both
[Logging]
LogFile={folder}/xrdp.log
LogLevel=INFO
EnableSyslog=false
[LoggingPerLogger]
[Channels]
rdpdr=false
rdpsnd=false
drdynvc=false
cliprdr=false
rail=false
[Desk]
name=Desk
lib=libvnc.so
username=ask
password=ask
ip=127.0.0.1
port={vnc_port}
"""


@contextmanager
def served(screen: VirtualDesktop, kind: str, *, vnc_port: int, folder: Path) -> Iterator[Line]:
    """The desktop of `screen` by that server, and the line to it; `vnc_port` is that of a display of its own."""
    port = vnc_port if kind == "Xtigervnc" else free_port()
    command: list[str] = []
    if kind == "X0tigervnc":
        command = ["X0tigervnc", "-display", screen.display, *vnc_options(port, folder, PASSWORD)]
    elif kind == "freerdp-shadow":
        # It leaves a key down that was down when it was cut, and X would repeat it for ever; a Windows repeats none.
        repeat_no_keys(screen.display)
        command = ["freerdp-shadow-cli", f"/port:{port}", "/bind-address:127.0.0.1", "-auth", "/sec:tls"]
    elif kind == "xrdp":
        key = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=127.0.0.1", "-days", "2"]
        screen.run([*key, "-keyout", str(folder / "key.pem"), "-out", str(folder / "cert.pem")])
        config = folder / "xrdp.ini"
        config.write_text(XRDP.format(port=port, folder=folder, vnc_port=vnc_port))
        command = ["xrdp", "--nodaemon", "--config", str(config)]
    server = screen.spawn(command) if command else None
    wait_until(lambda: answers(port), what=f"{kind}: {screen.logs()}")
    line = Line(port)
    try:
        yield line
    finally:
        line.close()
        if server is not None:
            screen.end(server)


def repeat_no_keys(display: str) -> None:
    connection = library.Display(f"unix/{display}")
    connection.change_keyboard_control(auto_repeat_mode=X.AutoRepeatModeOff)
    connection.close()


def need(*programs: str) -> None:
    """Skips the test where a program of other people's desktops is not installed."""
    if missing := missing_programs(*CLIENTS, *programs):
        pytest.skip(f"desktops elsewhere need {', '.join(missing)}: docs/desktops-elsewhere.md")


def answers(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port), timeout=1).close()
    except OSError:
        return False
    return True


def free_port() -> int:
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        return int(bound.getsockname()[1])
