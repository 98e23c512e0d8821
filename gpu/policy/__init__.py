"""The decisions of the GPU manager as pure functions: snapshot and request in, steps with their reasons out."""

from gpu.policy.decide import CHATS, NO_VLM, LoadModel, MemoryPlan, MoveClip, Step, Tick, UnloadModel, Wait, decide
from gpu.policy.snapshot import CPU, ClipView, GPUSnapshot, ModelView

__all__ = [
    "CHATS",
    "CPU",
    "NO_VLM",
    "ClipView",
    "GPUSnapshot",
    "LoadModel",
    "MemoryPlan",
    "ModelView",
    "MoveClip",
    "Step",
    "Tick",
    "UnloadModel",
    "Wait",
    "decide",
]  # fmt: skip
