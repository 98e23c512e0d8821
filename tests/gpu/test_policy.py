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


# --- modes ----------------------------------------------------------------------------------------------------------
def test_autopilot_sends_the_vlm_away_and_then_has_clip_on_the_gpu() -> None:
    """S3.6"""
    snapshot = machine(loaded(VLM), free_mb=1000, clip=ON_CPU)
    assert words(decide(snapshot, mode(ExecutionMode.AUTOPILOT))) == [f"unload {VLM}", "clip cuda:0"]


def test_recording_has_clip_on_the_cpu_and_then_loads_the_vlm() -> None:
    """S3.6, S3.11.6"""
    assert words(decide(machine(clip=ON_GPU), mode(ExecutionMode.RECORDING))) == ["clip cpu", f"load {VLM}"]


def test_idle_leaves_all_as_it_is() -> None:
    """S3.6"""
    assert words(decide(machine(loaded(VLM), clip=ON_GPU), mode(ExecutionMode.IDLE))) == []


def test_autopilot_drives_out_what_nobody_uses_where_clip_needs_it_and_says_why() -> None:
    snapshot = machine(loaded(CHAT, 11_000), free_mb=1000, clip=ON_CPU)
    decision = decide(snapshot, mode(ExecutionMode.AUTOPILOT))
    assert words(decision) == [f"unload {CHAT}", "clip cuda:0"]
    assert "nobody uses it" in decision.steps[0].reason


def test_in_autopilot_clip_stays_where_it_does_not_fit_and_nothing_is_driven_out_in_vain() -> None:
    """S3.11.3"""
    snapshot = machine(loaded(CHAT, 500), free_mb=100, clip=ON_CPU)
    decision = decide(snapshot, mode(ExecutionMode.AUTOPILOT))
    assert words(decision) == []


def test_recording_moves_clip_even_where_the_vlm_does_not_fit_and_says_what_is_missing() -> None:
    """S3.10"""
    decision = decide(machine(free_mb=3000, clip=ON_GPU), mode(ExecutionMode.RECORDING))
    assert words(decision) == ["clip cpu"]
    assert isinstance(decision.refusal, NotEnoughVRAM)
    assert (decision.refusal.needed_mb, decision.refusal.free_mb) == (6512, 4500)


def test_recording_is_never_refused_for_too_many_swaps_it_waits() -> None:
    snapshot = machine(clip=ON_GPU, swaps=(950.0, 960.0), config=GPUResourceConfig(swaps_per_minute=2))
    assert words(decide(snapshot, mode(ExecutionMode.RECORDING))) == ["clip cpu", "wait 10"]


def test_autopilot_without_a_server_still_has_clip_where_it_fits() -> None:
    decision = decide(machine(clip=ON_CPU, server_problem="It is away."), mode(ExecutionMode.AUTOPILOT))
    assert words(decision) == ["clip cuda:0"]
    assert isinstance(decision.refusal, ServerAway)


# --- a model --------------------------------------------------------------------------------------------------------
def test_what_is_loaded_needs_nothing() -> None:
    assert decide(machine(loaded(VLM)), load(VLM)) == MemoryPlan()


def test_what_is_loaded_with_another_context_is_asked_for_anew_without_room_for_two() -> None:
    """A.3"""
    assert words(decide(machine(loaded(VLM, stale=True), free_mb=100), load(VLM))) == [f"load {VLM}"]


@pytest.mark.parametrize("now", list(ExecutionMode))
def test_the_vlm_makes_clip_go_first_in_every_mode(now: ExecutionMode) -> None:
    """S3.11.6"""
    assert words(decide(machine(mode=now, clip=ON_GPU), load(VLM))) == ["clip cpu", f"load {VLM}"]


def test_a_server_elsewhere_has_nothing_to_do_with_the_memory_here() -> None:
    snapshot = machine(free_mb=10, clip=ON_GPU, vlm_is_here=False)
    assert words(decide(snapshot, load(VLM))) == [f"load {VLM}"]


@pytest.mark.parametrize(("free_mb", "fits"), [(6511, False), (6512, True)])
def test_admission_is_free_memory_less_the_headroom(free_mb: int, fits: bool) -> None:
    """S3.10, A.9.3"""
    decision = decide(machine(free_mb=free_mb), load(VLM))
    assert bool(decision.steps) is fits
    assert fits or str(decision.refusal) == (
        "“vlm:7b” needs 6512 MB of GPU memory and 6511 MB are free. Close what holds it."
    )


@pytest.mark.parametrize("snapshot", [machine(free_mb=None), machine(ModelRecord(name=VLM), free_mb=1)])
def test_what_is_unknown_is_left_to_the_server(snapshot: GPUSnapshot) -> None:
    decision = decide(snapshot, load(VLM))
    assert words(decision) == [f"load {VLM}"]


def test_the_fewest_others_go_the_longest_unused_first() -> None:
    others = (
        loaded("a:1b", 3000, last_used=9.0),
        loaded("b:1b", 3000, last_used=5.0),
        loaded("c:1b", 3000, last_used=7.0),
    )
    assert words(decide(machine(on_disk(VLM), *others, free_mb=3000), load(VLM))) == [
        "unload b:1b", "unload c:1b", f"load {VLM}",
    ]  # fmt: skip


def test_beside_another_model_a_fifth_of_the_memory_stays_free_or_the_other_one_goes() -> None:
    """A.3: the server would drive it out by itself, and nobody would know."""
    assert words(decide(machine(on_disk(VLM), loaded(CHAT, 4000), free_mb=7499), load(VLM))) == [
        f"unload {CHAT}", f"load {VLM}",
    ]  # fmt: skip
    assert words(decide(machine(on_disk(VLM), loaded(CHAT, 4000), free_mb=7500), load(VLM))) == [f"load {VLM}"]


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


def test_a_chat_leaves_recording_its_vlm_and_takes_what_else_nobody_uses() -> None:
    snapshot = machine(
        on_disk(CHAT, 5000), loaded(VLM), loaded("old:1b", 4000), free_mb=2500, mode=ExecutionMode.RECORDING
    )
    assert words(decide(snapshot, load(CHAT, Purpose.ASSISTANT))) == ["unload old:1b", f"load {CHAT}"]


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


def test_clip_goes_to_the_cpu_whenever_it_is_asked() -> None:
    ask = Request(kind=RequestKind.CLIP_TO_CPU)
    assert words(decide(machine(clip=ON_GPU, free_mb=None), ask)) == ["clip cpu"]
    assert words(decide(machine(clip=ON_CPU), ask)) == []


def test_only_what_is_in_memory_is_unloaded() -> None:
    ask = Request(kind=RequestKind.UNLOAD, model=CHAT)
    assert words(decide(machine(loaded(CHAT)), ask)) == [f"unload {CHAT}"]
    assert words(decide(machine(on_disk(CHAT)), ask)) == []


# --- by itself ------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(("last_used", "goes"), [(700.1, False), (700.0, True), (None, False)])
def test_what_nobody_has_asked_for_goes_and_not_before(last_used: float | None, goes: bool) -> None:
    """S3.7, S3.11.8: what somebody else has loaded is none of our business."""
    decision = decide(machine(loaded(VLM, last_used=last_used)), Tick())
    assert words(decision) == ([f"unload {VLM}"] if goes else [])
    assert all(isinstance(step, UnloadModel) and step.idle for step in decision.steps)


def test_what_is_used_is_not_idle_however_long_it_takes() -> None:
    assert words(decide(machine(loaded(VLM, users=(Purpose.TARGET,))), Tick())) == []


def test_clip_that_gave_way_comes_back_in_autopilot_as_soon_as_it_fits() -> None:
    away = replace(ON_CPU, returns=True)
    snapshot = machine(loaded(VLM, last_used=999.0), mode=ExecutionMode.AUTOPILOT, clip=away)
    assert words(decide(snapshot, Tick())) == ["clip cuda:0"]  # beside the VLM too
    assert words(decide(replace(snapshot, gpus=(2011,)), Tick())) == []
    assert words(decide(replace(snapshot, clip=ON_CPU), Tick())) == []  # somebody sent it there
    assert words(decide(replace(snapshot, mode=ExecutionMode.IDLE), Tick())) == []


def test_what_the_mode_has_not_got_is_tried_again_when_it_is_due() -> None:
    snapshot = machine(mode=ExecutionMode.RECORDING, clip=ON_CPU)
    assert words(decide(replace(snapshot, mode_is_due=True), Tick())) == [f"load {VLM}"]
    assert words(decide(snapshot, Tick())) == []


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
