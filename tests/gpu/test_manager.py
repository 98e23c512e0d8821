from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from typing import Any

import pytest

from gpu.config import GPUResourceConfig
from gpu.exceptions import GPUError, NotEnoughVRAM, VLMUnavailable
from gpu.manager import GPUResourceManager
from gpu.types import ExecutionMode, GPUResourceStatus, ModelState
from tests.doubles.ollama import LOADED, LOADING, ON_DISK, STOPPING, OllamaServer
from tests.gpu.conftest import VLM, Ledger

Make = Callable[..., GPUResourceManager]


def told(manager: GPUResourceManager) -> list[str]:
    kinds: list[str] = []
    manager.on_event(lambda kind, status: kinds.append(kind))
    return kinds


# --- nothing there --------------------------------------------------------------------------------------------------
async def test_without_gpu_and_vlm_it_is_degraded_from_the_start_and_every_mode_is_taken() -> None:
    """S3.10, S1.21"""
    manager = GPUResourceManager(GPUResourceConfig(), vram=Ledger())  # type: ignore[arg-type]
    assert manager.get_status().degraded
    assert "no GPU" in manager.get_status().degraded_reason
    for mode in ExecutionMode:
        await manager.set_execution_mode(mode)
        assert manager.get_status().execution_mode is mode
    assert await manager.migrate_clip_to_gpu() is False
    assert await manager.migrate_clip_to_cpu() is True
    assert manager.get_clip_device() == "cpu"
    await manager.ensure_vlm_unloaded()  # nothing is there to unload
    with pytest.raises(VLMUnavailable, match="RPA_OLLAMA_URL"):
        await manager.ensure_vlm_loaded()
    manager.close()


def test_status_is_complete_in_words_that_json_knows(make_manager: Make) -> None:
    """S3.8"""
    status = make_manager().get_status()
    assert set(GPUResourceStatus.__dataclass_fields__) == {
        "vram", "vlm_state", "vlm_model", "clip_device", "execution_mode", "degraded", "degraded_reason",
        "queue_length", "last_vlm_request",
    }  # fmt: skip
    assert (status.vlm_state, status.vlm_model, status.execution_mode) == ("unloaded", VLM, "idle")


async def test_an_ollama_that_is_away_degrades_with_the_reason_and_heals_by_success(
    ollama: OllamaServer, make_manager: Make
) -> None:
    """S3.10: entering a mode never raises; asking for the VLM does, after three tries."""
    ollama.fail_loads = [(500, "model runner has unexpectedly stopped")] * 6
    manager = make_manager(vram=Ledger(ollama))
    await manager.set_execution_mode(ExecutionMode.RECORDING)
    assert manager.get_status().vlm_state is ModelState.ERROR
    assert "model runner has unexpectedly stopped" in manager.get_status().degraded_reason
    with pytest.raises(VLMUnavailable, match="model runner"):
        await manager.ensure_vlm_loaded()
    assert ollama.fail_loads == []  # three tries for each
    await manager.ensure_vlm_loaded()
    assert manager.get_status().vlm_state is ModelState.LOADED
    assert not manager.get_status().degraded


async def test_what_cannot_succeed_is_not_tried_again(ollama: OllamaServer, make_manager: Make) -> None:
    """RELIABILITY.md A.9.5"""
    with pytest.raises(VLMUnavailable, match="not found"):
        await make_manager(vlm_model="nobody:1b").ensure_vlm_loaded()
    assert ollama.count("/api/show") == 1


# --- loading and unloading ------------------------------------------------------------------------------------------
async def test_recording_loads_the_vlm_and_autopilot_unloads_it(ollama: OllamaServer, make_manager: Make) -> None:
    """S3.6, S3.11.1, S3.11.2"""
    manager = make_manager()
    await manager.set_execution_mode(ExecutionMode.RECORDING)
    assert ollama.models[VLM].state == LOADED
    await manager.set_execution_mode(ExecutionMode.IDLE)
    assert ollama.models[VLM].state == LOADED  # idle leaves all as it is
    await manager.set_execution_mode(ExecutionMode.AUTOPILOT)
    assert ollama.models[VLM].state == ON_DISK
    assert manager.get_status().vlm_state is ModelState.UNLOADED


async def test_ensure_vlm_loaded_returns_only_when_it_is_loaded(ollama: OllamaServer, make_manager: Make) -> None:
    """S3.4, S3.11.9, S3.11.10"""
    ollama.hold_loads = True
    manager = make_manager()
    asked = asyncio.create_task(manager.ensure_vlm_loaded())
    await asyncio.to_thread(ollama.wait_for, lambda: ollama.models[VLM].state == LOADING)
    assert not asked.done()
    assert manager.get_status().vlm_state is ModelState.LOADING
    ollama.let_loads_end()
    await asked
    assert ollama.models[VLM].state == LOADED
    assert manager.get_status().last_vlm_request is not None


async def test_many_callers_share_one_load(ollama: OllamaServer, make_manager: Make) -> None:
    """S3.4"""
    ollama.hold_loads = True
    manager = make_manager()
    callers = [asyncio.create_task(manager.ensure_vlm_loaded()) for _ in range(10)]
    await asyncio.to_thread(ollama.wait_for, lambda: ollama.models[VLM].state == LOADING)
    assert manager.get_status().queue_length == 1
    ollama.let_loads_end()
    await asyncio.gather(*callers)
    assert ollama.count("/api/generate") == 1
    assert manager.get_status().queue_length == 0


async def test_a_caller_who_gives_up_takes_the_load_from_nobody(ollama: OllamaServer, make_manager: Make) -> None:
    ollama.hold_loads = True
    manager = make_manager()
    impatient, patient = (asyncio.create_task(manager.ensure_vlm_loaded()) for _ in range(2))
    await asyncio.to_thread(ollama.wait_for, lambda: ollama.models[VLM].state == LOADING)
    impatient.cancel()
    ollama.let_loads_end()
    await patient
    assert impatient.cancelled()
    assert ollama.models[VLM].aborted_loads == 0


async def test_changes_are_taken_one_after_the_other_and_the_last_one_stands(
    ollama: OllamaServer, make_manager: Make
) -> None:
    """S3.6, S3.11.13"""
    ollama.hold_loads = True
    manager = make_manager()
    modes = [ExecutionMode.RECORDING, ExecutionMode.AUTOPILOT, ExecutionMode.RECORDING, ExecutionMode.AUTOPILOT]
    changes = [asyncio.create_task(manager.set_execution_mode(mode)) for mode in modes]
    await asyncio.to_thread(ollama.wait_for, lambda: ollama.models[VLM].state == LOADING)
    assert ollama.count("/api/generate") == 1  # the unload waits for the load, it does not overtake it
    ollama.let_loads_end()
    await asyncio.gather(*changes)
    assert manager.get_status().execution_mode is ExecutionMode.AUTOPILOT
    assert ollama.models[VLM].state == ON_DISK
    assert ollama.models[VLM].loads == 2


async def test_ensure_vlm_unloaded_returns_only_when_it_is_gone(ollama: OllamaServer, make_manager: Make) -> None:
    """S3.4, S3.11.11"""
    manager = make_manager()
    await manager.ensure_vlm_loaded()
    ollama.hold_unloads = True
    asked = asyncio.create_task(manager.ensure_vlm_unloaded())
    await asyncio.to_thread(ollama.wait_for, lambda: ollama.log.count(("/api/ps", "")) >= 4)
    assert ollama.models[VLM].state == STOPPING
    assert not asked.done()
    ollama.let_unloads_end()
    await asked
    assert manager.get_status().vlm_state is ModelState.UNLOADED


async def test_a_model_that_does_not_go_is_said_to_be_there(ollama: OllamaServer, make_manager: Make) -> None:
    manager = make_manager(gone_timeout_s=0.01)
    await manager.ensure_vlm_loaded()
    ollama.hold_unloads = True
    with pytest.raises(VLMUnavailable, match="is still in memory"):
        await manager.ensure_vlm_unloaded()
    assert manager.get_status().vlm_state is ModelState.ERROR
    assert "is still in memory" in manager.get_status().degraded_reason


async def test_memory_falls_when_the_vlm_goes_and_a_leak_is_said(
    ollama: OllamaServer, make_manager: Make, caplog: pytest.LogCaptureFixture
) -> None:
    """S3.4, S3.11.4"""
    ledger = Ledger(ollama)
    manager = make_manager(vram=ledger)
    await manager.ensure_vlm_loaded()
    assert manager.get_status().vram is not None
    assert manager.get_status().vram.used_mb == 4000
    await manager.ensure_vlm_unloaded()
    assert manager.get_status().vram.used_mb == 0
    assert "still in use" not in caplog.text
    await manager.ensure_vlm_loaded()
    ledger.leaked_mb = ollama.vram_free_mb
    await manager.ensure_vlm_unloaded()
    assert "its 4000 MB of GPU memory are still in use" in caplog.text


async def test_too_little_memory_is_refused_before_anything_is_loaded(ollama: OllamaServer, make_manager: Make) -> None:
    """S3.10"""
    ollama.vram_free_mb = 4100
    with pytest.raises(NotEnoughVRAM, match="needs 4512 MB of GPU memory and 4100 MB are free") as caught:
        await make_manager(vram=Ledger(ollama)).ensure_vlm_loaded()
    assert (caught.value.needed_mb, caught.value.free_mb) == (4512, 4100)
    assert ollama.count("/api/generate") == 0


async def test_other_models_can_be_loaded_and_unloaded_too(ollama: OllamaServer, make_manager: Make) -> None:
    manager = make_manager()
    await manager.load_model("llama3")
    assert ollama.models["llama3:latest"].state == LOADED
    assert manager.get_status().vlm_state is ModelState.UNLOADED  # it tells of the VLM, not of any model
    await manager.unload_model("llama3")
    assert ollama.models["llama3:latest"].state == ON_DISK


# --- idle, events, sync ---------------------------------------------------------------------------------------------
def test_a_vlm_that_nobody_asks_for_is_unloaded_and_not_before(ollama: OllamaServer, make_manager: Make) -> None:
    """S3.7, S3.11.8"""
    now = [0.0]
    manager = make_manager(idle_timeout_s=300, look_every_s=0.01)
    manager._clock = lambda: now[0]
    kinds = told(manager)
    manager.run_sync("ensure_vlm_loaded")
    looked = ollama.count("/api/ps")
    now[0] = 299.9
    ran = threading.Event()
    manager._worker.submit("look", lambda: (manager._look(), ran.set())).result(10)
    assert ran.is_set()
    assert ollama.models[VLM].state == LOADED
    assert ollama.count("/api/ps") == looked
    now[0] = 300.0
    ollama.wait_for(lambda: ollama.models[VLM].state == ON_DISK)
    manager._worker.submit("after", lambda: None).result(10)
    assert kinds[-1] == "idle_unload"
    manager.run_sync("ensure_vlm_loaded")
    assert ollama.models[VLM].state == LOADED  # the next request loads it first


async def test_changes_are_told_and_a_listener_that_raises_harms_nobody(
    ollama: OllamaServer, make_manager: Make, caplog: pytest.LogCaptureFixture
) -> None:
    """S3.9"""
    manager = make_manager()

    def broken(kind: str, status: GPUResourceStatus) -> None:
        raise RuntimeError("no")

    states: list[tuple[str, Any]] = []
    manager.on_event(broken)
    manager.on_event(lambda kind, status: states.append((kind, status.vlm_state.value)))
    await manager.set_execution_mode(ExecutionMode.RECORDING)
    assert states == [("resource_changed", "loading"), ("resource_changed", "loaded"), ("mode_changed", "loaded")]
    assert "a listener of the GPU failed" in caplog.text


def test_memory_that_moves_by_itself_is_told(ollama: OllamaServer, make_manager: Make) -> None:
    """S3.9: more than 100 MB"""
    manager = make_manager(vram=Ledger(ollama))
    kinds = told(manager)
    ollama.vram_free_mb -= 100
    manager._look()
    assert kinds == []
    ollama.vram_free_mb -= 1
    manager._look()
    assert kinds == ["resource_changed"]


def test_sync_code_calls_the_coroutines_by_name(ollama: OllamaServer, make_manager: Make) -> None:
    """S3.1"""
    manager = make_manager()
    manager.run_sync("set_execution_mode", ExecutionMode.RECORDING)
    assert ollama.models[VLM].state == LOADED
    with pytest.raises(ValueError, match="turbo"):
        manager.run_sync("set_execution_mode", "turbo")


async def test_run_sync_inside_an_event_loop_says_what_to_write_instead(make_manager: Make) -> None:
    with pytest.raises(GPUError, match=r"await manager\.ensure_vlm_loaded"):
        make_manager().run_sync("ensure_vlm_loaded")
