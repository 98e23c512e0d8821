"""Servers that speak as OpenAI's does, LM Studio foremost: models, and answers as server-sent events (S4.1)."""

from __future__ import annotations

import base64
from collections.abc import AsyncGenerator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Self
from urllib.parse import urlsplit

import httpx
from django.core.exceptions import ImproperlyConfigured

from gpu.config import GPUResourceConfig, is_this_machine
from gpu.exceptions import CloudModelRefused, ServerAway, VLMUnavailable
from gpu.types import ChatMessage, Chunk, CloudAllowed, ModelOnDisk, nowhere
from gpu.wire.contents import count_of, kind_of, mapping_of, read_object, refuse_what_cannot_fit, text_of
from gpu.wire.http import ModelServer, ServerConnection, error_text, failure_of, refusal_of, words_of
from sentences.said import say

WHO = say("server.openai")
DONE = "[DONE]"


class OpenAICompatibleProvider(ModelServer):
    """One server. `cloud_allowed` says of a model whether an admin lets it run on another machine than this."""

    chat_path = "/chat/completions"

    def __init__(
        self,
        url: str,
        key: str = "",
        *,
        config: GPUResourceConfig,
        transport: httpx.AsyncBaseTransport | None = None,
        cloud_allowed: CloudAllowed = nowhere,
    ) -> None:
        if not key.isascii() or not (key.isprintable() or not key):
            raise ImproperlyConfigured("RPA_OPENAI_KEY must be plain letters, digits and signs on one line.")
        self._key, self._loads_s = key, config.load_timeout_s
        self.is_here = is_this_machine(url)
        wire = ServerConnection(
            url if urlsplit(url).path.strip("/") else f"{url.rstrip('/')}/v1",
            who=WHO,
            connect_timeout_s=config.connect_timeout_s,
            headers={"Authorization": f"Bearer {key}"} if key else {},
            transport=transport,
        )
        super().__init__(config, wire, cloud_allowed)

    @classmethod
    def from_settings(cls, config: GPUResourceConfig, **more: Any) -> Self | None:
        """The one of RPA_OPENAI_URL and RPA_OPENAI_KEY; None where no address is set."""
        from django.conf import settings

        url = settings.RPA_OPENAI_URL
        return cls(url, settings.RPA_OPENAI_KEY, config=config, **more) if url else None

    async def list_models(self) -> tuple[ModelOnDisk, ...]:
        """What the server lists; it tells neither size nor digest, and an entry that makes no sense is left out."""
        refusal, limit_s = partial(self._refused, what="/models", model=""), self.config.ask_timeout_s
        listed = (await self._wire.ask("GET", "/models", limit_s=limit_s, refusal=refusal, late=ServerAway)).get("data")
        if not isinstance(listed, list):
            raise self._wire.stranger("/models")  # LM Studio answers what it does not know with 200 and an error
        names = [text_of(mapping_of(entry).get("id")) for entry in listed]
        return tuple(ModelOnDisk(name=name, digest="", size_mb=0, remote=not self.is_here) for name in names if name)

    async def refuse_cloud(self, model: str) -> None:
        if not self.is_here and not await self._cloud_allowed(model):
            raise CloudModelRefused(say("server.on_another_machine", model=model))

    # --- answers ----------------------------------------------------------------------------------------------------
    async def _context(self, model: str, messages: Sequence[ChatMessage], context_length: int) -> int:
        refuse_what_cannot_fit(messages, context_length=context_length, model=model)
        return context_length

    def _message(self, role: str, text: str, pictures: Sequence[bytes]) -> dict[str, Any]:
        if not pictures:
            return {"role": role, "content": text}
        parts: list[dict[str, Any]] = [{"type": "text", "text": text}]
        for sent in pictures:
            url = f"data:image/{kind_of(sent)};base64,{base64.b64encode(sent).decode()}"
            parts.append({"type": "image_url", "image_url": {"url": url}})
        return {"role": role, "content": parts}

    def _options(self, max_tokens: int, schema: Mapping[str, Any] | None) -> dict[str, Any]:
        form = {"name": "answer", "strict": True, "schema": schema}
        return {
            "stream_options": {"include_usage": True},
            "max_tokens": max_tokens,
            "temperature": 0,
            "seed": 0,
            **({} if schema is None else {"response_format": {"type": "json_schema", "json_schema": form}}),
        }

    async def _chunks(self, lines: AsyncGenerator[str], model: str) -> AsyncGenerator[tuple[Chunk, str]]:
        """The reason of the end and the count of tokens come in parts of their own, in either order."""
        last, begun = None, False
        async for line in lines:
            if not line.startswith("data:"):
                # comments and the names of events are passed over; anything else before an answer is no such server
                if not begun and not line.startswith((":", "event:", "id:", "retry:")):
                    raise self._wire.stranger(self.chat_path)
                continue
            data = line.removeprefix("data:").strip()
            if data == DONE:
                break
            said = read_object(data, model=model)
            if said.get("error"):
                raise failure_of(error_text(said, secret=self._key), who=WHO, model=model)
            choices = said.get("choices")
            choice = mapping_of(choices[0] if isinstance(choices, list) and choices else None)
            delta, usage = mapping_of(choice.get("delta")), mapping_of(said.get("usage"))
            if reason := text_of(choice.get("finish_reason"))[:40]:
                last = replace(last or Chunk(done=True), done_reason=reason)
            tokens_in, tokens_out = count_of(usage.get("prompt_tokens")), count_of(usage.get("completion_tokens"))
            if last is not None and (tokens_in or tokens_out):
                last = replace(last, tokens_in=tokens_in, tokens_out=tokens_out)
            text = text_of(delta.get("content"))
            thinking = text_of(delta.get("reasoning_content")) or text_of(delta.get("reasoning"))
            begun = begun or bool(text or thinking)
            yield Chunk(text=text), thinking
        if last is not None:
            yield last, ""

    def _refused(self, status: int, raw: bytes, headers: Mapping[str, str], **about: Any) -> VLMUnavailable:
        said = words_of(raw, secret=self._key)
        if status in (401, 403):
            why = said or say("gpu.no_reason")
            return ServerAway(say("server.key_refused", who=WHO, status=status, why=why), passing=False)
        return refusal_of(status, said, headers, who=WHO, **about)
