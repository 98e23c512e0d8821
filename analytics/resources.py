"""How busy the machine is while a run goes on: a sample every few seconds, in a thread of its own (S7.2)."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from typing import Any

from django.db import connections
from django.utils import timezone

from analytics.models import ResourceSample
from execution.record.connections import let_go_of_broken
from gpu.resources import ResourceMonitor, VRAMMonitor

log = logging.getLogger(__name__)

SAMPLE_EVERY_S = 5.0


class ResourceSampler:
    """Samples from `start` to `stop`; the last one is taken at the stop, so that a short run has one too."""

    def __init__(
        self,
        execution_id: str,
        *,
        vram: VRAMMonitor | None = None,
        every_s: float = SAMPLE_EVERY_S,
        on_problem: Callable[[Exception], None] | None = None,
    ) -> None:
        self.execution_id, self.every_s = execution_id, every_s
        self._on_problem = on_problem or self._log
        self._monitor = ResourceMonitor(vram=vram)
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name=f"resources {execution_id}", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._stop.set()
        self._thread.join()
        self.sample()

    def sample(self) -> ResourceSample:
        """Measure now and keep it."""
        return ResourceSample.objects.create(execution_id=self.execution_id, at=timezone.now(), **self._measure())

    def _measure(self) -> dict[str, Any]:
        now = self._monitor.read()
        return {
            "cpu_percent": now.cpu_percent,
            "ram_percent": now.ram_percent,
            "process_ram_mb": now.process_ram_mb,
            "gpu_percent": now.gpu_percent,
            "vram_used_mb": now.vram_used_mb,
            "vram_total_mb": now.vram_total_mb,
        }

    def _run(self) -> None:
        try:
            self._sample_until_stopped(lambda: self._stop.wait(self.every_s))
        finally:
            connections.close_all()

    def _sample_until_stopped(self, stopped: Callable[[], bool]) -> None:
        while not stopped():
            let_go_of_broken()
            try:
                self.sample()
            except Exception as error:  # noqa: BLE001  a helper: the next sample may be kept
                self._on_problem(error)

    def _log(self, error: Exception) -> None:
        log.warning("a resource sample was not kept: %s", error, extra={"execution": self.execution_id})
