"""Who does what is asked: this process, while it owns the GPU, or the one that does; rows are not needed for that."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from datetime import UTC, datetime
from typing import Any

import pytest

from gpu.exceptions import DeadlinePassed, GPUError, NotEnoughVRAM, OwnedElsewhere, OwnerGone
from gpu.kernel_lock import Holder
from gpu.manager import GPUResourceManager
from gpu.types import ChatMessage, ExecutionMode, Purpose, Request, RequestKind
from tests.gpu.processes import Machine, Process
from tests.gpu.world import CHAT, OTHER, VLM, SimulatedWorld, in_world, manager_in


class Lock:
    def __init__(self, *, taken: bool = False) -> None:
        self.taken = taken
        self.is_held = False
        self.history: list[str] = []

    def hold(self, name: str) -> bool:
        if not self.taken and not self.is_held:
            self.is_held = True
            self.history.append(f"held by {name}")
        return self.is_held

    def release(self) -> None:
        if self.is_held:
            self.is_held = False
            self.history.append("released")

    def holder(self) -> Holder | None:
        return Holder(pid=4711, name="the run loop of robot 1", since=datetime.now(UTC)) if self.taken else None

    @contextmanager
    def claimed(self) -> Iterator[None]:
        yield

    def is_claimed(self) -> bool:
        return False


class GoneOwner:
    """Its row is answered by nobody: it has died meanwhile."""

    def __init__(self, lock: Lock) -> None:
        self.lock, self.asked = lock, 0

    async def ask(self, request: Request) -> Mapping[str, Any]:
        self.asked += 1
        self.lock.taken = False
        raise OwnerGone("The process that owned the GPU has ended.")

    @asynccontextmanager
    async def use(self, request: Request) -> AsyncIterator[None]:
        await self.ask(request)
        yield


async def answered(manager: GPUResourceManager, model: str = CHAT, purpose: Purpose = Purpose.ASSISTANT) -> str:
    async with manager.using(model, purpose=purpose) as ollama:
        return "".join([chunk.text async for chunk in ollama.chat(model, [ChatMessage(role="user", content="hi")])])


@in_world
async def test_a_process_that_needs_the_gpu_and_finds_no_owner_owns_it_until_it_ends(world: SimulatedWorld) -> None:
    """S3.1: and looks after it, so that what it has loaded leaves when nobody asks for it any more."""
    lock = Lock()
    manager = manager_in(world, ownership=lock, idle_timeout_s=60.0)
    await asyncio.gather(manager.ensure_vlm_loaded(), manager.ensure_vlm_unloaded())
    assert await answered(manager) == "thisthat"
    assert world.is_loaded(CHAT)
    await asyncio.sleep(70)
    assert not world.is_loaded(CHAT)
    assert lock.history == ["held by a process that needed it"]
    await manager._router.release()
    assert lock.history == ["held by a process that needed it", "released"]


@in_world
async def test_nothing_is_done_in_a_turn_that_comes_when_the_gpu_is_given_back(world: SimulatedWorld) -> None:
    """S3.11.13: it is taken anew first, for another process may have it by then."""
    lock = Lock()
    manager = manager_in(world, ownership=lock, swaps_per_minute=100)
    manager.claim("a run loop")
    await asyncio.sleep(1)
    held: list[bool] = []
    load = manager.ollama.load_model

    async def watched(model: str) -> None:
        held.append(lock.is_held)
        await load(model)

    manager.ollama.load_model = watched
    for pauses in range(12):
        leaving = asyncio.create_task(manager._router.release())
        for _ in range(pauses):
            await asyncio.sleep(0)
        await manager.load_model(OTHER)
        await leaving
        await manager.unload_model(OTHER)
    assert held == [True] * 12


@in_world
async def test_a_process_that_has_claimed_it_keeps_it(world: SimulatedWorld) -> None:
    lock = Lock(taken=True)
    manager = manager_in(world, ownership=lock)
    manager.claim("the run loop of robot 2")
    await asyncio.sleep(5)
    lock.taken = False
    await asyncio.sleep(1)
    await manager.ensure_vlm_loaded()
    assert lock.history == ["held by the run loop of robot 2"]


@in_world
async def test_without_a_way_to_ask_the_owner_it_is_said_who_that_is(world: SimulatedWorld) -> None:
    manager = manager_in(world, ownership=Lock(taken=True))
    with pytest.raises(OwnedElsewhere, match="owned by the run loop of robot 1"):
        await manager.ensure_vlm_loaded()
    with pytest.raises(OwnedElsewhere, match="robot 1"):
        await answered(manager)


@in_world
async def test_what_was_asked_of_an_owner_that_died_is_done_here(world: SimulatedWorld) -> None:
    lock = Lock(taken=True)
    remote = GoneOwner(lock)
    manager = manager_in(world, ownership=lock, remote=remote)
    await manager.ensure_vlm_loaded()
    assert (remote.asked, world.is_loaded(VLM)) == (1, True)
    await manager._router.release()
    lock.taken = True
    assert await answered(manager) == "thisthat"
    assert remote.asked == 2


@in_world
async def test_owners_that_come_and_go_end_in_an_error_and_no_loop(world: SimulatedWorld) -> None:
    class NeverThere(GoneOwner):
        async def ask(self, request: Request) -> Mapping[str, Any]:
            self.asked += 1
            raise OwnerGone("Gone.")

    lock = Lock(taken=True)
    manager = manager_in(world, ownership=lock, remote=NeverThere(lock))
    with pytest.raises(OwnedElsewhere, match="come and go"):
        await manager.ensure_vlm_loaded()
    with pytest.raises(OwnedElsewhere, match="come and go"):
        await answered(manager)


@in_world
async def test_what_is_beside_runs_while_the_gpu_is_owned_and_end_with_that(world: SimulatedWorld) -> None:
    ran: list[str] = []

    async def beside() -> None:
        ran.append("begun")
        try:
            await asyncio.Event().wait()
        finally:
            ran.append("ended")

    lock = Lock()
    manager = manager_in(world, ownership=lock)
    manager.beside(beside)
    await manager.ensure_vlm_loaded()
    await asyncio.sleep(10)
    assert ran == ["begun"]
    await manager._router.release()
    assert ran == ["begun", "ended"]
    manager.claim("a run loop")
    await asyncio.sleep(10)
    assert ran == ["begun", "ended", "begun"]


# --- two processes ----------------------------------------------------------------------------------------------------
@in_world
async def test_a_second_process_has_the_owner_do_it_with_its_errors_and_its_answers(world: SimulatedWorld) -> None:
    machine = Machine(world)
    one, two = Process(machine, "one"), Process(machine, "two")
    await one.begin(one.claim())
    await two.begin(two.manager.set_execution_mode(ExecutionMode.AUTOPILOT))
    assert one.manager.get_status().execution_mode is ExecutionMode.AUTOPILOT
    assert one.manager.get_clip_device() == "cuda:0"
    assert await two.begin(answered(two.manager, VLM, Purpose.TARGET)) == "thisthat"
    world.ledger.set_foreign(5000)
    with pytest.raises(NotEnoughVRAM):
        await two.begin(answered(two.manager))


@in_world
async def test_a_mode_that_comes_late_does_not_replace_one_that_was_asked_for_after_it(world: SimulatedWorld) -> None:
    """S3.6: a request whose owner has died is asked again of the next one."""
    manager = manager_in(world)
    for mode, asked_at in ((ExecutionMode.AUTOPILOT, 6.0), (ExecutionMode.RECORDING, 5.0)):
        await manager.serving.carry_out(Request(kind=RequestKind.MODE, mode=mode, extra={"asked_at": asked_at}))
    assert manager.get_status().execution_mode is ExecutionMode.AUTOPILOT
    assert world.loads == []


# --- giving it back ---------------------------------------------------------------------------------------------------
@in_world
async def test_what_goes_on_though_who_asked_has_given_up_keeps_the_gpu_until_it_is_over(world: SimulatedWorld) -> None:
    """S3.11.13: otherwise another process would begin beside it."""
    lock = Lock()
    manager = manager_in(world, ownership=lock)
    with pytest.raises(DeadlinePassed, match="is being done"):
        await manager.ensure_vlm_loaded(deadline_s=1.0)
    await manager._router.release()
    assert lock.is_held
    await asyncio.sleep(world.models[VLM].load_s)
    assert world.is_loaded(VLM)
    assert not lock.is_held


@in_world
async def test_a_request_that_is_given_up_before_its_turn_leaves_nothing_held(world: SimulatedWorld) -> None:
    lock = Lock()
    manager = manager_in(world, ownership=lock)
    for pauses in range(6):
        asked = asyncio.create_task(manager.ensure_vlm_unloaded())
        for _ in range(pauses):
            await asyncio.sleep(0)
        asked.cancel()
        await asyncio.wait((asked,))
        await manager._router.release()
        await asyncio.sleep(5)
        assert not lock.is_held


@in_world
async def test_a_process_that_claims_it_no_longer_gives_it_back_at_once_and_may_claim_it_again(
    world: SimulatedWorld,
) -> None:
    lock = Lock()
    manager = manager_in(world, ownership=lock)
    for name in ("first", "second"):
        manager.claim(name)
        await manager.set_execution_mode(ExecutionMode.IDLE)
        begun = world.loop.now
        await manager._router.release()
        assert not lock.is_held
        assert world.loop.now == begun
    assert lock.history == ["held by first", "released", "held by second", "released"]
    await asyncio.sleep(10)  # nothing looks after the GPU of somebody else
    assert manager.controller.scheduler.granted == 6


@in_world
async def test_it_is_given_back_only_when_what_is_being_done_is_over(world: SimulatedWorld) -> None:
    """A run loop that ends while its model loads."""
    lock = Lock()
    manager = manager_in(world, ownership=lock)
    manager.claim("a run loop")
    asked = asyncio.create_task(manager.set_execution_mode(ExecutionMode.RECORDING))
    await asyncio.sleep(1.0)
    await manager._router.release()
    assert lock.is_held
    await asked
    await asyncio.sleep(0)
    assert world.is_loaded(VLM)
    assert not lock.is_held


@in_world
async def test_clip_does_not_stay_on_a_gpu_that_is_given_back(world: SimulatedWorld) -> None:
    """S3.11.6: the next owner cannot move it, and would load the VLM beside it."""
    lock = Lock()
    manager = manager_in(world, ownership=lock)
    manager.claim("a run loop")
    await manager.set_execution_mode(ExecutionMode.AUTOPILOT)
    assert manager.get_clip_device() == "cuda:0"
    await manager._router.release()
    assert (manager.get_clip_device(), lock.is_held) == ("cpu", False)
    await manager.set_execution_mode(ExecutionMode.AUTOPILOT)  # nobody owned it, and nobody has claimed it
    await asyncio.sleep(5)
    assert (manager.get_clip_device(), lock.is_held) == ("cuda:0", True)
    await manager._router.release()
    assert (manager.get_clip_device(), lock.is_held) == ("cpu", False)


@in_world
async def test_a_move_that_is_under_way_by_itself_ends_before_another_process_has_the_gpu(
    world: SimulatedWorld,
) -> None:
    lock = Lock()
    manager = manager_in(world, ownership=lock, idle_timeout_s=10.0)
    manager.claim("a run loop")
    await manager.ensure_vlm_loaded()
    held: list[bool] = []
    unload = manager.ollama.unload_model

    async def slow(model: str) -> None:
        try:
            await asyncio.sleep(3)
        finally:
            held.append(lock.is_held)
        await unload(model)

    manager.ollama.unload_model = slow
    await asyncio.sleep(12)  # nobody has asked for it, and it is on its way out
    await manager._router.release()
    assert held == [True]
    assert not lock.is_held


@pytest.mark.parametrize("use", [True, False])
@in_world
async def test_a_fault_in_asking_the_owner_is_an_error_with_a_type_and_not_an_end_without_one(
    world: SimulatedWorld, use: bool
) -> None:
    class Faulty:
        async def ask(self, request: Request) -> Mapping[str, Any]:
            raise RuntimeError("no such column")

        def use(self, request: Request) -> Any:
            raise RuntimeError("no such column")

    manager = manager_in(world, ownership=Lock(taken=True), remote=Faulty())
    with pytest.raises(GPUError, match="could not be asked: RuntimeError: no such column"):
        await (answered(manager) if use else manager.ensure_vlm_loaded())


@in_world
async def test_a_lock_that_cannot_be_had_is_said_once_and_not_at_every_try(
    world: SimulatedWorld, caplog: pytest.LogCaptureFixture
) -> None:
    class Unwritable(Lock):
        def hold(self, name: str) -> bool:
            raise GPUError("the folder cannot be written")

    manager = manager_in(world, ownership=Unwritable())
    manager.claim("a run loop")
    await asyncio.sleep(60)
    with pytest.raises(GPUError, match="cannot be written"):
        await manager.ensure_vlm_loaded()
    assert [one.getMessage() for one in caplog.records if one.levelname == "WARNING"] == [
        "the folder cannot be written"
    ]


@in_world
async def test_a_mode_that_another_process_took_is_the_run_loops_own_when_it_has_the_gpu(world: SimulatedWorld) -> None:
    """S3.6: it is the CLIP of the run loop that is to be on the GPU."""
    machine = Machine(world)
    web, loop = Process(machine, "web"), Process(machine, "loop")
    world.models[VLM].size_mb = 3000
    asking = web.begin(answered(web.manager, VLM, Purpose.TARGET))
    await asyncio.sleep(1)
    await loop.begin(loop.claim())
    asked = loop.begin(loop.manager.set_execution_mode(ExecutionMode.AUTOPILOT))
    await asking
    await asked
    assert web.manager.get_status().execution_mode is ExecutionMode.AUTOPILOT
    await asyncio.sleep(5)
    assert machine.owner is loop
    assert loop.manager.get_status().execution_mode is ExecutionMode.AUTOPILOT
    assert loop.manager.get_clip_device() == "cuda:0"


@in_world
async def test_who_needed_the_gpu_once_hands_it_over_to_a_run_loop_after_what_it_does(world: SimulatedWorld) -> None:
    """S3.1: and asks it from then on."""
    machine = Machine(world)
    web, loop = Process(machine, "web"), Process(machine, "loop")
    web.manager.ollama.answer_s = 20.0
    chatting = web.begin(answered(web.manager))
    await asyncio.sleep(10)
    await loop.begin(loop.claim())
    await asyncio.sleep(5)
    assert machine.owner is web
    assert await chatting == "thisthat"
    await asyncio.sleep(2)
    assert machine.owner is loop
    web.manager.ollama.answer_s = 1.0
    assert await web.begin(answered(web.manager)) == "thisthat"
    assert machine.owner is loop


@in_world
async def test_a_run_loop_hands_it_over_to_nobody(world: SimulatedWorld) -> None:
    machine = Machine(world)
    one, two = Process(machine, "one"), Process(machine, "two")
    await one.begin(one.claim())
    await two.begin(two.claim())
    await asyncio.sleep(60)
    assert machine.owner is one
    await one.begin(one.manager._router.release())
    await asyncio.sleep(1)
    assert machine.owner is two
    assert machine.claims == set()
