"""The decisions of the GPU manager as pure functions: snapshot and request in, steps with their reasons out."""

from gpu.policy.decide import CHATS, NO_VLM, Tick, decide
from gpu.policy.snapshot import CPU, ClipView, GpuView, Limits, ModelView, Snapshot
from gpu.policy.steps import Decision, LoadModel, MoveClip, Step, UnloadModel, Wait

__all__ = [
    "CHATS", "CPU", "NO_VLM",
    "ClipView", "Decision", "GpuView", "Limits", "LoadModel", "ModelView", "MoveClip", "Snapshot", "Step", "Tick",
    "UnloadModel", "Wait", "decide",
]  # fmt: skip
