"""Work that nobody waits for: begun, kept hold of, its failures told."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable
from typing import Any

log = logging.getLogger(__name__)


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
