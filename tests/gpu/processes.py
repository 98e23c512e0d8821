"""Processes that share one GPU: a lock that one of them has, and asking the one that has it. They can be killed."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Coroutine, Iterator
from contextlib import asynccontextmanager, contextmanager
from contextvars import ContextVar, copy_context
from datetime import UTC, datetime
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

from gpu.exceptions import OwnerGone
from gpu.kernel_lock import Holder
from gpu.manager import GPUResourceManager
from gpu.types import Request
from tests.doubles.ollama import STOPPING
from tests.gpu.world import SimulatedClip, SimulatedWorld, manager_in

T = TypeVar("T")


_WHOSE: ContextVar[Process | None] = ContextVar("whose", default=None)


class Machine:
    """Every task in the world's loop belongs to the process whose task has begun it."""

    def __init__(self, world: SimulatedWorld, **fields: Any) -> None:
        self.world, self.fields = world, fields
        self.owner: Process | None = None
        self.claims: set[Process] = set()
        self.tasks: WeakKeyDictionary[asyncio.Task[Any], Process | None] = WeakKeyDictionary()
        world.loop.set_task_factory(self._make_task)

    def _make_task(self, loop: asyncio.AbstractEventLoop, work: Any, **more: Any) -> asyncio.Task[Any]:
        task: asyncio.Task[Any] = asyncio.Task(work, loop=loop, **more)
        self.tasks[task] = more["context"].get(_WHOSE) if more.get("context") else _WHOSE.get()
        return task


class Process:
    def __init__(self, machine: Machine, name: str) -> None:
        self.machine, self.name = machine, name
        self.alive = True
        self.clip = SimulatedClip(machine.world, available=False)
        self.manager: GPUResourceManager = manager_in(
            machine.world, clip=self.clip, ownership=_Lock(self), remote=_Remote(self), **machine.fields
        )

    def begin(self, work: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
        context = copy_context()
        context.run(_WHOSE.set, self)
        task = self.machine.world.loop.create_task(work, context=context)
        task.add_done_callback(lambda done: done.cancelled() or done.exception())  # who asked may have gone by then
        return task

    async def claim(self) -> None:
        """A run loop wants the GPU, and has the CLIP that goes with it."""
        self.clip.available = True
        self.manager.claim(self.name)

    async def kill(self) -> None:
        """As SIGKILL: nothing of it is said; the kernel lets the lock go, and the memory that CLIP had."""
        self.alive = False
        mine = {task for task, whose in list(self.machine.tasks.items()) if whose is self and not task.done()}
        for task in mine:
            task.cancel()
        if mine:
            await asyncio.wait(mine)
        models = self.machine.world.models.values()
        self.machine.world.orphans = {model.name for model in models if model.state == STOPPING}
        if self.clip.device != "cpu":
            self.machine.world.ledger.give_back("CLIP")
        if self.machine.owner is self:
            self.machine.owner = None


class _Lock:
    def __init__(self, process: Process) -> None:
        self._process = process

    @property
    def is_held(self) -> bool:
        return self._process.machine.owner is self._process

    def hold(self, name: str) -> bool:
        machine = self._process.machine
        if machine.owner is None and self._process.alive:
            machine.owner = self._process
        return self.is_held

    def release(self) -> None:
        if self.is_held:
            self._process.machine.owner = None

    @contextmanager
    def claimed(self) -> Iterator[None]:
        claims = self._process.machine.claims
        claims.add(self._process)
        try:
            yield
        finally:
            claims.discard(self._process)

    def is_claimed(self) -> bool:
        return any(process.alive for process in self._process.machine.claims)

    def holder(self) -> Holder | None:
        owner = self._process.machine.owner
        return Holder(pid=4711, name=owner.name, since=datetime.now(UTC)) if owner else None


class _Remote:
    """What `gpu.machine.owner_client` does with rows, at once."""

    def __init__(self, process: Process) -> None:
        self._process = process

    async def ask(self, request: Request) -> None:
        owner = self._owner()
        work = owner.begin(owner.manager.serving.carry_out(request))
        try:
            await asyncio.wait((work,))
        except asyncio.CancelledError:
            work.cancel()
            raise
        if work.cancelled():
            raise OwnerGone("The owner was killed.")
        work.result()

    @asynccontextmanager
    async def use(self, request: Request) -> AsyncIterator[None]:
        """As asyncio.timeout cancels its block, this one does when the model is taken back, or its owner killed."""
        owner, granted, done = self._owner(), asyncio.Event(), asyncio.Event()

        async def lend() -> None:
            async with owner.manager.serving.used(request):
                granted.set()
                await done.wait()

        lent = owner.begin(lend())
        waiting = asyncio.ensure_future(granted.wait())
        try:
            await asyncio.wait((lent, waiting), return_when=asyncio.FIRST_COMPLETED)
            if lent.done():
                raise self._why(lent)
            async with _ended_with(lent):
                yield
        except TimeoutError:
            raise self._why(lent) from None
        finally:
            waiting.cancel()
            done.set()
            if not lent.done():
                await asyncio.wait((lent,))

    def _owner(self) -> Process:
        owner = self._process.machine.owner
        if owner is None or not owner.alive:
            raise OwnerGone("Nobody owns the GPU.")
        return owner

    @staticmethod
    def _why(lent: asyncio.Task[None]) -> BaseException:
        if lent.cancelled():
            return OwnerGone("The owner was killed.")
        return lent.exception() or OwnerGone("It ended.")


@asynccontextmanager
async def _ended_with(task: asyncio.Task[None]) -> AsyncIterator[None]:
    async with asyncio.timeout(None) as scope:

        def end(_: object) -> None:
            scope.reschedule(asyncio.get_running_loop().time())

        task.add_done_callback(end)
        try:
            yield
        finally:
            task.remove_done_callback(end)
