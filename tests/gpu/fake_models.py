"""Servers of models and a manager of the GPU as the model manager knows them, scripted by tests."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

from gpu.catalogue import ModelEntry
from gpu.choices import Tier
from gpu.config import GPUResourceConfig
from gpu.resources import Resources
from gpu.runtime import Runtime
from gpu.selection.observer import CatalogueRows
from gpu.types import ChatMessage, Chunk, ExecutionMode, ModelOnDisk, Resident, VRAMInfo

GB = 1024


def entry(key: str, *able: str, **fields: Any) -> ModelEntry:
    """A model of 4 GB that can do text, and what is named."""
    given = {"name": f"{key}:latest", "vram_mb": 4 * GB, "ram_mb": 4 * GB, "context_length": 32_768, **fields}
    return ModelEntry(key=key, capabilities=frozenset({"text", *able}), **given)


def gpu(free_mb: int, total_mb: int = 24 * GB) -> VRAMInfo:
    return VRAMInfo(uuid="GPU-1", name="Test", total_mb=total_mb, used_mb=total_mb - free_mb, free_mb=free_mb)


def machine(*, vram_free_mb: int | None = 20 * GB, ram_free_mb: int = 32 * GB, cpu_percent: float = 10.0) -> Resources:
    """Of 24 GB of GPU memory so much is free; None: there is no GPU."""
    return Resources(
        cpu_percent=cpu_percent,
        ram_percent=50.0,
        ram_free_mb=ram_free_mb,
        ram_total_mb=64 * GB,
        process_ram_mb=100.0,
        gpus=() if vram_free_mb is None else (gpu(vram_free_mb),),
    )


@dataclass
class Says:
    """One answer: its pieces, then the end, or `error` instead; `wait` is set when it may go on after the pieces."""

    pieces: Sequence[str] = ("Yes.",)
    error: Exception | None = None
    wait: asyncio.Event | None = None
    ends: bool = True
    last: dict[str, Any] = field(default_factory=lambda: {"tokens_in": 30, "tokens_out": 4})


class FakeServer:
    """An Ollama and an OpenAI-compatible server in one: `script` holds the next answers of each model."""

    def __init__(self, *names: str) -> None:
        self.names = list(names)
        self.loaded: list[str] = []
        self.script: dict[str, deque[Says | Exception]] = {}
        self.asked: list[tuple[str, tuple[ChatMessage, ...], dict[str, Any]]] = []
        self.away: Exception | None = None
        self.closed = False
        self.is_here = True

    def will(self, name: str, *answers: Says | Exception) -> None:
        self.script.setdefault(name, deque()).extend(answers)

    async def list_models(self) -> tuple[ModelOnDisk, ...]:
        if self.away:
            raise self.away
        return tuple(
            ModelOnDisk(name=name, digest=f"sha-{name}", size_mb=4 * GB, remote=not self.is_here) for name in self.names
        )

    models = list_models

    async def loaded_models(self) -> tuple[Resident, ...]:
        return tuple(
            Resident(name=name, digest="", size_mb=4 * GB, vram_mb=4 * GB, context_length=8192, expires_at=None)
            for name in self.loaded
        )

    async def chat(self, model: str, messages: Sequence[ChatMessage], **how: Any) -> AsyncIterator[Chunk]:
        self.asked.append((model, tuple(messages), how))
        answers = self.script.get(model)
        says = answers.popleft() if answers else Says()
        if isinstance(says, Exception):
            raise says
        for piece in says.pieces:
            yield Chunk(text=piece)
        if says.wait is not None:
            await says.wait.wait()
        if says.error is not None:
            raise says.error
        if says.ends:
            yield Chunk(done=True, done_reason="stop", **says.last)

    async def aclose(self) -> None:
        self.closed = True

    @property
    def asked_models(self) -> list[str]:
        return [model for model, _messages, _how in self.asked]


class FakeGPU:
    """What the model manager needs of the GPU's: `lent` is who borrowed what, `refuses` the errors of the next ones."""

    def __init__(self, server: FakeServer, runtime: Runtime, **config: Any) -> None:
        given = {"ollama_url": "http://127.0.0.1:11434", "retry_pause_s": 0.0, **config}
        self.config, self.runtime, self.ollama = GPUResourceConfig(**given), runtime, server
        self.mode = ExecutionMode.IDLE
        self.lent: list[tuple[str, str]] = []
        self.using_now: list[str] = []
        self.refuses: dict[str, deque[Exception]] = {}

    def get_status(self) -> Any:
        return SimpleNamespace(execution_mode=self.mode)

    @asynccontextmanager
    async def using(self, model: str, *, purpose: str, deadline_s: float, asked_by: str = "") -> AsyncIterator[Any]:
        if self.refuses.get(model):
            raise self.refuses[model].popleft()
        self.lent.append((model, purpose))
        self.using_now.append(model)
        if model not in self.ollama.loaded:
            self.ollama.loaded = [model]
        try:
            yield self.ollama
        finally:
            self.using_now.remove(model)


def rows_of(*models: ModelEntry, learned: dict[tuple[str, int], int] | None = None) -> Callable[[], CatalogueRows]:
    return lambda: CatalogueRows(catalogue=tuple(models), learned_mb=learned or {})


class Clock:
    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


LIGHT, STANDARD, STRONG = Tier
