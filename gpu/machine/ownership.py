"""Who owns the GPU of this machine: a kernel lock on a file, given back by any death of its holder (S3.1)."""

from __future__ import annotations

import logging
import os
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from gpu.exceptions import GPUError
from gpu.kernel_lock import Holder, KernelLock, lock_file, open_file
from gpu.runtime import Listeners
from sentences.said import say

log = logging.getLogger(__name__)

FILE_NAME = "owner.lock"
CLAIM_NAME = "claim.lock"
UNCLAIMED = "a process that needed it"  # the name of an owner that has not claimed the GPU
_TRIES, _PAUSE_S = 50, 0.002


def told_name(name: str) -> str:
    """An owner's name as people are told it."""
    return say("gpu.unclaimed") if name == UNCLAIMED else name


class Ownership(KernelLock):
    """The lock of the owner; a second file is shared by those who have claimed the GPU and do not have it yet."""

    def __init__(self, folder: Path | str) -> None:
        super().__init__(Path(folder) / FILE_NAME)
        self._listeners = Listeners("the ownership of the GPU")

    def on_change(self, listener: Callable[[bool], None]) -> None:
        """Be called with True when this process has taken the GPU, with False just before it gives it back."""
        self._listeners.add(listener)

    def hold(self, name: str) -> bool:
        """Whether the GPU is this process's now; never waits. Raises GPUError where the folder takes no file."""
        if self.is_held:
            return True
        try:
            is_ours = super().hold(name)
        except OSError as error:
            raise GPUError(say("gpu.lock_unwritable", path=self.path, error=error.strerror)) from error
        if is_ours:
            self._listeners.tell(True)
        return is_ours

    def release(self) -> None:
        if self.is_held:
            self._listeners.tell(False)
            super().release()

    def holder(self) -> Holder | None:
        """Who holds it now, by the name that people are told."""
        holder = super().holder()
        return holder and replace(holder, name=told_name(holder.name))

    @contextmanager
    def claimed(self) -> Iterator[None]:
        """Inside, `is_claimed` says so to the owner; a claim ends with its process. One that cannot be told is none."""
        try:
            file = open_file(self.path.with_name(CLAIM_NAME))
        except OSError as error:
            log.warning("the claim to the GPU cannot be told to its owner: %s", error)
            yield
            return
        try:
            for _ in range(_TRIES):  # the owner looks at it for some microseconds
                if lock_file(file, shared=True):
                    break
                time.sleep(_PAUSE_S)
            yield
        finally:
            os.close(file)

    def is_claimed(self) -> bool:
        try:
            file = os.open(self.path.with_name(CLAIM_NAME), os.O_RDONLY)
        except OSError:
            return False
        try:
            return not lock_file(file)
        finally:
            os.close(file)


def machine_name() -> str:
    return socket.gethostname()[:100]
