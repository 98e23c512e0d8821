"""Ollama as its client sees it: what is there, what is loaded, loading, unloading, answers (S3.2, A.1 to A.4)."""

from __future__ import annotations

import base64
import logging
from collections.abc import AsyncGenerator, Iterator, Mapping, Sequence
from contextlib import aclosing
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from typing import Any

import httpx

from gpu.config import GPUResourceConfig
from gpu.exceptions import AnswerBroken, CloudModelRefused, LoadFailed, ModelMissing, ServerAway, VLMUnavailable
from gpu.types import ChatMessage, Chunk, CloudAllowed, ModelCard, ModelOnDisk, Resident, nowhere
from gpu.wire.contents import (
    AnswerBuffer,
    as_sent,
    count_of,
    mapping_of,
    max_bytes,
    read_object,
    refuse_what_cannot_fit,
    text_of,
    without_control,
    without_fence,
)
from gpu.wire.http import AnswerTimeouts, Refusal, ServerConnection, error_text, failure_of, refusal_of, words_of
from sentences.said import say

MB = 1024 * 1024
NANO = 1_000_000_000
CLOUD = (":cloud", "-cloud")
WHO = "Ollama"
FORBIDDEN = (
    "Ollama refuses to talk to this machine (403 without a reason): it accepts only a local Host header. Reach it as "
    "localhost, or set OLLAMA_HOST where it runs so that it listens on the network."
)


def options(config: GPUResourceConfig, *, max_tokens: int | None = None) -> dict[str, Any]:
    """The one set for all callers; `num_predict` is no part of what a model is loaded with."""
    return {"num_ctx": config.num_ctx, "num_predict": max_tokens or config.max_tokens, "temperature": 0, "seed": 0}


async def chat_body(
    config: GPUResourceConfig,
    model: str,
    messages: Sequence[ChatMessage],
    *,
    schema: Mapping[str, Any] | None,
    max_tokens: int,
    keep_alive_s: int,
) -> dict[str, Any]:
    """Raises PromptTooLarge or RequestRefused for a picture that cannot be sent."""
    return {
        "model": model,
        "messages": [await _message(one, max_megapixels=config.max_picture_megapixels) for one in messages],
        "stream": True,
        "think": False,
        "truncate": False,  # else the oldest messages go without a word
        "shift": False,  # and those of the beginning while it answers
        "keep_alive": keep_alive_s,
        "options": options(config, max_tokens=max_tokens),
        **({} if schema is None else {"format": dict(schema)}),
    }


async def _message(message: ChatMessage, *, max_megapixels: float) -> dict[str, Any]:
    said: dict[str, Any] = {"role": message.role, "content": without_control(message.content)}
    if message.pictures:
        pictures = await as_sent(message.pictures, max_megapixels=max_megapixels)
        said["images"] = [base64.b64encode(picture).decode() for picture in pictures]
    return said


def read_line(line: str, *, model: str, first: bool, stranger: VLMUnavailable) -> tuple[Chunk, str, bool]:
    """A part of an answer, what the model thought beside it, and whether it comes from a cloud; raises what an error in
    the line means.
    """
    try:
        said = read_object(line, model=model)
    except AnswerBroken as error:
        if first:
            raise stranger from error
        raise
    if said.get("error"):
        raise told(said, model=model)
    message = mapping_of(said.get("message"))
    chunk = Chunk(
        text=text_of(message.get("content")),
        done=said.get("done") is True,
        done_reason=text_of(said.get("done_reason"))[:40],
        tokens_in=count_of(said.get("prompt_eval_count")),
        tokens_out=count_of(said.get("eval_count")),
        load_s=count_of(said.get("load_duration")) / NANO,
    )
    return chunk, text_of(message.get("thinking")), bool(said.get("remote_host") or said.get("remote_model"))


def tagged(model: str) -> str:
    """The name as the server keeps it: without a tag it is the latest."""
    return model if ":" in model.rpartition("/")[2] else f"{model}:latest"


def is_named(entry: ModelOnDisk | Resident | ModelCard | str, model: str) -> bool:
    name = entry if isinstance(entry, str) else entry.name
    return tagged(name) == tagged(model)


def is_cloud_name(model: str) -> bool:
    return model.lower().endswith(CLOUD)


def on_disk(said: Mapping[str, Any]) -> tuple[ModelOnDisk, ...]:
    return tuple(
        ModelOnDisk(
            name=name,
            digest=text_of(entry.get("digest")),
            size_mb=count_of(entry.get("size")) // MB,
            capabilities=_words(entry.get("capabilities")),
            remote=_is_remote(name, entry),
        )
        for name, entry in _entries(said)
    )


def resident(said: Mapping[str, Any]) -> tuple[Resident, ...]:
    return tuple(
        Resident(
            name=name,
            digest=text_of(entry.get("digest")),
            size_mb=count_of(entry.get("size")) // MB,
            vram_mb=count_of(entry.get("size_vram")) // MB,
            context_length=count_of(entry.get("context_length")) or None,
            expires_at=_moment(entry.get("expires_at")),
        )
        for name, entry in _entries(said)
    )


def card(model: str, said: Mapping[str, Any]) -> ModelCard:
    facts = mapping_of(said.get("model_info"))
    length = next((value for key, value in facts.items() if str(key).endswith(".context_length")), None)
    return ModelCard(
        name=model,
        capabilities=_words(said.get("capabilities")),
        context_length=count_of(length) or None,
        remote=_is_remote(model, said),
    )


def _entries(said: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    models = said.get("models")
    for entry in models if isinstance(models, list) else ():
        facts = mapping_of(entry)
        if name := text_of(facts.get("name")) or text_of(facts.get("model")):
            yield name, facts


def _is_remote(name: str, entry: Mapping[str, Any]) -> bool:
    return is_cloud_name(name) or bool(entry.get("remote_host") or entry.get("remote_model"))


def _words(value: Any) -> frozenset[str]:
    return frozenset(one for one in value if isinstance(one, str)) if isinstance(value, list) else frozenset()


def _moment(value: Any) -> datetime | None:
    """Up to nine digits of a second; “forever” is told as a year some 292 years away."""
    try:
        moment = datetime.fromisoformat(str(value))
    except ValueError:
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def refused(
    status: int, raw: bytes, headers: Mapping[str, str], *, what: str, model: str = "", loading: bool = False
) -> VLMUnavailable:
    """The error for a refusal of the path `what`; `model` where it is about one. 404 means the model, by its status."""
    said = words_of(raw)
    if status == 403 and not raw.strip():
        return ServerAway(FORBIDDEN, passing=False)
    if status == 403 and "cloud" in said.lower():
        return CloudModelRefused(say("server.no_cloud_model", model=model, why=said))
    if status == 404 and model:
        return ModelMissing(say("server.ollama_lacks", model=model, why=said or say("gpu.no_reason")))
    return refusal_of(status, said, headers, who=WHO, what=what, model=model, loading=loading)


def told(said: Mapping[str, Any], *, model: str, loading: bool = False) -> VLMUnavailable:
    return failure_of(error_text(said), who=WHO, model=model, loading=loading)


log = logging.getLogger(__name__)

CHAT, GENERATE = "/api/chat", "/api/generate"
LEAVES_BY_ITSELF_S = 60.0  # after our own idle time: a model whose owner died does not stay for ever
KNOWS_TRUNCATE = (0, 13)  # from then on `truncate: false` is obeyed, before that it is ignored


class OllamaManager:
    """One Ollama server, on the loop of `gpu.runtime`; every failure is a VLMUnavailable with the reason in words."""

    def __init__(
        self,
        config: GPUResourceConfig,
        *,
        transport: httpx.AsyncBaseTransport | None = None,
        cloud_allowed: CloudAllowed = nowhere,
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
        is_far = is_cloud_name(model) or (await self.show(model)).remote
        if is_far and not await self._cloud_allowed(model):
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
        stranger, may_be_far, first = self._wire.stranger(CHAT), False, True
        async with aclosing(self._lines(model, body, tokens=tokens)) as lines:
            async for line in lines:
                chunk, thinking, is_far = read_line(line, model=model, first=first, stranger=stranger)
                if is_far and not may_be_far:
                    may_be_far = await self._cloud_allowed(model)
                    if not may_be_far:
                        raise CloudModelRefused(say("server.from_cloud", model=model))
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
