"""The values of the GPU manager (S3.1)."""

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
    vram: VRAMInfo | None
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
    """There is no vision-language model to be had now."""
