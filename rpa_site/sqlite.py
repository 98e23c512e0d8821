"""How SQLite is opened: which journal is safe on the library that is linked here (C.1, C.2)."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

BUSY_TIMEOUT_S = 20  # the busy handler is unfair: single waits of 1.1 to 4.6 s were measured under saturation


def wal_is_safe(version: tuple[int, int, int] = sqlite3.sqlite_version_info) -> bool:
    """Whether this SQLite is free of the WAL-reset corruption bug (fixed in 3.51.3, 3.50.7 and 3.44.6)."""
    if version == (3, 52, 0):  # withdrawn
        return False
    backported = {(3, 50): 7, (3, 44): 6}.get(version[:2])
    return version >= (3, 51, 3) or (backported is not None and version[2] >= backported)


class ExistingFile(sqlite3.Connection):
    """A connection that makes no file: while the real one is away, an empty one in its place would be taken for it."""

    def __init__(self, database: str, *args: Any, **kwargs: Any) -> None:
        is_plain = not database.startswith("file:") and database != ":memory:"
        super().__init__(f"{Path(database).absolute().as_uri()}?mode=rw" if is_plain else database, *args, **kwargs)


def options(timeout_s: float = BUSY_TIMEOUT_S) -> dict[str, Any]:
    """Options for Django's SQLite backend: writers queue instead of failing, a commit survives a power cut."""
    journal = "WAL" if wal_is_safe() else "TRUNCATE"
    return {
        "transaction_mode": "IMMEDIATE",
        "timeout": timeout_s,
        "factory": ExistingFile,
        "init_command": (
            f"PRAGMA journal_mode={journal};PRAGMA synchronous=FULL;"
            "PRAGMA journal_size_limit=67108864;PRAGMA cache_size=-8000;"
            "PRAGMA secure_delete=ON"  # what is deleted is overwritten, however this SQLite was built (S10.4)
        ),
    }
