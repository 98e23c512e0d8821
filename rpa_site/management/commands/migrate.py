"""`manage.py migrate`, which alone makes the file of a new SQLite database."""

from __future__ import annotations

from typing import Any

from django.core.management.commands import migrate

from execution.stream.tail import sqlite_file


class Command(migrate.Command):
    def execute(self, *args: Any, **options: Any) -> str | None:
        """Make the file first: the system checks connect to it."""
        if file := sqlite_file():
            file.touch(mode=0o600)
        return super().execute(*args, **options)
