"""All that a decision may know: taken once, by the owner, in its turn."""

from __future__ import annotations

from dataclasses import dataclass, field

from gpu.config import GPUResourceConfig
from gpu.types import ExecutionMode, ModelState, Purpose

CPU = "cpu"


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelView:
    """`last_used` in seconds of the monotonic clock; None: not loaded from here, and none of our business when idle."""

    name: str
    state: ModelState = ModelState.UNLOADED
    need_mb: int | None = None  # None: nobody knows
    digest: str = ""
    last_used: float | None = None
    users: tuple[Purpose, ...] = ()
    stale: bool = False  # in memory, and not to be relied on before it is asked for anew

    @property
    def is_in_memory(self) -> bool:
        return self.state in (ModelState.LOADED, ModelState.UNLOADING)


@dataclass(frozen=True, slots=True, kw_only=True)
class ClipView:
    """`gpus`: free MB of each, in the order of their CUDA numbers in this process; None: as the snapshot has them.

    `in_use`: somebody looks through it in the process that owns the GPU.
    """

    device: str = CPU
    available: bool = False
    in_use: bool = True
    need_mb: int = 0
    gpus: tuple[int, ...] | None = None
    returns: bool = False  # it gave way, or did not fit: it goes to the GPU as soon as it can

    @property
    def is_wanted(self) -> bool:
        """Whether it would help anybody to have it on a GPU."""
        return self.available and self.in_use


@dataclass(frozen=True, slots=True, kw_only=True)
class GPUSnapshot:
    """`gpus`: free MB of each; None where their memory is unknown. `swaps`: when models were loaded."""

    now: float
    mode: ExecutionMode = ExecutionMode.IDLE
    vlm: str = ""
    models: tuple[ModelView, ...] = ()
    clip: ClipView = ClipView()
    gpus: tuple[int, ...] | None = None
    vlm_is_here: bool = True  # its server uses the GPU of this machine
    config: GPUResourceConfig = field(default_factory=GPUResourceConfig)
    swaps: tuple[float, ...] = ()
    server_problem: str = ""  # why the server of the models is not asked now; empty: it is
    server_again_s: float = 1.0  # until it is asked again
    mode_is_due: bool = False  # what the mode wants was not had, and is to be tried again now

    def model(self, name: str) -> ModelView:
        return next((model for model in self.models if model.name == name), ModelView(name=name))

    @property
    def clip_gpus(self) -> tuple[int, ...]:
        """Those that CLIP may go to; empty where there is none, or nothing is known."""
        return (self.gpus if self.clip.gpus is None else self.clip.gpus) or ()

    @property
    def free_mb(self) -> int | None:
        """What models may take: the server spreads one over all GPUs. None: unknown, or not this machine's."""
        if self.gpus is None or not self.gpus or not self.vlm_is_here:
            return None
        return sum(self.gpus)
