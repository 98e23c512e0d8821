"""What a client has sent and the other side has not taken: a cable that was pulled closes no connection.

Nor does the end of a client: the kernel keeps the connection of a program that has gone, and goes on sending what waits
there. What was meant for one screen would arrive on whatever screen is there when the cable is back.
"""

from __future__ import annotations

import ctypes
import errno
import ipaddress
import os
import re
import socket
import struct
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

_DROPPED = struct.pack("ii", 1, 0)  # SO_LINGER: on, for no time
_PIDFD_GETFD = 438  # the same on every machine; Python has no name for it
_NOBODYS = "0"  # the inode of a connection that no program holds any more
_END = 1  # the end of a connection waits like a byte until the other side has taken it


class _Row(NamedTuple):
    """A connection in the kernel's table."""

    host: str
    port: int
    waiting: int
    sent_again: bool
    inode: str


def unsent_bytes(pid: int) -> int:
    """Bytes that wait in the sending queues of a process's TCP connections; 0 where it has none or has ended."""
    return sum(row.waiting for row in _rows_of(pid))


def is_sent_again(pid: int) -> bool:
    """Whether nothing comes back for what it sent, so that the kernel sends it again and again."""
    return any(row.waiting and row.sent_again for row in _rows_of(pid))


def drop_at_its_end(pid: int) -> None:
    """What waits in its TCP connections of now goes with the process, however that ends; OSError where it cannot be."""
    kernel = ctypes.CDLL(None, use_errno=True)
    process = os.pidfd_open(pid)
    try:
        for descriptor in _sockets_of(pid):
            ours = kernel.syscall(_PIDFD_GETFD, process, descriptor, 0)
            if ours < 0 and (code := ctypes.get_errno()) == errno.EBADF:
                continue  # it was closed meanwhile
            if ours < 0:
                raise OSError(code, os.strerror(code))
            with closing(socket.socket(fileno=ours)) as shared:
                if shared.family in (socket.AF_INET, socket.AF_INET6):
                    shared.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _DROPPED)
    finally:
        os.close(process)


def left_behind(host: str, port: int) -> bool:
    """Whether this machine still sends there what a program had sent that has ended."""
    try:
        there = {_plain(str(told[4][0])) for told in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)}
    except (OSError, UnicodeError):
        return False  # nobody goes there by that name
    return any(
        row.inode == _NOBODYS and row.waiting > _END and row.port == port and row.host in there
        for row in _rows(Path("/proc/self/net"))
    )


def _rows_of(pid: int) -> list[_Row]:
    try:
        sockets = set(_sockets_of(pid).values())
        return [row for row in _rows(Path(f"/proc/{pid}/net")) if row.inode in sockets]
    except OSError:
        return []  # it has ended


def _sockets_of(pid: int) -> dict[int, str]:
    """The inodes of its sockets, by their descriptors."""
    found = {}
    for entry in Path(f"/proc/{pid}/fd").iterdir():
        try:
            inode = re.fullmatch(r"socket:\[(\d+)\]", str(entry.readlink()))
        except OSError:  # it was closed meanwhile
            continue
        if inode:
            found[int(entry.name)] = inode[1]
    return found


def _rows(tables: Path) -> Iterator[_Row]:
    for name in ("tcp", "tcp6"):
        try:
            lines = (tables / name).read_text().splitlines()[1:]
        except FileNotFoundError:
            if name == "tcp":
                raise
            continue  # a kernel without IPv6
        for line in lines:
            _, _, there, _, queues, _, again, _, _, inode, *_ = line.split()
            host, port = there.split(":")
            yield _Row(_host(host), int(port, 16), int(queues.partition(":")[0], 16), int(again, 16) > 0, inode)


def _host(digits: str) -> str:
    """As the kernel writes it: words of four bytes, each as a number of this machine."""
    words = (digits[at : at + 8] for at in range(0, len(digits), 8))
    packed = b"".join(int(word, 16).to_bytes(4, sys.byteorder) for word in words)
    return _plain(str(ipaddress.ip_address(packed)))


def _plain(host: str) -> str:
    """One spelling for one address: without the name of a network card, IPv4 never in the clothes of IPv6."""
    address = ipaddress.ip_address(host.partition("%")[0])
    mapped = address.ipv4_mapped if isinstance(address, ipaddress.IPv6Address) else None
    return str(mapped or address)
