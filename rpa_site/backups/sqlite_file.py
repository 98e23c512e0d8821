"""The SQLite file: a consistent copy of one in use, what state a copy is in, and how one is put in its place."""

from __future__ import annotations

import os
import shutil
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Self

from django.db import connection as settings_connection
from django.utils.translation import gettext as _

from rpa_site.backups.archive import SQLITE_COPY
from rpa_site.backups.at_rest import end_sessions, stop_live_runs
from rpa_site.backups.place import BackupError, DataPlace
from rpa_site.migration_names import MigrationName
from rpa_site.sqlite import BUSY_TIMEOUT_S

SIDECARS = ("-journal", "-wal", "-shm")  # beside the file; another database's must never lie beside this one


@dataclass(frozen=True, slots=True)
class SqliteFile:
    """A copy of it is a file like it."""

    file: Path

    entry = SQLITE_COPY
    replaced = True

    @classmethod
    def of_settings(cls) -> Self:
        return cls(Path(settings_connection.settings_dict["NAME"]))

    def snapshot(self, target: Path) -> None:
        """It is opened for writing only to finish what a crash left. In one go: a copy in parts begins anew after
        every commit of another process, and one such comes every few seconds (C.2).
        """
        if not self.file.is_file():
            raise BackupError(_("There is no database at %(file)s.") % {"file": self.file})
        with _told(self.file), closing(_open(self.file, "rw")) as old, closing(_open(target, "rwc")) as new:
            old.backup(new, sleep=0.02)
            new.execute("PRAGMA journal_mode = DELETE").fetchall()
        self.check(target)

    def check(self, copy: Path) -> None:
        with _told(copy), closing(_open(copy, "ro")) as connection:
            found = connection.execute("PRAGMA integrity_check(1)").fetchone()[0]
        if found != "ok":
            raise BackupError(_("The database %(file)s is damaged: %(found)s.") % {"file": copy, "found": found})

    def applied_migrations(self, copy: Path) -> tuple[MigrationName, ...]:
        with _told(copy), closing(_open(copy, "ro")) as connection:
            if not {"django_migrations", "execution_execution", "workflows_workflow"} <= _tables(connection):
                raise BackupError(_("The database %(file)s is none of this product.") % {"file": copy})
            rows = connection.execute("SELECT app, name FROM django_migrations ORDER BY id")
            return tuple((str(app), str(name)) for app, name in rows)

    def picture_names(self, copy: Path) -> frozenset[str]:
        with _told(copy), closing(_open(copy, "ro")) as connection:
            return frozenset(str(digest) for (digest,) in connection.execute("SELECT digest FROM workflows_picture"))

    def obstacle(self, copy: Path) -> str:
        """Whatever lies here is kept aside."""
        return ""

    def files(self) -> Sequence[Path]:
        return [self.file.with_name(self.file.name + end) for end in ("", *SIDECARS)]

    def put(self, copy: Path, *, why: str, place: DataPlace) -> int:
        stopped = _put_to_rest(copy, why)
        sound = not self.file.exists() or come_to_rest(self.file)
        fresh = self._near(copy, place)
        if not sound:  # what lies beside it is kept aside with it; here it would spoil the new one
            for end in SIDECARS:
                self.file.with_name(self.file.name + end).unlink(missing_ok=True)
        fresh.replace(self.file)
        return stopped

    def _near(self, fresh: Path, place: DataPlace) -> Path:
        """The new one on the disk of the present one, written out, with its rights: one move away from its place."""
        self.file.parent.mkdir(parents=True, exist_ok=True)
        if fresh.stat().st_dev != self.file.parent.stat().st_dev:
            fresh = Path(shutil.copy2(fresh, self.file.with_name(f".{self.file.name}.restoring")))
        fresh.chmod(self.file.stat().st_mode & 0o777 if self.file.exists() else 0o600)
        place.give_to_owner(fresh)
        with fresh.open("rb+") as written:
            os.fsync(written.fileno())
        return fresh


def _put_to_rest(copy: Path, why: str) -> int:
    with _told(copy), closing(_open(copy, "rw")) as connection, connection:

        def execute(sql: str, values: Sequence[Any]) -> int:
            return connection.execute(sql.replace("%s", "?"), values).rowcount

        end_sessions(execute, _tables(connection))
        return stop_live_runs(execute, why=why, now=datetime.now(UTC).strftime("%Y-%m-%d %H:%M:%S"))


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


def _tables(connection: sqlite3.Connection) -> set[str]:
    return {str(name) for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}


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
