"""Where a request is done: here, where this process owns the GPU of the machine, or by the process that does (S3.1).

Who needs the GPU and finds it without an owner owns it from then on, until it ends or gives it back. Who has claimed it
for a run, and whose CLIP is to be on it, has it handed over by an owner that only needed it once.
"""

from __future__ import annotations

import asyncio
import logging
import math
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Hashable
from contextlib import AsyncExitStack, asynccontextmanager, nullcontext
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from gpu.control.controller import Controller
from gpu.control.scheduler import BY_ITSELF, QueueEntry
from gpu.exceptions import DeadlinePassed, GPUError, OwnedElsewhere, OwnerGone
from gpu.machine.ownership import UNCLAIMED, OwnerClient, Ownership
from gpu.policy import CHATS
from gpu.runtime import Runtime
from gpu.types import ExecutionMode, Request, RequestKind
from sentences.said import say

CLEANING_UP_S = 5.0  # what a chat whose turn was taken from it may take to hang up


@dataclass(eq=False)
class SharedJob:
    """Done once for all who ask for the same meanwhile."""

    task: asyncio.Task[None] = field(init=False)
    begun: bool = False  # it has its turn, and is brought to its end from then on
    waiting: int = 0


class Serving:
    """In the process that owns the GPU; a turn that comes when `is_owner` says no more is OwnerGone for who asked."""

    def __init__(self, controller: Controller, *, is_owner: Callable[[], bool]) -> None:
        self._controller, self._is_owner = controller, is_owner
        self._jobs: dict[Hashable, SharedJob] = {}
        self._mode_asked_at = -math.inf

    async def carry_out(self, request: Request) -> None:
        """Do it in its turn. Who asks for the same shares it; who gives up takes it from nobody."""
        deadline = asyncio.get_running_loop().time() + request.deadline_s
        if request.kind is not RequestKind.MODE:
            await self._shared((request.kind, request.model, request.purpose), request, deadline)
            return
        # A request whose owner has died is asked again of the next one: by then a later one may be here already.
        asked_at = float(request.extra.get("asked_at", deadline - request.deadline_s))
        if asked_at >= self._mode_asked_at:
            self._mode_asked_at = asked_at
            self._controller.wanted = request.mode or ExecutionMode.IDLE
            # idle needs nothing of anybody, and preempts no chat
            await self._shared((request.kind, self._controller.wanted is ExecutionMode.IDLE), request, deadline)

    async def _shared(self, key: Hashable, request: Request, deadline: float) -> None:
        """Return when it is done; DeadlinePassed for this caller alone.

        One that has begun is not joined where it may be about an earlier state than the one that was seen: another
        mode, an earlier load. What nobody waits for any more, and has not begun, never runs; except for a mode, which
        is `wanted` already.
        """
        job, is_mode = self._jobs.get(key), request.kind is RequestKind.MODE
        too_late = job is not None and job.begun and request.kind in (RequestKind.MODE, RequestKind.UNLOAD)
        if job is None or job.task.done() or too_late:
            job = self._jobs[key] = SharedJob()
            job.task = asyncio.get_running_loop().create_task(self._do(job, request))
            job.task.add_done_callback(partial(self._over, key))
        job.waiting += 1
        try:
            async with asyncio.timeout_at(deadline) as limit:
                await asyncio.shield(job.task)
        except TimeoutError:
            if not limit.expired():
                raise
            code = "gpu.time_over_soon" if is_mode else "gpu.time_over_undone"
            raise DeadlinePassed(say("gpu.time_over_doing" if job.begun else code)) from None
        finally:
            job.waiting -= 1
            if not job.waiting and not job.begun and not is_mode:
                job.task.cancel()

    def _over(self, key: Hashable, task: asyncio.Task[None]) -> None:
        if (job := self._jobs.get(key)) is not None and job.task is task:
            del self._jobs[key]
        if not task.cancelled():
            task.exception()  # nobody may be left to hear it

    async def _do(self, job: SharedJob, request: Request) -> None:
        loads = request.kind is RequestKind.LOAD
        entry = QueueEntry.of(request, preemptible=loads and request.purpose in CHATS)
        async with self._turn(entry):
            job.begun = True
            if request.kind is RequestKind.MODE:
                await self._controller.change_mode()
            else:
                with self._controller.scheduler.loading(entry) if loads else nullcontext():
                    await self._controller.reach(request)

    @asynccontextmanager
    async def used(self, request: Request) -> AsyncIterator[None]:
        """Inside, the model is loaded and nobody unloads it; one task runs the block.

        It is cancelled, as asyncio.timeout does it, and the reason raised, when a chat is preempted (GpuBusy) or the
        time of the request is over (DeadlinePassed).
        """
        deadline = asyncio.get_running_loop().time() + request.deadline_s
        controller, chat = self._controller, request.purpose in CHATS
        entry = QueueEntry.of(request, preemptible=chat)
        with controller.expecting(request):
            if not chat and not controller.has(request.model):  # those who ask for it meanwhile share the load
                await self.carry_out(replace(request, kind=RequestKind.LOAD))
            async with self._turn(entry, deadline=deadline):
                with controller.scheduler.loading(entry):
                    await controller.reach(request)
                if entry.error is not None:  # somebody more urgent has waited for the same load
                    raise entry.error
                try:
                    yield
                finally:
                    controller.models.touch(request.model)

    @asynccontextmanager
    async def _turn(self, entry: QueueEntry, *, deadline: float | None = None) -> AsyncIterator[None]:
        """Its turn, until it is preempted or its deadline comes: who does not notice keeps nobody waiting."""
        loop, scheduler = asyncio.get_running_loop(), self._controller.scheduler
        async with scheduler.turn(entry, deadline=deadline):
            if not self._is_owner():
                raise OwnerGone(say("gpu.given_back"))
            late = DeadlinePassed(say("gpu.time_over"))
            ending = None if deadline is None else loop.call_at(deadline, entry.preempt, late)
            try:
                async with asyncio.timeout(None) as scope:

                    def end() -> None:
                        scope.reschedule(loop.time())
                        if deadline is not None:
                            loop.call_later(CLEANING_UP_S, scheduler.leave, entry)

                    entry.on_preempted(end)
                    try:
                        yield
                    finally:
                        entry.on_preempted(None)
            except TimeoutError:
                if entry.error is None or not scope.expired():
                    raise
                raise entry.error from None
            finally:
                if ending is not None:
                    ending.cancel()


log = logging.getLogger(__name__)

TRIES, PAUSE_S = 5, 0.2  # owners that come and go while one request is on its way

Work = Callable[[], Coroutine[Any, Any, None]]


class Router:
    """Without `ownership` the GPU is always this process's own; what is `beside` runs while it is. In the runtime's
    loop.
    """

    def __init__(
        self,
        controller: Controller,
        serving: Serving,
        runtime: Runtime,
        *,
        ownership: Ownership | None,
        remote: OwnerClient | None,
    ) -> None:
        self._controller, self._serving, self._runtime = controller, serving, runtime
        self._lock, self._remote = ownership, remote
        self.beside = [self._repeated(look) for look in (controller.tick, controller.probe, self._hand_over)]
        self._name = ""  # with which the GPU was claimed
        self._tasks: set[asyncio.Task[None]] = set()  # while it is owned
        self._claiming: asyncio.Task[None] | None = None
        self._leaving: asyncio.Task[None] | None = None  # it is given back when all that waits is done
        self._mode: Request | None = None  # the last one that this process asked for
        self._refusal = ""  # why the GPU cannot be had

    @property
    def is_owner(self) -> bool:
        return self._lock is None or self._lock.is_held

    async def carry_out(self, request: Request) -> None:
        """Do it, or have it done. Raises what stands in its way; OwnedElsewhere where the owner cannot be asked."""
        if request.kind is RequestKind.MODE:
            self._mode = request
        await self._by_owner(request, self._serving.carry_out, lambda owner, left: owner.ask(left))

    @asynccontextmanager
    async def use(self, request: Request) -> AsyncIterator[None]:
        """Inside, the model of the request is loaded, whoever owns the GPU; one task runs all of it."""
        async with AsyncExitStack() as stack:
            enter = stack.enter_async_context
            await self._by_owner(
                request, lambda left: enter(self._serving.used(left)), lambda owner, left: enter(owner.use(left))
            )
            yield

    async def _by_owner(
        self,
        request: Request,
        here: Callable[[Request], Awaitable[None]],
        there: Callable[[OwnerClient, Request], Awaitable[None]],
    ) -> None:
        """Owners may come and go while a request is on its way: it is tried with what is left of its time."""
        loop = asyncio.get_running_loop()
        deadline = loop.time() + request.deadline_s
        for number in range(TRIES):
            await asyncio.sleep(PAUSE_S if number else 0)
            left = replace(request, deadline_s=max(0.0, deadline - loop.time()))
            try:
                if self._own():
                    return await here(left)
                return await self._asked(left, there)
            except OwnerGone as error:
                log.info("%s", error)
        raise OwnedElsewhere(say("gpu.owners_change"))

    async def _asked(self, request: Request, there: Callable[[OwnerClient, Request], Awaitable[None]]) -> None:
        if self._remote is None:
            holder = self._lock.holder() if self._lock else None
            owner = holder.told if holder else say("gpu.another_process")
            raise OwnedElsewhere(say("gpu.owned_elsewhere", owner=owner, what=request.kind))
        try:
            await there(self._remote, request)
        except GPUError:
            raise
        except Exception as error:  # the edge to another process: whatever it is, who asked is told in one type
            raise GPUError(say("gpu.owner_not_asked_why", error=f"{type(error).__name__}: {error}")) from error

    # --- owning it --------------------------------------------------------------------------------------------------
    def claim(self, name: str) -> None:
        """From any thread: have it as soon as it can be had. Returns after the first try."""

        async def there() -> None:
            self._claim(name)

        if self._runtime.is_here:
            self._claim(name)
        else:
            self._runtime.submit(there()).result()

    async def release(self) -> None:
        """Own it no longer: it is given back at once, or else with the end of what is being done with it."""
        self._name = ""
        tasks = [*self._tasks, *([self._claiming] if self._claiming else [])]
        self._claiming, self._tasks = None, set()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        if self._lock is None or not self._lock.is_held:
            return
        is_busy, leaving = self._controller.scheduler.is_busy, self._begin_to_leave()
        if not is_busy:
            await asyncio.wait((leaving,))

    def abandon(self) -> None:
        """Give it back, whatever is being done; the loop has ended."""
        self._name = ""
        self._give_back()

    def _claim(self, name: str) -> None:
        if self._claiming is None:
            self._name = name
            is_owner = self._own_or_say()
            self._claiming = asyncio.get_running_loop().create_task(self._take_over(is_owner=is_owner))

    async def _take_over(self, *, is_owner: bool) -> None:
        if self._lock is not None and not is_owner:
            with self._lock.claimed():
                while not self._own_or_say():
                    await asyncio.sleep(self._controller.config.claim_every_s)
        async with self._controller.scheduler.turn(QueueEntry(Request(kind=RequestKind.CLIP_TO_CPU), BY_ITSELF)):
            await self._controller.take_over()
        if self._mode is not None and self._mode.mode is not self._controller.mode:
            try:
                await self._serving.carry_out(self._mode)  # the owner before did it, with its own CLIP
            except GPUError as error:
                log.warning("the mode that was asked of the GPU's last owner: %s", error)

    def _own_or_say(self) -> bool:
        try:
            return self._own()
        except GPUError as error:
            if str(error) != self._refusal:  # it is tried again and again
                log.warning("%s", error)
            self._refusal = str(error)
            return False

    def _own(self) -> bool:
        """Whether this process owns the GPU now: it takes one that nobody owns. Raises GPUError where none can be."""
        if self._lock is not None and not self._lock.hold(self._name or UNCLAIMED):
            return False
        if not self._tasks:
            for work in self.beside:
                task = asyncio.get_running_loop().create_task(work())
                self._tasks.add(task)
                task.add_done_callback(_tell_fault)
        return True

    async def _hand_over(self) -> None:
        if self._lock is not None and not self._name and self._lock.is_claimed():
            self._begin_to_leave()

    def _begin_to_leave(self) -> asyncio.Task[None]:
        if self._leaving is None or self._leaving.done():
            self._leaving = asyncio.get_running_loop().create_task(self._leave())
        return self._leaving

    async def _leave(self) -> None:
        """After all that waits. CLIP does not stay on a GPU that is somebody else's (S3.11.6)."""
        request = Request(kind=RequestKind.CLIP_TO_CPU)
        async with self._controller.scheduler.turn(QueueEntry(request, BY_ITSELF)):
            try:
                if not self._name:
                    await self._controller.reach(request)
            except GPUError as error:  # it has been told; it holds memory, and nobody else is kept waiting for that
                log.warning("CLIP stays on the GPU that is given back: %s", error)
            if not self._name:
                self._give_back()

    def _give_back(self) -> None:
        for task in self._tasks:
            task.cancel()
        self._tasks = set()
        if self._lock is not None:
            self._lock.release()

    def _repeated(self, look: Work) -> Work:
        async def watch() -> None:
            while True:
                await asyncio.sleep(self._controller.config.probe_every_s)
                try:
                    await look()
                except Exception:  # whatever it is, the next look may go well: the GPU is never left alone
                    log.exception("looking after the GPU failed")

        return watch


def _tell_fault(task: asyncio.Task[None]) -> None:
    if not task.cancelled() and (error := task.exception()) is not None:
        log.error("what runs beside the owner of the GPU failed", exc_info=error)
