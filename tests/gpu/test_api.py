from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from gpu.machine.ownership import Ownership
from gpu.machine.status import gpu_folder
from gpu.types import GPUResourceStatus
from tests.gpu.rows import STATUS, tell

pytestmark = pytest.mark.django_db


class Process:
    """The manager of the process that answers."""

    def get_status(self) -> GPUResourceStatus:
        return STATUS


@pytest.fixture(autouse=True)
def _this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gpu.api.get_gpu_resource_manager", Process)


@pytest.fixture(autouse=True)
def lock(settings: Any, tmp_path: Path) -> Iterator[Ownership]:
    settings.DATA_DIR = tmp_path
    ownership = Ownership(gpu_folder())
    yield ownership
    ownership.release()


@pytest.fixture
def ask(client_of: Callable[..., Any], viewer: Any) -> Callable[[], dict[str, Any]]:
    return lambda: client_of(viewer).get("/api/gpu/status/").json()


def test_what_the_owner_told_is_what_the_web_process_shows(lock: Ownership, ask: Callable[[], dict[str, Any]]) -> None:
    """S3.8: the models are the owner's, the memory is read here."""
    assert lock.hold("run loop")
    tell(owner_pid=1, vram=[{"used_mb": 5}])
    said = ask()
    assert (said["vlm_state"], said["execution_mode"]) == ("loaded", "recording")
    assert (said["owner"], said["owner_pid"], said["fresh"]) == ("run loop", 1, True)
    assert said["at"]
    assert said["vram"]["used_mb"] == 1000


def test_the_memory_is_the_owners_where_it_cannot_be_read_here(
    monkeypatch: pytest.MonkeyPatch, ask: Callable[[], dict[str, Any]]
) -> None:
    monkeypatch.setattr("gpu.api.as_json", lambda status: {"vram": None})
    tell(owner_pid=1, vram=[{"used_mb": 5}])
    assert ask()["vram"] == {"used_mb": 5}


def test_what_the_process_that_answers_owns_itself_it_knows_better(
    lock: Ownership, ask: Callable[[], dict[str, Any]]
) -> None:
    assert lock.hold("web")
    tell(owner="web", owner_pid=os.getpid())
    said = ask()
    assert (said["vlm_state"], said["execution_mode"], said["owner"]) == ("unloaded", "idle", "web")


def test_before_anybody_told_anything_the_process_tells_what_it_knows(ask: Callable[[], dict[str, Any]]) -> None:
    said = ask()
    assert (said["at"], said["owner"], said["fresh"]) == (None, "", False)
    assert said["vlm_state"] == "unloaded"
