"""Locks of the kernel on files of this machine, given back by any death of their holder.

Here because this package is the lowest of those that hold something alone: the GPU, a desktop, the data.
"""

from __future__ import annotations

import json
import logging
import os
import sys
import time
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from sentences.said import say

log = logging.getLogger(__name__)

# Windows locks bytes, and nobody else can read those: one far behind the text is locked.
_LOCKED_BYTE: Final = 1 << 20
# `holder` shares the lock for some microseconds to see whether it is free: one who wants it then tries again.
_TRIES, _PAUSE_S = 50, 0.002


@dataclass(frozen=True, slots=True, kw_only=True)
class Holder:
    """Who says that it holds a lock; the name is for people, the lock alone decides."""

    pid: int
    name: str
    since: datetime

    @property
    def told(self) -> str:
        """Who it is, as people are told it, with its code."""
        if not self.pid:  # it has not written its name yet
            return self.name
        return say("gpu.holder", name=self.name, pid=str(self.pid), since=f"{self.since:%Y-%m-%d %H:%M}")

    def __str__(self) -> str:
        return self.told


class KernelLock:
    """Held by one process at a time, by whichever of its threads asks. The file stays when the lock is given back:
    removing it would let two processes lock two files of one name.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._file: int | None = None

    @property
    def is_held(self) -> bool:
        return self._file is not None

    def hold(self, name: str) -> bool:
        """Whether it is held now; never waits. Raises OSError where the folder takes no file."""
        if self._file is None:
            file = open_file(self.path)
            try:
                is_ours = _take(file)
            except OSError:
                os.close(file)
                raise
            if not is_ours:
                os.close(file)
                return False
            self._file = file
            _say_who(file, name)
        return True

    def release(self) -> None:
        if self._file is None:
            return
        file, self._file = self._file, None
        _say_who(file, "")
        os.close(file)  # closing gives the lock back, on every system

    def holder(self) -> Holder | None:
        """Who holds it now, this process or another; None: nobody."""
        if self._file is None and self._is_free():
            return None
        try:
            about = json.loads(self.path.read_text(encoding="utf-8"))
            return Holder(pid=about["pid"], name=about["name"], since=datetime.fromisoformat(about["since"]))
        except (OSError, ValueError, KeyError, TypeError):  # it may not have written its name yet
            return Holder(pid=0, name=say("gpu.another_process"), since=datetime.now(UTC))

    def _is_free(self) -> bool:
        try:
            file = os.open(self.path, os.O_RDONLY)
        except (FileNotFoundError, NotADirectoryError):
            return True
        except OSError:  # somebody else's: who cannot look does not say that nobody has it
            return False
        try:
            return lock_file(file, shared=True)  # two who look at once do not see each other
        except OSError:
            return False
        finally:
            os.close(file)


def open_file(path: Path) -> int:
    """The file to be locked, made where it is not there; closing it gives the lock back. Raises OSError."""
    path.parent.mkdir(parents=True, exist_ok=True)
    return os.open(path, os.O_RDWR | os.O_CREAT, 0o644)


def lock_file(file: int, *, shared: bool = False) -> bool:
    """Whether the lock could be had at once; on Windows it is never shared. Raises OSError where there are none."""
    try:
        if sys.platform == "win32":
            import msvcrt

            os.lseek(file, _LOCKED_BYTE, os.SEEK_SET)
            try:
                msvcrt.locking(file, msvcrt.LK_NBLCK, 1)
            finally:
                os.lseek(file, 0, os.SEEK_SET)
        else:
            import fcntl

            fcntl.flock(file, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
    except (BlockingIOError, PermissionError):  # the second one is how Windows says it
        return False
    return True


def _take(file: int) -> bool:
    """Whether the lock is ours; one who only looks at it is waited for, one who holds it is not."""
    for _ in range(_TRIES):
        if lock_file(file):
            return True
        if sys.platform == "win32" or not lock_file(file, shared=True):  # those who look share it
            return False
        time.sleep(_PAUSE_S)
    return False


def _say_who(file: int, name: str) -> None:
    """Write the name into the file, for people; the lock holds without it, so a full disk costs a line in the log."""
    about = {"pid": os.getpid(), "name": name, "since": datetime.now(UTC).isoformat()}
    try:
        os.ftruncate(file, 0)
        if name:
            os.write(file, json.dumps(about).encode())
    except OSError as error:
        log.warning("who holds a lock could not be written down: %s", error)
