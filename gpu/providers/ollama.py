"""Ollama as a provider of models."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Any

from gpu.ollama import OllamaManager
from gpu.types import ChatMessage, Chunk, ModelOnDisk


class OllamaProvider:
    """The manager's own client, so that all who ask one model send the options it is loaded with (A.3)."""

    def __init__(self, ollama: OllamaManager) -> None:
        self._ollama = ollama

    def chat(
        self,
        model: str,
        messages: Sequence[ChatMessage],
        *,
        context_length: int,
        max_tokens: int,
        schema: Mapping[str, Any] | None = None,
    ) -> AsyncIterator[Chunk]:
        """As `Provider` says; the context is the one all models are loaded with, or what the model holds if less."""
        return self._ollama.chat(model, messages, schema=schema, max_tokens=max_tokens, context_length=context_length)

    async def models(self) -> tuple[ModelOnDisk, ...]:
        return await self._ollama.list_models()

    async def aclose(self) -> None:
        """Nothing: the client belongs to the manager."""
