"""How much GPU memory there is; no GPU, no driver, a lost device all mean "unknown", never a crash (S3.3)."""

from __future__ import annotations

import logging
import os
import threading
import time
from collections.abc import Callable
from typing import Any

from gpu.types import VRAMInfo

log = logging.getLogger(__name__)

MB = 1024 * 1024
ASK_AGAIN_S = 15.0
ASK_AGAIN_AT_MOST_S = 300.0


class VRAMMonitor:
    """Reads NVML. After a failure it is opened anew, later and later: drivers are upgraded under running processes."""

    def __init__(self, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._nvml: Any = None
        self._process = 0
        self._problem = ""
        self._ask_again_at = 0.0
        self._pause_s = ASK_AGAIN_S

    @property
    def problem(self) -> str:
        """Why nothing is known; empty while something is."""
        return self._problem

    def read(self) -> tuple[VRAMInfo, ...]:
        """Every GPU, each with its UUID (indexes change); empty where nothing is known."""
        return tuple(self._ask(_memory))

    def utilisation(self) -> dict[str, int]:
        """How busy each GPU is, in percent, by UUID; GPUs that do not say are left out."""
        return dict(self._ask(_busy))

    def _ask(self, question: Callable[[Any, Any], Any]) -> list[Any]:
        with self._lock:
            if self._clock() < self._ask_again_at and self._process == os.getpid():
                return []
            try:
                nvml = self._open()
                answers = [_of_device(nvml, index, question) for index in range(nvml.nvmlDeviceGetCount())]
            except Exception as error:  # noqa: BLE001  while the library is missing its errors have no common base
                self._give_up(f"{type(error).__name__}: {error}")
                return []
            self._problem, self._pause_s = "", ASK_AGAIN_S
            return [answer for answer in answers if answer is not None]

    def _open(self) -> Any:
        if self._nvml is None or self._process != os.getpid():  # NVML does not survive a fork
            import pynvml

            pynvml.nvmlInit()
            self._nvml, self._process = pynvml, os.getpid()
        return self._nvml

    def _give_up(self, problem: str) -> None:
        if problem != self._problem:
            log.info("GPU memory is unknown: %s", problem)
        self._nvml, self._process, self._problem = None, os.getpid(), problem
        self._ask_again_at = self._clock() + self._pause_s
        self._pause_s = min(self._pause_s * 2, ASK_AGAIN_AT_MOST_S)


def _of_device(nvml: Any, index: int, question: Callable[[Any, Any], Any]) -> Any:
    """The answer of one GPU; None of one that does not support the question (MIG, shared memory)."""
    try:
        return question(nvml, nvml.nvmlDeviceGetHandleByIndex(index))
    except (nvml.NVMLError_NotSupported, nvml.NVMLError_NoPermission):
        return None


def _memory(nvml: Any, handle: Any) -> VRAMInfo:
    memory = nvml.nvmlDeviceGetMemoryInfo(handle)
    return VRAMInfo(
        uuid=_text(nvml.nvmlDeviceGetUUID(handle)),
        name=_text(nvml.nvmlDeviceGetName(handle)),
        total_mb=memory.total // MB,
        used_mb=memory.used // MB,
        free_mb=memory.free // MB,
    )


def _busy(nvml: Any, handle: Any) -> tuple[str, int]:
    return _text(nvml.nvmlDeviceGetUUID(handle)), int(nvml.nvmlDeviceGetUtilizationRates(handle).gpu)


def _text(value: str | bytes) -> str:
    return value.decode() if isinstance(value, bytes) else value
