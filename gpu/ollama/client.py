"""Talking to Ollama: liveness, what is there, what is loaded, loading, unloading, answers (S3.2, A.1 to A.4)."""

from __future__ import annotations

import logging
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import replace
from functools import partial
from typing import Any

import httpx

from gpu.config import GPUResourceConfig
from gpu.exceptions import CloudModelRefused, LoadFailed, ServerAway
from gpu.ollama.protocol import (
    card,
    chat_body,
    is_cloud_name,
    is_named,
    on_disk,
    options,
    read_line,
    refused,
    resident,
    tagged,
    told,
)
from gpu.types import ChatMessage, Chunk, ModelCard, ModelOnDisk, Resident
from gpu.wire.answers import AnswerBuffer, max_bytes, without_fence
from gpu.wire.http import AnswerTimeouts, Refusal, ServerConnection
from gpu.wire.tokens import refuse_what_cannot_fit
from sentences.said import say

log = logging.getLogger(__name__)

CHAT, GENERATE = "/api/chat", "/api/generate"
LEAVES_BY_ITSELF_S = 60.0  # after our own idle time: a model whose owner died does not stay for ever
KNOWS_TRUNCATE = (0, 13)  # from then on `truncate: false` is obeyed, before that it is ignored


class OllamaManager:
    """One Ollama server, on the loop of `gpu.runtime`; every failure is a VLMUnavailable with the reason in words.

    `cloud_allowed` says of a model whether an admin lets it run on somebody else's machine.
    """

    def __init__(
        self,
        config: GPUResourceConfig,
        *,
        transport: httpx.AsyncBaseTransport | None = None,
        cloud_allowed: Callable[[str], bool] = lambda model: False,
    ) -> None:
        self.config = config
        self._cloud_allowed = cloud_allowed
        self._wire = ServerConnection(
            config.ollama_url, who="Ollama", connect_timeout_s=config.connect_timeout_s, transport=transport
        )
        self._version: tuple[int, ...] | None = None
        self._digests: dict[str, str] = {}  # as last seen, by name

    async def aclose(self) -> None:
        await self._wire.aclose()

    # --- what is there ----------------------------------------------------------------------------------------------
    async def health(self) -> str:
        """The version of the server, which touches no model; raises ServerAway."""
        said = await self._ask("GET", "/api/version", late=ServerAway)
        version = said.get("version")
        if not isinstance(version, str):
            raise self._wire.stranger("/api/version")
        self._version = _numbers(version)
        return version[:50]

    async def list_models(self) -> tuple[ModelOnDisk, ...]:
        models = on_disk(await self._ask("GET", "/api/tags"))
        self._note_digests(models)
        return models

    async def loaded_models(self) -> tuple[Resident, ...]:
        """The models in memory; one that is being loaded is not among them (an old server lists it with 0 MB)."""
        models = resident(await self._ask("GET", "/api/ps"))
        self._note_digests(models)
        return models

    async def is_model_loaded(self, model: str) -> bool:
        return any(is_named(entry, model) for entry in await self.loaded_models())

    async def show(self, model: str) -> ModelCard:
        return card(model, await self._ask("POST", "/api/show", model=model, body={"model": model}))

    async def refuse_cloud(self, model: str) -> None:
        """A cloud model would send screens to another machine through the same local API (T9)."""
        if self._cloud_allowed(model):
            return
        if is_cloud_name(model) or (await self.show(model)).remote:
            raise CloudModelRefused(say("server.in_cloud", model=model))

    # --- into memory and out of it ----------------------------------------------------------------------------------
    async def load_model(self, model: str) -> None:
        """Block until the model is loaded: one try. Whoever stops waiting aborts the load on the server."""
        await self.refuse_cloud(model)
        limit_s = self.config.load_timeout_s
        body = {"model": model, "stream": False, "keep_alive": self.keep_alive_s, "options": options(self.config)}
        said = await self._ask(
            "POST", GENERATE, model=model, body=body, limit_s=limit_s, loading=True,
            late=lambda _: LoadFailed(say("server.ollama_slow", model=model, n=limit_s)),
        )  # fmt: skip
        if said.get("done") is not True:
            raise LoadFailed(say("server.ollama_unsaid", model=model))

    async def unload_model(self, model: str) -> None:
        """Ask for the unload; the answer is a receipt, `is_model_loaded` tells when it is gone."""
        body = {"model": model, "keep_alive": 0, "stream": False}
        await self._ask("POST", GENERATE, model=model, body=body)

    # --- answers ----------------------------------------------------------------------------------------------------
    async def chat(
        self,
        model: str,
        messages: Sequence[ChatMessage],
        *,
        schema: Mapping[str, Any] | None = None,
        max_tokens: int | None = None,
        context_length: int | None = None,
    ) -> AsyncGenerator[Chunk]:
        """The answer as it comes; the last chunk is `done`. Raises where there is no whole answer (A.4).

        The same options for all who ask one model: other ones would load it anew (A.3). With a schema the answer is
        JSON after it, checked here too, else AnswerUnusable; without one it may be cut (`done_reason` “length”).
        `context_length` is that of the model where it holds less than the context all are loaded with.
        """
        if not messages:
            raise ValueError("there is nothing to ask: no messages")
        await self.refuse_cloud(model)
        tokens = max_tokens or self.config.max_tokens
        context = min(context_length or self.config.num_ctx, self.config.num_ctx)
        if not await self._knows_truncate():
            refuse_what_cannot_fit(messages, context_length=context, model=model)
        body = await chat_body(
            self.config, model, messages, schema=schema, max_tokens=tokens, keep_alive_s=self.keep_alive_s
        )
        gathering = AnswerBuffer(model, max_tokens=tokens, context_length=context, schema=schema)
        stranger, may_be_far, first = self._wire.stranger(CHAT), self._cloud_allowed(model), True
        async with aclosing(self._lines(model, body, tokens=tokens)) as lines:
            async for line in lines:
                chunk, thinking = read_line(line, model=model, first=first, stranger=stranger, may_be_far=may_be_far)
                first = False
                gathering.add(chunk.text, thinking=thinking)
                if chunk.done:
                    gathering.check(chunk)
                    yield chunk
                    return
                if chunk.text:
                    yield chunk
        raise gathering.unended()

    async def answer(self, model: str, *, prompt: str, pictures: Sequence[bytes], schema: Mapping[str, Any]) -> Chunk:
        """The model's whole answer about encoded pictures: JSON after `schema`, and still not to be relied on."""
        message = ChatMessage(role="user", content=prompt, pictures=tuple(pictures))
        texts: list[str] = []
        last = Chunk()
        async with aclosing(self.chat(model, [message], schema=schema)) as chunks:
            async for last in chunks:
                texts.append(last.text)
        return replace(last, text=without_fence("".join(texts)))

    # --- small parts ------------------------------------------------------------------------------------------------
    @property
    def keep_alive_s(self) -> int:
        return int(self.config.idle_timeout_s + LEAVES_BY_ITSELF_S)

    def _lines(self, model: str, body: Mapping[str, Any], *, tokens: int) -> AsyncGenerator[str]:
        """Until the first one a model may read its prompt for as long as an answer may take."""
        whole_s = self.config.answer_timeout_s
        patience = AnswerTimeouts(first_s=whole_s, silence_s=self.config.silence_timeout_s, whole_s=whole_s)
        return self._wire.lines(
            CHAT, body, patience=patience, max_bytes=max_bytes(tokens), refusal=self._refusal(CHAT, model)
        )

    async def _knows_truncate(self) -> bool:
        if self._version is None:
            await self.health()
        return (self._version or ()) >= KNOWS_TRUNCATE

    async def _ask(
        self,
        method: str,
        path: str,
        *,
        model: str = "",
        body: Mapping[str, Any] | None = None,
        limit_s: float | None = None,
        loading: bool = False,
        **more: Any,
    ) -> dict[str, Any]:
        refusal = self._refusal(path, model, loading=loading)
        limit_s = limit_s or self.config.ask_timeout_s
        try:
            said = await self._wire.ask(method, path, body=body, limit_s=limit_s, refusal=refusal, **more)
        except ServerAway:
            self._version = None  # another one may be there when it is back
            raise
        if said.get("error"):
            raise told(said, model=model, loading=loading)
        return said

    def _refusal(self, path: str, model: str, *, loading: bool = False) -> Refusal:
        return partial(refused, what=path, model=model, loading=loading)

    def _note_digests(self, models: Sequence[ModelOnDisk] | Sequence[Resident]) -> None:
        """A name whose digest changed is another model, though it is called the same."""
        for entry in models:
            name, known = tagged(entry.name), self._digests.get(tagged(entry.name))
            if known and entry.digest and known != entry.digest:
                log.warning("“%s” is another model than before: its digest changed", name)
            if entry.digest:
                self._digests[name] = entry.digest


def _numbers(version: str) -> tuple[int, ...]:
    """0.33.0-rc1 is (0, 33, 0); what is no version at all is taken for an old one."""
    numbers: list[int] = []
    for part in version.partition("-")[0].split(".")[:3]:
        if not part.isdecimal():
            break
        numbers.append(int(part))
    return tuple(numbers)
