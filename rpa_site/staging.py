"""Folders in which a backup or a restore is prepared; one whose process was killed is removed by the next."""

from __future__ import annotations

import hashlib
import logging
import os
import secrets
import shutil
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from gpu.kernel_lock import lock_file, open_file

log = logging.getLogger(__name__)

RESTORING, BACKING_UP = ".restoring-", ".backing-up-"
LOCK = ".lock"  # beside the folder and there before it; held by whoever works in the folder, until any death
ABANDONED_AFTER_S = (
    24 * 3600
)  # where others may write as well: shares say that a lock is free which another machine holds


@contextmanager
def staging(parent: Path, prefix: str, *, data: Path) -> Iterator[Path]:
    """A folder beside what is to be put in place, gone afterwards. Raises OSError."""
    folder = parent / f"{prefix}{_whose(data)}-{secrets.token_hex(8)}"
    file = open_file(_lock_of(folder))
    try:
        try:
            lock_file(file)
        except OSError as error:  # a share without locks, where nothing is removed either
            log.warning("%s takes no lock: %s", parent, error)
        folder.mkdir(mode=0o700)
        try:
            yield folder
        finally:
            shutil.rmtree(folder)
    finally:
        os.close(file)
        _lock_of(folder).unlink(missing_ok=True)


def remove_abandoned(parent: Path, *, data: Path) -> None:
    """Remove what killed processes left; a folder that cannot be removed is told of and left.

    Anywhere but in the data folder others keep theirs as well: there only what this machine left of this data goes.
    """
    is_shared = parent.resolve() != data.resolve()
    for prefix in (RESTORING, BACKING_UP):
        for folder in parent.glob(f"{prefix}{_whose(data)}-*" if is_shared else f"{prefix}*"):
            if folder.is_dir():
                try:
                    _remove_if_abandoned(folder, after_s=ABANDONED_AFTER_S if is_shared else 0)
                except OSError as error:
                    log.warning("%s stays behind: %s", folder.name, error)


def _remove_if_abandoned(folder: Path, *, after_s: float) -> None:
    file = os.open(_lock_of(folder), os.O_RDWR)
    try:
        is_abandoned = time.time() - os.fstat(file).st_mtime >= after_s and lock_file(file)
        if is_abandoned:
            shutil.rmtree(folder)
    finally:
        os.close(file)
    if is_abandoned:
        _lock_of(folder).unlink(missing_ok=True)


def _lock_of(folder: Path) -> Path:
    return folder.with_name(folder.name + LOCK)


def _whose(data: Path) -> str:
    """This machine and the installation on it, as no other writes them."""
    return hashlib.sha256(f"{socket.gethostname()} {data.resolve()}".encode()).hexdigest()[:16]
