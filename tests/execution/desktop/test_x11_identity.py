"""Which desktop an X server is: one, by whatever name it is reached, and another one after each start (S9.2)."""

from __future__ import annotations

import os
import select
import signal
import socket
import socketserver
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from execution.desktop.base import DesktopBusy, DesktopError, DesktopLost
from execution.desktop.lock import DesktopLock
from execution.desktop.x11 import X11Desktop
from execution.desktop.x11_connection import STALE_S
from execution.types import Point
from tests.support.display import VirtualDesktop, virtual_desktop

pytestmark = pytest.mark.display

HOLD = """
import sys, time
from execution.desktop.lock import DesktopLock
from execution.desktop.x11 import X11Desktop
desktop = X11Desktop(sys.argv[1])
with DesktopLock(desktop.identity(), sys.argv[2]):
    print("held", flush=True)
    time.sleep(600)
"""


def test_a_display_has_one_name_and_one_lock_however_it_is_spelled_s9_2(
    own_screen: VirtualDesktop, tmp_path: Path
) -> None:
    """Two run loops acted on one display: one was started for `:2`, the other for `unix/:2`."""
    number = own_screen.display.removeprefix(":")
    with by_tcp(own_screen.display), DesktopLock(X11Desktop(own_screen.display).identity(), tmp_path):
        for name in (
            f":{number}.0",
            f"unix:{number}",
            f"unix/:{number}",
            f"localhost:{number}",
            f"127.0.0.1:{number}.0",
        ):
            other = X11Desktop(name)
            assert other.name == own_screen.display, name
            with pytest.raises(DesktopBusy):
                DesktopLock(other.identity(), tmp_path).acquire()
            other.close()


def test_another_process_by_another_name_is_told_that_the_desktop_is_held_s9_4(
    own_screen: VirtualDesktop, tmp_path: Path
) -> None:
    number = own_screen.display.removeprefix(":")
    with by_tcp(own_screen.display):
        command = [sys.executable, "-c", HOLD, f"localhost:{number}", str(tmp_path)]
        holder = subprocess.Popen(command, env=own_screen.env, stdout=subprocess.PIPE)
        try:
            assert holder.stdout is not None
            assert holder.stdout.readline() == b"held\n"
            with pytest.raises(DesktopBusy, match=f"pid {holder.pid}"):
                DesktopLock(X11Desktop(f"unix/:{number}").identity(), tmp_path).acquire()
        finally:
            holder.kill()
            holder.wait(60)
            holder.stdout.close()


def test_an_address_that_leads_to_another_display_keeps_its_own_name_and_lock(own_screen: VirtualDesktop) -> None:
    """localhost:N may be the end of a tunnel, beside a display :N of this machine."""
    with virtual_desktop(320, 200, window_manager=False) as far:
        number = own_screen.display.removeprefix(":")
        with by_tcp(own_screen.display, to=far.display):
            near, tunnelled, itself = (
                X11Desktop(name).identity() for name in (own_screen.display, f"localhost:{number}", far.display)
            )
    assert tunnelled.name == f"localhost:{number}"
    assert tunnelled.mark != near.mark
    assert tunnelled.mark == itself.mark


@contextmanager
def by_tcp(display: str, *, to: str = "") -> Iterator[None]:
    """Reach the X server `to` (or that of `display`) at the TCP port of `display`, on this machine alone."""

    class Carry(socketserver.BaseRequestHandler):
        def handle(self) -> None:
            with socket.socket(socket.AF_UNIX) as server:
                server.connect(f"/tmp/.X11-unix/X{(to or display).removeprefix(':')}")
                other = {self.request: server, server: self.request}
                while True:
                    for ready in select.select(list(other), [], [])[0]:
                        data = ready.recv(65536)
                        if not data:
                            return
                        other[ready].sendall(data)

    class Server(socketserver.ThreadingTCPServer):
        allow_reuse_address, daemon_threads, block_on_close = True, True, False

    with Server(("127.0.0.1", 6000 + int(display.removeprefix(":"))), Carry) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.05,))
        thread.start()
        try:
            yield
        finally:
            server.shutdown()
            thread.join()


@pytest.mark.parametrize(
    ("act", "not_done"),
    [
        (lambda desktop: desktop.click(Point(10, 10)), "nothing was clicked"),
        (lambda desktop: desktop.scroll(Point(10, 10), dy=1), "nothing was clicked"),
        (lambda desktop: desktop.drag(Point(10, 10), Point(50, 50)), "nothing was dragged"),
        (lambda desktop: desktop.press(("ctrl", "s")), "nothing was pressed"),
        (lambda desktop: desktop.type_text("Marie"), "nothing was typed"),
    ],
)
def test_a_display_that_answers_after_a_long_stop_is_not_lost(
    own_screen: VirtualDesktop, act: Callable[[X11Desktop], None], not_done: str
) -> None:
    """A stopped server goes on where it was; what was there before it is not acted on after."""
    desktop = X11Desktop(own_screen.display)
    before = desktop.identity()
    assert desktop.silent_s() == 0
    os.kill(own_screen.server.pid, signal.SIGSTOP)
    resume = threading.Timer(STALE_S + 1, os.kill, (own_screen.server.pid, signal.SIGCONT))
    resume.start()
    try:
        with pytest.raises(DesktopError, match=not_done) as refusal:
            act(desktop)
        assert not isinstance(refusal.value, DesktopLost)
        assert desktop.grab().size == before.size
        assert desktop.identity() == before
        act(desktop)
    finally:
        resume.join()
        desktop.close()
