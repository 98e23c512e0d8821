"""The SQLite file: a consistent copy of one in use, what state a copy is in, and what must not go on in it."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path

from django.utils.translation import gettext as _

from execution.choices import LIVE, ExecutionState, Outcome, PromptState, StepPhase
from rpa_site.backups.place import BackupError
from rpa_site.migration_names import MigrationName
from rpa_site.sqlite import BUSY_TIMEOUT_S

SIDECARS = ("-journal", "-wal", "-shm")  # beside the file; another database's must never lie beside this one


def snapshot(source: Path, target: Path) -> None:
    """A complete copy of `source` as it is at one moment, while others read and write it (C.2).

    It is opened for writing only to finish what a crash left. In one go: a copy in parts begins anew after every
    commit of another process, and one such comes every few seconds.
    Raises BackupError when it cannot be read or is damaged.
    """
    if not source.is_file():
        raise BackupError(_("There is no database at %(file)s.") % {"file": source})
    with _told(source), closing(_open(source, "rw")) as old, closing(_open(target, "rwc")) as new:
        old.backup(new, sleep=0.02)
        new.execute("PRAGMA journal_mode = DELETE").fetchall()
    check_integrity(target)


def check_integrity(file: Path) -> None:
    with _told(file), closing(_open(file, "ro")) as connection:
        found = connection.execute("PRAGMA integrity_check(1)").fetchone()[0]
    if found != "ok":
        raise BackupError(_("The database %(file)s is damaged: %(found)s.") % {"file": file, "found": found})


def applied_migrations(file: Path) -> tuple[MigrationName, ...]:
    """What django_migrations says; raises BackupError when it is no database of this product."""
    with _told(file), closing(_open(file, "ro")) as connection:
        tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
        if not {"django_migrations", "execution_execution", "workflows_workflow"} <= tables:
            raise BackupError(_("The database %(file)s is none of this product.") % {"file": file})
        rows = connection.execute("SELECT app, name FROM django_migrations ORDER BY id")
        return tuple((str(app), str(name)) for app, name in rows)


def picture_names(file: Path) -> frozenset[str]:
    """The digests of the pictures that workflows refer to."""
    with _told(file), closing(_open(file, "ro")) as connection:
        return frozenset(str(digest) for (digest,) in connection.execute("SELECT digest FROM workflows_picture"))


def stop_live_runs(file: Path, *, why: str) -> int:
    """Stop the runs that were under way or queued when the copy was made; gives how many.

    They have long gone on since: a run loop that took them up again would do a second time what was done.
    """
    live = sorted(str(state) for state in LIVE)
    marks = ", ".join("?" * len(live))
    now = datetime.now(UTC).strftime("%Y-%m-%d %H:%M:%S")
    with _told(file), closing(_open(file, "rw")) as connection, connection:
        _close_open_steps(connection, f"SELECT id FROM execution_execution WHERE state IN ({marks})", live, now)  # noqa: S608  # nosec B608  marks
        stopped = connection.execute(
            "UPDATE execution_execution SET state = ?, wish = '', ended_at = ?, lease_until = NULL, error = ? "  # noqa: S608  # nosec B608  marks
            f"WHERE state IN ({marks})",
            (ExecutionState.STOPPED.value, now, why, *live),
        ).rowcount
        connection.execute(
            "UPDATE execution_prompt SET state = ? WHERE state = ?",
            (PromptState.WITHDRAWN.value, PromptState.OPEN.value),
        )
        connection.execute("UPDATE execution_robot SET stopped_at = ? WHERE stopped_at IS NULL", (now,))
    return stopped


def _close_open_steps(connection: sqlite3.Connection, runs: str, live: list[str], now: str) -> None:
    """As at the end of every run: what was planned was not done, of what was begun nobody can say it."""
    for phase, outcome, words in (
        (StepPhase.PLANNED, Outcome.INTERRUPTED, _("The run ended.")),
        (StepPhase.INTENT, Outcome.FAILED, _("The run ended before anyone could say whether this was done.")),
    ):
        connection.execute(
            "UPDATE execution_step SET phase = ?, outcome = ?, success = 0, message = ?, ended_at = ? "  # noqa: S608  # nosec B608  marks
            f"WHERE phase = ? AND execution_id IN ({runs})",
            (StepPhase.CLOSED.value, outcome.value, words, now, phase.value, *live),
        )


def end_sessions(file: Path) -> None:
    """Nobody comes in with what was valid then: since the copy was made people left, and tokens were revoked."""
    with _told(file), closing(_open(file, "rw")) as connection, connection:
        present = {name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
        for table in sorted({"django_session", "rpa_site_apitoken"} & present):
            connection.execute(f"DELETE FROM {table}")  # noqa: S608  # nosec B608  one of two names


def come_to_rest(file: Path) -> bool:
    """Finish what a crash left beside the file, so that the file alone is the database; False when it cannot be read.

    Raises BackupError when another process is writing to it.
    """
    try:
        with closing(_open(file, "rw", timeout=1)) as connection:
            connection.execute("BEGIN EXCLUSIVE")
            connection.execute("COMMIT")
            connection.execute("PRAGMA journal_mode = DELETE").fetchall()
    except sqlite3.OperationalError as error:
        if "locked" not in str(error):
            return False
        raise BackupError(
            _("Another program has the database %(file)s open and is writing to it: end it, then run this again.")
            % {"file": file}
        ) from error
    except sqlite3.DatabaseError:
        return False
    return True


def _open(file: Path, mode: str, *, timeout: float = BUSY_TIMEOUT_S) -> sqlite3.Connection:
    return sqlite3.connect(f"{file.absolute().as_uri()}?mode={mode}", uri=True, timeout=timeout)


@contextmanager
def _told(file: Path) -> Iterator[None]:
    try:
        yield
    except sqlite3.Error as error:
        raise BackupError(
            _("The database %(file)s cannot be read or written: %(error)s.") % {"file": file, "error": error}
        ) from error
