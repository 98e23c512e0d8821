"""How a run loop bears a database that is away: it waits, says so where people look, and goes on by itself (S9.4).

What was done is recorded once the database is back; what was about to be done is not done before. The wait of a run has
an end: then it is left as after a crash, and taken over anew once the database answers.
"""

from __future__ import annotations

import json
import logging
import os
import threading
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeVar

from django.conf import settings
from django.db import DatabaseError, InterfaceError, connections

from execution.exceptions import DatabaseAway
from sentences.said import by_sentence, say, to_json, worded
from workflows.availability import in_words, kind_of_trouble

log = logging.getLogger(__name__)

T = TypeVar("T")

FIRST_S, MOST_S = 0.1, 5.0
TOLD_AFTER_S = 2.0  # a writer that is busy is no trouble
STALE_S = 60.0  # a note that nobody renews is of a loop that died


class Patience:
    """One for a run loop. `say` puts a line on its terminal; `on_return` hears once of each trouble that is over."""

    def __init__(
        self,
        *,
        leave: threading.Event | None = None,
        say: Callable[[str], None] = lambda line: None,
        on_return: Callable[[str], None] = lambda sentence: None,
    ) -> None:
        self.leave = leave or threading.Event()
        self.say, self.on_return = say, on_return
        self.waited_s = 0.0  # in all: what people were kept from answering for
        self._told = False

    def until_done(self, work: Callable[[], T], *, for_ever: bool = False) -> T:
        """What `work` gives, which is one transaction and may be begun again. Raises DatabaseAway at the end of it."""
        began, delay, kind = time.monotonic(), FIRST_S, ""
        while True:
            try:
                result = work()
            except (DatabaseError, InterfaceError) as error:
                kind = kind_of_trouble(error)
                if not kind:
                    raise
                waited = time.monotonic() - began
                self._tell(kind, error, waited)
                if self.leave.wait(delay):
                    raise DatabaseAway(say("running.asked_to_leave", why=in_words(kind))) from error
                if waited > settings.RPA_DATABASE_WAIT_S and not for_ever:
                    raise DatabaseAway(say("running.waited_in_vain", why=in_words(kind), n=waited)) from error
                delay = min(delay * 2, MOST_S)
                connect_anew()
            else:
                if kind:
                    self._over(kind, time.monotonic() - began)
                return result

    def _tell(self, kind: str, error: Exception, waited: float) -> None:
        if not self._told:
            log.warning("waiting for the database: %s", error)
        if kind == "locked" and waited < TOLD_AFTER_S:
            return
        if not self._told:
            self._told = True
            self.say(say("running.waits", why=in_words(kind)))
        note(in_words(kind), since=datetime.now(UTC).timestamp() - waited)

    def _over(self, kind: str, waited: float) -> None:
        self.waited_s += waited
        forget()
        if not self._told:
            return
        self._told = False
        sentence = say("running.database_again", n=round(waited))
        self.say(sentence)
        self.on_return(by_sentence([in_words(kind), sentence]))


def connect_anew() -> None:
    """A connection that has seen its file fail is not trusted; inside a transaction it is whoever opened it to say."""
    for connection in connections.all(initialized_only=True):
        if not connection.in_atomic_block:
            connection.close()


# --- notes for those who cannot ask the database --------------------------------------------------------------------
def _folder() -> Path:
    return settings.DATA_DIR / "waiting"


def note(sentence: str, *, since: float) -> None:
    """Put down that this process waits, where the web process finds it while the database is away."""
    try:
        _folder().mkdir(parents=True, exist_ok=True)
        fresh = _folder() / f"{os.getpid()}.part"
        fresh.write_text(json.dumps({"why": to_json(sentence), "since": since}), encoding="utf-8")
        fresh.replace(_folder() / f"{os.getpid()}.json")
    except OSError as error:
        log.warning("that the database is waited for could not be noted: %s", error)


def forget() -> None:
    try:
        (_folder() / f"{os.getpid()}.json").unlink(missing_ok=True)
    except OSError as error:
        log.warning("the note about the database could not be removed: %s", error)


def loops_waiting() -> list[dict[str, Any]]:
    """Of each run loop that waits for the database now: `why` in the active language, and `since_s` how long."""
    return sorted(_noted(), key=lambda told: -told["since_s"])


def _noted() -> Iterator[dict[str, Any]]:
    for path in _folder().glob("*.json"):
        try:
            if time.time() - path.stat().st_mtime > STALE_S:
                continue
            told = json.loads(path.read_text(encoding="utf-8"))
            yield {"why": worded(told["why"]), "since_s": round(max(0.0, time.time() - float(told["since"])), 1)}
        except (OSError, ValueError, KeyError, TypeError):
            continue  # it was being replaced, or its loop has just gone on


# Connections to the database of threads that ask it again and again, for as long as a run loop lives.


def let_go_of_broken() -> None:
    """What `close_old_connections` does between requests, for a thread that has none: what failed is closed.

    A session of PostgreSQL costs more to begin than what is asked in it, and CONN_MAX_AGE is about requests; so it
    stays. A file of SQLite is opened anew: another one may have been put in its place.
    """
    for connection in connections.all(initialized_only=True):
        if connection.vendor != "sqlite":
            connection.close_at = None
        connection.close_if_unusable_or_obsolete()
