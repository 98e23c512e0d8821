"""What fits: free memory, less the headroom, against what a model needs (S3.10, A.9.3)."""

from __future__ import annotations

import math
from dataclasses import dataclass

from gpu.policy.snapshot import CPU, GPUSnapshot, ModelView
from sentences.said import say

CORESIDENT_SHARE = 0.8  # of the free memory: a second model that needs more drives the first one out (A.3)
SWAP_WINDOW_S = 60.0


@dataclass(frozen=True, slots=True)
class Room:
    """Whether a model fits once `out` are gone; `needed_mb` and `free_mb` are what a refusal says."""

    fits: bool
    out: tuple[ModelView, ...] = ()
    needed_mb: int = 0
    free_mb: int = 0
    note: str = ""


def room_for(snapshot: GPUSnapshot, model: ModelView, *, may_go: tuple[ModelView, ...], freed_mb: int = 0) -> Room:
    """The fewest models of `may_go`, in that order, that make room; `freed_mb` is what comes free before.

    Beside models that stay it must fit so that the server does not drive them out behind our back.
    """
    free = snapshot.free_mb
    if free is None:
        return Room(fits=True, note=say("gpu.memory_unknown"))
    if model.need_mb is None:
        return Room(fits=True, note=say("gpu.need_unknown", model=model.name))
    free += freed_mb
    staying = [other for other in snapshot.models if other.is_in_memory and other.name != model.name]
    out: list[ModelView] = []
    while free < (needed := _needed(snapshot, model.need_mb, beside=len(staying) > len(out))):
        if len(out) == len(may_go):
            return Room(fits=False, needed_mb=needed, free_mb=free)
        out.append(may_go[len(out)])
        free += out[-1].need_mb or 0
    return Room(fits=True, out=tuple(out), needed_mb=needed, free_mb=free)


def _needed(snapshot: GPUSnapshot, need_mb: int, *, beside: bool) -> int:
    needed = need_mb + snapshot.config.headroom_mb
    return max(needed, math.ceil(need_mb / CORESIDENT_SHARE)) if beside else needed


def clip_room(snapshot: GPUSnapshot, *, freed_mb: int = 0) -> tuple[str | None, int, int]:
    """The device that CLIP fits on, or None; with what it needs and the most that is free, in MB."""
    needed = snapshot.clip.need_mb + snapshot.config.headroom_mb
    gpus = snapshot.clip_gpus
    if not gpus:
        return None, needed, 0
    index, most = max(enumerate(gpus), key=lambda one: one[1])
    most += freed_mb
    return (f"cuda:{index}" if most >= needed else None), needed, most


def clip_is_on_gpu(snapshot: GPUSnapshot) -> bool:
    return snapshot.clip.device != CPU


def swap_allowed_in_s(snapshot: GPUSnapshot) -> float:
    """Seconds until one more model may be loaded: at most so many within a minute, whoever asks (no ping-pong)."""
    recent = sorted(at for at in snapshot.swaps if snapshot.now - at < SWAP_WINDOW_S)
    if len(recent) < snapshot.config.swaps_per_minute:
        return 0.0
    return recent[-snapshot.config.swaps_per_minute] + SWAP_WINDOW_S - snapshot.now
