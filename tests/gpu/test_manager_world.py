"""The manager on a machine whose time is virtual: outages, swaps, CLIP beside the VLM, deadlines, memory that lies."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from gpu.control.residency import Needs
from gpu.exceptions import (
    ClipUnavailable,
    NotEnoughVRAM,
    ServerAway,
    TooManySwaps,
)
from gpu.types import ExecutionMode, ModelState, Request, RequestKind, VRAMInfo
from tests.doubles.ollama import Model
from tests.gpu.world import CHAT, OTHER, VLM, SimulatedClip, SimulatedWorld, in_world, manager_in, told

AUTOPILOT, RECORDING, IDLE = ExecutionMode.AUTOPILOT, ExecutionMode.RECORDING, ExecutionMode.IDLE


# --- the server -----------------------------------------------------------------------------------------------------
@in_world
async def test_an_outage_is_seen_within_two_seconds_and_recovery_makes_the_mode_true_again(
    world: SimulatedWorld,
) -> None:
    """S3.10"""
    manager = manager_in(world)
    manager.claim("a run loop")
    await manager.set_execution_mode(RECORDING)
    texts = told(manager)
    world.stop_server()
    await asyncio.sleep(2.0)
    status = manager.get_status()
    assert (status.degraded, status.vlm_state) == (True, ModelState.ERROR)
    assert "cannot be reached" in status.degraded_reason
    world.start_server()
    await asyncio.sleep(2.0 + world.models[VLM].load_s)
    assert world.is_loaded(VLM)
    assert not manager.get_status().degraded
    assert texts.index("Ollama cannot be reached.") < texts.index("Ollama answers again.")


@in_world
async def test_a_server_that_was_restarted_unseen_is_followed_and_the_vlm_of_recording_comes_back(
    world: SimulatedWorld,
) -> None:
    manager = manager_in(world)
    manager.claim("a run loop")
    await manager.set_execution_mode(RECORDING)
    texts = told(manager)
    world.stop_server()
    world.start_server()
    await asyncio.sleep(1.5)
    assert manager.get_status().vlm_state is ModelState.UNLOADED
    assert f"“{VLM}” is gone: the server has unloaded it." in texts
    await asyncio.sleep(manager.config.due_pause_s + 1.0 + world.models[VLM].load_s)
    assert world.is_loaded(VLM)


@in_world
async def test_a_server_that_is_away_is_tried_three_times_with_growing_pauses_and_then_left_alone(
    world: SimulatedWorld,
) -> None:
    """S3.10, A.9.5, A.9.7"""
    manager = manager_in(world, probe_every_s=600.0)  # it is asked for nothing else
    asked: list[float] = []
    reach = manager.ollama._reach

    async def counted() -> None:
        asked.append(world.loop.now)
        await reach()

    manager.ollama._reach = counted
    world.stop_server()
    with pytest.raises(ServerAway, match="asked again by itself"):
        await manager.ensure_vlm_loaded()
    assert len(asked) == 3
    first, second = asked[1] - asked[0], asked[2] - asked[1]
    assert 0.25 <= first <= 0.75
    assert 0.5 <= second <= 1.5
    with pytest.raises(ServerAway):
        await manager.ensure_vlm_loaded()
    assert len(asked) == 3  # at once, without asking
    world.start_server()
    await manager.controller.probe()
    await manager.ensure_vlm_loaded()
    assert not manager.get_status().degraded


@in_world
async def test_an_answer_that_is_older_than_a_turn_is_not_believed(world: SimulatedWorld) -> None:
    """A.6: whoever had the turn meanwhile knows better what is in memory."""
    manager = manager_in(world, probe_every_s=600.0)
    texts, loaded_models, come = told(manager), manager.ollama.loaded_models, asyncio.Event()

    async def late() -> Any:
        manager.ollama.loaded_models = loaded_models
        answer = await loaded_models()
        await come.wait()
        return answer

    manager.ollama.loaded_models = late
    looking = asyncio.create_task(manager.controller.probe())
    await asyncio.sleep(1.0)
    await manager.load_model(OTHER)
    come.set()
    await looking
    assert manager.controller.has(OTHER)
    assert not any("is gone" in text for text in texts)


# --- modes, CLIP and the VLM ------------------------------------------------------------------------------------------
@in_world
async def test_a_vlm_request_in_autopilot_takes_the_gpu_from_clip_until_the_vlm_idles_out(
    world: SimulatedWorld,
) -> None:
    """S3.6, S3.7, S3.11.6"""
    world.ledger.set_foreign(4500)  # there is room for one of the two
    manager = manager_in(world, idle_timeout_s=60.0)
    manager.claim("a run loop")
    await manager.set_execution_mode(AUTOPILOT)
    texts = told(manager)
    await manager.ask_vlm("what?", [], {})
    assert manager.get_clip_device() == "cpu"
    await asyncio.sleep(50)
    assert manager.get_clip_device() == "cpu"
    await asyncio.sleep(14)
    assert not world.is_loaded(VLM)
    assert manager.get_clip_device() == "cuda:0"
    moves = [text for text in texts if text.startswith("CLIP")]
    assert moves[0].startswith("CLIP cuda:0 → cpu: ")
    assert moves[1].startswith("CLIP cpu → cuda:0: CLIP fits on the GPU")


@in_world
async def test_clip_that_somebody_sent_to_the_cpu_stays_there_until_the_mode_changes(world: SimulatedWorld) -> None:
    manager = manager_in(world)
    manager.claim("a run loop")
    await manager.set_execution_mode(AUTOPILOT)
    assert await manager.migrate_clip_to_cpu()
    await asyncio.sleep(100)
    assert manager.get_clip_device() == "cpu"
    await manager.set_execution_mode(AUTOPILOT)
    assert manager.get_clip_device() == "cuda:0"


@in_world
async def test_clip_that_cannot_move_works_where_it_is_and_is_tried_again_later_and_later(
    world: SimulatedWorld,
) -> None:
    """S3.5"""
    world.clip_fails = True
    manager = manager_in(world)
    manager.claim("a run loop")
    texts = told(manager)
    await manager.set_execution_mode(AUTOPILOT)
    assert "out of memory" in manager.get_status().degraded_reason
    await asyncio.sleep(60)
    assert texts.count("CLIP cannot go to cuda:0 and is on the processor: out of memory.") <= 2
    world.clip_fails = False
    await asyncio.sleep(60)
    assert manager.get_clip_device() == "cuda:0"
    assert not manager.get_status().degraded


@in_world
async def test_a_mode_that_another_one_follows_at_once_is_not_brought_to_its_end(world: SimulatedWorld) -> None:
    """S3.6: what has begun is finished, what has not is not begun."""
    manager = manager_in(world)
    await manager.set_execution_mode(AUTOPILOT)
    recording = asyncio.create_task(manager.set_execution_mode(RECORDING))
    await asyncio.sleep(0.1)  # CLIP is on its way to the CPU
    await manager.set_execution_mode(AUTOPILOT)
    await recording
    assert world.loads == []
    assert manager.get_clip_device() == "cuda:0"
    assert manager.get_status().execution_mode is AUTOPILOT


@in_world
async def test_a_clip_that_nobody_looks_through_is_not_moved(world: SimulatedWorld) -> None:
    """Not by a mode, and not by itself; it goes as soon as somebody does."""
    clip = SimulatedClip(world)
    clip.in_use = False
    manager = manager_in(world, clip=clip)
    manager.claim("a run loop")
    await manager.set_execution_mode(AUTOPILOT)
    await asyncio.sleep(30)
    with pytest.raises(ClipUnavailable, match="Nobody looks through CLIP .* start a run loop"):
        await manager.serving.carry_out(Request(kind=RequestKind.CLIP_TO_GPU))
    assert await manager.migrate_clip_to_gpu() is False
    assert world.clip_moves == []
    assert not manager.get_status().degraded
    clip.in_use = True
    await asyncio.sleep(2)
    assert manager.get_clip_device() == "cuda:0"


@in_world
async def test_clip_goes_to_the_gpu_with_most_room_as_cuda_counts_it(world: SimulatedWorld) -> None:
    """A.7: the second of NVML's GPUs may be CUDA's first."""

    class Reversed(SimulatedClip):
        def in_cuda_order(self, gpus: Sequence[VRAMInfo]) -> Sequence[VRAMInfo]:
            return tuple(reversed(gpus))

    class Two:
        problem = ""

        def read(self) -> tuple[VRAMInfo, ...]:
            first, second = (
                VRAMInfo(uuid=f"GPU-{free}", name="", total_mb=9000, used_mb=9000 - free, free_mb=free)
                for free in (2500, 9000)
            )
            return first, second

    manager = manager_in(world, clip=Reversed(world))
    manager.controller.reporter._memory = Two()
    await manager.set_execution_mode(AUTOPILOT)
    assert world.clip_moves[-1][1] == "cuda:0"


@in_world
async def test_whatever_a_library_raises_when_clip_moves_degrades_and_is_typed(world: SimulatedWorld) -> None:
    """S1.21: a mode never raises."""

    class Faulty(SimulatedClip):
        async def move(self, device: str) -> None:
            raise OSError("libcudart.so: cannot open shared object file")

    manager = manager_in(world, clip=Faulty(world))
    await manager.set_execution_mode(AUTOPILOT)
    reason = manager.get_status().degraded_reason
    assert "CLIP cannot go to cuda:0 and works on cpu: libcudart.so" in reason
    assert await manager.migrate_clip_to_gpu() is False


# --- swaps ------------------------------------------------------------------------------------------------------------
@in_world
async def test_more_swaps_than_allowed_are_refused_and_a_mode_waits_for_its_time(world: SimulatedWorld) -> None:
    manager = manager_in(world, swaps_per_minute=2)
    manager.claim("a run loop")
    await manager.ensure_vlm_loaded()
    await manager.ensure_vlm_unloaded()
    await manager.ensure_vlm_loaded()
    await manager.ensure_vlm_unloaded()
    with pytest.raises(TooManySwaps, match="2 models were loaded within a minute") as caught:
        await manager.ensure_vlm_loaded()
    begun = world.loop.now
    await manager.set_execution_mode(RECORDING)
    assert world.loop.now - begun < 1
    assert manager.get_status().execution_mode is RECORDING
    assert "It can be in" in manager.get_status().degraded_reason
    await asyncio.sleep(caught.value.retry_after_s - 0.5)
    assert len(world.loads) == 2
    await asyncio.sleep(0.5 + 1.0 + world.models[VLM].load_s)
    assert len(world.loads) == 3
    assert not manager.get_status().degraded


# --- memory -----------------------------------------------------------------------------------------------------------
@in_world
async def test_what_a_model_needs_is_what_it_took_the_last_time(world: SimulatedWorld) -> None:
    """S3.10, A.9.3: more than its file, and by its digest and its context."""

    needs = Needs()
    world.life.loaded = with_overhead(world, 1200)  # type: ignore[method-assign]
    await manager_in(world, needs=needs).ensure_vlm_loaded()
    assert await needs.learned(world.models[VLM].digest, 8192) == 7200
    world.stop_server()
    world.start_server()
    world.ledger.set_free(7500)
    with pytest.raises(NotEnoughVRAM) as caught:  # another process knows it too
        await manager_in(world, needs=needs).ensure_vlm_loaded()
    assert caught.value.needed_mb == 7200 + world.headroom_mb


@in_world
async def test_a_model_that_takes_less_this_time_still_needs_the_most_it_took(world: SimulatedWorld) -> None:
    manager, plain = manager_in(world), world.life.loaded
    world.life.loaded = with_overhead(world, 1200)  # type: ignore[method-assign]
    await manager.ensure_vlm_loaded()
    await manager.ensure_vlm_unloaded()
    world.life.loaded = plain  # type: ignore[method-assign]
    await manager.ensure_vlm_loaded()
    assert [one["need_mb"] for one in manager.details().residents] == [7200]


def with_overhead(world: SimulatedWorld, mb: int) -> Callable[..., Any]:
    plain = world.life.loaded

    def loaded(model: Model, *more: Any) -> Any:
        runner = plain(model, *more)
        world.ledger.take(model.name, mb)
        return runner

    return loaded


@pytest.mark.parametrize(("declared", "needed"), [(7000, 7512), (3000, 6512), (None, 6512)])
@in_world
async def test_before_it_was_ever_loaded_a_model_needs_what_is_said_of_it_and_no_less_than_its_file(
    world: SimulatedWorld, declared: int | None, needed: int
) -> None:
    class Catalogue(Needs):
        async def declared(self, model: str) -> int | None:
            return {VLM: declared}[model]

    world.ledger.set_free(1000)
    with pytest.raises(NotEnoughVRAM) as caught:
        await manager_in(world, needs=Catalogue()).ensure_vlm_loaded()
    assert (caught.value.needed_mb, caught.value.free_mb) == (needed, 1000)


@in_world
async def test_memory_that_others_take_during_a_load_is_not_learned_as_the_models(world: SimulatedWorld) -> None:
    world.models[OTHER].load_s = 5.0
    manager = manager_in(world)
    loading = asyncio.create_task(manager.load_model(OTHER))
    await asyncio.sleep(1.0)
    world.ledger.set_foreign(9000)
    await loading
    world.ledger.set_foreign(0)
    (resident,) = manager.details().residents
    assert (resident["name"], resident["need_mb"]) == (OTHER, 2500)


@in_world
async def test_a_model_that_runs_out_of_memory_is_tried_again_only_where_there_is_room(world: SimulatedWorld) -> None:
    """What was admitted once is not admitted for ever."""
    world.models[VLM].oom_loads = 1
    manager = manager_in(world)
    await manager.ensure_vlm_loaded()  # the second try
    await manager.ensure_vlm_unloaded()
    world.models[VLM].oom_loads = 1
    asked = asyncio.create_task(manager.ensure_vlm_loaded())
    await asyncio.sleep(1.0)
    world.ledger.set_foreign(9000)
    with pytest.raises(NotEnoughVRAM):
        await asked


@in_world
async def test_memory_that_did_not_come_back_is_not_said_of_a_model_that_is_there_again(world: SimulatedWorld) -> None:
    vlm = world.models[VLM]
    vlm.size_mb, vlm.release_s = 3000, 20.0
    manager = manager_in(world)
    manager.claim("a run loop")
    await manager.ensure_vlm_loaded()
    await manager.ensure_vlm_unloaded()
    assert "still in use" in manager.get_status().degraded_reason
    await manager.ensure_vlm_loaded()
    await asyncio.sleep(30)
    assert not manager.get_status().degraded


@in_world
async def test_a_database_that_does_not_answer_keeps_nobody_from_the_gpu(world: SimulatedWorld) -> None:
    """What it knows of needs helps and is not waited for: it is asked in a turn, which others wait for."""

    class Silent:
        async def run(self, work: Any) -> Any:
            await asyncio.Event().wait()

    manager = manager_in(world, needs=Needs(Silent()))  # type: ignore[arg-type]
    await manager.ensure_vlm_loaded(deadline_s=60.0)
    assert world.is_loaded(VLM)
    assert not manager.controller.scheduler.is_busy


@in_world
async def test_a_look_that_a_slow_database_outlasts_does_not_bring_back_a_model_that_is_gone(
    world: SimulatedWorld,
) -> None:
    class Slow:
        async def run(self, work: Any) -> Any:
            await asyncio.sleep(2.0)

    manager = manager_in(world, needs=Needs(Slow()), probe_every_s=600.0)  # type: ignore[arg-type]
    await manager.load_model(OTHER)
    await manager_in(world).load_model(CHAT)  # by somebody else: its need is asked for when it is seen
    assert [one.name for one in await manager.ollama.loaded_models()] == [CHAT, OTHER]
    looking = asyncio.create_task(manager.controller.probe())
    await asyncio.sleep(0.1)
    await manager.unload_model(OTHER)
    assert not looking.done()
    await looking
    assert not manager.controller.has(OTHER)


@in_world
async def test_a_driver_that_is_lost_in_the_middle_is_said_and_nothing_breaks(world: SimulatedWorld) -> None:
    """S3.3, S3.10"""
    manager = manager_in(world)
    manager.claim("a run loop")
    await manager.set_execution_mode(AUTOPILOT)
    world.gpu_seen = False
    await asyncio.sleep(1.5)
    status = manager.get_status()
    assert status.vram is None
    assert "its memory is unknown (the driver does not answer)" in status.degraded_reason
    assert manager.get_clip_device() == "cuda:0"  # it works where it is
    await manager.set_execution_mode(RECORDING)
    assert world.is_loaded(VLM)  # the server decides
    world.gpu_seen = True
    await asyncio.sleep(1.5)
    assert not manager.get_status().degraded


@in_world
async def test_without_a_gpu_at_the_start_everything_is_on_the_cpu_and_said(world: SimulatedWorld) -> None:
    """S3.10"""
    world.gpu_seen = False
    manager = manager_in(world)
    assert "everything runs on the CPU" in manager.get_status().degraded_reason
    await manager.set_execution_mode(AUTOPILOT)
    assert manager.get_clip_device() == "cpu"
    assert await manager.migrate_clip_to_gpu() is False
    await manager.set_execution_mode(RECORDING)
    assert world.is_loaded(VLM)


@in_world
async def test_memory_that_moves_by_itself_is_told_from_a_hundred_megabytes_on(world: SimulatedWorld) -> None:
    """S3.9"""
    manager = manager_in(world)
    texts = told(manager)
    world.ledger.set_foreign(100)
    await manager.controller.tick()
    assert texts == []
    world.ledger.set_foreign(101)
    await manager.controller.tick()
    assert texts == ["GPU memory in use: 0 → 101 MB."]
