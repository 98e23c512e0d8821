"""What the machine holds: the GPU, the vision-language model, CLIP. Importing this loads nothing heavy."""

from gpu.manager import GPUResourceManager, get_gpu_resource_manager
from gpu.types import (
    ExecutionMode,
    GPUError,
    GPUResourceStatus,
    ModelState,
    VLMUnavailable,
    VRAMInfo,
)

__all__ = [
    "ExecutionMode",
    "GPUError",
    "GPUResourceManager",
    "GPUResourceStatus",
    "ModelState",
    "VLMUnavailable",
    "VRAMInfo",
    "get_gpu_resource_manager",
]
