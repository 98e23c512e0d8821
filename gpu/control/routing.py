"""Where a request is done: here, where this process owns the GPU of the machine, or by the process that does (S3.1).

Who needs the GPU and finds it without an owner owns it from then on, until it ends or gives it back. Who has claimed it
for a run, and whose CLIP is to be on it, has it handed over by an owner that only needed it once.
"""

from __future__ import annotations

import asyncio
import logging
import math
from collections.abc import AsyncIterator, Callable, Coroutine, Hashable, Iterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass, field, replace
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
    task: asyncio.Task[None] = field(init=False)
    begun: bool = False  # it has its turn, and is brought to its end from then on
    waiting: int = 0


JobWork = Callable[[SharedJob], Coroutine[Any, Any, None]]


class SharedWork:
    """Jobs by their keys, in one loop. A job that nobody waits for any more, and that has not begun, never runs."""

    def __init__(self) -> None:
        self._jobs: dict[Hashable, SharedJob] = {}

    async def join(
        self, key: Hashable, work: JobWork, *, deadline: float, late: bool = True, lasting: bool = False
    ) -> None:
        """Return when it is done; DeadlinePassed for this caller alone.

        `late`: one that has begun may be joined; `lasting`: it is done in any case, whoever gives up.
        """
        job = self._jobs.get(key)
        if job is None or job.task.done() or (job.begun and not late):
            job = self._jobs[key] = self._begin(key, work)
        job.waiting += 1
        try:
            async with asyncio.timeout_at(deadline) as limit:
                await asyncio.shield(job.task)
        except TimeoutError:
            if not limit.expired():
                raise
            code = "gpu.time_over_soon" if lasting else "gpu.time_over_undone"
            raise DeadlinePassed(say("gpu.time_over_doing" if job.begun else code)) from None
        finally:
            job.waiting -= 1
            if not job.waiting and not job.begun and not lasting:
                job.task.cancel()

    def _begin(self, key: Hashable, work: JobWork) -> SharedJob:
        job = SharedJob()
        job.task = asyncio.get_running_loop().create_task(work(job))

        def over(task: asyncio.Task[None]) -> None:
            if self._jobs.get(key) is job:
                del self._jobs[key]
            if not task.cancelled():
                task.exception()  # nobody may be left to hear it

        job.task.add_done_callback(over)
        return job


class Serving:
    """In the process that owns the GPU; a turn that comes when `is_owner` says no more is OwnerGone for who asked."""

    def __init__(self, controller: Controller, *, is_owner: Callable[[], bool]) -> None:
        self._controller, self._is_owner = controller, is_owner
        self._shared = SharedWork()
        self._mode_asked_at = -math.inf

    async def carry_out(self, request: Request) -> None:
        """Do it in its turn. Who asks for the same shares it; who gives up takes it from nobody."""
        deadline = asyncio.get_running_loop().time() + request.deadline_s
        if request.kind is RequestKind.MODE:
            # A request whose owner has died is asked again of the next one: by then a later one may be here already.
            asked_at = float(request.extra.get("asked_at", deadline - request.deadline_s))
            if asked_at < self._mode_asked_at:
                return
            self._mode_asked_at = asked_at
            self._controller.wanted = request.mode or ExecutionMode.IDLE
            # one that has begun may be on its way to another mode; idle needs nothing of anybody, and preempts no chat
            key: tuple[Any, ...] = (RequestKind.MODE, self._controller.wanted is ExecutionMode.IDLE)
            # `wanted` is said already: it is done also when who asked has stopped waiting, for the last one stands
            await self._shared.join(
                key, lambda job: self._change_mode(job, request), deadline=deadline, late=False, lasting=True
            )
        else:
            key = (request.kind, request.model, request.purpose)
            # an unload that has begun may be of an earlier load than the one that was seen
            late = request.kind is not RequestKind.UNLOAD
            await self._shared.join(key, lambda job: self._reach(job, request), deadline=deadline, late=late)

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
                    controller.note_request(request.model)
                    await controller.reach(request)
                if entry.error is not None:  # somebody more urgent has waited for the same load
                    raise entry.error
                try:
                    yield
                finally:
                    controller.touch(request.model)

    async def _change_mode(self, job: SharedJob, request: Request) -> None:
        async with self._turn(QueueEntry.of(request)):
            job.begun = True
            await self._controller.change_mode()

    async def _reach(self, job: SharedJob, request: Request) -> None:
        loads = request.kind is RequestKind.LOAD
        entry = QueueEntry.of(request, preemptible=loads and request.purpose in CHATS)
        async with self._turn(entry):
            job.begun = True
            if loads:
                self._controller.note_request(request.model)
                with self._controller.scheduler.loading(entry):
                    await self._controller.reach(request)
            else:
                await self._controller.reach(request)

    @asynccontextmanager
    async def _turn(self, entry: QueueEntry, *, deadline: float | None = None) -> AsyncIterator[None]:
        """Its turn, until it is preempted or its deadline comes: who does not notice keeps nobody waiting."""
        loop = asyncio.get_running_loop()

        async def cancel_when_preempted(scope: asyncio.Timeout) -> None:
            await entry.preempted.wait()
            scope.reschedule(loop.time())
            if deadline is not None:
                await asyncio.sleep(CLEANING_UP_S)
                self._controller.scheduler.leave(entry)

        async with self._controller.scheduler.turn(entry, deadline=deadline):
            if not self._is_owner():
                raise OwnerGone(say("gpu.given_back"))
            late = DeadlinePassed(say("gpu.time_over"))
            ending = None if deadline is None else loop.call_at(deadline, entry.preempt, late)
            watching: asyncio.Task[None] | None = None
            try:
                async with asyncio.timeout(None) as scope:
                    watching = loop.create_task(cancel_when_preempted(scope))
                    yield
            except TimeoutError:
                if entry.error is None or not scope.expired():
                    raise
                raise entry.error from None
            finally:
                if ending is not None:
                    ending.cancel()
                if watching is not None:
                    watching.cancel()


log = logging.getLogger(__name__)

TRIES, PAUSE_S = 5, 0.2  # owners that come and go while one request is on its way

Work = Callable[[], Coroutine[Any, Any, None]]


class Router:
    """Without `ownership` the GPU is always this process's own; `companions` run while it is. In the runtime's loop."""

    def __init__(
        self,
        controller: Controller,
        serving: Serving,
        runtime: Runtime,
        *,
        ownership: Ownership | None,
        remote: OwnerClient | None,
        companions: Sequence[Work],
    ) -> None:
        self._controller, self._serving, self._runtime = controller, serving, runtime
        self._lock, self._remote = ownership, remote
        looks = (controller.tick, controller.probe, self._hand_over)
        self._beside = [*companions, *(self._repeated(look) for look in looks)]
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
        async for left in self._tries(request):
            try:
                if self._own():
                    return await self._serving.carry_out(left)
                with _typed_faults():
                    return await self._other(left).ask(left)
            except OwnerGone as error:
                log.info("%s", error)
        raise OwnedElsewhere(say("gpu.owners_change"))

    @asynccontextmanager
    async def use(self, request: Request) -> AsyncIterator[None]:
        """Inside, the model of the request is loaded, whoever owns the GPU; one task runs all of it."""
        async with AsyncExitStack() as stack:
            async for left in self._tries(request):
                try:
                    if self._own():
                        await stack.enter_async_context(self._serving.used(left))
                    else:
                        with _typed_faults():
                            await stack.enter_async_context(self._other(left).use(left))
                    break
                except OwnerGone as error:
                    log.info("%s", error)
            else:
                raise OwnedElsewhere(say("gpu.owners_change"))
            yield

    # --- owning it --------------------------------------------------------------------------------------------------
    def claim(self, name: str) -> None:
        """From any thread: have it as soon as it can be had. Returns after the first try."""
        if self._runtime.is_here:
            self._claim(name)
        else:
            self._runtime.submit(self._claim_there(name)).result()

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

    async def _claim_there(self, name: str) -> None:
        self._claim(name)

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
            for work in self._beside:
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

    # --- the other process ------------------------------------------------------------------------------------------
    def _other(self, request: Request) -> OwnerClient:
        if self._remote is None:
            holder = self._lock.holder() if self._lock else None
            raise OwnedElsewhere(
                say(
                    "gpu.owned_elsewhere",
                    owner=holder.told if holder else say("gpu.another_process"),
                    what=request.kind,
                )
            )
        return self._remote

    async def _tries(self, request: Request) -> AsyncIterator[Request]:
        """The request with what is left of its time, as often as it may be tried."""
        loop = asyncio.get_running_loop()
        deadline = loop.time() + request.deadline_s
        for number in range(TRIES):
            await asyncio.sleep(PAUSE_S if number else 0)
            yield replace(request, deadline_s=max(0.0, deadline - loop.time()))


@contextmanager
def _typed_faults() -> Iterator[None]:
    """At the edge to another process: whoever waits hears of a fault as of anything else that can go wrong."""
    try:
        yield
    except GPUError:
        raise
    except Exception as error:  # the edge to another process: whatever it is, who asked is told in one type
        raise GPUError(say("gpu.owner_not_asked_why", error=f"{type(error).__name__}: {error}")) from error


def _tell_fault(task: asyncio.Task[None]) -> None:
    if not task.cancelled() and (error := task.exception()) is not None:
        log.error("what runs beside the owner of the GPU failed", exc_info=error)
