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
from pathlib import Path

from execution.desktop.base import DesktopLost, DesktopRefused, DesktopUnavailable
from execution.desktop.elsewhere import clients, programs
from execution.desktop.elsewhere.address import LARGEST, Address
from execution.desktop.elsewhere.private_display import PrivateDisplay, give_keyboard, shown_on, spread
from execution.desktop.elsewhere.unsent import drop_at_its_end, is_sent_again, left_behind, unsent_bytes
from execution.desktop.x11_connection import XConnection
from execution.types import Box, Point, Size
from sentences.said import say
from workflows.secret import Login

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
            size = clients.first_size(address) or LARGEST
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
        with clients.called(self.address, login, size=size) as call:
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
        if clients.was_refused(self.address, code, told):
            raise DesktopRefused(say("desktop.elsewhere_refused", name=self.address.name))
        raise DesktopUnavailable(say("desktop.elsewhere_not_connected", name=self.address.name))
