"""What the machine holds: the GPU, the models of it, CLIP. Importing this loads nothing heavy."""

# ruff: noqa: F401  what type checkers are told of the names below

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gpu.assistant.assistant import Assistant, Mai
    from gpu.clip import CLIPManager
    from gpu.config import GPUResourceConfig
    from gpu.conversation import ContextManager
    from gpu.exceptions import CloudModelRefused, GpuBusy, GPUError, NotEnoughVRAM, VLMUnavailable
    from gpu.machine.status import last_known_status
    from gpu.manager import GPUResourceManager, get_gpu_resource_manager
    from gpu.model_manager import ModelManager
    from gpu.ollama import OllamaManager
    from gpu.resources import ResourceMonitor, VRAMMonitor
    from gpu.types import ExecutionMode, GPUResourceStatus, ModelState, Purpose, VRAMInfo

_NAMES_OF = {
    "gpu.assistant.assistant": ("Assistant", "Mai"),
    "gpu.clip": ("CLIPManager",),
    "gpu.config": ("GPUResourceConfig",),
    "gpu.conversation": ("ContextManager",),
    "gpu.exceptions": ("CloudModelRefused", "GPUError", "GpuBusy", "NotEnoughVRAM", "VLMUnavailable"),
    "gpu.machine.status": ("last_known_status",),
    "gpu.manager": ("GPUResourceManager", "get_gpu_resource_manager"),
    "gpu.model_manager": ("ModelManager",),
    "gpu.ollama": ("OllamaManager",),
    "gpu.types": ("ExecutionMode", "GPUResourceStatus", "ModelState", "Purpose", "VRAMInfo"),
    "gpu.resources": ("ResourceMonitor", "VRAMMonitor"),
}
_MODULE_OF = {name: module for module, names in _NAMES_OF.items() for name in names}

__all__ = [*_MODULE_OF]


def __getattr__(name: str) -> Any:
    if name not in _MODULE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_MODULE_OF[name]), name)
