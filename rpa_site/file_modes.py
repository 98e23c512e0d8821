"""What runs leave on the disk shows screens: it is for the account alone that the product runs under (S10.4)."""

from __future__ import annotations

import logging
import os
import stat
from collections.abc import Iterator
from pathlib import Path

log = logging.getLogger(__name__)

OPEN_TO_OTHERS = stat.S_IRWXG | stat.S_IRWXO
SCREENS = ("pictures", "live", "exports")


def from_now_on() -> None:
    """What this process makes, others neither read nor write."""
    os.umask(0o077)


def shut(data: Path) -> None:
    """Take from others what was made before: the data directory, the database, the pictures.

    Where the folders are shut already nothing is walked through. What belongs to somebody else is told of and left.
    """
    if not data.is_dir():
        return
    try:
        for path in _loose(data):
            path.chmod(path.stat().st_mode & ~OPEN_TO_OTHERS)
    except OSError as error:
        log.warning("the data directory stays readable for others: %s", error)


def _loose(data: Path) -> Iterator[Path]:
    for folder in (data / name for name in SCREENS):
        if folder.is_dir() and _is_open(folder):
            yield from (path for path in folder.rglob("*") if _is_open(path))
            yield folder  # last: it says that all in it is done
    yield from (path for path in data.glob("*.sqlite3*") if _is_open(path))
    if _is_open(data):
        yield data


def _is_open(path: Path) -> bool:
    return bool(path.stat().st_mode & OPEN_TO_OTHERS)
