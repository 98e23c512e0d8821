"""Work in tasks of its own: what it makes as it comes, or nobody waits for it and its failures are told."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator, Awaitable, Callable, Coroutine
from typing import Any, TypeVar

log = logging.getLogger(__name__)

T = TypeVar("T")


async def produced(work: Callable[[Callable[[T], None]], Coroutine[Any, Any, object]]) -> AsyncGenerator[T]:
    """What the work puts, as it comes. One task does all of it, so that what it enters it also leaves, whichever tasks
    fetch in how many steps; leaving early cancels it, and waits for its end.
    """
    parts: asyncio.Queue[T | None] = asyncio.Queue()  # bounded by the length of an answer
    task = asyncio.ensure_future(work(parts.put_nowait))
    task.add_done_callback(lambda _: parts.put_nowait(None))
    try:
        while (part := await parts.get()) is not None:
            yield part
        if not task.cancelled():
            task.result()
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


class Background:
    """In one event loop."""

    def __init__(self) -> None:
        self._work: set[asyncio.Future[Any]] = set()

    def begin(self, work: Awaitable[Any]) -> asyncio.Future[Any]:
        future = asyncio.ensure_future(work)
        self._work.add(future)
        future.add_done_callback(self._over)
        return future

    async def end(self) -> None:
        """Return when all of it is over, what it began meanwhile included."""
        while self._work:
            await asyncio.gather(*self._work, return_exceptions=True)

    def _over(self, future: asyncio.Future[Any]) -> None:
        self._work.discard(future)
        if not future.cancelled() and (error := future.exception()) is not None:
            log.error("something in the background of the models failed", exc_info=error)
