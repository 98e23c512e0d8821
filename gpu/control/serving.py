"""Requests on their way through the scheduler to the owner: shared, in turn, each with a deadline (S3.4, S3.11.13)."""

from __future__ import annotations

import asyncio
import math
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractContextManager, asynccontextmanager, nullcontext
from dataclasses import replace
from typing import Any

from gpu.control.controller import Controller
from gpu.control.preemption import cancelled_when_preempted
from gpu.control.scheduler import QueueEntry
from gpu.control.sharing import Job, SharedWork
from gpu.exceptions import DeadlinePassed
from gpu.policy import CHATS
from gpu.types import ExecutionMode, Request, RequestKind

CLEANING_UP_S = 5.0  # what a chat whose turn was taken from it may take to hang up


class Serving:
    """`staying`: while something is done for somebody, the GPU is not given back."""

    def __init__(
        self, controller: Controller, *, staying: Callable[[], AbstractContextManager[None]] = nullcontext
    ) -> None:
        self._controller = controller
        self._shared: SharedWork[None] = SharedWork(staying=staying)
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
            # one that has begun may be on its way to another mode; idle needs nothing of anybody, and cuts no chat
            key: tuple[Any, ...] = (RequestKind.MODE, self._controller.wanted is ExecutionMode.IDLE)
            # `wanted` is said already: it is done also when who asked has stopped waiting, for the last one stands
            await self._shared.join(
                key, lambda job: self._change_mode(job, request), deadline=deadline, late=False, lasting=True
            )
        else:
            key = (request.kind, request.model, request.purpose)
            # an unload that has begun may be of an earlier load than the one that was seen
            late = request.kind is not RequestKind.UNLOAD
            await self._shared.join(key, lambda job: self._in_turn(job, request), deadline=deadline, late=late)

    @asynccontextmanager
    async def used(self, request: Request) -> AsyncIterator[QueueEntry]:
        """Inside, the model is loaded, and the turn is the asker's until it is preempted."""
        loop = asyncio.get_running_loop()
        deadline = loop.time() + request.deadline_s
        controller, chat = self._controller, request.purpose in CHATS
        entry = QueueEntry.of(request, preemptible=chat)
        with controller.expecting(request):
            if not chat and not controller.has(request.model):  # those who ask for it meanwhile share the load
                await self.carry_out(replace(request, kind=RequestKind.LOAD))
            async with controller.scheduler.turn(entry, deadline=deadline), self._with_limits(entry, deadline):
                async with cancelled_when_preempted(entry):
                    with controller.scheduler.loading(entry):
                        await controller.begin_use(request)
                    if entry.error is not None:  # somebody more urgent has waited for the same load
                        raise entry.error
                try:
                    yield entry
                finally:
                    controller.end_use(request)

    @asynccontextmanager
    async def _with_limits(self, entry: QueueEntry, deadline: float) -> AsyncIterator[None]:
        """The turn is taken at its deadline; who does not notice that does not keep the others waiting."""
        loop = asyncio.get_running_loop()
        late = loop.call_at(deadline, entry.preempt, DeadlinePassed("The time of the request is over."))
        letting_go = loop.create_task(self._leave_when_preempted(entry))
        try:
            yield
        finally:
            late.cancel()
            letting_go.cancel()

    async def _change_mode(self, job: Job[None], request: Request) -> None:
        async with self._controller.scheduler.turn(QueueEntry.of(request)):
            job.begun = True
            await self._controller.change_mode()

    async def _in_turn(self, job: Job[None], request: Request) -> None:
        preemptible = request.kind is RequestKind.LOAD and request.purpose in CHATS
        async with self._controller.scheduler.turn(QueueEntry.of(request, preemptible=preemptible)) as entry:
            job.begun = True
            if request.kind is RequestKind.LOAD:
                self._controller.note_request(request.model)
            async with cancelled_when_preempted(entry):
                if request.kind is RequestKind.LOAD:
                    with self._controller.scheduler.loading(entry):
                        await self._controller.reach(request)
                else:
                    await self._controller.reach(request)

    async def _leave_when_preempted(self, entry: QueueEntry) -> None:
        await entry.preempted.wait()
        await asyncio.sleep(CLEANING_UP_S)
        self._controller.scheduler.leave(entry)
