"""How busy the machine is while a run goes on: a sample every few seconds, in a thread of its own (S7.2)."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from typing import Any

import psutil
from django.db import DatabaseError, close_old_connections, connections
from django.utils import timezone

from analytics.models import ResourceSample
from gpu import VRAMMonitor

log = logging.getLogger(__name__)

SAMPLE_EVERY_S = 5.0
MB = 1024 * 1024


class ResourceMonitor:
    """Samples from `start` to `stop`; the last one is taken at the stop, so that a short run has one too."""

    def __init__(self, execution_id: str, *, vram: VRAMMonitor | None = None, every_s: float = SAMPLE_EVERY_S) -> None:
        self.execution_id, self.every_s = execution_id, every_s
        self._vram = vram or VRAMMonitor()
        self._process = psutil.Process()
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name=f"resources {execution_id}", daemon=True)

    def start(self) -> None:
        psutil.cpu_percent()  # the first answer is always 0: it measures since the question before
        self._thread.start()

    def stop(self) -> None:
        self._stop.set()
        self._thread.join()
        self.sample()

    def sample(self) -> ResourceSample:
        """Measure now and keep it."""
        return ResourceSample.objects.create(execution_id=self.execution_id, at=timezone.now(), **self._measure())

    def _measure(self) -> dict[str, Any]:
        gpus = self._vram.read()
        busy = self._vram.utilisation()
        return {
            "cpu_percent": psutil.cpu_percent(),
            "ram_percent": psutil.virtual_memory().percent,
            "process_ram_mb": round(self._process.memory_info().rss / MB, 1),
            "gpu_percent": max(busy.values(), default=None),
            "vram_used_mb": sum(gpu.used_mb for gpu in gpus) if gpus else None,
            "vram_total_mb": sum(gpu.total_mb for gpu in gpus) if gpus else None,
        }

    def _run(self) -> None:
        try:
            self._sample_until_stopped(lambda: self._stop.wait(self.every_s))
        finally:
            connections.close_all()

    def _sample_until_stopped(self, stopped: Callable[[], bool]) -> None:
        while not stopped():
            close_old_connections()
            try:
                self.sample()
            except DatabaseError as error:
                log.warning("a resource sample was not kept: %s", error, extra={"execution": self.execution_id})
