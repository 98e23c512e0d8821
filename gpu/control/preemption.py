"""A model in somebody's hands, and taken out of them for what is more urgent (S4.5)."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Mapping, Sequence
from contextlib import aclosing, asynccontextmanager
from typing import Any

import httpx

from gpu.config import GPUResourceConfig
from gpu.control.scheduler import QueueEntry
from gpu.exceptions import GpuBusy
from gpu.ollama import OllamaManager
from gpu.types import ChatMessage, Chunk

AGAIN_S = 1.0


class PreemptibleOllama(OllamaManager):
    """The manager's own client: an answer to a chat breaks off with the reason when the turn is taken from who asks.

    Whoever asks it has the turn, so the entry whose turn it is is the asker's; which task asks does not matter (a
    generator may be driven by another one for each item).
    """

    def __init__(
        self,
        config: GPUResourceConfig,
        *,
        entry: Callable[[], QueueEntry | None],
        transport: httpx.AsyncBaseTransport | None = None,
        cloud_allowed: Callable[[str], bool] = lambda model: False,
    ) -> None:
        super().__init__(config, transport=transport, cloud_allowed=cloud_allowed)
        self._entry = entry

    def chat(
        self,
        model: str,
        messages: Sequence[ChatMessage],
        *,
        schema: Mapping[str, Any] | None = None,
        max_tokens: int | None = None,
        context_length: int | None = None,
    ) -> AsyncGenerator[Chunk]:
        chunks = super().chat(model, messages, schema=schema, max_tokens=max_tokens, context_length=context_length)
        entry = self._entry()
        return chunks if entry is None else until_preempted(chunks, entry)


async def until_preempted(chunks: AsyncGenerator[Chunk], entry: QueueEntry) -> AsyncGenerator[Chunk]:
    """The same chunks; hangs up as soon as the turn is taken away, and raises why."""
    stop = asyncio.ensure_future(entry.preempted.wait())
    try:
        async with aclosing(chunks):
            while True:
                step = asyncio.ensure_future(anext(chunks, None))
                await _first_of(step, stop)
                if entry.error is not None:
                    raise entry.error
                chunk = step.result()
                if chunk is None:
                    return
                yield chunk
    finally:
        stop.cancel()


async def _first_of(step: asyncio.Future[Any], stop: asyncio.Future[Any]) -> None:
    """Wait for one of them; the step is ended in any case when the other one comes first, or nobody waits any more."""
    try:
        await asyncio.wait((step, stop), return_when=asyncio.FIRST_COMPLETED)
    finally:
        if not step.done():
            step.cancel()
            await asyncio.wait((step,))


@asynccontextmanager
async def cancelled_when_preempted(entry: QueueEntry) -> AsyncIterator[None]:
    """The block is cancelled, as asyncio.timeout does it, and the reason raised, when the turn is taken away.

    The block must be run by one task from its beginning to its end.
    """
    watcher: asyncio.Task[None] | None = None
    try:
        async with asyncio.timeout(None) as scope:
            watcher = asyncio.create_task(_end_when_preempted(entry, scope))
            yield
    except TimeoutError:
        if not scope.expired():
            raise
        raise (entry.error or GpuBusy("The turn was taken away.", retry_after_s=AGAIN_S)) from None
    finally:
        if watcher is not None:
            watcher.cancel()


async def _end_when_preempted(entry: QueueEntry, scope: asyncio.Timeout) -> None:
    await entry.preempted.wait()
    scope.reschedule(asyncio.get_running_loop().time())
