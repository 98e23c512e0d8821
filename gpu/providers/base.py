"""What serves models: the same few questions, whoever answers them (S4.1)."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Any, Protocol

from gpu.types import ChatMessage, Chunk, ModelOnDisk


class Provider(Protocol):
    """`OllamaManager`, `OpenAICompatibleProvider`: in the loop of `gpu.runtime`; every failure is a VLMUnavailable."""

    def chat(
        self,
        model: str,
        messages: Sequence[ChatMessage],
        *,
        context_length: int,
        max_tokens: int,
        schema: Mapping[str, Any] | None = None,
    ) -> AsyncIterator[Chunk]:
        """The answer as it comes; the last chunk is `done`. Without a last chunk there is no answer: it raises."""

    async def list_models(self) -> tuple[ModelOnDisk, ...]:
        """What can be asked here."""

    async def aclose(self) -> None: ...
