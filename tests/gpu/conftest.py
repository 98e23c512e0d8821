from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from gpu.config import GPUResourceConfig
from gpu.types import VRAMInfo
from tests.doubles.ollama import Model, OllamaServer, ollama_server

if TYPE_CHECKING:  # this file is read before Django knows its apps
    from gpu.manager import GPUResourceManager
    from gpu.runtime import DatabaseThread
    from tests.gpu.rows import Office
    from tests.gpu.world import SimulatedWorld

VLM = "qwen2.5vl:7b"


class Ledger:
    """The memory of a GPU as the double of Ollama keeps it; None of it where there is no GPU."""

    def __init__(self, ollama: OllamaServer | None = None) -> None:
        self.ollama = ollama
        self.leaked_mb: int | None = None  # the free memory a driver goes on telling

    def read(self) -> tuple[VRAMInfo, ...]:
        if self.ollama is None:
            return ()
        free = self.ollama.vram_free_mb if self.leaked_mb is None else self.leaked_mb
        return (VRAMInfo(uuid="GPU-1", name="Test", total_mb=24_000, used_mb=24_000 - free, free_mb=free),)


@pytest.fixture
def ollama() -> Iterator[OllamaServer]:
    with ollama_server(Model(VLM), Model("llama3:latest"), Model("big:480b-cloud")) as server:
        yield server


@pytest.fixture
def config(ollama: OllamaServer) -> Callable[..., GPUResourceConfig]:
    def make(**fields: Any) -> GPUResourceConfig:
        return GPUResourceConfig(
            **{"ollama_url": ollama.url, "vlm_model": VLM, "retry_pause_s": 0.01, "vram_timeout_s": 0.3, **fields}
        )

    return make


@pytest.fixture
def make_manager(config: Callable[..., GPUResourceConfig]) -> Iterator[Callable[..., GPUResourceManager]]:
    """`vram` and `clip` are the manager's, everything else is of the configuration."""
    from gpu.manager import GPUResourceManager

    with ExitStack() as stack:

        def make(*, vram: Any = None, clip: Any = None, **fields: Any) -> GPUResourceManager:
            manager = GPUResourceManager(config(**fields), vram=vram or Ledger(), clip=clip)
            stack.callback(manager.close)
            return manager

        yield make


@pytest.fixture
def world() -> SimulatedWorld:
    """A machine whose time is virtual."""
    from tests.gpu.world import SimulatedWorld

    return SimulatedWorld()


@pytest.fixture
def database() -> Iterator[DatabaseThread]:
    """A thread for rows that ends with the test."""
    from gpu.runtime import DatabaseThread

    thread = DatabaseThread()
    yield thread
    thread.close()


@pytest.fixture
async def office(tmp_path: Path) -> Office:
    """Owner and askers of one machine, in the loop of the test."""
    from tests.gpu.rows import Office

    return Office(tmp_path / "owner.sock")
