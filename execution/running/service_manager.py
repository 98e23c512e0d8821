"""What a run loop tells the service manager that started it: `Type=notify` and `WatchdogSec=` of systemd's units.

The protocol is one datagram a message to the socket that NOTIFY_SOCKET names (sd_notify(3)). Without it nobody is told.
"""

from __future__ import annotations

import logging
import os
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager

log = logging.getLogger(__name__)

READY, ALIVE = "READY=1", "WATCHDOG=1"
SOCKET, EVERY_US = "NOTIFY_SOCKET", "WATCHDOG_USEC"


def notify(message: str) -> None:
    """Never raises: no run ends because nobody hears that it goes on."""
    if not (address := os.environ.get(SOCKET)):
        return
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC | socket.SOCK_NONBLOCK) as line:
            line.connect("\0" + address[1:] if address.startswith("@") else address)
            line.send(message.encode())
    except OSError as error:
        log.warning("the service manager was not told %s: %s", message, error)


@contextmanager
def watched() -> Iterator[None]:
    """Inside the block it is told that this process gets on, twice in the time that it allows.

    Whoever waits patiently, for a person, a desktop or the database, gets on as well: a process that hangs as a whole,
    in a driver or without memory, is all that this finds. How the run loop is otherwise its heartbeat tells.
    """
    every_s = int(os.environ.get(EVERY_US) or 0) / 2_000_000
    if not every_s:
        yield
        return
    over = threading.Event()

    def tell() -> None:
        notify(ALIVE)
        while not over.wait(every_s):
            notify(ALIVE)

    thread = threading.Thread(target=tell, name="watchdog", daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()
