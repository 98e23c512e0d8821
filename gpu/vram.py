"""How much GPU memory there is; no GPU, no driver, a lost device all mean "unknown", never a crash (S3.3)."""

from __future__ import annotations

import logging
from typing import Any

from gpu.types import VRAMInfo

log = logging.getLogger(__name__)
MB = 1024 * 1024


class VRAMMonitor:
    """Reads NVML. After `nvmlInit` has failed it is not asked again: a driver does not appear while we run."""

    def __init__(self) -> None:
        self._nvml: Any = None
        self._absent = ""

    def read(self) -> tuple[VRAMInfo, ...]:
        """Every GPU by UUID; empty where nothing is known."""
        if self._absent:
            return ()
        try:
            nvml = self._open()
            return tuple(self._device(nvml, i) for i in range(nvml.nvmlDeviceGetCount()))
        except Exception as error:  # noqa: BLE001  NVML's errors have no usable base while the library is missing
            self._absent = f"{type(error).__name__}: {error}"
            log.info("no GPU: %s", self._absent)
            return ()

    def _open(self) -> Any:
        if self._nvml is None:
            import pynvml

            pynvml.nvmlInit()
            self._nvml = pynvml
        return self._nvml

    def _device(self, nvml: Any, index: int) -> VRAMInfo:
        handle = nvml.nvmlDeviceGetHandleByIndex(index)
        memory = nvml.nvmlDeviceGetMemoryInfo(handle)
        return VRAMInfo(
            uuid=nvml.nvmlDeviceGetUUID(handle),
            name=nvml.nvmlDeviceGetName(handle),
            total_mb=memory.total // MB,
            used_mb=memory.used // MB,
            free_mb=memory.free // MB,
        )
