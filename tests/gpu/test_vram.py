from __future__ import annotations

import os
import sys
from types import SimpleNamespace
from typing import Any

import pytest

from gpu.vram import ASK_AGAIN_S, MB, VRAMMonitor


class NVMLError(Exception):
    pass


class NotSupported(NVMLError):
    pass


class NoPermission(NVMLError):
    pass


class Driver:
    """NVIDIA's library as its binding shows it: two GPUs, and the faults that a test asks for."""

    NVMLError_NotSupported, NVMLError_NoPermission = NotSupported, NoPermission

    def __init__(self) -> None:
        self.opened = 0
        self.fault: Exception | None = None
        self.fault_of: dict[int, Exception] = {}
        self.free_mb = [3000, 7000]

    def nvmlInit(self) -> None:  # noqa: N802  the binding's name
        self.opened += 1
        if self.fault:
            raise self.fault

    def nvmlDeviceGetCount(self) -> int:  # noqa: N802  the binding's name
        if self.fault:
            raise self.fault
        return len(self.free_mb)

    def nvmlDeviceGetHandleByIndex(self, index: int) -> int:  # noqa: N802  the binding's name
        return index

    def nvmlDeviceGetMemoryInfo(self, handle: int) -> Any:  # noqa: N802  the binding's name
        if handle in self.fault_of:
            raise self.fault_of[handle]
        free = self.free_mb[handle]
        return SimpleNamespace(total=8000 * MB, used=(8000 - free) * MB, free=free * MB)

    def nvmlDeviceGetUUID(self, handle: int) -> str:  # noqa: N802  the binding's name
        return f"GPU-{handle}"

    def nvmlDeviceGetName(self, handle: int) -> bytes:  # noqa: N802  the binding's name
        return b"A card"

    def nvmlDeviceGetUtilizationRates(self, handle: int) -> Any:  # noqa: N802  the binding's name
        return SimpleNamespace(gpu=10 * handle)


@pytest.fixture
def driver(monkeypatch: pytest.MonkeyPatch) -> Driver:
    made = Driver()
    monkeypatch.setitem(sys.modules, "pynvml", made)
    return made


def test_each_gpu_is_told_with_its_uuid(driver: Driver) -> None:
    """S3.3"""
    first, second = VRAMMonitor().read()
    assert (first.uuid, first.name, first.total_mb, first.used_mb, first.free_mb) == (
        "GPU-0", "A card", 8000, 5000, 3000,
    )  # fmt: skip
    assert second.uuid == "GPU-1"
    assert VRAMMonitor().utilisation() == {"GPU-0": 0, "GPU-1": 10}


def test_the_library_is_opened_once(driver: Driver) -> None:
    monitor = VRAMMonitor()
    monitor.read()
    monitor.read()
    assert driver.opened == 1


@pytest.mark.parametrize("fault", ["NVML Shared Library Not Found", "GPU is lost", "Driver/library version mismatch"])
def test_a_driver_that_fails_is_unknown_and_is_asked_again_later(driver: Driver, fault: str) -> None:
    """S3.3, RELIABILITY.md A.7"""
    now = [0.0]
    monitor = VRAMMonitor(clock=lambda: now[0])
    assert len(monitor.read()) == 2
    driver.fault = NVMLError(fault)
    assert monitor.read() == ()
    assert fault in monitor.problem
    driver.fault = None
    assert monitor.read() == ()  # not yet: a broken driver is not hammered
    now[0] = ASK_AGAIN_S
    assert len(monitor.read()) == 2
    assert monitor.problem == ""
    assert driver.opened == 2


def test_the_pause_grows_while_it_fails(driver: Driver) -> None:
    now = [0.0]
    monitor = VRAMMonitor(clock=lambda: now[0])
    driver.fault = NVMLError("lost")
    for moment, opened in ((0, 1), (ASK_AGAIN_S, 2), (2 * ASK_AGAIN_S, 2), (3 * ASK_AGAIN_S, 3)):
        now[0] = moment
        monitor.read()
        assert driver.opened == opened


def test_a_gpu_that_does_not_say_is_left_out(driver: Driver) -> None:
    driver.fault_of[0] = NotSupported()
    assert [gpu.uuid for gpu in VRAMMonitor().read()] == ["GPU-1"]


def test_after_a_fork_the_library_is_opened_anew(driver: Driver, monkeypatch: pytest.MonkeyPatch) -> None:
    monitor = VRAMMonitor()
    monitor.read()
    monkeypatch.setattr(os, "getpid", lambda: -1)
    monitor.read()
    assert driver.opened == 2


def test_a_machine_without_the_binding_is_a_machine_without_a_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pynvml", None)
    assert VRAMMonitor().read() == ()


@pytest.mark.gpu
def test_a_real_gpu_tells_its_memory() -> None:
    gpus = VRAMMonitor().read()
    assert gpus
    assert all(gpu.uuid.startswith("GPU-") and 0 < gpu.free_mb <= gpu.total_mb for gpu in gpus)
