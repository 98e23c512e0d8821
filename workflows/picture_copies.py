"""Copies of pictures that lie on no disk of this machine, for programs that are given a path (S11)."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from django.conf import settings
from django.core.files.base import ContentFile

from workflows.picture_files import PictureFiles

STAY_S = 3600.0


def copy_of(digest: str, read: Callable[[str], bytes]) -> Path:
    """A file with the picture, which stays for an hour after it was last asked for."""
    drop_old()
    copies = PictureFiles(_folder())
    if not copies.touch(f"{digest}.png"):
        copies.save(f"{digest}.png", ContentFile(read(digest)))
    return Path(copies.path(f"{digest}.png"))


def drop_old() -> None:
    """Those that nobody asked for of late."""
    for path in _folder().glob("*.png"):
        with suppress(FileNotFoundError):  # another process was faster
            if path.stat().st_mtime < time.time() - STAY_S:
                path.unlink()


def _folder() -> Path:
    return Path(settings.DATA_DIR) / "copies"
