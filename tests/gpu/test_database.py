from __future__ import annotations

import threading

import pytest
from django.db import DatabaseError, connection

from gpu.runtime import DatabaseThread
from tests.gpu.rows import COMMITTED

pytestmark = COMMITTED


def ask(sql: str) -> object:
    with connection.cursor() as cursor:
        return cursor.execute(sql).fetchone()


async def test_all_work_is_done_by_one_thread_in_the_order_it_was_asked(database: DatabaseThread) -> None:
    done: list[tuple[int, str]] = []
    for number in range(20):
        database.submit(lambda number=number: done.append((number, threading.current_thread().name)))  # type: ignore[misc]
    await database.run(lambda: None)
    assert [number for number, _ in done] == list(range(20))
    assert {name for _, name in done} == {"gpu-rows"}


async def test_what_the_work_raises_is_raised_here(database: DatabaseThread) -> None:
    with pytest.raises(DatabaseError, match="nowhere"):
        await database.run(lambda: ask("SELECT * FROM nowhere"))
    assert await database.run(lambda: ask("SELECT 1"))


async def test_the_connection_stays_open_and_a_broken_one_is_replaced(database: DatabaseThread) -> None:
    await database.run(lambda: ask("SELECT 1"))
    opened = await database.run(lambda: connection.connection)
    assert await database.run(lambda: ask("SELECT 1") and connection.connection) is opened
    await database.run(lambda: connection.connection.close())
    with pytest.raises(DatabaseError, match="closed"):
        await database.run(lambda: ask("SELECT 1"))
    assert await database.run(lambda: ask("SELECT 1") and connection.connection) is not opened


async def test_it_ends_after_what_was_asked_and_starts_again_when_asked_again() -> None:
    database, done = DatabaseThread(), []
    for number in range(20):
        database.submit(lambda number=number: done.append(number))  # type: ignore[misc]
    database.close()
    assert done == list(range(20))
    database.close()  # harmless
    assert await database.run(lambda: 5) == 5
    database.close()
