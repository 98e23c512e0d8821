"""Where the data lies that is backed up, and where it does not."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from django.conf import settings
from django.db import connection
from django.utils.translation import gettext as _

from workflows import vault_keys

SQLITE = "django.db.backends.sqlite3"
POSTGRESQL = "django.db.backends.postgresql"


class BackupError(Exception):
    """The message says what is wrong, where, and what to do; nothing has been changed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DataPlace:
    """One installation's data. `key` opens the passwords that are kept in the database."""

    data: Path
    database: Path
    pictures: Path
    key: Path

    @classmethod
    def of_settings(cls) -> Self:
        """Raises BackupError where the database is no file: its own program copies it better than we could."""
        database, data = connection.settings_dict, Path(settings.DATA_DIR)
        if database["ENGINE"] != SQLITE:
            raise BackupError(_not_a_file(database["ENGINE"], str(database["NAME"]), data))
        return cls(data=data, database=Path(database["NAME"]), pictures=data / "pictures", key=vault_keys.path())

    def give_to_owner(self, path: Path) -> None:
        """What root puts here belongs to whom the data belongs to: the services would not get at it otherwise."""
        if not hasattr(os, "geteuid") or os.geteuid() != 0:
            return
        owner = self.data.stat()
        os.chown(path, owner.st_uid, owner.st_gid)


def _not_a_file(engine: str, name: str, data: Path) -> str:
    if engine != POSTGRESQL:
        return _("The database (%(engine)s) is no SQLite file: back it up with its own program.") % {"engine": engine}
    return _(
        "The database is PostgreSQL: save it with `pg_dump --format=custom --file=surehand.dump %(name)s` and put it "
        "back with `pg_restore --clean --dbname=%(name)s surehand.dump`, both while the run loops are stopped. Copy "
        "the folder %(pictures)s with it."
    ) % {"name": name, "pictures": data / "pictures"}
