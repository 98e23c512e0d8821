"""S3.5, S3.6: the manager with the real CLIP; NVML, CUDA and the double of Ollama see one simulated card."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import Any, NamedTuple

import pytest

from gpu.clip import CLIPManager
from gpu.config import GPUResourceConfig
from gpu.resources import VRAMMonitor
from gpu.types import ExecutionMode, ModelState
from tests.doubles.cuda import FakeCuda
from tests.doubles.nvml import Card, FakeNvml
from tests.doubles.ollama import Model, OllamaServer, ollama_server
from tests.support.clip import NAME, made_clip, picture

pytestmark = pytest.mark.extras

VLM = "qwen2.5vl:7b"


class Machine(NamedTuple):
    manager: Any
    clip: CLIPManager
    cuda: FakeCuda
    card: Card
    ollama: OllamaServer
    told: list[str]


@pytest.fixture
def machine(monkeypatch: pytest.MonkeyPatch) -> Iterator[Machine]:
    from gpu.manager import GPUResourceManager

    card = Card(total_mb=24_000)
    cuda = FakeCuda(card, scale=1000)
    cuda.install(monkeypatch)
    clip = CLIPManager(model=NAME, weights=made_clip().safetensors)
    clip.load()
    with ollama_server(Model(VLM)) as ollama:
        ollama.clock.start = datetime.now(UTC)
        card.holders.append(lambda: 24_000 - ollama.vram_free_mb)
        manager = GPUResourceManager(
            GPUResourceConfig(
                ollama_url=ollama.url,
                vlm_model=VLM,
                retry_pause_s=0.01,
                vram_timeout_s=0.3,
                due_pause_s=0.3,
                probe_every_s=0.05,
            ),
            clip=clip,
            vram=VRAMMonitor(nvml=FakeNvml(card)),
        )
        told: list[str] = []
        manager.on_event(lambda kind, text, status: told.append(text))
        yield Machine(manager, clip, cuda, card, ollama, told)
        manager.close()


def where(machine: Machine) -> tuple[str, ModelState]:
    status = machine.manager.get_status()
    assert machine.manager.get_clip_device() == status.clip_device == machine.clip.device
    return status.clip_device, status.vlm_state


async def test_the_modes_move_it_and_it_sees_the_same_everywhere(machine: Machine) -> None:
    before = machine.clip.embed(picture())
    for mode, expected in (
        (ExecutionMode.AUTOPILOT, ("cuda:0", ModelState.UNLOADED)),
        (ExecutionMode.RECORDING, ("cpu", ModelState.LOADED)),
        (ExecutionMode.AUTOPILOT, ("cuda:0", ModelState.UNLOADED)),
        (ExecutionMode.IDLE, ("cuda:0", ModelState.UNLOADED)),
    ):
        await machine.manager.set_execution_mode(mode)
        assert where(machine) == expected
        assert (machine.cuda.held_bytes() > 0) == (expected[0] == "cuda:0")
        assert float(machine.clip.embed(picture()) @ before) >= 0.999


async def test_a_gpu_that_is_lost_under_a_picture_is_told(machine: Machine) -> None:
    await machine.manager.set_execution_mode(ExecutionMode.AUTOPILOT)
    machine.cuda.lost = True
    machine.clip.embed(picture())
    await until(lambda: any("has failed, CLIP is on the processor" in text for text in machine.told))
    assert where(machine)[0] == "cpu"


async def until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(60):
        while not condition():
            await asyncio.sleep(0.005)
