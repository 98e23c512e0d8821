"""What is common to the servers of models: an answer as it comes, bounded, checked before it counts (S4.1, A.4)."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing
from functools import partial
from typing import Any, ClassVar

from gpu.config import GPUResourceConfig
from gpu.exceptions import VLMUnavailable
from gpu.types import ChatMessage, Chunk, CloudAllowed, ModelOnDisk
from gpu.wire.contents import AnswerBuffer, as_sent, max_bytes, without_control
from gpu.wire.http import ServerConnection


class ModelServer:
    """One server, on the loop of `gpu.runtime`; every failure is a VLMUnavailable with the reason in words."""

    chat_path: ClassVar[str]
    _loads_s = 0.0  # what a question may take longer because it loads its model; else only its reading takes long

    def __init__(self, config: GPUResourceConfig, wire: ServerConnection, cloud_allowed: CloudAllowed) -> None:
        self.config, self._wire, self._cloud_allowed = config, wire, cloud_allowed

    async def aclose(self) -> None:
        await self._wire.aclose()

    async def list_models(self) -> tuple[ModelOnDisk, ...]:
        """What can be asked here."""
        raise NotImplementedError

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

        With a schema the answer is JSON after it, checked here too, else AnswerUnusable; without one it may be cut
        (`done_reason` “length”).
        """
        if not messages:
            raise ValueError("there is nothing to ask: no messages")
        await self.refuse_cloud(model)
        tokens, most = max_tokens or self.config.max_tokens, self.config.max_picture_megapixels
        context = await self._context(model, messages, context_length or self.config.num_ctx)
        said = [
            self._message(one.role, without_control(one.content), await as_sent(one.pictures, max_megapixels=most))
            for one in messages
        ]
        buffer = AnswerBuffer(model, max_tokens=tokens, context_length=context, schema=schema)
        lines = self._wire.lines(
            self.chat_path,
            {"model": model, "messages": said, "stream": True, **self._options(tokens, schema)},
            first_s=self._loads_s or self.config.answer_timeout_s,
            silence_s=self.config.silence_timeout_s,
            whole_s=self._loads_s + self.config.answer_timeout_s,
            max_bytes=max_bytes(tokens),
            refusal=partial(self._refused, what=self.chat_path, model=model),
        )
        async with aclosing(lines), aclosing(self._chunks(lines, model)) as chunks:
            async for chunk, thinking in chunks:
                buffer.add(chunk.text, thinking=thinking)
                if chunk.done:
                    buffer.check(chunk)
                    yield chunk
                    return
                if chunk.text:
                    yield chunk
        raise buffer.unended()

    # --- of its kind ------------------------------------------------------------------------------------------------
    async def refuse_cloud(self, model: str) -> None:
        """Screens do not leave this machine (T9), unless an admin allowed it for that model: CloudModelRefused."""
        raise NotImplementedError

    async def _context(self, model: str, messages: Sequence[ChatMessage], context_length: int) -> int:
        """The context that the answer has; PromptTooLarge where the server would drop messages without a word."""
        raise NotImplementedError

    def _message(self, role: str, text: str, pictures: Sequence[bytes]) -> dict[str, Any]:
        raise NotImplementedError

    def _options(self, max_tokens: int, schema: Mapping[str, Any] | None) -> dict[str, Any]:
        raise NotImplementedError

    def _refused(self, status: int, raw: bytes, headers: Mapping[str, str], **about: Any) -> VLMUnavailable:
        raise NotImplementedError

    def _chunks(self, lines: AsyncGenerator[str], model: str) -> AsyncGenerator[tuple[Chunk, str]]:
        """The parts of the answer, and what the model thought beside each; the last one is `done`."""
        raise NotImplementedError
