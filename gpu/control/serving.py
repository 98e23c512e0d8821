"""Requests on their way through the scheduler to the owner: shared, in turn, each with a deadline (S3.4, S3.11.13)."""

from __future__ import annotations

import asyncio
import math
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractContextManager, asynccontextmanager, nullcontext
from dataclasses import replace
from typing import Any

from gpu.control.lending import cancelled_when_cut
from gpu.control.owner import Owner
from gpu.control.scheduler import Errand
from gpu.control.sharing import Job, SharedWork
from gpu.exceptions import DeadlinePassed
from gpu.policy import CHATS
from gpu.types import ExecutionMode, Request, RequestKind

CLEANING_UP_S = 5.0  # what a chat whose turn was taken from it may take to hang up


class Serving:
    """`staying`: while something is done for somebody, the GPU is not given back."""

    def __init__(self, owner: Owner, *, staying: Callable[[], AbstractContextManager[None]] = nullcontext) -> None:
        self._owner = owner
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
            self._owner.wanted = request.mode or ExecutionMode.IDLE
            # one that has begun may be on its way to another mode; idle needs nothing of anybody, and cuts no chat
            key: tuple[Any, ...] = (RequestKind.MODE, self._owner.wanted is ExecutionMode.IDLE)
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
    async def used(self, request: Request) -> AsyncIterator[Errand]:
        """Inside, the model is loaded, and the turn is the asker's until it is taken from it (`Errand.cut`)."""
        loop = asyncio.get_running_loop()
        deadline = loop.time() + request.deadline_s
        owner, chat = self._owner, request.purpose in CHATS
        errand = Errand.of(request, may_be_cut=chat)
        with owner.expecting(request):
            if not chat and not owner.has(request.model):  # those who ask for it meanwhile share the load
                await self.carry_out(replace(request, kind=RequestKind.LOAD))
            async with owner.scheduler.turn(errand, deadline=deadline), self._with_limits(errand, deadline):
                async with cancelled_when_cut(errand):
                    with owner.scheduler.loading(errand):
                        await owner.begin_use(request)
                    if errand.error is not None:  # somebody more urgent has waited for the same load
                        raise errand.error
                try:
                    yield errand
                finally:
                    owner.end_use(request)

    @asynccontextmanager
    async def _with_limits(self, errand: Errand, deadline: float) -> AsyncIterator[None]:
        """The turn is taken at its deadline; who does not notice that does not keep the others waiting."""
        loop = asyncio.get_running_loop()
        late = loop.call_at(deadline, errand.take, DeadlinePassed("The time of the request is over."))
        letting_go = loop.create_task(self._leave_when_cut(errand))
        try:
            yield
        finally:
            late.cancel()
            letting_go.cancel()

    async def _change_mode(self, job: Job[None], request: Request) -> None:
        async with self._owner.scheduler.turn(Errand.of(request)):
            job.begun = True
            await self._owner.change_mode()

    async def _in_turn(self, job: Job[None], request: Request) -> None:
        may_be_cut = request.kind is RequestKind.LOAD and request.purpose in CHATS
        async with self._owner.scheduler.turn(Errand.of(request, may_be_cut=may_be_cut)) as errand:
            job.begun = True
            if request.kind is RequestKind.LOAD:
                self._owner.note_request(request.model)
            async with cancelled_when_cut(errand):
                if request.kind is RequestKind.LOAD:
                    with self._owner.scheduler.loading(errand):
                        await self._owner.reach(request)
                else:
                    await self._owner.reach(request)

    async def _leave_when_cut(self, errand: Errand) -> None:
        await errand.cut.wait()
        await asyncio.sleep(CLEANING_UP_S)
        self._owner.scheduler.leave(errand)
