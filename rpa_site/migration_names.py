"""Migrations by name: which this version knows, and how some of them are told."""

from __future__ import annotations

from collections.abc import Sequence

from django.db.migrations.loader import MigrationLoader

MigrationName = tuple[str, str]  # the application's label and the migration's name
MOST_TOLD = 4


def known() -> frozenset[MigrationName]:
    """The migrations that came with this version; the database is not asked."""
    return frozenset(MigrationLoader(None).disk_migrations)


def named(migrations: Sequence[MigrationName]) -> str:
    """The first few in words, and whether there are more."""
    told = ", ".join(f"{app}.{name}" for app, name in migrations[:MOST_TOLD])
    return f"{told}, …" if len(migrations) > MOST_TOLD else told
