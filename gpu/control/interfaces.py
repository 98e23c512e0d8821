"""What the manager works with, as it knows them: the real ones are wired in `gpu.wiring`, tests bring their own."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from typing import Any, Protocol

from gpu.types import Answer, ChatMessage, Chunk, ModelOnDisk, Request, Resident, VRAMInfo


class Memory(Protocol):
    """`gpu.vram.VRAMMonitor`."""

    @property
    def problem(self) -> str: ...

    def read(self) -> tuple[VRAMInfo, ...]: ...


class Answers(Protocol):
    """What somebody may do who has a model to use; every failure is a VLMUnavailable."""

    def chat(
        self,
        model: str,
        messages: Sequence[ChatMessage],
        *,
        schema: Mapping[str, Any] | None = None,
        max_tokens: int | None = None,
    ) -> AsyncIterator[Chunk]: ...

    async def answer(
        self, model: str, *, prompt: str, pictures: Sequence[bytes], schema: Mapping[str, Any]
    ) -> Answer: ...


class Ollama(Answers, Protocol):
    """`gpu.ollama.OllamaManager`."""

    async def health(self) -> str: ...

    async def list_models(self) -> tuple[ModelOnDisk, ...]: ...

    async def loaded_models(self) -> tuple[Resident, ...]: ...

    async def load_model(self, model: str) -> None: ...

    async def unload_model(self, model: str) -> None: ...

    async def refuse_cloud(self, model: str) -> None: ...

    async def aclose(self) -> None: ...


class Clip(Protocol):
    """`gpu.clip.CLIPManager`."""

    @property
    def device(self) -> str: ...

    @property
    def available(self) -> bool: ...

    @property
    def in_use(self) -> bool:
        """Whether somebody in this process looks through it: only then it is worth moving."""

    @property
    def gpu_uuid(self) -> str:
        """Of the GPU it is on, else empty."""

    @property
    def need_mb(self) -> int: ...

    def in_cuda_order(self, gpus: Sequence[VRAMInfo]) -> Sequence[VRAMInfo]:
        """The GPUs as `cuda:0`, `cuda:1`, … count them: NVML counts otherwise (RELIABILITY.md A.7)."""

    async def move(self, device: str) -> Any:
        """Be there, or raise ClipUnavailable and go on working on the CPU."""

    def close(self) -> None: ...


class Lock(Protocol):
    """`gpu.machine.ownership.Ownership`: who owns the GPU of this machine."""

    @property
    def is_held(self) -> bool: ...

    def hold(self, name: str) -> bool: ...

    def release(self) -> None: ...

    def holder(self) -> Any: ...


class Elsewhere(Protocol):
    """`gpu.machine.owner_client.OwnerClient`: the process that owns the GPU, asked through rows."""

    async def ask(self, request: Request) -> Mapping[str, Any]: ...

    def use(self, request: Request) -> AbstractAsyncContextManager[Any]: ...


class Needs(Protocol):
    """`gpu.machine.needs`: what models took of the memory, kept for the next start."""

    async def get(self, digest: str, num_ctx: int) -> int | None: ...

    async def learn(self, digest: str, num_ctx: int, *, name: str, need_mb: int) -> None: ...


Declared = Callable[[str], Awaitable[int | None]]  # what the catalogue says that a model needs, in MB


class NoClip:
    """There is no CLIP model: it stays where it is not."""

    device, gpu_uuid = "cpu", ""
    available = in_use = False
    need_mb = 0

    def in_cuda_order(self, gpus: Sequence[VRAMInfo]) -> Sequence[VRAMInfo]:
        return gpus

    async def move(self, device: str) -> str:
        return self.device

    def close(self) -> None:
        """There is nothing to let go."""
