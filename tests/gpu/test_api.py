from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gpu.manager import get_gpu_resource_manager
from gpu.shared import last_known_status, publish
from gpu.types import ExecutionMode, GPUResourceStatus, ModelState

STATUS = GPUResourceStatus(
    vram=None,
    vlm_state=ModelState.LOADED,
    vlm_model="qwen2.5vl:7b",
    clip_device="cpu",
    execution_mode=ExecutionMode.RECORDING,
    degraded=False,
    degraded_reason="",
)


@pytest.fixture(autouse=True)
def _own_data(settings: Any, tmp_path: Path) -> None:
    settings.DATA_DIR = tmp_path


def test_what_the_run_loop_told_is_what_the_web_process_shows(client_of: Callable[..., Any], viewer: Any) -> None:
    """S3.8: the models are the run loop's, the memory is read here."""
    publish(STATUS)
    said = client_of(viewer).get("/api/gpu/status/").json()
    assert (said["vlm_state"], said["execution_mode"]) == ("loaded", "recording")
    assert said["at"]
    assert said["clip_device"] == "cpu"


def test_before_anybody_told_anything_the_process_tells_what_it_knows(
    client_of: Callable[..., Any], viewer: Any
) -> None:
    said = client_of(viewer).get("/api/gpu/status/").json()
    assert said["at"] is None
    assert said["vlm_state"] == "unloaded"


def test_a_stranger_is_told_nothing(client_of: Callable[..., Any], stranger: Any) -> None:
    """S10.1"""
    assert client_of(stranger).get("/api/gpu/status/").status_code == 403


def test_a_change_of_mode_is_published_for_the_other_processes() -> None:
    manager = get_gpu_resource_manager()
    manager.run_sync("set_execution_mode", ExecutionMode.RECORDING)
    manager.run_sync("set_execution_mode", ExecutionMode.IDLE)
    said = last_known_status()
    assert said is not None
    assert said["execution_mode"] == "idle"


@pytest.mark.parametrize("text", ["", "half {", "[]", "{}"])
def test_a_file_that_is_none_is_nothing_known(tmp_path: Path, text: str) -> None:
    (tmp_path / "gpu").mkdir()
    (tmp_path / "gpu" / "status.json").write_text(text)
    assert last_known_status() is None


def test_a_disk_that_refuses_costs_a_line(settings: Any, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    settings.DATA_DIR = tmp_path / "file"
    settings.DATA_DIR.write_text("not a folder")
    publish(STATUS)
    assert "could not be told" in caplog.text
