"""Loading a model before it is asked for, into memory that is free (S4.5)."""

from __future__ import annotations

import asyncio
import logging

from gpu.catalogue.entries import ModelEntry, find
from gpu.choices import ProviderName, UseOutcome
from gpu.conversation.answering import AnsweringTools, use_of
from gpu.conversation.talk import Talk
from gpu.exceptions import GPUError
from gpu.runtime import Background
from gpu.selection.choice import obstacle
from gpu.selection.situation import Task
from gpu.types import ChatMessage, Chunk, Provider, Purpose

log = logging.getLogger(__name__)

PATIENCE_S = 600.0  # a cold load from a network volume takes minutes (A.4)


class Preloads:
    """Each model once at a time; what comes of it is in the log and among the uses."""

    def __init__(self, tools: AnsweringTools, background: Background) -> None:
        self._tools, self._background = tools, background
        self._running: dict[str, asyncio.Future[bool]] = {}

    @property
    def keys(self) -> tuple[str, ...]:
        """The models that are being loaded ahead now."""
        return tuple(sorted(self._running))

    async def begin(self, named: str) -> None:
        """Raises UnknownModel."""
        entry = find((await self._tools.observer.look()).catalogue, named)
        if entry.key not in self._running:
            work = self._running[entry.key] = self._background.begin(self._load(entry))
            work.add_done_callback(lambda _: self._running.pop(entry.key, None))

    def cancel(self) -> None:
        for work in tuple(self._running.values()):
            work.cancel()

    async def _load(self, entry: ModelEntry) -> bool:
        """Whether it is loaded then."""
        now = (await self._tools.observer.look()).situation
        if entry.key in now.loaded:
            return True
        if barred := obstacle(entry, Task(), now):
            log.warning("“%s” is not loaded ahead: it %s", entry.key, barred)
            return False
        talk, began, outcome, error = Talk(purpose=Purpose.PRELOAD), self._tools.clock(), UseOutcome.CANCELLED, ""
        try:
            async with self._tools.lend(entry, talk, PATIENCE_S) as provider:
                if entry.provider is ProviderName.OPENAI:
                    await _one_word(provider, entry)
            outcome = UseOutcome.ANSWERED
            log.info("“%s” was loaded ahead", entry.key)
        except GPUError as failure:
            outcome, error = UseOutcome.FAILED, type(failure).__name__
            log.warning("“%s” could not be loaded ahead: %s", entry.key, failure)
        finally:
            seconds = self._tools.clock() - began
            self._tools.record(use_of(entry, talk, outcome, seconds=seconds, last=Chunk(), error=error))
        return outcome is UseOutcome.ANSWERED


async def _one_word(provider: Provider, entry: ModelEntry) -> None:
    """Such a server loads a model when it is asked something."""
    asked = [ChatMessage(role="user", content="Say OK.")]
    async for _chunk in provider.chat(entry.name, asked, context_length=entry.context_length, max_tokens=4):
        pass
