"""One connection to an X server that knows when the server is gone, never prints and never waits for ever."""

from __future__ import annotations

import logging
import os
import re
import socket
import threading
import time
import traceback
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from execution.desktop.base import DesktopError, DesktopLost, DesktopUnavailable
from execution.types import Size
from sentences.said import say

if TYPE_CHECKING:
    from Xlib.display import Display

log = logging.getLogger(__name__)

# A healthy server answers within milliseconds. One that was stopped goes on where it was, so it is waited for; one that
# is dead is seen at once by its closed socket.
STALL_S = 120.0
TOLD_AFTER_S = 5.0
CONNECT_S = 10.0
STALE_S = 2.0  # between pointing, or asking for the layout, and pressing
SESSION_PROPERTY = "_SUREHAND_SESSION"


class XConnection:
    """Requests go through `talking()`: one thread at a time, errors as DesktopError, a dead server as DesktopLost."""

    def __init__(self, name: str | None = None, *, stall_s: float = STALL_S) -> None:
        self.name = plain_name(name or os.environ.get("DISPLAY", ""))
        self._stall_s = stall_s
        self._lock = threading.RLock()
        self._closed = threading.Event()
        self._busy_since: float | None = None
        self._lost = ""
        self.display = connected(self.name, stall_s=min(stall_s, CONNECT_S))
        self.root = self.display.screen().root
        self._refuse_unfit()
        self.display.set_error_handler(lambda *_: None)
        self._socket = self.display.display.socket
        self.name = _local_name(self.name, self.session(), stall_s=min(stall_s, CONNECT_S))
        threading.Thread(target=self._watch, name=f"x11-watch{self.name}", daemon=True).start()

    @contextmanager
    def talking(self) -> Iterator[Display]:
        """Hold the connection for some requests."""
        from Xlib import error

        with self._lock:
            if self._lost:
                raise DesktopLost(self._lost)
            outer, self._busy_since = self._busy_since, time.monotonic()
            try:
                yield self.display
            except (error.ConnectionClosedError, OSError) as problem:
                self._lost = self._lost or say("desktop.server_gone", name=self.name, error=problem)
                raise DesktopLost(self._lost) from problem
            except error.XError as problem:
                raise DesktopError(say("desktop.server_refused", name=self.name, error=problem)) from problem
            finally:
                self._busy_since = outer and time.monotonic()

    def alive(self) -> None:
        """Tell the watch that a long piece of work is getting on."""
        self._busy_since = time.monotonic()

    def silent_s(self) -> float:
        """For how long the server has not answered; 0 where nothing is asked."""
        since = self._busy_since
        return time.monotonic() - since if since is not None else 0.0

    def refuse_stale(self, began: float, not_done: str) -> None:
        """Raises DesktopError where the server stood still since `began`: what is there now is not known.

        `not_done` is the code of the sentence that says what was left out.
        """
        if (stood := time.monotonic() - began) > STALE_S:
            raise DesktopError(say("desktop.stood_still", name=self.name, n=stood, not_done=say(not_done)))

    def size(self) -> Size:
        """The whole virtual screen, all monitors together, as it is now."""
        with self.talking():
            geometry = self.root.get_geometry()
        return Size(geometry.width, geometry.height)

    def atom(self, name: str) -> int:
        return int(self.display.intern_atom(name))

    def property_of(self, window: Any, name: str) -> Any:
        """The raw value of a window's property: an array of numbers or bytes; None if it has none."""
        value = window.get_full_property(self.atom(name), 0)
        return None if value is None else value.value

    def session(self) -> str:
        """A mark that this server keeps as long as it lives, whatever it is called; whoever comes first sets it."""
        with self.talking() as display:
            return _mark_of(display)

    def close(self) -> None:
        from Xlib import error

        with self._lock:
            if self._closed.is_set():
                return
            self._closed.set()
            already_lost, self._lost = self._lost, self._lost or say("desktop.connection_closed", name=self.name)
            if not already_lost:
                try:
                    self.display.close()
                except (error.ConnectionClosedError, OSError):
                    self._socket.close()
            else:
                self._socket.close()

    def _watch(self) -> None:
        """Cut the connection when the server has not answered for too long: the waiting call then ends as lost."""
        told = False
        while not self._closed.wait(min(self._stall_s / 10, 1.0)):
            silent = self.silent_s()
            if told != (silent > TOLD_AFTER_S):
                told = not told
                log.warning("the X server %s %s", self.name, "does not answer" if told else "answers again")
            if silent < self._stall_s:
                continue
            self._lost = say("desktop.server_silent", name=self.name, n=self._stall_s)
            try:
                self._socket.shutdown(socket.SHUT_RDWR)
            except OSError:
                return
            return

    def _refuse_unfit(self) -> None:
        if self.display.has_extension("XWAYLAND"):
            problem = say("desktop.xwayland", name=self.name)
        elif not self.display.has_extension("XTEST"):
            problem = say("desktop.no_xtest", name=self.name)
        else:
            return
        self.display.close()
        raise DesktopUnavailable(problem)


def plain_name(name: str) -> str:
    """One spelling for a local display: :1, :1.0, unix:1 and unix/:1 are all :1."""
    local = re.fullmatch(r"(?:/?unix|unix/)?(:\d+)(?:\.0)?", name.strip())
    return local.group(1) if local else name.strip()


def _local_name(name: str, mark: str, *, stall_s: float) -> str:
    """The short name of a server that was named by an address (localhost:1), where it is one of this machine.

    Seen by its mark: localhost:10 may as well be another machine's display at the end of a tunnel.
    """
    parts = re.fullmatch(r".+(:\d+)(?:\.0)?", name)
    if parts is None or name.startswith(":"):
        return name
    try:
        nearby = connected(parts.group(1), stall_s=stall_s)
    except DesktopUnavailable:
        return name
    try:
        return parts.group(1) if _mark_of(nearby) == mark else name
    finally:
        nearby.close()


def _mark_of(display: Display) -> str:
    """On the first screen, also where another one is shown: all screens of a server have one pointer and keyboard."""
    from Xlib import X

    root, name = display.screen(0).root, display.intern_atom(SESSION_PROPERTY)
    mark = root.get_full_property(name, 0)
    if mark is None:
        # Held against every other client, so that two which come at once agree on one mark.
        display.grab_server()
        try:
            mark = root.get_full_property(name, 0)
            if mark is None:
                text = uuid.uuid4().hex.encode()
                root.change_property(name, display.intern_atom("UTF8_STRING"), 8, text, X.PropModeReplace)
                mark = root.get_full_property(name, 0)
        finally:
            display.ungrab_server()
            display.sync()
    return bytes(mark.value).decode("ascii", "replace")


def connected(name: str, *, stall_s: float) -> Display:
    """Connect in a thread of its own: a frozen server takes the connection and then says nothing."""
    if not name:
        raise DesktopUnavailable(say("desktop.no_display", command="Xvfb :99"))
    result: list[Display | Exception] = []
    given_up = threading.Event()
    thread = threading.Thread(target=_connect, args=(name, result, given_up), name=f"x11-connect{name}", daemon=True)
    thread.start()
    thread.join(stall_s)
    if not result:
        given_up.set()
        raise DesktopUnavailable(say("desktop.server_mute", name=name))
    if isinstance(result[0], Exception):
        raise DesktopUnavailable(_why_notconnected(name, result[0])) from result[0]
    return result[0]


def _connect(name: str, result: list[Display | Exception], given_up: threading.Event) -> None:
    try:
        from execution.desktop.x11_library import display as library

        # "unix/" keeps it from trying TCP where no local socket is there.
        display = library.Display(f"unix/{name}" if name.startswith(":") else name)
        if given_up.is_set():
            display.close()
        result.append(display)
    except Exception as problem:  # noqa: BLE001 - handed to the thread that waits
        _close_socket_of(problem)
        result.append(problem)


def _close_socket_of(problem: BaseException | None) -> None:
    """A connection that was refused leaves its socket open, where only the traceback still knows it."""
    while problem is not None:
        for frame, _ in traceback.walk_tb(problem.__traceback__):
            # Not by getattr: half-made displays answer that with endless recursion.
            holder = getattr(frame.f_locals.get("self"), "__dict__", {})
            for left in (*frame.f_locals.values(), holder.get("socket")):
                if isinstance(left, socket.socket):
                    left.close()
        problem = problem.__context__


def _why_notconnected(name: str, problem: Exception) -> str:
    from Xlib import error

    text = str(problem).strip()
    if isinstance(problem, ImportError):
        return say("desktop.no_xlib", error=problem)
    if isinstance(problem, error.DisplayNameError):
        return say("desktop.no_display_name", name=name)
    if any(word in text for word in ("uthor", "COOKIE", "protocol specified")):
        authority = os.environ.get("XAUTHORITY") or "~/.Xauthority"
        return say("desktop.authority_refused", name=name, file=authority, error=text)
    return say("desktop.no_server", name=name, error=text)
