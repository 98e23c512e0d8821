"""Who may act on a desktop: a kernel lock on the desktop's own machine, released by any death of its holder."""

from __future__ import annotations

import hashlib
import json
import os
import re
import sys
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Self

from execution.desktop.base import DesktopBusy, DesktopIdentity

# Windows locks bytes, and nobody else can read those: one far behind the text is locked.
_LOCKED_BYTE = 1 << 20


class DesktopLock:
    """Held inside the `with` block; raises DesktopBusy, which names the holder, when somebody else holds it.

    The desktop's own mark is the key: an X server has many names (:2, unix/:2, localhost:2) and takes input by all of
    them. Where a platform gives no mark the name is the key, on this machine.
    The file stays when the lock is given back: removing it would let two processes lock two files of one name.
    """

    def __init__(self, desktop: DesktopIdentity | str, directory: str | Path, *, holder: str = "") -> None:
        self.name = desktop if isinstance(desktop, str) else desktop.name
        self.path = Path(directory) / _file_name(desktop if isinstance(desktop, str) else desktop.mark or desktop.name)
        self._holder = holder or f"process {os.getpid()}"
        self._file: int | None = None

    @property
    def held(self) -> bool:
        return self._file is not None

    def acquire(self) -> Self:
        if self._file is not None:
            raise DesktopBusy(f"the desktop {self.name} is already held by this very lock")
        self.path.parent.mkdir(parents=True, exist_ok=True)
        file = os.open(self.path, os.O_RDWR | os.O_CREAT, 0o644)
        try:
            _lock(file)
            os.ftruncate(file, 0)
            os.write(file, self._about_me())
        except BlockingIOError as problem:
            os.close(file)
            raise DesktopBusy(
                f"the desktop {self.name} is in use by {self._who()}: wait for it or stop it"
            ) from problem
        except BaseException:
            os.close(file)
            raise
        self._file = file
        return self

    def release(self) -> None:
        """Give the desktop back; harmless when it is not held."""
        if self._file is None:
            return
        file, self._file = self._file, None
        os.ftruncate(file, 0)
        os.close(file)  # closing gives the lock back, on every system

    def __enter__(self) -> Self:
        return self.acquire()

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.release()

    def _about_me(self) -> bytes:
        about = {"pid": os.getpid(), "name": self._holder, "since": datetime.now(UTC).isoformat(timespec="seconds")}
        return json.dumps(about).encode()

    def _who(self) -> str:
        """The holder in words; it may not have written its name yet."""
        try:
            about = json.loads(self.path.read_text(encoding="utf-8"))
            return f"{about['name']} (pid {about['pid']}, since {about['since']})"
        except (OSError, ValueError, KeyError, TypeError):
            return "another program"


def _file_name(key: str) -> str:
    """Readable, and different for different keys."""
    readable = re.sub(r"[^A-Za-z0-9]+", "-", key).strip("-")[:40]
    return f"desktop-{readable}-{hashlib.blake2b(key.encode(), digest_size=4).hexdigest()}.lock"


def _lock(file: int) -> None:
    """Take the lock or raise BlockingIOError at once."""
    if sys.platform == "win32":
        import msvcrt

        os.lseek(file, _LOCKED_BYTE, os.SEEK_SET)
        try:
            msvcrt.locking(file, msvcrt.LK_NBLCK, 1)
        except OSError as problem:
            raise BlockingIOError(str(problem)) from problem
        os.lseek(file, 0, os.SEEK_SET)
    else:
        import fcntl

        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
