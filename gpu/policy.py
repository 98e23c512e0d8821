"""Who may have the memory: from a snapshot and a request to steps, pure (S3.4 to S3.7, S3.10, S4.5).

The owner does the first step, takes a new snapshot and decides again, until nothing is left to do: no step ever
stands on a state that was read before another step (A.6).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

from gpu.config import GPUResourceConfig
from gpu.exceptions import ClipUnavailable, GPUError, NotEnoughVRAM, ServerAway, TooManySwaps, VLMUnavailable
from gpu.types import ExecutionMode, ModelState, Purpose, Request, RequestKind, Resident
from sentences.said import say, told_by

CPU = "cpu"


@dataclass(eq=False, slots=True, kw_only=True)
class ModelRecord:
    """What is known of one model. `last_used` in seconds of the monotonic clock; None: nobody here has used it yet, and
    it is none of our business when idle.
    """

    name: str
    state: ModelState = ModelState.UNLOADED
    need_mb: int | None = None  # None: nobody knows
    digest: str = ""
    size_mb: int = 0
    last_used: float | None = None
    users: tuple[Purpose, ...] = ()
    resident: Resident | None = None
    adopted: bool = False  # loaded, or taken over, by a request of ours
    context: int | None = None  # what that came to
    stale: bool = False  # in memory, and not to be relied on before it is asked for anew

    @property
    def is_in_memory(self) -> bool:
        return self.state in (ModelState.LOADED, ModelState.UNLOADING)

    def forget(self) -> None:
        self.resident = self.last_used = self.context = None
        self.adopted = False

    def told(self) -> dict[str, Any]:
        resident = self.resident
        expires = resident.expires_at if resident else None
        return {
            "name": self.name,
            "state": self.state.value,
            "vram_mb": resident.vram_mb if resident else 0,
            "size_mb": resident.size_mb if resident else self.size_mb,
            "need_mb": self.need_mb,
            "context_length": resident.context_length if resident else None,
            "expires_at": expires.isoformat() if expires else None,
        }


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
    models: tuple[ModelRecord, ...] = ()
    clip: ClipView = ClipView()
    gpus: tuple[int, ...] | None = None
    vlm_is_here: bool = True  # its server uses the GPU of this machine
    config: GPUResourceConfig = field(default_factory=GPUResourceConfig)
    swaps: tuple[float, ...] = ()
    server_problem: str = ""  # why the server of the models is not asked now; empty: it is
    mode_is_due: bool = False  # what the mode wants was not had, and is to be tried again now

    def model(self, name: str) -> ModelRecord:
        return next((model for model in self.models if model.name == name), ModelRecord(name=name))

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


CORESIDENT_SHARE = 0.8  # of the free memory: a second model that needs more drives the first one out (A.3)
SWAP_WINDOW_S = 60.0


@dataclass(frozen=True, slots=True)
class Room:
    """Whether a model fits once `out` are gone; `needed_mb` and `free_mb` are what a refusal says."""

    fits: bool
    out: tuple[ModelRecord, ...] = ()
    needed_mb: int = 0
    free_mb: int = 0


def room_for(snapshot: GPUSnapshot, model: ModelRecord, *, may_go: tuple[ModelRecord, ...], freed_mb: int = 0) -> Room:
    """The fewest models of `may_go`, in that order, that make room; `freed_mb` is what comes free before.

    What is unknown, or in memory already, is left to the server of the models to decide.
    """
    free = snapshot.free_mb
    if free is None or model.need_mb is None or model.is_in_memory:
        return Room(fits=True)
    free += freed_mb
    staying = [other for other in snapshot.models if other.is_in_memory and other.name != model.name]
    out: list[ModelRecord] = []
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


NO_VLM = say("gpu.no_vlm")
NOBODY_LOOKS = say("gpu.nobody_looks")
CHATS = frozenset({Purpose.ASSISTANT, Purpose.PRELOAD})


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
    """The steps are done in any case, then the refusal is raised."""

    steps: tuple[Step, ...] = ()
    refusal: GPUError | None = None


@dataclass(frozen=True, slots=True)
class Tick:
    """Nobody asks: what is to be done by itself?"""


def decide(snapshot: GPUSnapshot, request: Request | Tick) -> MemoryPlan:
    """The steps that are left until the request is met; none: it is met."""
    if isinstance(request, Tick):
        return _tick(snapshot)
    if request.kind is RequestKind.MODE:
        return _mode(snapshot, request.mode)
    if request.kind in (RequestKind.LOAD, RequestKind.USE):
        return _model_wanted(snapshot, request.model, request.purpose)
    if request.kind is RequestKind.UNLOAD:
        return _model_unwanted(snapshot, request.model)
    if request.kind is RequestKind.CLIP_TO_GPU:
        return _clip_to_gpu(snapshot)
    return _clip_to_cpu(snapshot, say("gpu.clip_asked_back"))


# --- modes ----------------------------------------------------------------------------------------------------------
def _mode(snapshot: GPUSnapshot, mode: ExecutionMode | None) -> MemoryPlan:
    if mode is ExecutionMode.AUTOPILOT:
        return _autopilot(snapshot)
    if mode is ExecutionMode.RECORDING:
        return _recording(snapshot)
    return MemoryPlan()


def _autopilot(snapshot: GPUSnapshot) -> MemoryPlan:
    """The VLM goes, then CLIP gets the GPU; models that nobody uses go too where CLIP needs their memory."""
    vlm = snapshot.model(snapshot.vlm)
    steps: list[Step] = []
    freed = 0
    if snapshot.server_problem and snapshot.vlm:  # CLIP goes by what is free; the VLM when the server answers
        return MemoryPlan(_clip_if_it_fits(snapshot), _away(snapshot))
    if vlm.is_in_memory:
        steps.append(UnloadModel(model=vlm.name, reason=say("gpu.autopilot_without_vlm")))
        freed = vlm.need_mb or 0
    if not snapshot.clip.is_wanted or clip_is_on_gpu(snapshot):
        return MemoryPlan(tuple(steps))
    for other in [None, *_idle_others(snapshot, snapshot.vlm)]:
        if other is not None:
            steps.append(UnloadModel(model=other.name, reason=say("gpu.clip_needs_memory")))
            freed += other.need_mb or 0
        device, needed, free = clip_room(snapshot, freed_mb=freed if snapshot.vlm_is_here else 0)
        if device:
            steps.append(MoveClip(device=device, reason=say("gpu.clip_gets_gpu", needed=needed, free=free)))
            return MemoryPlan(tuple(steps))
    return MemoryPlan(tuple(steps[: 1 if vlm.is_in_memory else 0]))


def _recording(snapshot: GPUSnapshot) -> MemoryPlan:
    """CLIP goes to the CPU, then the VLM is loaded; a load too many for this minute waits, it is never refused."""
    first = _clip_to_cpu(snapshot, say("gpu.recording_clip_goes")).steps
    if not snapshot.vlm:
        return MemoryPlan(first)
    wanted = _model_wanted(snapshot, snapshot.vlm, Purpose.TARGET)
    if isinstance(wanted.refusal, TooManySwaps):
        pause = Wait(seconds=wanted.refusal.retry_after_s, reason=told_by(wanted.refusal))
        return MemoryPlan((*first, pause))
    steps = tuple(step for step in wanted.steps if not isinstance(step, MoveClip))
    return MemoryPlan((*first, *steps), wanted.refusal)


# --- models ---------------------------------------------------------------------------------------------------------
def _model_wanted(snapshot: GPUSnapshot, name: str, purpose: Purpose) -> MemoryPlan:
    if not name:
        return MemoryPlan(refusal=VLMUnavailable(NO_VLM, passing=False))
    model = snapshot.model(name)
    if snapshot.server_problem:
        return MemoryPlan(refusal=_away(snapshot))
    if model.state is ModelState.LOADED and not model.stale:
        return MemoryPlan()
    pause = swap_allowed_in_s(snapshot)
    if pause > 0:
        return MemoryPlan(refusal=_too_many(snapshot, name, pause))
    chat = purpose in CHATS
    clip_goes = clip_is_on_gpu(snapshot) and _clip_gives_way(snapshot, name, chat=chat)
    room = _room(snapshot, model, chat=chat, clip_goes=clip_goes)
    if not room.fits:
        return MemoryPlan(
            refusal=NotEnoughVRAM(say("server.model", model=name), needed_mb=room.needed_mb, free_mb=room.free_mb)
        )
    # one that was asked to go, and not waited for, is waited for now: two operations never overlap (S3.11.13)
    leaving = [one for one in snapshot.models if one.state is ModelState.UNLOADING and one.name != name]
    steps: list[Step] = [
        UnloadModel(model=one.name, reason=say("gpu.on_its_way_out", model=one.name)) for one in leaving
    ]
    if clip_goes:
        steps.append(MoveClip(device=CPU, reason=say("gpu.clip_makes_room", model=name)))
    reason = say("gpu.makes_room", model=name)
    steps += [UnloadModel(model=out.name, reason=reason) for out in room.out if out not in leaving]
    return MemoryPlan((*steps, LoadModel(model=name, reason=say("gpu.asked_for", model=name))))


def _clip_gives_way(snapshot: GPUSnapshot, name: str, *, chat: bool) -> bool:
    """CLIP is off the GPU before the VLM loads (S3.11.6); only a chat in autopilot never moves it (S4.5)."""
    if not snapshot.vlm_is_here:
        return False
    return snapshot.mode is not ExecutionMode.AUTOPILOT and name == snapshot.vlm if chat else True


def _room(snapshot: GPUSnapshot, model: ModelRecord, *, chat: bool, clip_goes: bool) -> Room:
    """A run, whose turn it is, may drive out any other model; a chat nothing that a run wants or is about to use.

    In autopilot a chat drives out nothing at all (S4.5).
    """
    freed = snapshot.clip.need_mb if clip_goes else 0
    if not chat:
        return room_for(snapshot, model, may_go=_others(snapshot, model.name), freed_mb=freed)
    if snapshot.mode is ExecutionMode.AUTOPILOT:
        return room_for(snapshot, model, may_go=())
    spared = snapshot.vlm if snapshot.mode is ExecutionMode.RECORDING else ""
    may_go = tuple(other for other in _idle_others(snapshot, model.name) if other.name != spared)
    return room_for(snapshot, model, may_go=may_go, freed_mb=freed)


def _model_unwanted(snapshot: GPUSnapshot, name: str) -> MemoryPlan:
    model = snapshot.model(name)
    if not name or not model.is_in_memory:
        return MemoryPlan()
    if snapshot.server_problem:
        return MemoryPlan(refusal=_away(snapshot))
    return MemoryPlan((UnloadModel(model=name, reason=say("gpu.asked_to_go", model=name)),))


def _others(snapshot: GPUSnapshot, name: str) -> tuple[ModelRecord, ...]:
    """What is in memory beside that model, what nobody is about to use first, of that the longest unused first."""
    others = [one for one in snapshot.models if one.name != name and one.is_in_memory]
    return tuple(sorted(others, key=lambda one: (bool(one.users), -1.0 if one.last_used is None else one.last_used)))


def _idle_others(snapshot: GPUSnapshot, name: str) -> tuple[ModelRecord, ...]:
    return tuple(one for one in _others(snapshot, name) if not one.users)


# --- CLIP -----------------------------------------------------------------------------------------------------------
def _clip_to_gpu(snapshot: GPUSnapshot) -> MemoryPlan:
    if clip_is_on_gpu(snapshot):
        return MemoryPlan()
    if not snapshot.clip.available:
        return MemoryPlan(refusal=ClipUnavailable(say("gpu.no_clip")))
    if not snapshot.clip.in_use:
        return MemoryPlan(refusal=ClipUnavailable(NOBODY_LOOKS))
    device, needed, free = clip_room(snapshot)
    if device is None and not snapshot.clip_gpus:
        return MemoryPlan(refusal=ClipUnavailable(say("gpu.clip_stays_unseen")))
    if device is None:
        return MemoryPlan(refusal=NotEnoughVRAM("CLIP", needed_mb=needed, free_mb=free))
    return MemoryPlan((MoveClip(device=device, reason=say("gpu.clip_asked_there", needed=needed, free=free)),))


def _clip_to_cpu(snapshot: GPUSnapshot, reason: str) -> MemoryPlan:
    return MemoryPlan((MoveClip(device=CPU, reason=reason),) if clip_is_on_gpu(snapshot) else ())


def _clip_if_it_fits(snapshot: GPUSnapshot) -> tuple[Step, ...]:
    device, needed, free = clip_room(snapshot)
    if device is None or not snapshot.clip.is_wanted or clip_is_on_gpu(snapshot):
        return ()
    return (MoveClip(device=device, reason=say("gpu.clip_fits", needed=needed, free=free)),)


# --- by itself ------------------------------------------------------------------------------------------------------
def _tick(snapshot: GPUSnapshot) -> MemoryPlan:
    """What the mode still wants; else what nobody has used for long enough; else CLIP, that had given way."""
    if snapshot.mode_is_due:
        return _mode(snapshot, snapshot.mode)
    if not snapshot.server_problem:
        for model in snapshot.models:
            if _is_idle(snapshot, model):
                reason = say("gpu.not_asked_for", model=model.name, n=snapshot.config.idle_timeout_s)
                return MemoryPlan((UnloadModel(model=model.name, reason=reason, idle=True),))
    returns = snapshot.mode is ExecutionMode.AUTOPILOT and snapshot.clip.returns
    return MemoryPlan(_clip_if_it_fits(snapshot) if returns else ())


def _is_idle(snapshot: GPUSnapshot, model: ModelRecord) -> bool:
    return (
        model.state is ModelState.LOADED
        and model.last_used is not None
        and not model.users
        and snapshot.now - model.last_used >= snapshot.config.idle_timeout_s
    )


# --- refusals -------------------------------------------------------------------------------------------------------
def _away(snapshot: GPUSnapshot) -> ServerAway:
    return ServerAway(say("gpu.asked_again", why=snapshot.server_problem))


def _too_many(snapshot: GPUSnapshot, name: str, pause: float) -> TooManySwaps:
    words = say("gpu.too_many_loads", model=name, most=snapshot.config.swaps_per_minute, n=pause)
    return TooManySwaps(words, retry_after_s=pause)
