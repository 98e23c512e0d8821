"""Requests on their way to the controller: shared, in turn, each with a deadline (S3.4, S3.11.13)."""

from __future__ import annotations

import asyncio
import math
from collections.abc import AsyncIterator, Callable, Coroutine, Hashable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import Any

from gpu.control.controller import Controller
from gpu.control.scheduler import QueueEntry
from gpu.exceptions import DeadlinePassed, OwnerGone
from gpu.policy import CHATS
from gpu.types import ExecutionMode, Request, RequestKind
from sentences.said import say

CLEANING_UP_S = 5.0  # what a chat whose turn was taken from it may take to hang up


@dataclass(eq=False)
class SharedJob:
    task: asyncio.Task[None] = field(init=False)
    begun: bool = False  # it has its turn, and is brought to its end from then on
    waiting: int = 0


Work = Callable[[SharedJob], Coroutine[Any, Any, None]]


class SharedWork:
    """Jobs by their keys, in one loop. A job that nobody waits for any more, and that has not begun, never runs."""

    def __init__(self) -> None:
        self._jobs: dict[Hashable, SharedJob] = {}

    async def join(
        self, key: Hashable, work: Work, *, deadline: float, late: bool = True, lasting: bool = False
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

    def _begin(self, key: Hashable, work: Work) -> SharedJob:
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
