"""Where a request is done: here, while this process owns the GPU of the machine, or by the process that does (S3.1)."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from dataclasses import replace
from typing import Any

from gpu.control.owner import Owner
from gpu.control.parts import Elsewhere, Lock
from gpu.control.scheduler import BY_ITSELF, Errand
from gpu.exceptions import GPUError, OwnedElsewhere, OwnerGone
from gpu.runtime import Runtime
from gpu.types import Request, RequestKind

log = logging.getLogger(__name__)

BORROWER = "a process that needed it for a moment"
TRIES, PAUSE_S = 5, 0.2  # owners that come and go while one request is on its way

Here = Callable[[Request], Coroutine[Any, Any, Mapping[str, Any]]]
UsedHere = Callable[[Request], AbstractAsyncContextManager[Any]]
Companion = Callable[[], Coroutine[Any, Any, None]]


class Household:
    """`here` and `used_here` do a request in this process. Without a lock the GPU is always its own."""

    def __init__(
        self,
        owner: Owner,
        runtime: Runtime,
        *,
        here: Here,
        used_here: UsedHere,
        ownership: Lock | None,
        remote: Elsewhere | None,
        companions: Sequence[Companion],
    ) -> None:
        self._owner, self._runtime = owner, runtime
        self._here, self._used_here = here, used_here
        self._lock, self._remote, self._companions = ownership, remote, companions
        self._name = ""  # with which the GPU was claimed
        self._inside = 0  # requests that are being done here
        self._tasks: set[asyncio.Task[None]] = set()  # while it is owned
        self._keeper: asyncio.Task[None] | None = None
        self.abroad: Errand | None = None  # the use that the owner has granted to this process

    @property
    def is_claimed(self) -> bool:
        return bool(self._name)

    def claim(self, name: str) -> None:
        """Returns after the first try to have it."""
        if self._runtime.is_here:
            self._claim(name)
        else:
            self._runtime.submit(self._claim_there(name)).result()

    async def carry_out(self, request: Request) -> Mapping[str, Any]:
        """Do it, or have it done. Raises what stands in its way; OwnedElsewhere where the owner cannot be asked."""
        async for left in self._tries(request):
            async with self.at_home() as at_home:
                if at_home:
                    return await self._here(left)
            try:
                return await self._other(left).ask(left)
            except OwnerGone as error:
                log.info("%s", error)
        raise OwnedElsewhere("The owners of the GPU come and go: try again.")

    @asynccontextmanager
    async def use(self, request: Request) -> AsyncIterator[None]:
        """Inside, the model of the request is loaded, whoever owns the GPU."""
        async with AsyncExitStack() as stack:
            async for left in self._tries(request):
                if await stack.enter_async_context(self.at_home()):
                    await stack.enter_async_context(self._used_here(left))
                    break
                try:
                    await stack.enter_async_context(self._used_there(left))
                except OwnerGone as error:
                    log.info("%s", error)
                else:
                    break
            else:
                raise OwnedElsewhere("The owners of the GPU come and go: try again.")
            yield

    @asynccontextmanager
    async def at_home(self) -> AsyncIterator[bool]:
        """Whether this process owns the GPU, and does so until the end of the block."""
        if not self._take():
            yield False
            return
        self._inside += 1
        try:
            yield True
        finally:
            self._inside -= 1
            if not self._inside and not self.is_claimed:
                self._give_back()

    async def close(self) -> None:
        if self._keeper is not None:
            self._keeper.cancel()
        self._name = ""
        tasks = [*self._tasks, *([self._keeper] if self._keeper else [])]
        self._keeper = None
        self._give_back()
        await asyncio.gather(*tasks, return_exceptions=True)

    # --- taking and giving back -------------------------------------------------------------------------------------
    async def _claim_there(self, name: str) -> None:
        self._claim(name)

    def _claim(self, name: str) -> None:
        if self._keeper is None:
            self._name = name
            taken = self._take_or_say()
            self._keeper = asyncio.get_running_loop().create_task(self._keep(taken=taken))

    async def _keep(self, *, taken: bool) -> None:
        """Until it is had; then it stays, for a kernel's lock is never lost."""
        while not taken:
            await asyncio.sleep(self._owner.config.claim_every_s)
            taken = self._take_or_say()
        for watch in (self._owner.tick, self._owner.probe):
            self._begin(self._watch(watch))
        async with self._owner.scheduler.turn(Errand(Request(kind=RequestKind.CLIP_TO_CPU), BY_ITSELF)):
            await self._owner.take_over()

    async def _watch(self, look: Callable[[], Coroutine[Any, Any, None]]) -> None:
        while True:
            await asyncio.sleep(self._owner.config.probe_every_s)
            try:
                await look()
            except Exception:
                log.exception("looking after the GPU failed")

    def _take_or_say(self) -> bool:
        try:
            return self._take()
        except GPUError as error:
            log.warning("%s", error)
            return False

    def _take(self) -> bool:
        if self._lock is not None and not self._lock.is_held and not self._lock.hold(self._name or BORROWER):
            return False
        if not self._tasks:
            for companion in self._companions:
                self._begin(companion())
        return True

    def _give_back(self) -> None:
        for task in self._tasks:
            task.cancel()
        self._tasks = set()
        if self._lock is not None:
            self._lock.release()

    def _begin(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(_ended)

    # --- the other process ------------------------------------------------------------------------------------------
    def _other(self, request: Request) -> Elsewhere:
        if self._remote is None:
            holder = self._lock.holder() if self._lock else None
            raise OwnedElsewhere(f"The GPU is owned by {holder or 'another process'}: “{request.kind}” is not done.")
        return self._remote

    async def _tries(self, request: Request) -> AsyncIterator[Request]:
        """The request with what is left of its time, as often as it may be tried."""
        loop = asyncio.get_running_loop()
        deadline = loop.time() + request.deadline_s
        for number in range(TRIES):
            await asyncio.sleep(PAUSE_S if number else 0)
            yield replace(request, deadline_s=max(0.0, deadline - loop.time()))

    @asynccontextmanager
    async def _used_there(self, request: Request) -> AsyncIterator[None]:
        """The owner is asked by one task, from the beginning to the end, whichever tasks run the block."""
        errand = Errand.of(request, may_be_cut=True)
        granted: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        done = asyncio.Event()
        asking = asyncio.get_running_loop().create_task(self._hold(request, errand, granted, done))
        try:
            await granted
            self.abroad = errand
            yield
        finally:
            if self.abroad is errand:
                self.abroad = None
            done.set()
            if not granted.done() or granted.cancelled():
                asking.cancel()
            await asyncio.wait((asking,))

    async def _hold(self, request: Request, errand: Errand, granted: asyncio.Future[None], done: asyncio.Event) -> None:
        try:
            async with self._other(request).use(request):
                granted.set_result(None)
                await done.wait()
        except GPUError as error:
            if granted.done():
                errand.take(error)
            else:
                granted.set_exception(error)


def _ended(task: asyncio.Task[None]) -> None:
    if not task.cancelled() and (error := task.exception()) is not None:
        log.error("what runs beside the owner of the GPU failed", exc_info=error)
