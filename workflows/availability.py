"""When the database is away: locked, full, read only, gone. Told apart from faults of the product, and in words."""

from __future__ import annotations

import sqlite3

from django.db import DatabaseError, InterfaceError, InternalError, OperationalError

from sentences.said import say

# By SQLite's primary result codes; all others of its operational errors are ours (no such table).
_OF_SQLITE = {
    sqlite3.SQLITE_BUSY: "locked",
    sqlite3.SQLITE_LOCKED: "locked",
    sqlite3.SQLITE_PROTOCOL: "locked",
    sqlite3.SQLITE_FULL: "full",
    sqlite3.SQLITE_READONLY: "read only",
    sqlite3.SQLITE_PERM: "read only",
    sqlite3.SQLITE_IOERR: "gone",
    sqlite3.SQLITE_CANTOPEN: "gone",
}
# By PostgreSQL's codes, which its driver passes on; what went before there was an answer has none.
_OF_POSTGRESQL = {
    "25006": "read only",
    "40001": "locked",
    "40P01": "locked",
    "53100": "full",
    "55P03": "locked",
}
_SAID = {"locked": "database.locked", "full": "database.full", "read only": "database.read_only"}
_BY_WORDS = {"locked": "locked", "full": "full", "readonly": "read only", "read-only": "read only"}


def kind_of_trouble(error: BaseException) -> str:
    """`locked`, `full`, `read only` or `gone`; empty for an error that is no trouble of the database's own."""
    cause = error.__cause__
    code: str = getattr(cause, "sqlstate", None) or ""
    if isinstance(error, InternalError):
        return _OF_POSTGRESQL.get(code, "")
    if not isinstance(error, OperationalError | InterfaceError):
        return ""
    if isinstance(cause, sqlite3.Error):
        of_sqlite = getattr(cause, "sqlite_errorcode", None)
        return "" if of_sqlite is None else _OF_SQLITE.get(of_sqlite & 0xFF, "")
    if hasattr(cause, "sqlstate"):  # its words do not serve: of a server's socket "No such file" is said at a restart
        return "" if not code and _is_refused(str(error)) else _OF_POSTGRESQL.get(code, "gone")
    text = str(error).lower()
    by_words = next((kind for word, kind in _BY_WORDS.items() if word in text), "")
    return by_words or ("" if "no such" in text or "does not exist" in text else "gone")


def _is_refused(text: str) -> bool:
    """Whether a server is there and does not know us: waiting for it mends nothing."""
    return "FATAL" in text and "does not exist" in text


def is_away(error: BaseException) -> bool:
    return isinstance(error, DatabaseError | InterfaceError) and bool(kind_of_trouble(error))


def in_words(kind: str) -> str:
    """A sentence for people who can do something about it."""
    return say(_SAID.get(kind, "database.silent"))
