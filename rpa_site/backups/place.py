"""Where the data lies that is backed up, and what each kind of database can do for it."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, Self

from django.conf import settings
from django.db import connection
from django.utils.module_loading import import_string
from django.utils.translation import gettext as _

from rpa_site.migration_names import MigrationName
from workflows import vault_keys

# By name: PostgreSQL's client is there only where it is used.
BACK_ENDS = {
    "django.db.backends.sqlite3": "rpa_site.backups.sqlite_file.SqliteFile",
    "django.db.backends.postgresql": "rpa_site.backups.postgresql.PostgreSQL",
}


class BackupError(Exception):
    """The message says what is wrong, where, and what to do; nothing has been changed."""


class Database(Protocol):
    """One installation's database: how a copy is made of it while it is used, and put in its place.

    A copy is one file. What reads or writes raises BackupError. `replaced`: what was here goes with the restore.
    """

    @property
    def entry(self) -> str:
        """What its copy is called in a backup."""

    @property
    def replaced(self) -> bool: ...

    def snapshot(self, target: Path) -> None:
        """A complete copy as it is at one moment, while others read and write, and found sound."""

    def check(self, copy: Path) -> None:
        """Read the whole of it; raises BackupError when it is damaged."""

    def applied_migrations(self, copy: Path) -> tuple[MigrationName, ...]:
        """What django_migrations says there; raises BackupError when it is no database of this product."""

    def picture_names(self, copy: Path) -> frozenset[str]:
        """The digests of the pictures that workflows refer to there."""

    def obstacle(self, copy: Path) -> str:
        """Why this copy cannot be put here now, and what to do; empty where it can."""

    def files(self) -> Sequence[Path]:
        """Where what `put` replaces may lie on this disk."""

    def put(self, copy: Path, *, why: str, place: DataPlace) -> int:
        """Put it in place in one move, its live runs stopped (`why`), its sessions ended; gives how many runs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DataPlace:
    """One installation's data. `key` opens the passwords that are kept in the database."""

    data: Path
    database: Database
    pictures: Path
    key: Path

    @classmethod
    def of_settings(cls) -> Self:
        """Raises BackupError where the database is of a kind that its own program copies better than we could."""
        engine, data = connection.settings_dict["ENGINE"], Path(settings.DATA_DIR)
        if engine not in BACK_ENDS:
            raise BackupError(
                _("The database (%(engine)s) is neither SQLite nor PostgreSQL: back it up with its own program.")
                % {"engine": engine}
            )
        database: Database = import_string(BACK_ENDS[engine]).of_settings()
        return cls(data=data, database=database, pictures=data / "pictures", key=vault_keys.path())

    def give_to_owner(self, path: Path) -> None:
        """What root puts here belongs to whom the data belongs to: the services would not get at it otherwise."""
        if not hasattr(os, "geteuid") or os.geteuid() != 0:
            return
        owner = self.data.stat()
        os.chown(path, owner.st_uid, owner.st_gid)
