"""The database from the loop of the GPU side: one thread, so that a locked file never stops the loop."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

from django.db import close_old_connections, connections

T = TypeVar("T")


class DatabaseThread:
    """All work is done one after the other, in the order it was asked."""

    def __init__(self) -> None:
        self._executor = ThreadPoolExecutor(1, "gpu-rows")

    async def run(self, work: Callable[[], T]) -> T:
        """What `work` returns or raises; it is done also when the caller gives up."""
        return await asyncio.wrap_future(self.submit(work))

    def submit(self, work: Callable[[], T]) -> Future[T]:
        """Have it done, from any thread."""
        return self._executor.submit(_fresh, work)

    def close(self) -> None:
        """End after what was asked so far."""
        self._executor.submit(connections.close_all)
        self._executor.shutdown()


def _fresh(work: Callable[[], T]) -> T:
    close_old_connections()
    return work()
