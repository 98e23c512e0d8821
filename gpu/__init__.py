"""What the machine holds: the GPU, the vision-language model, CLIP. Importing this loads nothing heavy."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gpu.config import GPUResourceConfig
    from gpu.exceptions import CloudModelRefused, GPUError, NotEnoughVRAM, VLMUnavailable
    from gpu.manager import GPUResourceManager, get_gpu_resource_manager
    from gpu.ollama import OllamaManager
    from gpu.shared import last_known_status
    from gpu.types import ExecutionMode, GPUResourceStatus, ModelState, VRAMInfo
    from gpu.vram import VRAMMonitor

_MODULE_OF = {
    "CloudModelRefused": "gpu.exceptions",
    "ExecutionMode": "gpu.types",
    "GPUError": "gpu.exceptions",
    "GPUResourceConfig": "gpu.config",
    "GPUResourceManager": "gpu.manager",
    "GPUResourceStatus": "gpu.types",
    "ModelState": "gpu.types",
    "NotEnoughVRAM": "gpu.exceptions",
    "OllamaManager": "gpu.ollama",
    "VLMUnavailable": "gpu.exceptions",
    "VRAMInfo": "gpu.types",
    "VRAMMonitor": "gpu.vram",
    "get_gpu_resource_manager": "gpu.manager",
    "last_known_status": "gpu.shared",
}

__all__ = [
    "CloudModelRefused",
    "ExecutionMode",
    "GPUError",
    "GPUResourceConfig",
    "GPUResourceManager",
    "GPUResourceStatus",
    "ModelState",
    "NotEnoughVRAM",
    "OllamaManager",
    "VLMUnavailable",
    "VRAMInfo",
    "VRAMMonitor",
    "get_gpu_resource_manager",
    "last_known_status",
]


def __getattr__(name: str) -> Any:
    if name not in _MODULE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_MODULE_OF[name]), name)
