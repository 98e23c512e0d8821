"""Who has the GPU when, on a machine whose time is virtual: deadlines, queues, chats that give way, what is kept."""

from __future__ import annotations

import asyncio

import pytest

from gpu.choices import UseOutcome
from gpu.exceptions import (
    DeadlinePassed,
    GpuBusy,
    GPUError,
    NotEnoughVRAM,
    ServerAway,
)
from gpu.models import ModelUse
from gpu.types import ExecutionMode, ModelState, Purpose
from tests.doubles.ollama import LOADED, LOADING, STOPPING
from tests.gpu.world import CHAT, CLIP_MB, VLM, SimulatedClip, SimulatedWorld, chat, in_world, manager_in, settle

AUTOPILOT, RECORDING, IDLE = ExecutionMode.AUTOPILOT, ExecutionMode.RECORDING, ExecutionMode.IDLE


# --- deadlines, queues, sharing ---------------------------------------------------------------------------------------
@in_world
async def test_a_request_ends_at_its_deadline_and_the_load_that_others_want_goes_on(world: SimulatedWorld) -> None:
    manager = manager_in(world)
    patient = asyncio.create_task(manager.ensure_vlm_loaded())
    with pytest.raises(DeadlinePassed, match="is being done"):
        await manager.ensure_vlm_loaded(deadline_s=1.0)
    assert world.loop.now == 1.0
    await patient
    assert len(world.loads) == 1


@in_world
async def test_a_mode_stands_though_who_asked_for_it_has_stopped_waiting(world: SimulatedWorld) -> None:
    """S3.6: the last one asked for; before, what the mode before it wanted would not be tried again either."""
    manager = manager_in(world)
    manager.claim("a run loop")
    await manager.set_execution_mode(AUTOPILOT)
    async with manager.using(VLM, purpose=Purpose.TARGET):
        with pytest.raises(DeadlinePassed, match="as soon as it can be"):
            await manager.set_execution_mode(RECORDING, deadline_s=1.0)
    await asyncio.sleep(10)
    assert manager.get_status().execution_mode is RECORDING
    assert world.is_loaded(VLM)


@in_world
async def test_a_queue_that_grows_and_shrinks_is_told_each_time(world: SimulatedWorld) -> None:
    manager = manager_in(world)
    await manager.ensure_vlm_loaded()
    lengths: list[int] = []
    manager.on_queue(lambda: lengths.append(manager.get_status().queue_length))
    async with manager.using(VLM, purpose=Purpose.TARGET):
        assert lengths == []
        other = asyncio.create_task(manager.ask_vlm("what?", [], {}))
        await settle()
        assert lengths == [2]
        other.cancel()
        await asyncio.wait((other,))
        assert lengths == [2, 1]
    assert lengths == [2, 1, 0]


# --- chats ------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("urgent", ["question", "mode"])
@in_world
async def test_a_chat_is_cut_off_for_what_is_more_urgent(world: SimulatedWorld, urgent: str) -> None:
    """S4.5"""
    manager = manager_in(world)
    await manager.load_model(CHAT)
    manager.ollama.answer_s = 50.0
    chatting = asyncio.create_task(chat(manager))
    await asyncio.sleep(5)
    manager.ollama.answer_s = 1.0
    begun = world.loop.now
    await (manager.ask_vlm("what?", [], {}) if urgent == "question" else manager.set_execution_mode(AUTOPILOT))
    assert world.loop.now - begun < 10
    with pytest.raises(GpuBusy, match="more urgent"):
        await chatting


@in_world
async def test_a_load_for_a_chat_is_given_up_for_a_run(world: SimulatedWorld) -> None:
    world.models[CHAT].load_s = 100.0
    manager = manager_in(world)
    chatting = asyncio.create_task(chat(manager))
    await asyncio.sleep(2)
    assert world.models[CHAT].state == LOADING
    await manager.ensure_vlm_loaded()
    assert world.models[CHAT].aborted_loads == 1
    assert world.loop.now < 10
    with pytest.raises(GpuBusy):
        await chatting


@pytest.mark.parametrize("preload", [True, False])
@in_world
async def test_a_load_for_a_chat_is_not_given_up_for_a_run_that_wants_the_same_model(
    world: SimulatedWorld, preload: bool
) -> None:
    """Begun anew it would take longer; the chat gives way when it is loaded."""
    world.models[VLM].load_s = 30.0
    manager = manager_in(world)
    manager.ollama.answer_s = 50.0
    loading = manager.load_model(VLM, purpose=Purpose.PRELOAD) if preload else chat(manager, VLM)
    chatting = asyncio.create_task(loading)
    await asyncio.sleep(25)
    manager.ollama.answer_s = 1.0
    assert await manager.ask_vlm("what?", [], {})
    assert world.loop.now < 33
    assert (world.models[VLM].aborted_loads, len(world.loads)) == (0, 1)
    if preload:
        await chatting
    else:
        with pytest.raises(GpuBusy):
            await chatting


@in_world
async def test_a_chat_that_does_not_notice_loses_its_turn_all_the_same(world: SimulatedWorld) -> None:
    manager = manager_in(world)

    async def sleepy() -> None:
        async with manager.using(CHAT, purpose=Purpose.PRELOAD):
            await asyncio.sleep(1000)

    asleep = asyncio.create_task(sleepy())
    await asyncio.sleep(5)
    await manager.ensure_vlm_loaded(deadline_s=20.0)
    assert world.is_loaded(VLM)
    asleep.cancel()


@in_world
async def test_in_autopilot_a_chat_takes_nothing_from_a_run(world: SimulatedWorld) -> None:
    """S4.5: neither CLIP's memory nor the VLM's, not even while it is only asked for."""
    manager = manager_in(world)
    manager.claim("a run loop")
    await manager.set_execution_mode(AUTOPILOT)
    await manager.ask_vlm("what?", [], {})
    await asyncio.sleep(2)
    with pytest.raises(NotEnoughVRAM):
        await chat(manager)
    assert (world.is_loaded(VLM), manager.get_clip_device()) == (True, "cuda:0")
    assert world.ledger.held["CLIP"] == CLIP_MB
    assert not manager.get_status().degraded  # a chat that is refused degrades nothing
    assert await chat(manager, VLM) == "thisthat"


@in_world
async def test_a_chat_does_not_drive_out_the_vlm_between_its_load_and_the_question(world: SimulatedWorld) -> None:
    manager = manager_in(world)
    asked = asyncio.create_task(manager.ask_vlm("what?", [], {}))
    await settle()
    chatting = asyncio.create_task(chat(manager))
    with pytest.raises(NotEnoughVRAM):
        await chatting
    assert await asked
    assert len(world.loads) == 1


@in_world
async def test_a_vlm_that_a_chat_was_driving_out_is_taken_back_for_the_run_that_wants_it(world: SimulatedWorld) -> None:
    """A.4.2: it is listed until it is gone, and only a request that keeps it alive keeps it."""
    world.models[VLM].unload_s = 5.0
    manager = manager_in(world)
    await manager.ensure_vlm_loaded()
    chatting = asyncio.create_task(chat(manager))
    await asyncio.sleep(1.0)
    assert world.models[VLM].state == STOPPING
    assert await manager.ask_vlm("what?", [], {})
    await asyncio.sleep(10)
    assert world.is_loaded(VLM)
    with pytest.raises(GpuBusy):
        await chatting


# --- answers ----------------------------------------------------------------------------------------------------------
@in_world
async def test_each_question_to_the_vlm_is_recorded_with_what_came_of_it(world: SimulatedWorld) -> None:
    """S4.4, S7"""
    uses: list[ModelUse] = []

    async def keep(use: ModelUse) -> None:
        uses.append(use)

    manager = manager_in(world, record=keep)
    await manager.ask_vlm("what?", [], {}, execution_id="run 7", step=3)
    cancelled = asyncio.create_task(manager.ask_vlm("what?", [], {}, purpose=Purpose.CLASSIFY))
    await asyncio.sleep(0.5)
    cancelled.cancel()
    await asyncio.wait((cancelled,))
    world.stop_server()
    with pytest.raises(ServerAway):
        await manager.ask_vlm("what?", [], {})
    await manager._close()  # once all of it is kept
    told_of = [(use.outcome, use.error, use.purpose, use.execution_id, use.step) for use in uses]
    assert told_of == [
        (UseOutcome.ANSWERED, "", Purpose.TARGET, "run 7", 3),
        (UseOutcome.CANCELLED, "CancelledError", Purpose.CLASSIFY, "", None),
        (UseOutcome.FAILED, "ServerAway", Purpose.TARGET, "", None),
    ]
    assert [round(use.seconds) for use in uses[:1]] == [5]  # four for the load, one for the answer
    assert all(use.model == VLM for use in uses)


@in_world
async def test_keeping_what_an_answer_took_does_not_hold_it_up(world: SimulatedWorld) -> None:
    """A disk takes longer than an answer may be held up for; what was begun to be kept is kept before the end."""
    kept: list[ModelUse] = []

    async def slowly(use: ModelUse) -> None:
        await asyncio.sleep(30)
        kept.append(use)

    manager = manager_in(world, record=slowly)
    await manager.ensure_vlm_loaded()
    begun = world.loop.now
    await manager.ask_vlm("what?", [], {})
    assert world.loop.now - begun == pytest.approx(manager.ollama.answer_s)
    assert kept == []
    await manager._close()
    assert [use.seconds for use in kept] == [pytest.approx(manager.ollama.answer_s)]


@in_world
async def test_what_was_loaded_before_this_process_came_is_read_and_idles_out_from_then_on(
    world: SimulatedWorld,
) -> None:
    """S3.7: claimed, not remembered."""
    world.ledger.take(VLM, 6000)
    world.models[VLM].state = LOADED
    manager = manager_in(world, idle_timeout_s=60.0)
    manager.claim("a run loop")
    await asyncio.sleep(1)
    assert manager.get_status().vlm_state is ModelState.LOADED
    await asyncio.sleep(58)
    assert world.is_loaded(VLM)
    await asyncio.sleep(4)
    assert not world.is_loaded(VLM)


@in_world
async def test_a_decision_without_end_is_an_error_and_no_loop(world: SimulatedWorld) -> None:
    class Stubborn(SimulatedClip):
        async def move(self, device: str) -> None:
            """It says that it went."""

    clip = Stubborn(world)
    clip.device = "cuda:0"
    with pytest.raises(GPUError, match="was to go to cpu and is on cuda:0"):
        await manager_in(world, clip=clip).ensure_vlm_loaded()
