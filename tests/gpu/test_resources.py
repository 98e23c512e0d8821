"""What the machine has to give (S4.5, S7.2)."""

from __future__ import annotations

import pytest

from gpu.resources import ResourceMonitor
from gpu.types import VRAMInfo
from tests.gpu.fake_models import gpu


class Cards:
    def __init__(self, *gpus: VRAMInfo, busy: dict[str, int] | None = None) -> None:
        self.gpus, self.busy = gpus, busy or {}

    def read(self) -> tuple[VRAMInfo, ...]:
        return self.gpus

    def utilisation(self) -> dict[str, int]:
        return self.busy


class Processor:
    """How long it was busy, of all the time that passed."""

    def __init__(self) -> None:
        self.busy, self.total = 100.0, 1000.0

    def __call__(self) -> tuple[float, float]:
        return self.busy, self.total

    def works(self, busy: float, of: float) -> None:
        self.busy, self.total = self.busy + busy, self.total + of


def test_the_machine_is_read_whole() -> None:
    now = ResourceMonitor(vram=Cards(gpu(1000, 8000), gpu(3000, 8000), busy={"a": 5, "b": 70})).read()
    assert (now.vram_free_mb, now.vram_used_mb, now.vram_total_mb, now.gpu_percent) == (4000, 12_000, 16_000, 70)
    assert 0 < now.ram_free_mb < now.ram_total_mb
    assert 0 <= now.cpu_percent <= 100
    assert 0 < now.ram_percent <= 100
    assert now.process_ram_mb > 1


def test_without_a_gpu_its_memory_is_unknown_and_not_zero() -> None:
    """S3.3"""
    now = ResourceMonitor(vram=Cards()).read()
    assert (now.vram_free_mb, now.vram_used_mb, now.vram_total_mb, now.gpu_percent) == (None, None, None, None)


def test_the_load_of_the_processor_is_that_since_the_reading_before() -> None:
    processor = Processor()
    monitor = ResourceMonitor(vram=Cards(), cpu_times=processor)
    told = []
    for busy, of in ((3.0, 10.0), (10.0, 10.0), (0.0, 5.0)):
        processor.works(busy, of)
        told.append(monitor.read().cpu_percent)
    assert told == [30.0, 100.0, 0.0]


def test_two_readings_in_quick_succession_say_the_same() -> None:
    processor = Processor()
    monitor = ResourceMonitor(vram=Cards(), cpu_times=processor)
    processor.works(5, 10)
    assert monitor.read().cpu_percent == 50.0
    processor.works(0.01, 0.01)
    assert monitor.read().cpu_percent == 50.0, "a hundredth of a second says nothing"
    processor.works(0, 9.99)
    assert monitor.read().cpu_percent == 0.1, "what was passed over is counted with the next"


def test_the_first_reading_says_what_the_system_remembers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gpu.resources.os.getloadavg", lambda: (1.0, 9.0, 9.0))
    monkeypatch.setattr("gpu.resources.psutil.cpu_count", lambda: 4)
    assert ResourceMonitor(vram=Cards(), cpu_times=Processor()).read().cpu_percent == 25.0
    monkeypatch.setattr("gpu.resources.os.getloadavg", lambda: (90.0, 9.0, 9.0))
    assert ResourceMonitor(vram=Cards(), cpu_times=Processor()).read().cpu_percent == 100.0
