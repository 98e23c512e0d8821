"""Sockets of one machine and one account: how its processes reach each other, from memory to memory."""

from __future__ import annotations

import os
import socket
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def address(path: Path) -> Iterator[str]:
    """One of any length in the about 100 bytes that the kernel takes: by the folder's descriptor."""
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        by_number = Path(f"/proc/self/fd/{folder}")
        yield str(by_number / path.name if by_number.exists() else path)
    finally:
        os.close(folder)


def listening(path: Path) -> socket.socket:
    """A listener that this account alone may reach. Raises OSError, and AttributeError where there is no such kind."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    path.unlink(missing_ok=True)  # of a run loop that was killed; whoever asks holds the desktop's lock
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        with address(path) as place:
            listener.bind(place)
        path.chmod(0o600)
        listener.listen()
    except OSError:
        listener.close()
        raise
    return listener


def is_of_our_account(asking: socket.socket) -> bool:
    """Where the kernel tells who asks; elsewhere the socket's own mode says who may."""
    if not hasattr(socket, "SO_PEERCRED"):
        return True
    _pid, uid, _gid = struct.unpack("3i", asking.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))
    return bool(uid == os.geteuid())
