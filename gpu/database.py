"""The database from the loop of the GPU side: one thread, so that a locked file never stops the loop."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from threading import Lock
from typing import TypeVar

from django.db import Error, connections

T = TypeVar("T")


class DatabaseThread:
    """All work is done one after the other, in the order it was asked; the thread starts with the first."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._executor: ThreadPoolExecutor | None = None

    async def run(self, work: Callable[[], T]) -> T:
        """What `work` returns or raises; it is done also when the caller gives up."""
        return await asyncio.wrap_future(self.submit(work))

    def submit(self, work: Callable[[], T]) -> Future[T]:
        """Have it done, from any thread."""
        with self._lock:
            if self._executor is None:
                self._executor = ThreadPoolExecutor(1, "gpu-rows")
            return self._executor.submit(_fresh, work)

    def close(self) -> None:
        """End after what was asked so far."""
        with self._lock:
            executor, self._executor = self._executor, None
        if executor is not None:
            executor.submit(connections.close_all)
            executor.shutdown()


def _fresh(work: Callable[[], T]) -> T:
    """The connection stays open afterwards, for opening it takes longer than most work; after an error it goes."""
    for connection in connections.all(initialized_only=True):
        connection.close_at = None  # CONN_MAX_AGE is about requests
    try:
        return work()
    except Error:
        connections.close_all()
        raise
