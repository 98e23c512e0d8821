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

Rows = list[tuple[Any, ...]]


@contextmanager
def flushed_quickly() -> Iterator[None]:
    """Inside; to be entered while the database is as the migrations have left it. SQLite alone: values are kept raw."""
    if connection.vendor != "sqlite":
        yield
        return
    made = {table: rows for table in _tables() if (rows := _rows(table))}
    plain: Callable[[TransactionTestCase], None] = TransactionTestCase._fixture_teardown  # type: ignore[attr-defined]

    def flush(case: TransactionTestCase) -> None:
        if case.available_apps is not None:
            plain(case)
            return
        with transaction.atomic():
            for table in _written(made):
                _refill(table, made.get(table, []))

    with mock.patch.object(TransactionTestCase, "_fixture_teardown", flush):
        yield


def _tables() -> list[str]:
    models = apps.get_models(include_auto_created=True)
    return sorted({model._meta.db_table for model in models if model._meta.managed and not model._meta.proxy})


def _rows(table: str) -> Rows:
    with connection.cursor() as cursor:
        return cursor.execute(f'SELECT * FROM "{table}" ORDER BY 1').fetchall()


def _written(made: dict[str, Rows]) -> list[str]:
    """The tables that are not as the migrations have left them."""
    others = [table for table in _tables() if table not in made]
    looks = " UNION ALL ".join(f"SELECT '{table}' WHERE EXISTS (SELECT 1 FROM \"{table}\")" for table in others)
    with connection.cursor() as cursor:
        found = [name for (name,) in cursor.execute(looks).fetchall()]
    return found + [table for table, rows in made.items() if _rows(table) != rows]


def _refill(table: str, rows: Rows) -> None:
    with connection.cursor() as cursor:
        cursor.execute(f'DELETE FROM "{table}"')
        if rows:
            cursor.executemany(f'INSERT INTO "{table}" VALUES ({", ".join(["%s"] * len(rows[0]))})', rows)
