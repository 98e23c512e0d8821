"""What a decision consists of: steps in their order, each with its reason in words."""

from __future__ import annotations

from dataclasses import dataclass

from gpu.exceptions import GPUError


@dataclass(frozen=True, slots=True, kw_only=True)
class UnloadModel:
    model: str
    reason: str
    idle: bool = False  # nobody asked for it for long enough


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadModel:
    model: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MoveClip:
    device: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Wait:
    """What is wanted may be done in so many seconds, and is done then."""

    seconds: float
    reason: str


Step = UnloadModel | LoadModel | MoveClip | Wait


@dataclass(frozen=True, slots=True)
class MemoryPlan:
    """The steps are done in any case, then the refusal is raised; `notes` say why something is left undone."""

    steps: tuple[Step, ...] = ()
    refusal: GPUError | None = None
    notes: tuple[str, ...] = ()

    @property
    def reasons(self) -> tuple[str, ...]:
        refused = (str(self.refusal),) if self.refusal else ()
        return (*(step.reason for step in self.steps), *self.notes, *refused)
