"""The properties of the GPU manager (S3.11), each on many machines and many histories; no real time passes.

That CLIP sees the same before and after each move, the seventh, is proved with the real one in test_clip.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from gpu.exceptions import GPUError
from gpu.manager import GPUResourceManager
from gpu.types import ChatMessage, ExecutionMode, GPUResourceStatus, ModelState, Purpose
from tests.doubles.ollama import Model
from tests.gpu.world import CHAT, CLIP_MB, VLM, SimulatedWorld, in_world, manager_in

TAKING_BACK_S = 1.0  # of what had begun when the time was over: CLIP's way back, half a second here
modes = st.sampled_from(list(ExecutionMode))
histories = st.lists(modes, max_size=5)
sizes = st.integers(500, 9000)
seconds = st.floats(0, 20, allow_nan=False).map(lambda s: round(s, 2))


@st.composite
def worlds(draw: st.DrawFn) -> SimulatedWorld:
    """A VLM of some size and slowness on a GPU of some size, with other programs on it."""
    vlm = Model(VLM, size_mb=draw(sizes), load_s=draw(seconds), unload_s=draw(seconds) / 4, release_s=draw(seconds) / 5)
    world = SimulatedWorld(vlm, Model(CHAT, size_mb=draw(sizes), load_s=1.0), total_mb=draw(st.integers(8_000, 24_000)))
    world.ledger.set_foreign(draw(st.integers(0, 3000)))
    return world


async def through(manager: GPUResourceManager, history: list[ExecutionMode]) -> None:
    for mode in history:
        await manager.set_execution_mode(mode)


async def used(manager: GPUResourceManager, model: str, purpose: Purpose, deadline_s: float = 300.0) -> None:
    async with manager.using(model, purpose=purpose, deadline_s=deadline_s) as ollama:
        async for _chunk in ollama.chat(model, [ChatMessage(role="user", content="what?")]):
            pass


def typed(error: GPUError) -> None:
    """It says what is wrong."""
    assert str(error)


def can_load(world: SimulatedWorld) -> bool:
    """Whether the VLM fits beside what other programs hold, CLIP and the other models being out of the way."""
    return world.models[VLM].size_mb + world.headroom_mb <= world.ledger.total_mb - world.ledger.foreign_mb


@given(worlds(), histories)
@in_world
async def test_1_entering_autopilot_from_any_mode_unloads_the_vlm(
    world: SimulatedWorld, history: list[ExecutionMode]
) -> None:
    """S3.11.1"""
    manager = manager_in(world)
    await through(manager, [*history, ExecutionMode.AUTOPILOT])
    assert not world.is_loaded(VLM)
    assert manager.get_status().vlm_state is not ModelState.LOADED


@given(worlds(), histories)
@in_world
async def test_2_entering_recording_loads_the_vlm(world: SimulatedWorld, history: list[ExecutionMode]) -> None:
    """S3.11.2: if it fits; where it does not, the reason is said and nothing was tried."""
    manager = manager_in(world, swaps_per_minute=20)
    await through(manager, [*history, ExecutionMode.RECORDING])
    status = manager.get_status()
    assert world.is_loaded(VLM) is can_load(world)
    assert (status.vlm_state is ModelState.LOADED) is can_load(world)
    assert status.degraded is not can_load(world)
    assert can_load(world) or "MB of GPU memory and" in status.degraded_reason


@given(worlds(), histories, st.none() | st.integers(-200, 200))
@in_world
async def test_3_in_autopilot_clip_is_on_the_gpu_if_it_fits(
    world: SimulatedWorld, history: list[ExecutionMode], to_spare_mb: int | None
) -> None:
    """S3.11.3: often by a hair, one way or the other."""
    if to_spare_mb is not None:
        world.ledger.set_free(CLIP_MB + world.headroom_mb + to_spare_mb)
    manager = manager_in(world)
    await through(manager, [*history, ExecutionMode.AUTOPILOT])
    fits = world.ledger.free_mb + world.ledger.held.get("CLIP", 0) >= CLIP_MB + world.headroom_mb
    assert manager.get_clip_device() == ("cuda:0" if fits else "cpu")


@given(worlds(), st.booleans())
@in_world
async def test_4_memory_in_use_falls_when_the_vlm_unloads(world: SimulatedWorld, leaks: bool) -> None:
    """S3.11.4: or it is said that it has not."""
    manager = manager_in(world)
    world.models[VLM].size_mb = min(world.models[VLM].size_mb, 4000)
    await manager.ensure_vlm_loaded()
    full = world.ledger.used_mb
    world.models[VLM].leaks = leaks
    await manager.ensure_vlm_unloaded()
    assert (world.ledger.used_mb < full) is not leaks
    assert ("still in use" in manager.get_status().degraded_reason) is leaks


@given(
    worlds(), st.lists(st.sampled_from(("load", "unload", "mode", "ask", "away", "back", "lost")), max_size=6), modes
)
@in_world
async def test_5_the_status_is_complete_in_every_state(
    world: SimulatedWorld, acts: list[str], mode: ExecutionMode
) -> None:
    """S3.11.5"""
    manager = manager_in(world)
    seen = [manager.get_status()]
    manager.on_event(lambda kind, text, status: seen.append(status))
    for act in acts:
        await do(manager, world, act, mode)
        seen.append(manager.get_status())
    for status in seen:
        assert whole(status), status


async def do(manager: GPUResourceManager, world: SimulatedWorld, act: str, mode: ExecutionMode) -> None:
    works: dict[str, Coroutine[Any, Any, Any]] = {}
    if act == "load":
        works[act] = manager.ensure_vlm_loaded()
    elif act == "unload":
        works[act] = manager.ensure_vlm_unloaded()
    elif act == "mode":
        works[act] = manager.set_execution_mode(mode)
    elif act == "ask":
        works[act] = manager.ask_vlm("what?", [], {})
    elif act in ("away", "back"):
        world.stop_server() if act == "away" else world.start_server()
    elif act == "lost":
        world.gpu_seen = not world.gpu_seen
    for work in works.values():
        try:
            await work
        except GPUError as error:
            typed(error)


def whole(status: GPUResourceStatus) -> bool:
    """Every field is what S3.8 says, and nothing is degraded without a reason."""
    return (
        isinstance(status.vlm_state, ModelState)
        and isinstance(status.execution_mode, ExecutionMode)
        and status.vlm_model == VLM
        and status.degraded is bool(status.degraded_reason)
        and status.queue_length >= 0
        and (status.vram is None or status.vram.free_mb + status.vram.used_mb == status.vram.total_mb)
        and (status.clip_device == "cpu" or status.clip_device.startswith("cuda:"))
    )


@given(worlds(), histories, st.sampled_from(("ask", "load", "chat")))
@in_world
async def test_6_clip_is_off_the_gpu_before_the_vlm_loads(
    world: SimulatedWorld, history: list[ExecutionMode], how: str
) -> None:
    """S3.11.6: whoever asks for the VLM, in whichever mode; the world notes a load beside CLIP as a violation.

    A chat in autopilot alone never moves CLIP (S4.5): this one comes after it.
    """
    manager = manager_in(world, swaps_per_minute=20)
    await through(manager, [*history, ExecutionMode.AUTOPILOT, *([ExecutionMode.IDLE] if how == "chat" else ())])
    was_there = manager.get_clip_device() != "cpu"
    works = {
        "ask": lambda: manager.ask_vlm("what?", [], {}),
        "load": manager.ensure_vlm_loaded,
        "chat": lambda: used(manager, VLM, Purpose.ASSISTANT),
    }
    try:
        await works[how]()
    except GPUError:
        assert not can_load(world)
        assert (manager.get_clip_device() != "cpu") is was_there  # refused before anything moved
    else:
        assert manager.get_clip_device() == "cpu"


@given(worlds(), st.integers(5, 90), st.integers(0, 80))
@in_world
async def test_8_the_idle_timeout_unloads_and_not_before(
    world: SimulatedWorld, timeout_s: int, used_after_s: int
) -> None:
    """S3.11.8"""
    world.models[VLM].size_mb = 3000
    manager = manager_in(world, idle_timeout_s=float(timeout_s))
    manager.claim("a run loop")
    await manager.ensure_vlm_loaded()
    await asyncio.sleep(min(used_after_s, timeout_s - 1))
    await manager.ask_vlm("what?", [], {})
    last = world.clock.now
    await asyncio.sleep(timeout_s - 0.01)
    assert world.is_loaded(VLM)
    await asyncio.sleep(1.1 + world.models[VLM].unload_s + world.models[VLM].release_s)
    assert not world.is_loaded(VLM)
    assert world.clock.now - last >= timeout_s


@given(worlds(), histories)
@in_world
async def test_9_a_request_on_an_unloaded_vlm_loads_it(world: SimulatedWorld, history: list[ExecutionMode]) -> None:
    """S3.11.9"""
    world.models[VLM].size_mb = 3000
    manager = manager_in(world, swaps_per_minute=20)
    await through(manager, history)
    await manager.ensure_vlm_unloaded()
    assert not world.is_loaded(VLM)
    assert await manager.ask_vlm("what?", [], {}) == '{"said": "thisthat"}'
    assert world.is_loaded(VLM)


@given(worlds(), st.integers(1, 12), seconds, st.integers(0, 2))
@in_world
async def test_10_ensure_vlm_loaded_returns_only_when_it_is_loaded(
    world: SimulatedWorld, callers: int, later: float, failures: int
) -> None:
    """S3.11.10: for each of many callers, who share one load, which may fail twice before it succeeds."""
    world.models[VLM].size_mb = 3000
    world.models[VLM].oom_loads = failures
    manager = manager_in(world)

    async def ask(number: int) -> bool:
        await asyncio.sleep(later * number / callers)
        await manager.ensure_vlm_loaded()
        return world.is_loaded(VLM)

    assert all(await asyncio.gather(*(ask(number) for number in range(callers))))
    assert len(world.loads) == 1


@given(worlds(), st.integers(1, 5))
@in_world
async def test_11_ensure_vlm_unloaded_returns_only_when_it_is_gone(world: SimulatedWorld, callers: int) -> None:
    """S3.11.11"""
    world.models[VLM].size_mb = 3000
    manager = manager_in(world)
    await manager.ensure_vlm_loaded()

    async def ask() -> bool:
        await manager.ensure_vlm_unloaded()
        return world.models[VLM].runner is None and VLM not in world.ledger.held

    assert all(await asyncio.gather(*(ask() for _ in range(callers))))


@given(worlds(), st.lists(st.sampled_from(("gpu", "cpu", "fail", "lost", *ExecutionMode)), max_size=8))
@in_world
async def test_12_the_device_of_clip_is_the_cpu_or_a_gpu_that_exists(world: SimulatedWorld, acts: list[str]) -> None:
    """S3.11.12"""
    manager = manager_in(world, swaps_per_minute=20)
    gpus = {f"cuda:{index}" for index in range(len(manager.vram.read()))}
    seen: set[str] = set()
    manager.on_event(lambda kind, text, status: seen.add(status.clip_device))
    for act in acts:
        if act in ("gpu", "cpu"):
            moved = await (manager.migrate_clip_to_gpu() if act == "gpu" else manager.migrate_clip_to_cpu())
            assert not moved or manager.get_clip_device().startswith("cuda" if act == "gpu" else "cpu")
        elif act == "fail":
            world.clip_fails = not world.clip_fails
        elif act == "lost":
            world.gpu_seen = not world.gpu_seen
        else:
            await manager.set_execution_mode(ExecutionMode(act))
        seen.add(manager.get_clip_device())
    assert seen <= {"cpu", *gpus}


@given(
    worlds(),
    st.lists(
        st.tuples(seconds, st.sampled_from(("load", "unload", "chat", "ask", "gpu", "cpu", *ExecutionMode))),
        min_size=2,
        max_size=10,
    ),
)
@in_world
async def test_13_operations_never_overlap(world: SimulatedWorld, asked: list[tuple[float, str]]) -> None:
    """S3.11.13: whoever asks for what at whatever moment; the world notes two at once as a violation."""
    manager = manager_in(world, swaps_per_minute=20)

    async def ask(at: float, what: str) -> None:
        await asyncio.sleep(at)
        works = {
            "load": manager.ensure_vlm_loaded,
            "unload": manager.ensure_vlm_unloaded,
            "chat": lambda: manager.load_model(CHAT),
            "ask": lambda: manager.ask_vlm("what?", [], {}),
            "gpu": manager.migrate_clip_to_gpu,
            "cpu": manager.migrate_clip_to_cpu,
        }
        try:
            await (works[what]() if what in works else manager.set_execution_mode(ExecutionMode(what)))
        except GPUError as error:
            typed(error)

    await asyncio.gather(*(ask(at, what) for at, what in asked))
    assert manager.get_status().queue_length == 0


# --- beside the thirteen --------------------------------------------------------------------------------------------
@given(
    worlds(),
    st.lists(
        st.tuples(seconds, st.sampled_from(("load", "unload", *Purpose)), st.sampled_from((0.5, 3.0, 12.0))),
        min_size=2,
        max_size=8,
    ),
    st.sampled_from((1.0, 30.0)),
)
@in_world
async def test_every_request_ends_by_its_deadline_with_a_result_or_a_typed_error(
    world: SimulatedWorld, asked: list[tuple[float, str, float]], answer_s: float
) -> None:
    """Whoever else has the turn, for however long."""
    manager = manager_in(world, swaps_per_minute=20)
    manager.ollama.answer_s = answer_s

    async def ask(at: float, what: str, deadline_s: float) -> None:
        await asyncio.sleep(at)
        begun = world.loop.now
        works = {"load": manager.ensure_vlm_loaded, "unload": manager.ensure_vlm_unloaded}
        try:
            if what in works:
                await works[what](deadline_s=deadline_s)
            else:
                await used(manager, VLM, Purpose(what), deadline_s)
        except GPUError as error:
            typed(error)
        assert world.loop.now - begun <= deadline_s + TAKING_BACK_S

    await asyncio.gather(*(ask(*one) for one in asked))
