"""`manage.py migrate`, which alone makes the file of a new SQLite database."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandError, CommandParser
from django.core.management.commands import migrate

from execution.stream.tail import sqlite_file


class Command(migrate.Command):
    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--existing", action="store_true", help="Make no new database: fail where there is none.")

    def execute(self, *args: Any, **options: Any) -> str | None:
        """Make the file first: the system checks connect to it."""
        if file := sqlite_file():
            if options.get("existing") and not file.exists():
                raise CommandError(
                    f"There is no database {file}. Mount the disk that it is on; for a new one run manage.py migrate."
                )
            file.touch(mode=0o600)
        return super().execute(*args, **options)
