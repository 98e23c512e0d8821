"""The decisions, one by one: from a snapshot and a request to steps with reasons (S3.4 to S3.7, S3.10, S4.5, A.9)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from gpu.config import GPUResourceConfig
from gpu.exceptions import ClipUnavailable, NotEnoughVRAM, ServerAway, TooManySwaps, VLMUnavailable
from gpu.policy import (
    ClipView,
    GPUSnapshot,
    LoadModel,
    MemoryPlan,
    ModelRecord,
    MoveClip,
    Tick,
    UnloadModel,
    Wait,
    decide,
)
from gpu.types import ExecutionMode, ModelState, Purpose, Request, RequestKind

VLM, CHAT = "vlm:7b", "chat:8b"
ON_GPU = ClipView(device="cuda:0", available=True, need_mb=1500)
ON_CPU = ClipView(device="cpu", available=True, need_mb=1500)


def loaded(name: str, need_mb: int = 6000, **more: Any) -> ModelRecord:
    return ModelRecord(name=name, **{"state": ModelState.LOADED, "need_mb": need_mb, "last_used": 0.0, **more})


def on_disk(name: str, need_mb: int = 6000) -> ModelRecord:
    return ModelRecord(name=name, need_mb=need_mb)


def machine(*models: ModelRecord, free_mb: int | None = 12_000, **more: Any) -> GPUSnapshot:
    gpus = None if free_mb is None else (free_mb,)
    return GPUSnapshot(now=1000.0, vlm=VLM, models=models or (on_disk(VLM),), gpus=gpus, **more)


def mode(wanted: ExecutionMode) -> Request:
    return Request(kind=RequestKind.MODE, mode=wanted)


def load(model: str, purpose: Purpose = Purpose.TARGET) -> Request:
    return Request(kind=RequestKind.LOAD, model=model, purpose=purpose)


def words(decision: MemoryPlan) -> list[str]:
    """The steps, without their reasons."""
    said = []
    for step in decision.steps:
        assert step.reason
        if isinstance(step, MoveClip):
            said.append(f"clip {step.device}")
        elif isinstance(step, Wait):
            said.append(f"wait {step.seconds:.0f}")
        else:
            said.append(f"{'load' if isinstance(step, LoadModel) else 'unload'} {step.model}")
    return said


# Who wants what of which machine, and the steps to that.
AWAY = replace(ON_CPU, returns=True)  # CLIP that gave way to the VLM
BESIDE = machine(loaded(VLM, last_used=999.0), mode=ExecutionMode.AUTOPILOT, clip=AWAY)
DUE = machine(mode=ExecutionMode.RECORDING, clip=ON_CPU)
THREE = [loaded(name, 3000, last_used=at) for name, at in (("a:1b", 9.0), ("b:1b", 5.0), ("c:1b", 7.0))]
TWO_SWAPS = {"swaps": (950.0, 960.0), "config": GPUResourceConfig(swaps_per_minute=2)}
UNLOAD = Request(kind=RequestKind.UNLOAD, model=CHAT)
TO_CPU = Request(kind=RequestKind.CLIP_TO_CPU)
STEPS: dict[str, tuple[GPUSnapshot, Request | Tick, list[str]]] = {
    "autopilot sends the VLM away and then has CLIP on the GPU": (
        machine(loaded(VLM), free_mb=1000, clip=ON_CPU),
        mode(ExecutionMode.AUTOPILOT),
        [f"unload {VLM}", "clip cuda:0"],
    ),
    "in autopilot CLIP stays where it does not fit, and nothing is driven out in vain": (
        machine(loaded(CHAT, 500), free_mb=100, clip=ON_CPU),
        mode(ExecutionMode.AUTOPILOT),
        [],
    ),
    "recording has CLIP on the CPU and then loads the VLM": (
        machine(clip=ON_GPU),
        mode(ExecutionMode.RECORDING),
        ["clip cpu", f"load {VLM}"],
    ),
    "recording is never refused for too many swaps, it waits": (
        machine(clip=ON_GPU, **TWO_SWAPS),
        mode(ExecutionMode.RECORDING),
        ["clip cpu", "wait 10"],
    ),
    "idle leaves all as it is": (machine(loaded(VLM), clip=ON_GPU), mode(ExecutionMode.IDLE), []),
    "what is loaded needs nothing": (machine(loaded(VLM)), load(VLM), []),
    "what is loaded with another context is asked for anew without room for two": (
        machine(loaded(VLM, stale=True), free_mb=100),
        load(VLM),
        [f"load {VLM}"],
    ),
    "a server elsewhere has nothing to do with the memory here": (
        machine(free_mb=10, clip=ON_GPU, vlm_is_here=False),
        load(VLM),
        [f"load {VLM}"],
    ),
    "memory that is unknown is left to the server": (machine(free_mb=None), load(VLM), [f"load {VLM}"]),
    "a need that is unknown is left to the server": (
        machine(ModelRecord(name=VLM), free_mb=1),
        load(VLM),
        [f"load {VLM}"],
    ),
    "the fewest others go, the longest unused first": (
        machine(on_disk(VLM), *THREE, free_mb=3000),
        load(VLM),
        ["unload b:1b", "unload c:1b", f"load {VLM}"],
    ),
    "beside another model a fifth of the memory stays free": (
        machine(on_disk(VLM), loaded(CHAT, 4000), free_mb=7500),
        load(VLM),
        [f"load {VLM}"],
    ),
    "or the other one goes: the server would drive it out by itself": (
        machine(on_disk(VLM), loaded(CHAT, 4000), free_mb=7499),
        load(VLM),
        [f"unload {CHAT}", f"load {VLM}"],
    ),
    "a chat leaves recording its VLM and takes what else nobody uses": (
        machine(on_disk(CHAT, 5000), loaded(VLM), loaded("o:1b", 4000), free_mb=2500, mode=ExecutionMode.RECORDING),
        load(CHAT, Purpose.ASSISTANT),
        ["unload o:1b", f"load {CHAT}"],
    ),
    "CLIP goes to the CPU whenever it is asked": (machine(clip=ON_GPU, free_mb=None), TO_CPU, ["clip cpu"]),
    "and not if it is there": (machine(clip=ON_CPU), TO_CPU, []),
    "what is in memory is unloaded": (machine(loaded(CHAT)), UNLOAD, [f"unload {CHAT}"]),
    "and nothing else": (machine(on_disk(CHAT)), UNLOAD, []),
    "what is used is not idle however long it takes": (machine(loaded(VLM, users=(Purpose.TARGET,))), Tick(), []),
    "CLIP that gave way comes back in autopilot, beside the VLM too": (BESIDE, Tick(), ["clip cuda:0"]),
    "as soon as it fits": (replace(BESIDE, gpus=(2011,)), Tick(), []),
    "unless somebody sent it there": (replace(BESIDE, clip=ON_CPU), Tick(), []),
    "and in no other mode": (replace(BESIDE, mode=ExecutionMode.IDLE), Tick(), []),
    "what the mode has not got is tried again": (replace(DUE, mode_is_due=True), Tick(), [f"load {VLM}"]),
    "when it is due": (DUE, Tick(), []),
}


@pytest.mark.parametrize(("snapshot", "wanted", "steps"), STEPS.values(), ids=STEPS)
def test_what_is_done_for_what_is_wanted(snapshot: GPUSnapshot, wanted: Request | Tick, steps: list[str]) -> None:
    """S3.6, S3.7, S3.11.3, S3.11.6, S4.5, A.3"""
    assert words(decide(snapshot, wanted)) == steps


# --- modes ----------------------------------------------------------------------------------------------------------
def test_autopilot_drives_out_what_nobody_uses_where_clip_needs_it_and_says_why() -> None:
    snapshot = machine(loaded(CHAT, 11_000), free_mb=1000, clip=ON_CPU)
    decision = decide(snapshot, mode(ExecutionMode.AUTOPILOT))
    assert words(decision) == [f"unload {CHAT}", "clip cuda:0"]
    assert "nobody uses it" in decision.steps[0].reason


def test_recording_moves_clip_even_where_the_vlm_does_not_fit_and_says_what_is_missing() -> None:
    """S3.10"""
    decision = decide(machine(free_mb=3000, clip=ON_GPU), mode(ExecutionMode.RECORDING))
    assert words(decision) == ["clip cpu"]
    assert isinstance(decision.refusal, NotEnoughVRAM)
    assert (decision.refusal.needed_mb, decision.refusal.free_mb) == (6512, 4500)


def test_autopilot_without_a_server_still_has_clip_where_it_fits() -> None:
    decision = decide(machine(clip=ON_CPU, server_problem="It is away."), mode(ExecutionMode.AUTOPILOT))
    assert words(decision) == ["clip cuda:0"]
    assert isinstance(decision.refusal, ServerAway)


# --- a model --------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("now", list(ExecutionMode))
def test_the_vlm_makes_clip_go_first_in_every_mode(now: ExecutionMode) -> None:
    """S3.11.6"""
    assert words(decide(machine(mode=now, clip=ON_GPU), load(VLM))) == ["clip cpu", f"load {VLM}"]


@pytest.mark.parametrize(("free_mb", "fits"), [(6511, False), (6512, True)])
def test_admission_is_free_memory_less_the_headroom(free_mb: int, fits: bool) -> None:
    """S3.10, A.9.3"""
    decision = decide(machine(free_mb=free_mb), load(VLM))
    assert bool(decision.steps) is fits
    assert fits or str(decision.refusal) == (
        "“vlm:7b” needs 6512 MB of GPU memory and 6511 MB are free. Close what holds it."
    )


def test_too_many_swaps_are_refused_with_the_time_to_wait() -> None:
    snapshot = machine(swaps=(945.0, 950.0, 970.0), config=GPUResourceConfig(swaps_per_minute=2))
    refusal = decide(snapshot, load(VLM)).refusal
    assert isinstance(refusal, TooManySwaps)
    assert refusal.retry_after_s == 10.0
    assert decide(replace(snapshot, now=1010.0), load(VLM)).refusal is None


def test_without_a_vlm_the_settings_are_named() -> None:
    refusal = decide(GPUSnapshot(now=0.0), load("")).refusal
    assert isinstance(refusal, VLMUnavailable)
    assert "RPA_VLM_MODEL" in str(refusal)
    assert not refusal.passing


def test_a_server_that_is_left_alone_is_not_asked() -> None:
    decision = decide(machine(server_problem="It is away."), load(VLM))
    assert words(decision) == []
    assert str(decision.refusal) == "It is away. It is asked again by itself."


# --- chats ----------------------------------------------------------------------------------------------------------
def test_a_chat_in_autopilot_has_only_memory_that_is_free() -> None:
    """S4.5: it moves no CLIP, unloads nothing, and leaves the server no reason to."""
    busy = machine(on_disk(CHAT, 5000), loaded(VLM), free_mb=5000, clip=ON_GPU, mode=ExecutionMode.AUTOPILOT)
    assert isinstance(decide(busy, load(CHAT, Purpose.ASSISTANT)).refusal, NotEnoughVRAM)
    free = replace(busy, gpus=(6250,))
    assert words(decide(free, load(CHAT, Purpose.ASSISTANT))) == [f"load {CHAT}"]


@pytest.mark.parametrize("users", [(), (Purpose.TARGET,)])
def test_a_chat_drives_out_only_what_nobody_is_about_to_use(users: tuple[Purpose, ...]) -> None:
    snapshot = machine(on_disk(CHAT, 5000), loaded(VLM, users=users), free_mb=1000)
    decision = decide(snapshot, load(CHAT, Purpose.ASSISTANT))
    assert words(decision) == ([] if users else [f"unload {VLM}", f"load {CHAT}"])
    assert bool(users) is isinstance(decision.refusal, NotEnoughVRAM)


# --- CLIP and unloading by hand ---------------------------------------------------------------------------------------
def test_clip_goes_to_the_roomiest_gpu_and_only_if_it_fits() -> None:
    """S3.5"""
    two = replace(machine(clip=ON_CPU), gpus=(3000, 8000))
    ask = Request(kind=RequestKind.CLIP_TO_GPU)
    assert words(decide(two, ask)) == ["clip cuda:1"]
    refusal = decide(machine(clip=ON_CPU, free_mb=2011), ask).refusal
    assert isinstance(refusal, NotEnoughVRAM)
    assert (refusal.needed_mb, refusal.free_mb) == (2012, 2011)


@pytest.mark.parametrize(
    ("snapshot", "why"),
    [(machine(free_mb=None, clip=ON_CPU), "no GPU can be seen"), (machine(), "RPA_CLIP_WEIGHTS")],
)
def test_clip_stays_where_there_is_no_gpu_or_no_clip(snapshot: GPUSnapshot, why: str) -> None:
    refusal = decide(snapshot, Request(kind=RequestKind.CLIP_TO_GPU)).refusal
    assert isinstance(refusal, ClipUnavailable)
    assert why in str(refusal)


# --- by itself ------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(("last_used", "goes"), [(700.1, False), (700.0, True), (None, False)])
def test_what_nobody_has_asked_for_goes_and_not_before(last_used: float | None, goes: bool) -> None:
    """S3.7, S3.11.8: what somebody else has loaded is none of our business."""
    decision = decide(machine(loaded(VLM, last_used=last_used)), Tick())
    assert words(decision) == ([f"unload {VLM}"] if goes else [])
    assert all(isinstance(step, UnloadModel) and step.idle for step in decision.steps)


def test_clip_goes_to_the_gpu_that_has_most_room_by_the_number_that_cuda_gives_it() -> None:
    """A.7: NVML's order is another one, and has GPUs that this process may not use."""
    small, large = 2500, 9000
    ask = Request(kind=RequestKind.CLIP_TO_GPU)
    seen = replace(machine(), gpus=(small, large))
    assert words(decide(replace(seen, clip=ON_CPU), ask)) == ["clip cuda:1"]
    assert words(decide(replace(seen, clip=replace(ON_CPU, gpus=(large, small))), ask)) == ["clip cuda:0"]
    hidden = decide(replace(seen, clip=replace(ON_CPU, gpus=(100,))), ask)
    assert isinstance(hidden.refusal, NotEnoughVRAM)
    assert hidden.refusal.free_mb == 100
    assert isinstance(decide(replace(seen, clip=replace(ON_CPU, gpus=())), ask).refusal, ClipUnavailable)


def test_a_clip_that_nobody_looks_through_goes_nowhere() -> None:
    unused = replace(ON_CPU, in_use=False)
    assert decide(machine(clip=unused), mode(ExecutionMode.AUTOPILOT)).steps == ()
    refusal = decide(machine(clip=unused), Request(kind=RequestKind.CLIP_TO_GPU)).refusal
    assert isinstance(refusal, ClipUnavailable)
    assert "Nobody looks through CLIP" in str(refusal)
    back = machine(clip=replace(unused, returns=True), mode=ExecutionMode.AUTOPILOT)
    assert decide(back, Tick()).steps == ()
