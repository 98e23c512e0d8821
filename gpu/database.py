"""The database from the loop of the GPU side: one thread, so that a locked file never stops the loop."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from django.db import close_old_connections, connections

T = TypeVar("T")


class DatabaseThread:
    def __init__(self) -> None:
        self._executor = ThreadPoolExecutor(1, "gpu-rows")

    async def run(self, work: Callable[[], T]) -> T:
        """What `work` returns or raises; all work is done one after the other."""
        return await asyncio.get_running_loop().run_in_executor(self._executor, _fresh, work)

    def close(self) -> None:
        """End after what was asked so far."""
        self._executor.submit(connections.close_all)
        self._executor.shutdown()


def _fresh(work: Callable[[], T]) -> T:
    close_old_connections()
    return work()
