"""The values of the GPU manager, and what can go wrong with it (S3.1).

GPUError
├── VLMUnavailable        there is no vision-language model to be had now
│   ├── CloudModelRefused
│   └── NotEnoughVRAM     carries needed and free MB
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum


class ExecutionMode(StrEnum):
    IDLE = "idle"
    RECORDING = "recording"
    AUTOPILOT = "autopilot"


class ModelState(StrEnum):
    UNLOADED = "unloaded"
    LOADING = "loading"
    LOADED = "loaded"
    UNLOADING = "unloading"
    ERROR = "error"


@dataclass(frozen=True, slots=True, kw_only=True)
class VRAMInfo:
    """Memory of one GPU in MB."""

    uuid: str
    name: str
    total_mb: int
    used_mb: int
    free_mb: int


@dataclass(frozen=True, slots=True, kw_only=True)
class GPUResourceStatus:
    vram: VRAMInfo | None  # None: unknown, or no GPU
    vlm_state: ModelState
    vlm_model: str
    clip_device: str
    execution_mode: ExecutionMode
    degraded: bool
    degraded_reason: str
    queue_length: int = 0
    last_vlm_request: datetime | None = None


class GPUError(Exception):
    """The message says what is missing and what to do."""


class VLMUnavailable(GPUError):
    """There is no vision-language model to be had now; `passing` when trying again may help."""

    def __init__(self, message: str, *, passing: bool = True) -> None:
        super().__init__(message)
        self.passing = passing


class CloudModelRefused(VLMUnavailable):
    """The model runs on somebody else's machine: screens do not leave this one (RELIABILITY.md T9)."""

    def __init__(self, message: str) -> None:
        super().__init__(message, passing=False)


class NotEnoughVRAM(VLMUnavailable):
    """Refused before anything was loaded."""

    def __init__(self, what: str, *, needed_mb: int, free_mb: int) -> None:
        message = f"{what} needs {needed_mb} MB of GPU memory and {free_mb} MB are free. Close what holds it."
        super().__init__(message, passing=False)
        self.needed_mb, self.free_mb = needed_mb, free_mb
