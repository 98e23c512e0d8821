"""After a test that committed rows: they go, and what the migrations made (rights, roles, models) stays as it was.

Django's own flush empties every table, and makes those anew each time: half a second for a test of some milliseconds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from unittest import mock

from django.apps import apps
from django.db import connection, transaction
from django.test import TransactionTestCase

Rows = list[Any]  # as the database gives and takes them: tuples, or on PostgreSQL the lines of COPY


@contextmanager
def flushed_quickly() -> Iterator[Callable[[], list[str]]]:
    """Inside; to be entered while the database is as the migrations have left it. Values are kept raw. What it gives
    does it at once, and names the tables that were not as they were."""
    if not can_be_flushed_quickly():
        yield lambda: []
        return
    made = {table: rows for table in _tables() if (rows := _rows(table))}
    plain: Callable[[TransactionTestCase], None] = TransactionTestCase._fixture_teardown  # type: ignore[attr-defined]

    def flush() -> list[str]:
        if not (written := _written(made)):
            return []
        with transaction.atomic(), _unguarded():
            for table in written:
                _refill(table, made.get(table, []))
        return written

    def teardown(case: TransactionTestCase) -> None:
        if case.available_apps is None:
            flush()
        else:
            plain(case)

    with mock.patch.object(TransactionTestCase, "_fixture_teardown", teardown):
        yield flush


def can_be_flushed_quickly() -> bool:
    """On SQLite, and for an owner of a PostgreSQL server: elsewhere the guards of the audit cannot be put aside."""
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SELECT rolsuper FROM pg_roles WHERE rolname = current_user")
            return bool(cursor.fetchone()[0])
    return connection.vendor == "sqlite"


@contextmanager
def _unguarded() -> Iterator[None]:
    """Without the triggers that keep rows from being deleted; afterwards they are there again."""
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute("SET LOCAL session_replication_role = replica")
            yield
            cursor.execute("SET LOCAL session_replication_role = origin")
            return
        guards = "SELECT name, sql FROM sqlite_master WHERE type = 'trigger' AND tbl_name = 'audit_entries'"
        triggers = cursor.execute(guards).fetchall()
        for name, _sql in triggers:
            cursor.execute(f'DROP TRIGGER "{name}"')
        yield
        for _name, sql in triggers:
            cursor.execute(sql)


def _tables() -> list[str]:
    models = apps.get_models(include_auto_created=True)
    return sorted({model._meta.db_table for model in models if model._meta.managed and not model._meta.proxy})


def _rows(table: str) -> Rows:
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            with cursor.copy(f'COPY "{table}" TO STDOUT') as copy:
                return sorted(b"".join(bytes(part) for part in copy).splitlines(keepends=True))
        return cursor.execute(f'SELECT * FROM "{table}" ORDER BY 1').fetchall()


def _written(made: dict[str, Rows]) -> list[str]:
    """The tables that are not as the migrations have left them."""
    others = [table for table in _tables() if table not in made]
    looks = " UNION ALL ".join(f"SELECT '{table}' WHERE EXISTS (SELECT 1 FROM \"{table}\")" for table in others)
    with connection.cursor() as cursor:
        cursor.execute(looks)
        found = [name for (name,) in cursor.fetchall()]
    return found + [table for table, rows in made.items() if _rows(table) != rows]


def _refill(table: str, rows: Rows) -> None:
    with connection.cursor() as cursor:
        cursor.execute(f'DELETE FROM "{table}"')
        if rows and connection.vendor == "postgresql":
            with cursor.copy(f'COPY "{table}" FROM STDIN') as copy:
                copy.write(b"".join(rows))
        elif rows:
            cursor.executemany(f'INSERT INTO "{table}" VALUES ({", ".join(["%s"] * len(rows[0]))})', rows)
