"""The manager over HTTP, against the double of Ollama."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest

from gpu.config import GPUResourceConfig
from gpu.exceptions import (
    ClipUnavailable,
    CloudModelRefused,
    LoadFailed,
    ModelMissing,
    StillInMemory,
    VLMUnavailable,
)
from gpu.manager import GPUResourceManager
from gpu.types import ExecutionMode, GPUResourceStatus, ModelState, Request, RequestKind
from tests.doubles.ollama import LOADED, ON_DISK, OllamaServer
from tests.gpu.conftest import VLM, Ledger

Make = Callable[..., GPUResourceManager]


def told(manager: GPUResourceManager) -> list[str]:
    texts: list[str] = []
    manager.on_event(lambda kind, text, status: texts.append(f"{kind}: {text}"))
    return texts


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
    with pytest.raises(VLMUnavailable, match="RPA_OLLAMA_URL"):
        await manager.ask_vlm("what?", [], {})
    await asyncio.to_thread(manager.close)


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


async def test_a_model_that_does_not_go_is_said_to_be_there(ollama: OllamaServer, make_manager: Make) -> None:
    manager = make_manager(gone_timeout_s=0.01)
    await manager.ensure_vlm_loaded()
    ollama.hold_unloads = True
    with pytest.raises(StillInMemory, match="is still in memory"):
        await manager.ensure_vlm_unloaded()
    assert manager.get_status().vlm_state is ModelState.ERROR
    assert "is still in memory" in manager.get_status().degraded_reason


# --- what goes wrong ------------------------------------------------------------------------------------------------
async def test_a_load_is_tried_three_times_and_its_failure_degrades_until_it_succeeds(
    ollama: OllamaServer, make_manager: Make
) -> None:
    """S3.4, S3.10: entering a mode never raises; asking for the VLM does."""
    ollama.fail_loads = [(500, "model runner has unexpectedly stopped")] * 6
    manager = make_manager(vram=Ledger(ollama))
    await manager.set_execution_mode(ExecutionMode.RECORDING)
    assert manager.get_status().vlm_state is ModelState.ERROR
    assert "model runner has unexpectedly stopped" in manager.get_status().degraded_reason
    with pytest.raises(LoadFailed, match="model runner"):
        await manager.ensure_vlm_loaded()
    assert ollama.fail_loads == []  # three tries for each
    await manager.set_execution_mode(ExecutionMode.RECORDING)
    assert manager.get_status().vlm_state is ModelState.LOADED
    assert not manager.get_status().degraded


@pytest.mark.parametrize(("model", "error"), [("nobody:1b", ModelMissing), ("big:480b-cloud", CloudModelRefused)])
async def test_what_cannot_succeed_is_not_tried_again(
    ollama: OllamaServer, make_manager: Make, model: str, error: type[Exception]
) -> None:
    """A.9.5; a cloud model is sent nothing (T9)."""
    manager = make_manager(vlm_model=model)
    with pytest.raises(error):
        await manager.ensure_vlm_loaded()
    assert ollama.count("/api/generate") == 0
    assert ollama.count("/api/show") <= 1
    assert ollama.left_machine == []


async def test_a_load_that_takes_too_long_is_given_up_on_the_server_too(
    ollama: OllamaServer, make_manager: Make
) -> None:
    """S3.4: the whole of it, tries included."""
    ollama.hold_loads = True
    with pytest.raises(LoadFailed, match=r"within 1 s"):
        await make_manager(load_timeout_s=1.0).ensure_vlm_loaded()
    await asyncio.to_thread(ollama.wait_for, lambda: ollama.models[VLM].aborted_loads > 0)


async def test_a_model_in_memory_with_another_context_is_loaded_anew(ollama: OllamaServer, make_manager: Make) -> None:
    """A.3: the next question would do so, within its own short time."""
    ollama.models[VLM].state = LOADED  # somebody else's, with the server's own context
    manager = make_manager()
    await manager.ensure_vlm_loaded()
    assert ollama.models[VLM].reloads == 1
    await manager.ensure_vlm_loaded()
    assert ollama.models[VLM].reloads == 1


# --- from wherever --------------------------------------------------------------------------------------------------
async def test_changes_are_told_in_order_and_a_listener_that_raises_harms_nobody(
    ollama: OllamaServer, make_manager: Make, caplog: pytest.LogCaptureFixture
) -> None:
    """S3.9"""
    manager = make_manager(vram=Ledger(ollama))

    def broken(kind: str, text: str, status: GPUResourceStatus) -> None:
        raise RuntimeError("no")

    manager.on_event(broken)
    texts = told(manager)
    await manager.set_execution_mode(ExecutionMode.RECORDING)
    assert texts == [
        "mode_changed: Mode: idle → recording.",
        f"resource_changed: “{VLM}” is loading.",
        f"resource_changed: “{VLM}” is loaded.",
    ]
    assert "a listener of the GPU failed" in caplog.text


def test_sync_code_calls_the_coroutines(ollama: OllamaServer, make_manager: Make) -> None:
    """S3.1"""
    manager = make_manager()
    manager.set_execution_mode_sync(ExecutionMode.RECORDING, asked_by="a test")
    assert ollama.models[VLM].state == LOADED
    with pytest.raises(ValueError, match="turbo"):
        manager.set_execution_mode_sync("turbo")


def test_a_person_is_told_why_clip_stays_where_it_is(make_manager: Make) -> None:
    """S3.5"""
    manager = make_manager()
    with pytest.raises(ClipUnavailable, match="There is no CLIP model here"):
        manager.runtime.run(manager.carry_out(Request(kind=RequestKind.CLIP_TO_GPU, asked_by="zoe")))
