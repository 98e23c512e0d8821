"""Who may act on a desktop: a kernel lock on the desktop's own machine, released by any death of its holder."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path
from types import TracebackType
from typing import Self

from execution.desktop.base import DesktopBusy, DesktopIdentity
from gpu.kernel_lock import KernelLock
from sentences.said import say


class DesktopLock:
    """Held inside the `with` block; raises DesktopBusy, which names the holder, when somebody else holds it.

    The desktop's own mark is the key: an X server has many names (:2, unix/:2, localhost:2) and takes input by all of
    them. Where a platform gives no mark the name is the key, on this machine.
    """

    def __init__(self, desktop: DesktopIdentity | str, directory: str | Path, *, holder: str = "") -> None:
        self.name = desktop if isinstance(desktop, str) else desktop.name
        self.path = Path(directory) / _file_name(desktop if isinstance(desktop, str) else desktop.mark or desktop.name)
        self._holder = holder or "Surehand"
        self._lock = KernelLock(self.path)

    @property
    def held(self) -> bool:
        return self._lock.is_held

    def acquire(self) -> Self:
        if self._lock.is_held:
            raise DesktopBusy(say("desktop.held_already", name=self.name))
        if not self._lock.hold(self._holder):
            holder = self._lock.holder()
            if holder is None or not holder.pid:  # it may not have written its name yet
                raise DesktopBusy(say("desktop.in_use", name=self.name))
            since = f"{holder.since:%Y-%m-%d %H:%M}"
            raise DesktopBusy(
                say("desktop.in_use_by", name=self.name, holder=holder.name, pid=str(holder.pid), since=since)
            )
        return self

    def release(self) -> None:
        """Give the desktop back; harmless when it is not held."""
        self._lock.release()

    def __enter__(self) -> Self:
        return self.acquire()

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.release()


def _file_name(key: str) -> str:
    """Readable, and different for different keys."""
    readable = re.sub(r"[^A-Za-z0-9]+", "-", key).strip("-")[:40]
    return f"desktop-{readable}-{hashlib.blake2b(key.encode(), digest_size=4).hexdigest()}.lock"
