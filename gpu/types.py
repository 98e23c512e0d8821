"""The values of the GPU manager (S3.1), of the models behind it and of what they say."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from datetime import datetime
from enum import Enum, StrEnum
from typing import Any

from sentences.said import Said, to_json


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


class Purpose(StrEnum):
    """Who asks a model, the more urgent first: a run never waits for a chat."""

    TARGET = "target"  # the last rung of a run
    CLASSIFY = "classify"  # the names of elements
    ASSISTANT = "assistant"
    PRELOAD = "preload"


class RequestKind(StrEnum):
    MODE = "mode"
    LOAD = "load"
    UNLOAD = "unload"
    CLIP_TO_GPU = "clip_to_gpu"
    CLIP_TO_CPU = "clip_to_cpu"
    USE = "use"  # the model is loaded and stays so until the asker is done with it


@dataclass(frozen=True, slots=True, kw_only=True)
class VRAMInfo:
    """Memory of one GPU in MB."""

    uuid: str
    name: str
    total_mb: int
    used_mb: int
    free_mb: int
    reserved_mb: int = 0  # by the driver for itself, for information: older ones count it as used


@dataclass(frozen=True, slots=True, kw_only=True)
class GPUResourceStatus:
    vram: VRAMInfo | None  # None: unknown, or no GPU
    vlm_state: ModelState
    vlm_model: str
    clip_device: str
    execution_mode: ExecutionMode
    degraded: bool
    degraded_reason: str
    queue_length: int = 0
    last_vlm_request: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelOnDisk:
    """An entry of the server's list; `size_mb` is that of the file."""

    name: str
    digest: str
    size_mb: int
    capabilities: frozenset[str] = frozenset()  # as the server says; empty where it does not
    remote: bool = False  # it runs on somebody else's machine


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelCard:
    """What the server says of one model when asked for it alone."""

    name: str
    capabilities: frozenset[str]
    context_length: int | None
    remote: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Resident:
    """A model in memory. `vram_mb` is the server's own estimate: it tells “partly on the processor”, nothing else."""

    name: str
    digest: str
    size_mb: int
    vram_mb: int
    context_length: int | None
    expires_at: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatMessage:
    """`pictures` are encoded ones (PNG, JPEG). Roles: system, user, assistant."""

    role: str
    content: str
    pictures: tuple[bytes, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelAttempt:
    """One try at an answer by one model; `instead_of` is the model that had failed before it."""

    model: str  # the catalogue's key
    provider: str
    outcome: str  # gpu.choices.Outcome
    seconds: float
    error: str = ""  # the class of gpu.exceptions
    reason: str = ""  # its words
    instead_of: str = ""
    tokens_in: int = 0
    tokens_out: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Chunk:
    """A part of an answer as it comes; the last one has `done` and what the answer took.

    From the model manager: `restarted` says that what was shown so far is void, because the answer begins anew; the
    last one tells the key of the model, every attempt, and which earlier messages that model did not see.
    """

    text: str = ""
    done: bool = False
    done_reason: str = ""
    tokens_in: int = 0
    tokens_out: int = 0
    load_s: float = 0.0
    restarted: bool = False
    model: str = ""
    attempts: tuple[ModelAttempt, ...] = ()
    dropped: Mapping[str, Any] = field(default_factory=dict)


CloudAllowed = Callable[[str], Awaitable[bool]]  # whether an admin lets a model run on somebody else's machine


async def nowhere(model: str) -> bool:
    return False


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What is asked of the owner of the GPU, by this process or by another; all of it can be kept as JSON."""

    kind: RequestKind
    model: str = ""  # LOAD, UNLOAD, USE
    mode: ExecutionMode | None = None  # MODE
    purpose: Purpose = Purpose.TARGET
    deadline_s: float = 300.0
    asked_by: str = ""  # a person or a run, in words
    extra: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class ManagerDetails:
    """What the rows show beside the status; `residents` and `queue` as `gpu.models.GPUState` keeps them."""

    status: GPUResourceStatus
    vram: tuple[VRAMInfo, ...]  # of every GPU
    residents: tuple[Mapping[str, Any], ...]
    queue: tuple[Mapping[str, Any], ...]
    degraded_since: datetime | None


def as_json(value: Any) -> Any:
    """In what JSON knows: dataclasses as objects, moments in ISO 8601, enumerations as values, sentences as codes."""
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: as_json(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, Mapping):
        return {str(name): as_json(part) for name, part in value.items()}
    if isinstance(value, Said):
        return to_json(value)
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, (list, tuple, set, frozenset)):
        return [as_json(part) for part in value]
    return value
