"""Servers that speak as OpenAI's does, LM Studio foremost: models, and answers as server-sent events (S4.1)."""

from __future__ import annotations

import base64
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace
from typing import Any, Self
from urllib.parse import urlsplit

import httpx
from django.core.exceptions import ImproperlyConfigured

from gpu.config import GPUResourceConfig, is_this_machine
from gpu.exceptions import CloudModelRefused, ServerAway, VLMUnavailable
from gpu.types import ChatMessage, Chunk, CloudAllowed, ModelOnDisk, nowhere
from gpu.wire.contents import (
    AnswerBuffer,
    as_sent,
    count_of,
    kind_of,
    mapping_of,
    max_bytes,
    read_object,
    refuse_what_cannot_fit,
    text_of,
    without_control,
)
from gpu.wire.http import AnswerTimeouts, Refusal, ServerConnection, error_text, failure_of, refusal_of, words_of
from sentences.said import say

WHO = say("server.openai")
DONE = "[DONE]"


@dataclass(frozen=True, slots=True, kw_only=True)
class StreamEvent:
    """One part. The reason of the end and the count of tokens come in parts of their own, in either order."""

    text: str = ""
    thinking: str = ""
    reason: str = ""
    tokens_in: int = 0
    tokens_out: int = 0

    @classmethod
    def read(cls, data: str, *, model: str, secret: str) -> Self:
        """Raises what an error in the event means, and AnswerBroken for one that is garbled."""
        said = read_object(data, model=model)
        if said.get("error"):
            words = error_text(said, secret=secret)
            raise failure_of(words, who=WHO, model=model)
        choices = said.get("choices")
        choice = choices[0] if isinstance(choices, list) and choices and isinstance(choices[0], dict) else {}
        delta, usage = mapping_of(choice.get("delta")), mapping_of(said.get("usage"))
        return cls(
            text=text_of(delta.get("content")),
            thinking=text_of(delta.get("reasoning_content")) or text_of(delta.get("reasoning")),
            reason=text_of(choice.get("finish_reason"))[:40],
            tokens_in=count_of(usage.get("prompt_tokens")),
            tokens_out=count_of(usage.get("completion_tokens")),
        )

    def end(self, last: Chunk | None) -> Chunk | None:
        """What is known of the end of the answer after this part; None while nothing said that it ended."""
        if self.reason:
            last = replace(last or Chunk(done=True), done_reason=self.reason)
        if last is not None and (self.tokens_in or self.tokens_out):
            last = replace(last, tokens_in=self.tokens_in, tokens_out=self.tokens_out)
        return last


async def chat_body(
    model: str,
    messages: Sequence[ChatMessage],
    *,
    schema: Mapping[str, Any] | None,
    max_tokens: int,
    max_megapixels: float,
) -> dict[str, Any]:
    """Raises PromptTooLarge or RequestRefused for a picture that cannot be sent."""
    form = {"name": "answer", "strict": True, "schema": schema}
    return {
        "model": model,
        "messages": [await _message(one, max_megapixels=max_megapixels) for one in messages],
        "stream": True,
        "stream_options": {"include_usage": True},
        "max_tokens": max_tokens,
        "temperature": 0,
        "seed": 0,
        **({} if schema is None else {"response_format": {"type": "json_schema", "json_schema": form}}),
    }


async def _message(message: ChatMessage, *, max_megapixels: float) -> dict[str, Any]:
    text = without_control(message.content)
    if not message.pictures:
        return {"role": message.role, "content": text}
    parts: list[dict[str, Any]] = [{"type": "text", "text": text}]
    for sent in await as_sent(message.pictures, max_megapixels=max_megapixels):
        url = f"data:image/{kind_of(sent)};base64,{base64.b64encode(sent).decode()}"
        parts.append({"type": "image_url", "image_url": {"url": url}})
    return {"role": message.role, "content": parts}


def listed(said: Mapping[str, Any], *, remote: bool) -> tuple[ModelOnDisk, ...]:
    """The models of a list; an entry that makes no sense is left out."""
    names = [text_of(mapping_of(entry).get("id")) for entry in said["data"]]
    return tuple(ModelOnDisk(name=name, digest="", size_mb=0, remote=remote) for name in names if name)


class OpenAICompatibleProvider:
    """One server. `cloud_allowed` says of a model whether an admin lets it run on another machine than this."""

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
        self.config = config
        self._key = key
        self._cloud_allowed = cloud_allowed
        parts = urlsplit(url)
        self.is_here = is_this_machine(url)
        self._wire = ServerConnection(
            url if parts.path.strip("/") else f"{url.rstrip('/')}/v1",
            who=WHO,
            connect_timeout_s=config.connect_timeout_s,
            headers={"Authorization": f"Bearer {key}"} if key else {},
            transport=transport,
        )

    @classmethod
    def from_settings(cls, config: GPUResourceConfig, **more: Any) -> Self | None:
        """The one of RPA_OPENAI_URL and RPA_OPENAI_KEY; None where no address is set."""
        from django.conf import settings

        return (
            cls(settings.RPA_OPENAI_URL, settings.RPA_OPENAI_KEY, config=config, **more)
            if settings.RPA_OPENAI_URL
            else None
        )

    async def aclose(self) -> None:
        await self._wire.aclose()

    async def list_models(self) -> tuple[ModelOnDisk, ...]:
        """What the server lists; it tells neither size nor digest."""
        said = await self._wire.ask(
            "GET", "/models", limit_s=self.config.ask_timeout_s, refusal=self._refusal("/models"), late=ServerAway
        )
        if not isinstance(said.get("data"), list):
            raise self._wire.stranger("/models")  # LM Studio answers what it does not know with 200 and an error
        return listed(said, remote=not self.is_here)

    async def chat(
        self,
        model: str,
        messages: Sequence[ChatMessage],
        *,
        context_length: int,
        max_tokens: int,
        schema: Mapping[str, Any] | None = None,
    ) -> AsyncGenerator[Chunk]:
        """The answer as it comes; the last chunk is `done`. Raises where there is no whole answer."""
        if not messages:
            raise ValueError("there is nothing to ask: no messages")
        await self.refuse_cloud(model)
        refuse_what_cannot_fit(messages, context_length=context_length, model=model)
        body = await chat_body(
            model, messages, schema=schema, max_tokens=max_tokens, max_megapixels=self.config.max_picture_megapixels
        )
        gathering = AnswerBuffer(model, max_tokens=max_tokens, context_length=context_length, schema=schema)
        last: Chunk | None = None
        lines = self._lines(body, max_tokens=max_tokens, model=model)
        async with aclosing(lines):
            async for line in lines:
                if not line.startswith("data:"):
                    self._refuse_stranger(line, begun=gathering.begun)
                    continue
                data = line.removeprefix("data:").strip()
                if data == DONE:
                    break
                event = StreamEvent.read(data, model=model, secret=self._key)
                gathering.add(event.text, thinking=event.thinking)
                last = event.end(last)
                if event.text:
                    yield Chunk(text=event.text)
        if last is None:
            raise gathering.unended()
        gathering.check(last)
        yield last

    async def refuse_cloud(self, model: str) -> None:
        """Screens do not leave this machine (T9), unless an admin allowed it for that model."""
        if not self.is_here and not await self._cloud_allowed(model):
            raise CloudModelRefused(say("server.on_another_machine", model=model))

    def _lines(self, body: Mapping[str, Any], *, max_tokens: int, model: str) -> AsyncGenerator[str]:
        config = self.config
        patience = AnswerTimeouts(
            first_s=config.load_timeout_s,
            silence_s=config.silence_timeout_s,
            whole_s=config.load_timeout_s + config.answer_timeout_s,
        )
        path = "/chat/completions"
        refusal = self._refusal(path, model)
        return self._wire.lines(path, body, patience=patience, max_bytes=max_bytes(max_tokens), refusal=refusal)

    def _refuse_stranger(self, line: str, *, begun: bool) -> None:
        """Comments and the names of events are passed over; anything else before an answer is no such server."""
        if not begun and not line.startswith((":", "event:", "id:", "retry:")):
            raise self._wire.stranger("/chat/completions")

    def _refusal(self, path: str, model: str = "") -> Refusal:
        def refused(status: int, raw: bytes, headers: Mapping[str, str]) -> VLMUnavailable:
            said = words_of(raw, secret=self._key)
            if status in (401, 403):
                return ServerAway(
                    say("server.key_refused", who=WHO, status=status, why=said or say("gpu.no_reason")), passing=False
                )
            return refusal_of(status, said, headers, who=WHO, what=path, model=model)

        return refused
