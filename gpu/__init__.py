"""What the machine holds: the GPU, the models of it, CLIP. Importing this loads nothing heavy."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gpu.assistant.assistant import Assistant
    from gpu.assistant.mai import Mai
    from gpu.clip import CLIPManager
    from gpu.config import GPUResourceConfig
    from gpu.conversation.talk import ContextManager
    from gpu.exceptions import CloudModelRefused, GpuBusy, GPUError, NotEnoughVRAM, VLMUnavailable
    from gpu.machine.status import last_known_status
    from gpu.manager import GPUResourceManager
    from gpu.model_manager import ModelManager
    from gpu.ollama import OllamaManager
    from gpu.resources import ResourceMonitor
    from gpu.types import ExecutionMode, GPUResourceStatus, ModelState, Purpose, VRAMInfo
    from gpu.vram import VRAMMonitor
    from gpu.wiring import get_gpu_resource_manager

_MODULE_OF = {
    "Assistant": "gpu.assistant.assistant",
    "CLIPManager": "gpu.clip",
    "CloudModelRefused": "gpu.exceptions",
    "ContextManager": "gpu.conversation.talk",
    "ExecutionMode": "gpu.types",
    "GPUError": "gpu.exceptions",
    "GPUResourceConfig": "gpu.config",
    "GPUResourceManager": "gpu.manager",
    "GPUResourceStatus": "gpu.types",
    "GpuBusy": "gpu.exceptions",
    "Mai": "gpu.assistant.mai",
    "ModelManager": "gpu.model_manager",
    "ModelState": "gpu.types",
    "NotEnoughVRAM": "gpu.exceptions",
    "OllamaManager": "gpu.ollama",
    "Purpose": "gpu.types",
    "ResourceMonitor": "gpu.resources",
    "VLMUnavailable": "gpu.exceptions",
    "VRAMInfo": "gpu.types",
    "VRAMMonitor": "gpu.vram",
    "get_gpu_resource_manager": "gpu.wiring",
    "last_known_status": "gpu.machine.status",
}

__all__ = [
    "Assistant",
    "CLIPManager",
    "CloudModelRefused",
    "ContextManager",
    "ExecutionMode",
    "GPUError",
    "GPUResourceConfig",
    "GPUResourceManager",
    "GPUResourceStatus",
    "GpuBusy",
    "Mai",
    "ModelManager",
    "ModelState",
    "NotEnoughVRAM",
    "OllamaManager",
    "Purpose",
    "ResourceMonitor",
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
