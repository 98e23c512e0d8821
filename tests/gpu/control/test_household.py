"""Who does what is asked: this process, while it owns the GPU, or the one that does; rows are not needed for that."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping
from contextlib import asynccontextmanager
from typing import Any

import pytest

from gpu.exceptions import GpuBusy, NotEnoughVRAM, OwnedElsewhere, OwnerGone
from gpu.manager import GPUResourceManager
from gpu.types import ChatMessage, ExecutionMode, Purpose, Request, RequestKind
from tests.gpu.processes import Machine, Process
from tests.gpu.virtual_time import run
from tests.gpu.world import CHAT, VLM, SimulatedWorld, manager_in


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

    def holder(self) -> str | None:
        return "the run loop of robot 1" if self.taken else None


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


def go(world: SimulatedWorld, work: Callable[[], Coroutine[Any, Any, None]]) -> None:
    run(world.loop, work)


async def answered(manager: GPUResourceManager, model: str = CHAT, purpose: Purpose = Purpose.ASSISTANT) -> str:
    async with manager.using(model, purpose=purpose) as ollama:
        return "".join([chunk.text async for chunk in ollama.chat(model, [ChatMessage(role="user", content="hi")])])


def test_a_process_that_has_not_claimed_the_gpu_borrows_it_for_one_operation(world: SimulatedWorld) -> None:
    async def work() -> None:
        lock = Lock()
        manager = manager_in(world, ownership=lock)
        await asyncio.gather(manager.ensure_vlm_loaded(), manager.ensure_vlm_unloaded())
        assert lock.history == ["held by a process that needed it for a moment", "released"]
        assert await answered(manager) == "thisthat"
        assert not lock.is_held

    go(world, work)


def test_a_process_that_has_claimed_it_keeps_it(world: SimulatedWorld) -> None:
    async def work() -> None:
        lock = Lock(taken=True)
        manager = manager_in(world, ownership=lock)
        manager.claim("the run loop of robot 2")
        await asyncio.sleep(5)
        lock.taken = False
        await asyncio.sleep(1)
        await manager.ensure_vlm_loaded()
        assert lock.history == ["held by the run loop of robot 2"]

    go(world, work)


def test_without_a_way_to_ask_the_owner_it_is_said_who_that_is(world: SimulatedWorld) -> None:
    async def work() -> None:
        manager = manager_in(world, ownership=Lock(taken=True))
        with pytest.raises(OwnedElsewhere, match="owned by the run loop of robot 1"):
            await manager.ensure_vlm_loaded()
        with pytest.raises(OwnedElsewhere, match="robot 1"):
            await answered(manager)

    go(world, work)


def test_what_was_asked_of_an_owner_that_died_is_done_here(world: SimulatedWorld) -> None:
    async def work() -> None:
        lock = Lock(taken=True)
        remote = GoneOwner(lock)
        manager = manager_in(world, ownership=lock, remote=remote)
        await manager.ensure_vlm_loaded()
        assert (remote.asked, world.is_loaded(VLM)) == (1, True)
        lock.taken = True
        assert await answered(manager) == "thisthat"
        assert remote.asked == 2

    go(world, work)


def test_owners_that_come_and_go_end_in_an_error_and_no_loop(world: SimulatedWorld) -> None:
    class NeverThere(GoneOwner):
        async def ask(self, request: Request) -> Mapping[str, Any]:
            self.asked += 1
            raise OwnerGone("Gone.")

    async def work() -> None:
        lock = Lock(taken=True)
        manager = manager_in(world, ownership=lock, remote=NeverThere(lock))
        with pytest.raises(OwnedElsewhere, match="come and go"):
            await manager.ensure_vlm_loaded()
        with pytest.raises(OwnedElsewhere, match="come and go"):
            await answered(manager)

    go(world, work)


def test_companions_run_while_the_gpu_is_owned_and_end_with_that(world: SimulatedWorld) -> None:
    async def work() -> None:
        ran: list[str] = []

        async def beside(manager: GPUResourceManager) -> None:
            ran.append("begun")
            try:
                await asyncio.Event().wait()
            finally:
                ran.append("ended")

        lock = Lock()
        plain = manager_in(world, ownership=lock)
        manager = GPUResourceManager(
            plain.config,
            ollama=plain.ollama,
            vram=plain.vram,
            ownership=lock,
            runtime=plain.runtime,
            companions=[beside],
        )
        await manager.ensure_vlm_loaded()
        await asyncio.sleep(0)
        assert ran == ["begun", "ended"]
        manager.claim("a run loop")
        await asyncio.sleep(10)
        assert ran == ["begun", "ended", "begun"]

    go(world, work)


# --- two processes ----------------------------------------------------------------------------------------------------
def test_a_second_process_has_the_owner_do_it_with_its_errors_and_its_answers(world: SimulatedWorld) -> None:
    async def work() -> None:
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

    go(world, work)


def test_a_chat_of_another_process_is_cut_off_too(world: SimulatedWorld) -> None:
    """S4.5"""

    async def work() -> None:
        machine = Machine(world)
        one, two = Process(machine, "one"), Process(machine, "two")
        await one.begin(one.claim())
        two.manager.ollama.answer_s = 100.0
        chatting = two.begin(answered(two.manager))
        await asyncio.sleep(10)
        begun = world.loop.now
        assert await one.begin(answered(one.manager, VLM, Purpose.TARGET)) == "thisthat"
        assert world.loop.now - begun < 8
        with pytest.raises(GpuBusy, match="more urgent"):
            await chatting

    go(world, work)


def test_a_mode_that_comes_late_does_not_replace_one_that_was_asked_for_after_it(world: SimulatedWorld) -> None:
    """S3.6: a request whose owner has died is asked again of the next one."""

    async def work() -> None:
        manager = manager_in(world)
        for mode, asked_at in ((ExecutionMode.AUTOPILOT, 6.0), (ExecutionMode.RECORDING, 5.0)):
            await manager.carry_out(Request(kind=RequestKind.MODE, mode=mode, extra={"asked_at": asked_at}))
        assert manager.get_status().execution_mode is ExecutionMode.AUTOPILOT
        assert world.loads == []

    go(world, work)


def test_the_owner_that_is_killed_is_followed_by_the_other_one_which_does_what_it_was_asked(
    world: SimulatedWorld,
) -> None:
    async def work() -> None:
        machine = Machine(world)
        one, two = Process(machine, "one"), Process(machine, "two")
        await one.begin(one.claim())
        await two.begin(two.claim())
        asked = two.begin(two.manager.set_execution_mode(ExecutionMode.RECORDING))
        await asyncio.sleep(1)
        await one.kill()
        await asked
        assert machine.owner is two
        assert world.is_loaded(VLM)
        assert two.manager.get_status().execution_mode is ExecutionMode.RECORDING

    go(world, work)
