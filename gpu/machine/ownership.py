"""Who owns the GPU of this machine: a kernel lock on a file, given back by any death of its holder (S3.1)."""

from __future__ import annotations

import json
import logging
import os
import socket
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from gpu.exceptions import GPUError

log = logging.getLogger(__name__)

FILE_NAME = "owner.lock"
# Windows locks bytes, and nobody else can read those: one far behind the text is locked.
_LOCKED_BYTE: Final = 1 << 20
# `holder` shares the lock for some microseconds to see whether it is free: one who wants it then tries again.
_TRIES, _PAUSE_S = 50, 0.002

Listener = Callable[[bool], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Holder:
    """Who says that it holds the GPU; the name is for people, the lock alone decides."""

    pid: int
    name: str
    since: datetime

    def __str__(self) -> str:
        return f"{self.name} (pid {self.pid}, since {self.since:%Y-%m-%d %H:%M} UTC)"


class Ownership:
    """Held by one process at a time, by whichever of its threads asks. The file stays when the lock is given back:
    removing it would let two processes lock two files of one name.
    """

    def __init__(self, folder: Path | str) -> None:
        self._path = Path(folder) / FILE_NAME
        self._file: int | None = None
        self._listeners: list[Listener] = []

    @property
    def is_held(self) -> bool:
        """Whether this process holds it."""
        return self._file is not None

    def on_change(self, listener: Listener) -> None:
        """Be called with True when this process has taken the GPU, with False just before it gives it back."""
        self._listeners.append(listener)

    def hold(self, name: str) -> bool:
        """Whether the GPU is this process's now; never waits. Raises GPUError where the folder takes no file."""
        if self._file is not None:
            return True
        try:
            file = self._open()
        except OSError as error:
            raise GPUError(
                f"{self._path} cannot be written ({error.strerror}), so the GPU cannot be owned: let the user "
                "whom this process runs as write there."
            ) from error
        if not _take(file):
            os.close(file)
            return False
        self._file = file
        _say_who(file, name)
        self._tell(held=True)
        return True

    def release(self) -> None:
        """Give it back; harmless when it is not held."""
        if self._file is None:
            return
        self._tell(held=False)
        file, self._file = self._file, None
        _say_who(file, "")
        os.close(file)  # closing gives the lock back, on every system

    def holder(self) -> Holder | None:
        """Who holds the GPU now, this process or another; None: nobody."""
        if self._file is None and self._is_free():
            return None
        try:
            about = json.loads(self._path.read_text(encoding="utf-8"))
            return Holder(pid=about["pid"], name=about["name"], since=datetime.fromisoformat(about["since"]))
        except (OSError, ValueError, KeyError, TypeError):  # it may not have written its name yet
            return Holder(pid=0, name="another process", since=datetime.now(UTC))

    def _open(self) -> int:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        return os.open(self._path, os.O_RDWR | os.O_CREAT, 0o644)

    def _is_free(self) -> bool:
        try:
            file = os.open(self._path, os.O_RDONLY)
        except (FileNotFoundError, NotADirectoryError):
            return True
        except OSError:  # somebody else's: who cannot look does not say that nobody has it
            return False
        try:
            return _lock(file, shared=True)  # two who look at once do not see each other
        finally:
            os.close(file)

    def _tell(self, *, held: bool) -> None:
        """A listener that raises keeps nobody from the GPU."""
        for listener in self._listeners:
            try:
                listener(held)
            except Exception:
                log.exception("a listener of the ownership of the GPU failed")


def machine_name() -> str:
    """The name that the rows of this machine carry."""
    return socket.gethostname()[:100]


def _say_who(file: int, name: str) -> None:
    """Write the name into the file, for people; the lock holds without it, so a full disk costs a line in the log."""
    about = {"pid": os.getpid(), "name": name, "since": datetime.now(UTC).isoformat()}
    try:
        os.ftruncate(file, 0)
        if name:
            os.write(file, json.dumps(about).encode())
    except OSError as error:
        log.warning("the owner of the GPU could not be written down: %s", error)


def _take(file: int) -> bool:
    """Whether the lock is ours; one who only looks at it is waited for, one who owns it is not."""
    for _ in range(_TRIES):
        if _lock(file):
            return True
        if not _is_only_looked_at(file):
            return False
        time.sleep(_PAUSE_S)
    return False


def _lock(file: int, *, shared: bool = False) -> bool:
    """Whether the lock could be taken at once; on Windows it is never shared."""
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
    except OSError:
        return False
    return True


def _is_only_looked_at(file: int) -> bool:
    """Whether those who have the lock share it; Windows knows no shared one."""
    if sys.platform == "win32" or not _lock(file, shared=True):
        return False
    import fcntl

    fcntl.flock(file, fcntl.LOCK_UN)
    return True
