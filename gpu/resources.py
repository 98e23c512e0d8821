"""What the machine has to give now: processor, memory, GPU memory (S4.5, S7.2). Reading it takes some microseconds."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from dataclasses import dataclass

import psutil

from gpu.types import VRAMInfo
from gpu.vram import VRAMMonitor, free_mb

MB = 1024 * 1024
SHORTEST_S = 0.1  # over less than that, what the system counts says nothing of how busy it is


@dataclass(frozen=True, slots=True, kw_only=True)
class Resources:
    """Percentages from 0 to 100, memory in MB. No GPUs: there are none, or their memory is unknown."""

    cpu_percent: float
    ram_percent: float
    ram_free_mb: int
    ram_total_mb: int
    process_ram_mb: float
    gpus: tuple[VRAMInfo, ...] = ()
    gpu_percent: int | None = None  # of the busiest one

    @property
    def vram_free_mb(self) -> int | None:
        return free_mb(self.gpus)

    @property
    def vram_used_mb(self) -> int | None:
        return sum(gpu.used_mb for gpu in self.gpus) if self.gpus else None

    @property
    def vram_total_mb(self) -> int | None:
        return sum(gpu.total_mb for gpu in self.gpus) if self.gpus else None


class ResourceMonitor:
    """The processor's load is that since the reading before, each monitor for itself; may be used by any thread."""

    def __init__(
        self, *, vram: VRAMMonitor | None = None, cpu_times: Callable[[], tuple[float, float]] | None = None
    ) -> None:
        self._vram = vram or VRAMMonitor()
        self._cpu_times = cpu_times or _cpu_times
        self._process = psutil.Process()
        self._lock = threading.Lock()
        self._before = self._cpu_times()
        self._cpu_percent: float | None = None

    def read(self) -> Resources:
        memory = psutil.virtual_memory()
        return Resources(
            cpu_percent=self._cpu(),
            ram_percent=memory.percent,
            ram_free_mb=memory.available // MB,
            ram_total_mb=memory.total // MB,
            process_ram_mb=round(self._process.memory_info().rss / MB, 1),
            gpus=self._vram.read(),
            gpu_percent=max(self._vram.utilisation().values(), default=None),
        )

    def _cpu(self) -> float:
        """Since the reading before; two in quick succession say the same, and the first what the system remembers."""
        with self._lock:
            busy, total = self._cpu_times()
            past = total - self._before[1]
            if past >= SHORTEST_S:
                self._cpu_percent = round(min(100.0, max(0.0, 100 * (busy - self._before[0]) / past)), 1)
                self._before = (busy, total)
            return _load_percent() if self._cpu_percent is None else self._cpu_percent


def _cpu_times() -> tuple[float, float]:
    """Seconds that one processor on average was busy, and all that have passed."""
    times, count = psutil.cpu_times(), psutil.cpu_count() or 1
    total = sum(times) - getattr(times, "guest", 0.0) - getattr(times, "guest_nice", 0.0)  # counted as user as well
    return (total - times.idle - getattr(times, "iowait", 0.0)) / count, total / count


def _load_percent() -> float:
    """Of the last minute: processes that want to run, for each processor."""
    return round(min(100.0, 100 * os.getloadavg()[0] / (psutil.cpu_count() or 1)), 1)
