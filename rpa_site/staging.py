"""Folders in which a backup or a restore is prepared; one whose process was killed is removed by the next."""

from __future__ import annotations

import logging
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from gpu.kernel_lock import lock_file, open_file

log = logging.getLogger(__name__)

RESTORING, BACKING_UP = ".restoring-", ".backing-up-"
LOCK = ".lock"  # held by whoever works in the folder, until any death


@contextmanager
def staging(parent: Path, prefix: str) -> Iterator[Path]:
    """A folder beside what is to be put in place, gone afterwards. Raises OSError."""
    with tempfile.TemporaryDirectory(prefix=prefix, dir=parent) as folder:
        file = open_file(Path(folder) / LOCK)
        try:
            lock_file(file)
            yield Path(folder)
        finally:
            os.close(file)


def remove_abandoned(parent: Path) -> None:
    """Remove what killed processes left; a folder that cannot be removed is told of and left."""
    for folder in [path for prefix in (RESTORING, BACKING_UP) for path in parent.glob(f"{prefix}*")]:
        try:
            file = open_file(folder / LOCK)
            try:
                is_abandoned = lock_file(file)
            finally:
                os.close(file)
            if is_abandoned:
                shutil.rmtree(folder)
        except OSError as error:
            log.warning("%s stays behind: %s", folder.name, error)
