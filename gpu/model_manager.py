"""The models behind the assistant: chosen anew before every answer, switched in silence, replaced when they fail."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from functools import cache, partial

from django.db import transaction

from gpu.catalogue import ModelEntry, allowed_elsewhere, entries, find
from gpu.choices import ProviderName, UseOutcome
from gpu.conversation import Answering, AnsweringTools, ContextManager, Talk, use_of
from gpu.exceptions import GPUError, NoModelFits, UnknownModel, VLMUnavailable
from gpu.manager import GPUResourceManager, get_gpu_resource_manager
from gpu.models import CatalogueModel, ModelUse
from gpu.openai import OpenAICompatibleProvider
from gpu.resources import ResourceMonitor, Resources
from gpu.runtime import Background, DatabaseThread, blocking
from gpu.selection.choice import RecentOutcomes, Selection, Task, obstacle
from gpu.selection.observer import CatalogueRows, Observer, read_rows
from gpu.types import ChatMessage, Chunk, ExecutionMode, Purpose
from gpu.wire.http import ModelServer
from sentences.said import say, told_by


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelLine:
    """One model of the catalogue; `barred` says why it cannot answer now, empty where it can."""

    entry: ModelEntry
    loaded: bool
    barred: str
    lowered: tuple[str, ...] = ()  # what speaks against it for a while


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelStatus:
    """`selection` is who would answer a question now; None, with the problem in words, where nobody can."""

    selection: Selection | None
    problem: str
    resources: Resources
    mode: ExecutionMode
    models: tuple[ModelLine, ...]
    preloading: tuple[str, ...] = ()

    @property
    def model(self) -> str:
        return self.selection.model.key if self.selection else ""

    @property
    def held(self) -> str:
        """The model that is held by hand; empty: the choice is free."""
        return next((line.entry.key for line in self.models if line.entry.held), "")


log = logging.getLogger(__name__)

PATIENCE_S = 600.0  # a cold load from a network volume takes minutes (A.4)
Conversation = Talk | Sequence[ChatMessage]
Question = str | ChatMessage

AUTO = "auto"


class ModelManager:
    """Without arguments it is around this process's manager of the GPU, with the servers of the settings (S11.12).

    Coroutines may be awaited in any event loop; `…_sync` and `iterate_response` are for code that has none.

    A conversation is a `Talk`, or messages with the system's first; the question is no part of it. `openai` is None
    where no such server is set up. `rows` and `keep` are what the database tells and is told.
    """

    def __init__(
        self,
        manager: GPUResourceManager | None = None,
        *,
        openai: ModelServer | None = None,
        monitor: ResourceMonitor | None = None,
        rows: Callable[[], CatalogueRows] = read_rows,
        keep: Callable[[ModelUse], None] = ModelUse.keep,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._database, self._background = DatabaseThread(), Background()
        if manager is None:
            manager = get_gpu_resource_manager()
            allowed = allowed_elsewhere(ProviderName.OPENAI, self._database)
            openai = OpenAICompatibleProvider.from_settings(manager.config, cloud_allowed=allowed)
        self._manager, self._openai = manager, openai
        self.runtime = manager.runtime
        recent = RecentOutcomes(clock)
        self._observer = Observer(
            manager,
            openai=openai,
            monitor=monitor or ResourceMonitor(),
            recent=recent,
            database=self._database,
            rows=rows,
        )
        self._tools = AnsweringTools(
            observer=self._observer,
            context=ContextManager(),
            recent=recent,
            lend=self._lend,
            record=lambda use: self._background.begin(self._database.run(lambda: keep(use))),
            config=manager.config,
            clock=clock,
        )
        self._preloading: dict[str, asyncio.Future[None]] = {}

    # --- answers ----------------------------------------------------------------------------------------------------
    async def select_best_model(self, conversation: Conversation, message: Question = "") -> Selection:
        """The model that would answer now, why, and why no other; raises NoModelFits (S4.2)."""
        return await self.runtime.wait(self._answering(message, conversation).choice())

    async def generate_response(self, message: Question, conversation: Conversation) -> Chunk:
        """The whole answer as one chunk; raises VLMUnavailable, whose `attempts` say what was tried."""
        return await self.runtime.wait(self._whole(message, conversation))

    def stream_response(self, message: Question, conversation: Conversation) -> AsyncIterator[Chunk]:
        """The answer as it comes. A chunk that is `restarted` voids what was shown before it; see generate_response."""
        return self.runtime.stream(partial(self._answer, message, conversation))

    def iterate_response(self, message: Question, conversation: Conversation) -> Iterator[Chunk]:
        return self.runtime.iterate(partial(self._answer, message, conversation))

    # --- models -----------------------------------------------------------------------------------------------------
    async def preload_model(self, model_key: str) -> None:
        """Load it in the background; returns at once. Raises UnknownModel; what fails later is in the log."""
        await self.runtime.wait(self._preload(model_key))

    async def switch_model(self, target_model_key: str) -> str:
        """Hold a model by hand, kept until `auto` lets the choice be free again; gives its key, or "auto"."""
        return await self.runtime.wait(self._database.run(lambda: hold(target_model_key)))

    async def get_current_model_status(self) -> ModelStatus:
        """Who would answer now and why, every model of the catalogue with what bars it, and the machine's resources."""
        return await self.runtime.wait(self._status())

    # --- for code without an event loop -----------------------------------------------------------------------------
    select_best_model_sync = blocking(select_best_model)
    generate_response_sync = blocking(generate_response)
    preload_model_sync = blocking(preload_model)
    switch_model_sync = blocking(switch_model)
    get_current_model_status_sync = blocking(get_current_model_status)

    def close(self) -> None:
        """End what goes on in the background, after what there is to keep was kept."""
        self.runtime.run(self._end())
        self._database.close()

    # --- in the loop of the runtime ---------------------------------------------------------------------------------
    def _answering(self, message: Question, conversation: Conversation) -> Answering:
        question = message if isinstance(message, ChatMessage) else ChatMessage(role="user", content=message)
        return Answering(tools=self._tools, talk=Talk.of(conversation), question=question)

    async def _whole(self, message: Question, conversation: Conversation) -> Chunk:
        chunks: list[Chunk] = []
        await self._answer(message, conversation, chunks.append)
        valid = max((index for index, chunk in enumerate(chunks) if chunk.restarted), default=0)
        return replace(chunks[-1], text="".join(chunk.text for chunk in chunks[valid:]))

    async def _answer(self, message: Question, conversation: Conversation, put: Callable[[Chunk], None]) -> None:
        await self._answering(message, conversation).run(put)

    async def _preload(self, named: str) -> None:
        """Each model once at a time."""
        entry = find((await self._observer.look())[0], named)
        if entry.key not in self._preloading:
            work = self._preloading[entry.key] = self._background.begin(self._load_ahead(entry))
            work.add_done_callback(lambda _: self._preloading.pop(entry.key, None))

    async def _load_ahead(self, entry: ModelEntry) -> None:
        """What comes of it is in the log and among the uses."""
        _catalogue, now = await self._observer.look()
        if entry.key in now.loaded:
            return
        if barred := obstacle(entry, Task(), now):
            log.warning("“%s” is not loaded ahead: it %s", entry.key, barred)
            return
        talk, began, outcome, error = Talk(purpose=Purpose.PRELOAD), self._tools.clock(), UseOutcome.CANCELLED, ""
        try:
            async with self._lend(entry, talk, PATIENCE_S) as server:
                if entry.provider is ProviderName.OPENAI:  # such a server loads a model when it is asked something
                    asked = [ChatMessage(role="user", content="Say OK.")]
                    async for _ in server.chat(entry.name, asked, context_length=entry.context_length, max_tokens=4):
                        pass
            outcome = UseOutcome.ANSWERED
            log.info("“%s” was loaded ahead", entry.key)
        except GPUError as failure:
            outcome, error = UseOutcome.FAILED, type(failure).__name__
            log.warning("“%s” could not be loaded ahead: %s", entry.key, failure)
        finally:
            seconds = self._tools.clock() - began
            self._tools.record(use_of(entry, talk, outcome, seconds=seconds, last=Chunk(), error=error))

    @asynccontextmanager
    async def _lend(self, entry: ModelEntry, talk: Talk, deadline_s: float) -> AsyncIterator[ModelServer]:
        """Ollama's models through the owner of the GPU, never past it; other servers have their own memory to mind."""
        if entry.provider is ProviderName.OPENAI:
            if self._openai is None:
                raise NoModelFits(say("choice.no_openai_for", model=entry.key))
            yield self._openai
            return
        lent = self._manager.using(
            entry.name, purpose=talk.purpose, deadline_s=deadline_s, asked_by=talk.asked_by or "assistant"
        )
        async with lent as ollama:
            yield ollama

    # --- how it stands ----------------------------------------------------------------------------------------------
    async def _status(self) -> ModelStatus:
        catalogue, now = await self._observer.look()
        selection, problem = None, ""
        try:
            selection = await self._answering("", Talk()).choice()
        except VLMUnavailable as error:
            problem = told_by(error)
        return ModelStatus(
            selection=selection,
            problem=problem,
            resources=now.resources,
            mode=now.mode,
            preloading=tuple(sorted(self._preloading)),
            models=tuple(
                ModelLine(
                    entry=entry,
                    loaded=entry.key in now.loaded,
                    barred=obstacle(entry, Task(), now),
                    lowered=tuple(mark.words for mark in now.lowered.get(entry.key, ())),
                )
                for entry in catalogue
            ),
        )

    async def _end(self) -> None:
        for work in tuple(self._preloading.values()):
            work.cancel()
        await self._background.end()
        if self._openai is not None:
            await self._openai.aclose()


@transaction.atomic
def hold(named: str) -> str:
    """Hold a model by hand until `auto`; raises UnknownModel, also for one that is not in use."""
    held = None if named == AUTO else find(entries(), named)
    if held is not None and not held.enabled:
        raise UnknownModel(say("model.not_in_use", model=held.key))
    CatalogueModel.objects.filter(held=True).update(held=False)
    if held is None:
        return AUTO
    CatalogueModel.objects.filter(key=held.key).update(held=True)
    return held.key


@cache
def get_model_manager() -> ModelManager:
    return ModelManager()
