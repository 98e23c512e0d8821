"""Where a request is done: here, while this process owns the GPU of the machine, or by the process that does (S3.1)."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager, contextmanager
from dataclasses import replace
from typing import Any

from gpu.control.controller import Controller
from gpu.control.interfaces import Elsewhere, Lock
from gpu.control.scheduler import BY_ITSELF, QueueEntry
from gpu.exceptions import GPUError, OwnedElsewhere, OwnerGone
from gpu.policy import CPU
from gpu.runtime import Runtime
from gpu.types import Request, RequestKind

log = logging.getLogger(__name__)

BORROWER = "a process that needed it for a moment"
TRIES, PAUSE_S = 5, 0.2  # owners that come and go while one request is on its way

Here = Callable[[Request], Coroutine[Any, Any, Mapping[str, Any]]]
UsedHere = Callable[[Request], AbstractAsyncContextManager[Any]]
Companion = Callable[[], Coroutine[Any, Any, None]]


class Router:
    """`here` and `used_here` do a request in this process. Without a lock the GPU is always its own."""

    def __init__(
        self,
        controller: Controller,
        runtime: Runtime,
        *,
        here: Here,
        used_here: UsedHere,
        ownership: Lock | None,
        remote: Elsewhere | None,
        companions: Sequence[Companion],
    ) -> None:
        self._controller, self._runtime = controller, runtime
        self._here, self._used_here = here, used_here
        self._lock, self._remote, self._companions = ownership, remote, companions
        self._name = ""  # with which the GPU was claimed
        self._inside = 0  # requests that are being done here, and work that goes on though who asked has given up
        self._tasks: set[asyncio.Task[None]] = set()  # while it is owned
        self._leaving: asyncio.Task[None] | None = None  # CLIP is on its way off the GPU, which is given back then
        self._keeper: asyncio.Task[None] | None = None
        self._mode: Request | None = None  # the last one that this process asked for
        self._refusal = ""  # why the GPU cannot be had
        self.abroad: QueueEntry | None = None  # the use that the owner has granted to this process

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
        if request.kind is RequestKind.MODE:
            self._mode = request
        async for left in self._tries(request):
            async with self.at_home() as at_home:
                if at_home:
                    return await self._here(left)
            try:
                return await self._other(left).ask(left)
            except OwnerGone as error:
                log.info("%s", error)
            except GPUError:
                raise
            except Exception as error:
                raise _fault(error) from error
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
        with self.staying():
            yield True

    @contextmanager
    def staying(self) -> Iterator[None]:
        """The GPU is not given back before the end of the block."""
        self._inside += 1
        try:
            yield
        finally:
            self._inside -= 1
            self._let_go()

    async def close(self) -> None:
        """Claim it no longer. It is given back at once, or else with the end of what is being done with it."""
        self._name = ""
        tasks = [*self._tasks, *([self._keeper] if self._keeper else [])]
        self._keeper, self._tasks = None, set()
        await _ended(tasks)  # nobody else has the GPU before they have let go of it
        self._let_go()
        if self._leaving is not None:
            await asyncio.wait((self._leaving,))

    def abandon(self) -> None:
        """Give it back, whatever is being done; the loop has ended."""
        self._name = ""
        self._give_back()

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
            await asyncio.sleep(self._controller.config.claim_every_s)
            taken = self._take_or_say()
        for watch in (self._controller.tick, self._controller.probe):
            self._begin(self._watch(watch))
        async with self._controller.scheduler.turn(QueueEntry(Request(kind=RequestKind.CLIP_TO_CPU), BY_ITSELF)):
            await self._controller.take_over()
        if self._mode is not None and self._mode.mode is not self._controller.mode:
            try:
                await self._here(self._mode)  # the owner before did it, with its own CLIP
            except GPUError as error:
                log.warning("the mode that was asked of the GPU's last owner: %s", error)

    async def _watch(self, look: Callable[[], Coroutine[Any, Any, None]]) -> None:
        while True:
            await asyncio.sleep(self._controller.config.probe_every_s)
            try:
                await look()
            except Exception:
                log.exception("looking after the GPU failed")

    def _take_or_say(self) -> bool:
        try:
            return self._take()
        except GPUError as error:
            if str(error) != self._refusal:  # it is tried again and again
                log.warning("%s", error)
            self._refusal = str(error)
            return False

    def _take(self) -> bool:
        if self._lock is not None and not self._lock.is_held and not self._lock.hold(self._name or BORROWER):
            return False
        if not self._tasks:
            for companion in self._companions:
                self._begin(companion())
        return True

    def _let_go(self) -> None:
        """Give it back if nobody is inside; CLIP does not stay on a GPU that is somebody else's (S3.11.6)."""
        if self._inside or self.is_claimed or not self._is_mine:
            return
        if self._lock is None or self._controller.clip.device == CPU:
            self._give_back()
        elif self._leaving is None or self._leaving.done():
            self._leaving = asyncio.get_running_loop().create_task(self._leave())

    async def _leave(self) -> None:
        request = Request(kind=RequestKind.CLIP_TO_CPU)
        try:
            async with self._controller.scheduler.turn(QueueEntry(request, BY_ITSELF)):
                if not self._inside and not self.is_claimed:
                    await self._controller.reach(request)
        except GPUError as error:  # it has been told; it holds memory, and nobody else is kept waiting for that
            log.warning("CLIP stays on the GPU that is given back: %s", error)
        if not self._inside and not self.is_claimed:
            self._give_back()

    @property
    def _is_mine(self) -> bool:
        return self._lock is None or self._lock.is_held

    def _give_back(self) -> None:
        for task in self._tasks:
            task.cancel()
        self._tasks = set()
        if self._lock is not None:
            self._lock.release()

    def _begin(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(_tell_fault)

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
        entry = QueueEntry.of(request, preemptible=True)
        granted: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        done = asyncio.Event()
        asking = asyncio.get_running_loop().create_task(self._hold(request, entry, granted, done))
        try:
            await granted
            self.abroad = entry
            yield
        finally:
            if self.abroad is entry:
                self.abroad = None
            done.set()
            if not granted.done() or granted.cancelled():
                asking.cancel()
            await asyncio.wait((asking,))

    async def _hold(
        self, request: Request, entry: QueueEntry, granted: asyncio.Future[None], done: asyncio.Event
    ) -> None:
        try:
            async with self._other(request).use(request):
                if not granted.done():
                    granted.set_result(None)
                await done.wait()
        except Exception as error:
            if not isinstance(error, GPUError):
                log.exception("asking the owner of the GPU failed")
                error = _fault(error)
            if granted.done():
                entry.preempt(error)
            else:
                granted.set_exception(error)


def _fault(error: Exception) -> GPUError:
    return GPUError(f"The owner of the GPU could not be asked: {type(error).__name__}: {error}")


async def _ended(tasks: Sequence[asyncio.Task[None]]) -> None:
    """Cancelled, and over."""
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


def _tell_fault(task: asyncio.Task[None]) -> None:
    if not task.cancelled() and (error := task.exception()) is not None:
        log.error("what runs beside the owner of the GPU failed", exc_info=error)
