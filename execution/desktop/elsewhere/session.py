"""The client of one desktop elsewhere on its private display, and whether it still shows that desktop."""

from __future__ import annotations

import logging
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from cryptography.hazmat.decrepit.ciphers.algorithms import TripleDES
from cryptography.hazmat.primitives.ciphers import Cipher, modes
from django.views.decorators.debug import sensitive_variables

from execution.desktop.base import DesktopLost, DesktopRefused, DesktopUnavailable
from execution.desktop.elsewhere import programs
from execution.desktop.elsewhere.address import LARGEST, Address
from execution.desktop.elsewhere.private_display import PrivateDisplay, give_keyboard, shown_on, spread
from execution.desktop.elsewhere.unsent import drop_at_its_end, is_sent_again, left_behind, unsent_bytes
from execution.desktop.x11_connection import XConnection
from execution.types import Box, Point, Size
from sentences.said import say
from workflows.secret import Login, Secret

# The clients of the distribution: how each is called, and given a password that no list of processes shows.

USUAL_SIZE = Size(1920, 1080)  # of a session that takes the size it is asked for
# How TigerVNC keeps a password in a file: DES with a key that everybody knows, bits of a byte in reverse. It hides
# nothing, which is why the file is a pipe.
_VNC_KEY = bytes((0xE8, 0x4A, 0xD6, 0x60, 0xC4, 0x72, 0x1A, 0xE0))
_VNC_LONGEST = 8
# Exit codes of xfreerdp for a login that the other side refused, or an account that is locked, expired or not allowed.
_RDP_REFUSED = frozenset({132, 134, 135, 144, 148, 149, 150, 152, 153, 154})
_VNC_REFUSED = ("authentication fail", "too many security failures", "no matching security types", "password check")


@dataclass(slots=True)
class Call:
    """A program to start: `pass_fds` and `stdin` are descriptors it is given, the latter -1 for none."""

    command: list[str]
    pass_fds: list[int] = field(default_factory=list)
    stdin: int = -1


@contextmanager
def called(address: Address, login: Login | None, *, size: Size) -> Iterator[Call]:
    """The client's call; its end of the pipe with the password is closed here when the block is left."""
    with _piped(_said(address, login)) as pipe:
        if address.kind == "vnc":
            yield Call(_vnc(address, size, pipe), pass_fds=[pipe] if pipe >= 0 else [])
        else:
            yield Call(_rdp(address, login, size), stdin=pipe)


def was_refused(address: Address, code: int, log: str) -> bool:
    """Whether the other side did not let us in: trying again would lock the account there."""
    if address.kind == "rdp":
        return code in _RDP_REFUSED
    return any(word in log.casefold() for word in _VNC_REFUSED)


def first_size(address: Address) -> Size | None:
    """The size that is known before the client has connected; None where the other side alone says it."""
    return address.size or (USUAL_SIZE if address.kind == "rdp" else None)


def _vnc(address: Address, size: Size, password: int) -> list[str]:
    # A viewer that loses its connection ends instead of asking; none of its keys, menus or clipboards is in the way.
    kinds = "TLSVnc,VncAuth" if password >= 0 else "TLSNone,None"
    command = ["xtigervncviewer", "-ReconnectOnError=0", "-AlertOnFatalError=0", "-MenuKey=", "-Shared=1"]
    command += ["-RemoteResize=0", "-FullScreenSystemKeys=0", "-SendClipboard=0", "-AcceptClipboard=0"]
    command += ["-SetPrimary=0", "-SendPrimary=0", "-AutoSelect=0", "-PreferredEncoding=Tight", "-FullColor=1"]
    command += ["-QualityLevel=9", "-PointerEventInterval=0", f"-SecurityTypes={kinds}", "-geometry", "+0+0"]
    if password >= 0:
        command.append(f"-PasswordFile=/dev/fd/{password}")
    host = f"[{address.host}]" if ":" in address.host else address.host
    return [*command, f"{host}::{address.port}"]


def _rdp(address: Address, login: Login | None, size: Size) -> list[str]:
    host = f"[{address.host}]" if ":" in address.host else address.host
    command = ["xfreerdp", f"/v:{host}:{address.port}", f"/size:{size.width}x{size.height}", "/bpp:32"]
    # The certificate that was seen first is the one that is expected from then on.
    command += ["/cert:tofu", "-decorations", "-grab-keyboard", "-clipboard", "/audio-mode:2", "-auto-reconnect"]
    command += [f"/kbd:0x{address.keyboard.number:08X}", "-floatbar", "/from-stdin:force", "/log-level:WARN"]
    domain, _, user = (login.username if login else "").rpartition("\\")
    return [*command, f"/u:{user}", *([f"/d:{domain}"] if domain else ["/d:"])]


@sensitive_variables()
def _said(address: Address, login: Login | None) -> Secret | None:
    """What goes through the pipe, as characters of Latin-1: each is one byte."""
    if login is None:
        return None
    if address.kind == "rdp":
        return Secret(f"{login.password.reveal()}\n".encode().decode("latin-1"))
    word = login.password.reveal().encode("latin-1", "replace")[:_VNC_LONGEST].ljust(_VNC_LONGEST, b"\0")
    # One DES after the other with the same key is the third one alone.
    kept = Cipher(TripleDES(_VNC_KEY * 3), modes.ECB()).encryptor()  # noqa: S305  # nosec B305
    return Secret((kept.update(word) + kept.finalize()).decode("latin-1"))


@contextmanager
@sensitive_variables()
def _piped(said: Secret | None) -> Iterator[int]:
    """A descriptor from which it is read once; -1 for nothing to say."""
    if said is None:
        yield -1
        return
    read_end, write_end = os.pipe()
    try:
        os.write(write_end, said.reveal().encode("latin-1"))
        os.close(write_end)
        yield read_end
    finally:
        os.close(read_end)


log = logging.getLogger(__name__)

FOLDER = "session"
SHOWN_WITHIN_S = 30.0
TAKEN_WITHIN_S = 10.0
GIVEN_UP_WITHIN_S = 5.0
SPREAD_WITHIN_S = 5.0
LOOK_EVERY_S = 0.02
ENDED_WITHIN_S = 1.0  # a client whose connection is closed ends by itself; it is not gone in the same instant
CORNER = Point(0, 0)


@contextmanager
def own_folder(home: Path) -> Iterator[Path]:
    """A folder for one session; those of processes that were killed go.

    Not in the system's folder for such: a service that may write little may not write there.
    """
    home.mkdir(mode=0o700, parents=True, exist_ok=True)
    for left in home.glob(f"{FOLDER}-*-*"):
        if not Path("/proc", left.name.split("-")[1]).exists():
            shutil.rmtree(left, ignore_errors=True)
    prefix = f"{FOLDER}-{os.getpid()}-"
    with tempfile.TemporaryDirectory(prefix=prefix, dir=home, ignore_cleanup_errors=True) as folder:
        yield Path(folder)


class Session:
    """`display` shows the other desktop, pixel for pixel. `home` keeps what the client remembers: certificates."""

    def __init__(self, address: Address, login: Login | None, *, home: Path, stall_s: float) -> None:
        """Raises DesktopUnavailable where there is no connection, DesktopRefused where we are not let in."""
        self.address = address
        self._stall_s, self._home = stall_s, home
        self._lost = ""
        self._until_given_up()
        address.reach()
        self._parts = ExitStack()
        self._folder = self._parts.enter_context(own_folder(home))
        with ExitStack() as undone:
            undone.callback(self._parts.close)
            size = first_size(address) or LARGEST
            with self._opened(size, login) as first:
                window, shown = self._shown()
                if shown == size:
                    self._parts.push(first.pop_all())
            if shown != size:
                # The other side says how large it is. A display of another size would show it with bars, or cut off.
                with self._opened(shown, login) as second:
                    window, _ = self._shown()
                    self._parts.push(second.pop_all())
            self._spread(window)
            self._drop_at_its_end()
            undone.pop_all()

    def check(self) -> None:
        """Raises DesktopLost where the other desktop is not what is shown any more; it stays lost.

        What has to be sent again is waited for: a line that is dead shows the old picture, and what an act has sent
        may have reached it after the wait behind that act.
        """
        self._until_none(is_sent_again)
        if not self._lost:
            self._lost = self._why_lost()
        if self._lost:
            raise DesktopLost(self._lost)

    def until_taken(self) -> None:
        """Wait until the other side has everything that was sent; raises DesktopLost where it does not take it."""
        self._until_none(unsent_bytes)
        self.check()

    def _until_none(self, waiting: Callable[[int], int]) -> None:
        end = time.monotonic() + TAKEN_WITHIN_S
        while not self._lost and waiting(self._client.pid):
            if time.monotonic() > end:
                self._lost = say("desktop.elsewhere_not_taken", name=self.address.name, n=TAKEN_WITHIN_S)
                programs.end(self._client)  # and what waits goes with it: it was meant for the screen of now
                return
            time.sleep(LOOK_EVERY_S)

    def close(self) -> None:
        self._parts.close()

    def _until_given_up(self) -> None:
        """What an earlier client had sent must not arrive after we have looked: not while the kernel still sends it."""
        end = time.monotonic() + GIVEN_UP_WITHIN_S
        while left_behind(self.address.host, self.address.port):
            if time.monotonic() > end:
                raise DesktopUnavailable(say("desktop.elsewhere_still_sent", name=self.address.name))
            time.sleep(LOOK_EVERY_S)

    def _drop_at_its_end(self) -> None:
        """Before anything is sent that acts."""
        try:
            drop_at_its_end(self._client.pid)
        except OSError as problem:  # a kernel before 5.6, or one that was told to let nobody: then it is waited for
            log.warning("what %s has not taken cannot be dropped when it is cut: %s", self.address.name, problem)

    def _why_lost(self) -> str:
        name = self.address.name
        if self._client.poll() is not None:
            return say("desktop.elsewhere_ended", name=name)
        windows = shown_on(self._connection)
        if [box for _, box in windows] == [Box(*CORNER, *self.display.size)]:
            return ""
        # Where the connection was cut its window goes first.
        try:
            self._client.wait(ENDED_WITHIN_S)
            return say("desktop.elsewhere_ended", name=name)
        except subprocess.TimeoutExpired:
            return say("desktop.elsewhere_other_window" if windows else "desktop.elsewhere_no_window", name=name)

    def _opened(self, size: Size, login: Login | None) -> ExitStack:
        """Display and client of that size, ended when the stack is."""
        with ExitStack() as parts:
            self.display = PrivateDisplay(size, self.address.keyboard, folder=self._folder)
            parts.callback(self.display.close)
            self._connection = XConnection(self.display.name, stall_s=self._stall_s)
            parts.callback(self._connection.close)
            self._client = self._started(login, size)
            parts.callback(programs.end, self._client)
            return parts.pop_all()

    def _started(self, login: Login | None, size: Size) -> subprocess.Popen[bytes]:
        env = {**self.display.env, "HOME": str(self._home)}
        with called(self.address, login, size=size) as call:
            stdin = call.stdin if call.stdin >= 0 else subprocess.DEVNULL
            return programs.start(call.command, env=env, log=self._log, pass_fds=call.pass_fds, stdin=stdin)

    @property
    def _log(self) -> Path:
        return self._folder / "client.log"

    def _shown(self) -> tuple[int, Size]:
        """The client's window, once it has one, and its size."""
        end = time.monotonic() + SHOWN_WITHIN_S
        while not (windows := shown_on(self._connection)):
            self._refuse_ended()
            if time.monotonic() > end:
                name = self.address.name
                raise DesktopUnavailable(say("desktop.elsewhere_nothing_shown", name=name, n=SHOWN_WITHIN_S))
            time.sleep(LOOK_EVERY_S)
        number, box = windows[-1]
        return number, Size(box.w, box.h)

    def _spread(self, window: int) -> None:
        """All of the display is the client's, and the keyboard as well."""
        spread(self._connection, window, self.display.size)
        give_keyboard(self._connection, window)
        end = time.monotonic() + SPREAD_WITHIN_S
        while why := self._why_lost():
            self._refuse_ended()
            if time.monotonic() > end:
                raise DesktopUnavailable(why)
            time.sleep(LOOK_EVERY_S)

    def _refuse_ended(self) -> None:
        code = self._client.poll()
        if code is None:
            return
        told = self._log.read_text(errors="replace")
        log.warning("the client of %s ended with %d: %s", self.address.name, code, told[-400:])
        if was_refused(self.address, code, told):
            raise DesktopRefused(say("desktop.elsewhere_refused", name=self.address.name))
        raise DesktopUnavailable(say("desktop.elsewhere_not_connected", name=self.address.name))
