"""Ollama as its client sees it: what is there, what is loaded, loading, unloading, answers (S3.2, A.1 to A.4)."""

from __future__ import annotations

import base64
from collections.abc import AsyncGenerator, Iterator, Mapping, Sequence
from contextlib import aclosing
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from itertools import takewhile
from typing import Any

import httpx

from gpu.config import GPUResourceConfig
from gpu.exceptions import AnswerBroken, CloudModelRefused, LoadFailed, ModelMissing, ServerAway, VLMUnavailable
from gpu.types import ChatMessage, Chunk, CloudAllowed, ModelCard, ModelOnDisk, Resident, nowhere
from gpu.wire.contents import count_of, mapping_of, read_object, refuse_what_cannot_fit, text_of, without_fence
from gpu.wire.http import ModelServer, ServerConnection, error_text, failure_of, refusal_of, words_of
from sentences.said import say

MB = 1024 * 1024
NANO = 1_000_000_000
CLOUD = (":cloud", "-cloud")
WHO = "Ollama"
FORBIDDEN = (
    "Ollama refuses to talk to this machine (403 without a reason): it accepts only a local Host header. Reach it as "
    "localhost, or set OLLAMA_HOST where it runs so that it listens on the network."
)
GENERATE = "/api/generate"
LEAVES_BY_ITSELF_S = 60.0  # after our own idle time: a model whose owner died does not stay for ever
KNOWS_TRUNCATE = (0, 13)  # from then on `truncate: false` is obeyed, before that it is ignored


def tagged(model: str) -> str:
    """The name as the server keeps it: without a tag it is the latest."""
    return model if ":" in model.rpartition("/")[2] else f"{model}:latest"


def is_named(entry: ModelOnDisk | Resident, model: str) -> bool:
    return tagged(entry.name) == tagged(model)


def is_cloud_name(model: str) -> bool:
    return model.lower().endswith(CLOUD)


class OllamaManager(ModelServer):
    chat_path = "/api/chat"

    def __init__(
        self,
        config: GPUResourceConfig,
        *,
        transport: httpx.AsyncBaseTransport | None = None,
        cloud_allowed: CloudAllowed = nowhere,
    ) -> None:
        url, connect_s = config.ollama_url, config.connect_timeout_s
        wire = ServerConnection(url, who=WHO, connect_timeout_s=connect_s, transport=transport)
        super().__init__(config, wire, cloud_allowed)
        self._version: tuple[int, ...] | None = None

    # --- what is there ----------------------------------------------------------------------------------------------
    async def health(self) -> str:
        """The version of the server, which touches no model; raises ServerAway."""
        version = (await self._ask("GET", "/api/version", late=ServerAway)).get("version")
        if not isinstance(version, str):
            raise self._wire.stranger("/api/version")
        self._version = _numbers(version)
        return version[:50]

    async def list_models(self) -> tuple[ModelOnDisk, ...]:
        return tuple(
            ModelOnDisk(
                name=name,
                digest=text_of(entry.get("digest")),
                size_mb=count_of(entry.get("size")) // MB,
                capabilities=_words(entry.get("capabilities")),
                remote=_is_remote(name, entry),
            )
            for name, entry in _entries(await self._ask("GET", "/api/tags"))
        )

    async def loaded_models(self) -> tuple[Resident, ...]:
        """The models in memory; one that is being loaded is not among them (an old server lists it with 0 MB)."""
        return tuple(
            Resident(
                name=name,
                digest=text_of(entry.get("digest")),
                size_mb=count_of(entry.get("size")) // MB,
                vram_mb=count_of(entry.get("size_vram")) // MB,
                context_length=count_of(entry.get("context_length")) or None,
                expires_at=_moment(entry.get("expires_at")),
            )
            for name, entry in _entries(await self._ask("GET", "/api/ps"))
        )

    async def is_model_loaded(self, model: str) -> bool:
        return any(is_named(entry, model) for entry in await self.loaded_models())

    async def show(self, model: str) -> ModelCard:
        said = await self._ask("POST", "/api/show", model=model, body={"model": model})
        facts = mapping_of(said.get("model_info"))
        length = next((value for key, value in facts.items() if str(key).endswith(".context_length")), None)
        return ModelCard(
            name=model,
            capabilities=_words(said.get("capabilities")),
            context_length=count_of(length) or None,
            remote=_is_remote(model, said),
        )

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
        said = await self._ask(
            "POST", GENERATE, model=model, body={"model": model, "stream": False, **self._options()}, limit_s=limit_s,
            loading=True, late=lambda _: LoadFailed(say("server.ollama_slow", model=model, n=limit_s)),
        )  # fmt: skip
        if said.get("done") is not True:
            raise LoadFailed(say("server.ollama_unsaid", model=model))

    async def unload_model(self, model: str) -> None:
        """Ask for the unload; the answer is a receipt, `is_model_loaded` tells when it is gone."""
        await self._ask("POST", GENERATE, model=model, body={"model": model, "keep_alive": 0, "stream": False})

    # --- answers ----------------------------------------------------------------------------------------------------
    async def answer(self, model: str, *, prompt: str, pictures: Sequence[bytes], schema: Mapping[str, Any]) -> Chunk:
        """The model's whole answer about encoded pictures: JSON after `schema`, and still not to be relied on."""
        message = ChatMessage(role="user", content=prompt, pictures=tuple(pictures))
        texts, last = list[str](), Chunk()
        async with aclosing(self.chat(model, [message], schema=schema)) as chunks:
            async for last in chunks:
                texts.append(last.text)
        return replace(last, text=without_fence("".join(texts)))

    async def _context(self, model: str, messages: Sequence[ChatMessage], context_length: int) -> int:
        context = min(context_length, self.config.num_ctx)
        if self._version is None:
            await self.health()
        if (self._version or ()) < KNOWS_TRUNCATE:
            refuse_what_cannot_fit(messages, context_length=context, model=model)
        return context

    def _message(self, role: str, text: str, pictures: Sequence[bytes]) -> dict[str, Any]:
        images = [base64.b64encode(picture).decode() for picture in pictures]
        return {"role": role, "content": text, **({"images": images} if images else {})}

    def _options(self, max_tokens: int | None = None, schema: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """The same for all who ask one model: another context would load it anew (A.3)."""
        config, asks = self.config, max_tokens is not None
        tokens = max_tokens or config.max_tokens
        return {
            "keep_alive": int(config.idle_timeout_s + LEAVES_BY_ITSELF_S),
            "options": {"num_ctx": config.num_ctx, "num_predict": tokens, "temperature": 0, "seed": 0},
            # else the oldest messages go without a word, and those of the beginning while it answers
            **({"think": False, "truncate": False, "shift": False} if asks else {}),
            **({} if schema is None else {"format": dict(schema)}),
        }

    async def _chunks(self, lines: AsyncGenerator[str], model: str) -> AsyncGenerator[tuple[Chunk, str]]:
        first, may_be_far = True, False
        async for line in lines:
            try:
                said = read_object(line, model=model)
            except AnswerBroken as error:
                if first:
                    raise self._wire.stranger(self.chat_path) from error
                raise
            first = False
            if said.get("error"):
                raise failure_of(error_text(said), who=WHO, model=model)
            if (said.get("remote_host") or said.get("remote_model")) and not may_be_far:
                may_be_far = await self._cloud_allowed(model)
                if not may_be_far:
                    raise CloudModelRefused(say("server.from_cloud", model=model))
            message = mapping_of(said.get("message"))
            chunk = Chunk(
                text=text_of(message.get("content")),
                done=said.get("done") is True,
                done_reason=text_of(said.get("done_reason"))[:40],
                tokens_in=count_of(said.get("prompt_eval_count")),
                tokens_out=count_of(said.get("eval_count")),
                load_s=count_of(said.get("load_duration")) / NANO,
            )
            yield chunk, text_of(message.get("thinking"))

    # --- asking -----------------------------------------------------------------------------------------------------
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
        refusal = partial(self._refused, what=path, model=model, loading=loading)
        limit_s = limit_s or self.config.ask_timeout_s
        try:
            said = await self._wire.ask(method, path, body=body, limit_s=limit_s, refusal=refusal, **more)
        except ServerAway:
            self._version = None  # another one may be there when it is back
            raise
        if said.get("error"):
            raise failure_of(error_text(said), who=WHO, model=model, loading=loading)
        return said

    def _refused(self, status: int, raw: bytes, headers: Mapping[str, str], **about: Any) -> VLMUnavailable:
        """404 means the model, by its status."""
        said, model = words_of(raw), about["model"]
        if status == 403 and not raw.strip():
            return ServerAway(FORBIDDEN, passing=False)
        if status == 403 and "cloud" in said.lower():
            return CloudModelRefused(say("server.no_cloud_model", model=model, why=said))
        if status == 404 and model:
            return ModelMissing(say("server.ollama_lacks", model=model, why=said or say("gpu.no_reason")))
        return refusal_of(status, said, headers, who=WHO, **about)


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


def _numbers(version: str) -> tuple[int, ...]:
    """0.33.0-rc1 is (0, 33, 0); what is no version at all is taken for an old one."""
    parts = version.partition("-")[0].split(".")[:3]
    return tuple(int(part) for part in takewhile(str.isdecimal, parts))
