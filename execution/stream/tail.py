"""The wake-up of the stream: one thread a process that notices that the database may have changed and says "look".

On SQLite it asks `PRAGMA data_version` on a raw connection in autocommit, 3 microseconds a call; elsewhere it listens
for nudges where there is a Redis, and looks at intervals where there is none or it is away. A wake-up that is lost
costs a second of latency, never an event: the data comes from the event table.
"""

from __future__ import annotations

import logging
import math
import sqlite3
import threading
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from traceback import extract_tb

from django.db import DEFAULT_DB_ALIAS, connections

from execution.record import nudges

log = logging.getLogger(__name__)

SQLITE_POLL_S = 0.01
OTHER_POLL_S = 0.2
LOOK_ANYWAY_S = 1.0
RETRY_S = 1.0
BUSY_TIMEOUT_S = 1.0


class Tail:
    """Calls `look` from its own thread, at every change of the database and once a second in any case."""

    def __init__(self, look: Callable[[], None]) -> None:
        self._look = look
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="stream-tail", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """Ask it to end; it does so within a poll."""
        self._stop.set()

    def join(self, timeout: float | None = None) -> None:
        self._thread.join(timeout)

    @property
    def is_alive(self) -> bool:
        return self._thread.is_alive()

    def _run(self) -> None:
        path = sqlite_file()
        told: type[Exception] | None = None
        while not self._stop.is_set():
            try:
                if told is not None:
                    self._look()
                if path is not None:
                    self._follow(path)
                elif nudges.are_sent():
                    self._listen()
                else:
                    self._poll()
                told = None
            except Exception as error:  # noqa: BLE001  without this thread all pages would stand still
                if type(error) is not told:
                    log.warning(
                        "The stream cannot watch %s (%s); it looks once a second until it can.",
                        path or "the database",
                        _in_words(error),
                    )
                told = type(error)
                self._stop.wait(RETRY_S)

    def _poll(self, for_s: float = math.inf) -> None:
        until = time.monotonic() + for_s
        while not self._stop.wait(OTHER_POLL_S) and time.monotonic() < until:
            self._look()

    def _listen(self) -> None:
        """Look at each nudge until Redis goes; then by the clock for a moment, to be called anew."""
        try:
            with nudges.heard() as next_nudge:
                looked_at = 0.0  # at once: what was written before it listened was not heard
                while not self._stop.is_set():
                    now = time.monotonic()
                    if next_nudge(OTHER_POLL_S if looked_at else 0) or now - looked_at >= LOOK_ANYWAY_S:
                        looked_at = now
                        self._look()
        except nudges.Away:
            self._poll(RETRY_S)

    def _follow(self, path: Path) -> None:
        """Look whenever another connection has committed; returns to be called anew when the file was replaced."""
        identity = _identity(path)
        uri = f"{path.as_uri()}?mode=rw"  # never makes a file, and WAL needs to write its index even to read
        with closing(sqlite3.connect(uri, uri=True, isolation_level=None, timeout=BUSY_TIMEOUT_S)) as connection:
            seen, looked_at = -1, 0.0
            while not self._stop.wait(SQLITE_POLL_S):
                version = connection.execute("PRAGMA data_version").fetchone()[0]
                now = time.monotonic()
                if version == seen and now - looked_at < LOOK_ANYWAY_S:
                    continue
                if version == seen and _identity(path) != identity:
                    return  # a restored backup took its place
                seen, looked_at = version, now
                self._look()


def sqlite_file() -> Path | None:
    """The file of the default database; None where it is another engine or lives in memory."""
    database = connections[DEFAULT_DB_ALIAS].settings_dict
    name = str(database["NAME"])
    if database["ENGINE"] != "django.db.backends.sqlite3" or ":memory:" in name or "mode=memory" in name:
        return None
    return Path(name).resolve()


def _in_words(error: Exception) -> str:
    """What the file or its database says; of anything else what and where alone: its words may hold an address."""
    if isinstance(error, (sqlite3.Error, OSError)):
        return str(error)
    place = extract_tb(error.__traceback__)[-1]
    return f"{type(error).__name__} in {place.name}, line {place.lineno}"


def _identity(path: Path) -> tuple[int, int]:
    stat = path.stat()
    return stat.st_dev, stat.st_ino
