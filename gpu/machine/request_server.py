"""What the other processes of this machine ask of the owner of the GPU: rows, handed to the manager in their order.

Every kind of request may be done twice, so a row that an owner left half done when it died is simply taken up again.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager
from datetime import datetime, timedelta
from functools import partial
from typing import Any, Final

from django.db import Error as DatabaseTrouble
from django.utils import timezone

from gpu.choices import RequestState
from gpu.database import DatabaseThread
from gpu.exceptions import DeadlinePassed, GPUError
from gpu.machine.request_rows import FINAL, LIVE, as_request, error_fields
from gpu.models import OwnerRequest
from gpu.types import Request, RequestKind
from sentences.said import say

log = logging.getLogger(__name__)

POLL_S: Final = 0.05  # half a millisecond of work each time: 1 % of a processor
LEASE_S: Final = 10.0
KEPT: Final = timedelta(days=1)
TIDY_EVERY: Final = timedelta(hours=1)

Serve = Callable[[Request], Awaitable[None]]
Use = Callable[[Request], AbstractAsyncContextManager[Any]]


class RequestServer:
    """Runs in the owner alone. `serve` does a request; inside `use` the model of a USE is loaded and stays so."""

    def __init__(
        self,
        machine: str,
        database: DatabaseThread,
        *,
        serve: Serve,
        use: Use,
        lease_s: float = LEASE_S,
        poll_s: float = POLL_S,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        clock: Callable[[], float] = time.monotonic,
        now: Callable[[], datetime] = timezone.now,
    ) -> None:
        self._machine, self._database, self._serve, self._use = machine, database, serve, use
        self._lease_s, self._poll_s = lease_s, poll_s
        self._sleep, self._clock, self._now = sleep, clock, now
        self._callers: dict[int, _Caller] = {}
        self._tasks: dict[int, asyncio.Task[None]] = {}
        self._tidied_at: datetime | None = None

    async def run(self) -> None:
        """Serve until cancelled; what is half done then stays so in its row, for the next owner."""
        troubled = False
        try:
            while True:
                try:
                    await self.turn()
                    troubled = False
                except Exception as error:  # whatever it is, the next turn may go well
                    if not troubled:
                        fault = None if isinstance(error, DatabaseTrouble) else error
                        log.warning("requests of other processes cannot be read: %s", error, exc_info=fault)
                    troubled = True
                await self._sleep(self._poll_s)
        finally:
            tasks = list(self._tasks.values())
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def turn(self) -> None:
        """Look once: begin what is new, end what nobody wants any more."""
        rows = await self._database.run(self._live)
        live = {row.pk for row in rows}
        self._callers = {pk: asker for pk, asker in self._callers.items() if pk in live}
        for pk in self._tasks.keys() - live:
            self._tasks[pk].cancel()  # withdrawn, or used to the end
        now = self._now()
        for row in rows:
            if over := self._over(row, now):
                await self._database.run(partial(_fail, row.pk, over, now))  # the next turn cancels what is at work
            elif row.pk not in self._tasks:
                self._begin(row)
        if self._tidied_at is None or now - self._tidied_at >= TIDY_EVERY:
            await self._database.run(lambda: _delete_old(self._machine, now))
            self._tidied_at = now

    # --- parts ------------------------------------------------------------------------------------------------------
    def _live(self) -> Sequence[OwnerRequest]:
        return list(OwnerRequest.objects.filter(machine=self._machine, state__in=LIVE).order_by("id"))

    def _over(self, row: OwnerRequest, now: datetime) -> GPUError | None:
        clock = self._clock()
        asker = self._callers.get(row.pk)
        if asker is None:
            asker = self._callers[row.pk] = _Caller(row, clock=clock, now=now)
        elif asker.seen_at != row.seen_at:
            asker.seen_at, asker.heard = row.seen_at, clock
        if clock >= asker.ends:
            return DeadlinePassed(say("gpu.too_late_since", what=row, time=f"{row.deadline_at:%H:%M:%S}"))
        if clock - asker.heard >= self._lease_s:
            return DeadlinePassed(say("gpu.asker_silent", what=row, n=self._lease_s))
        return None

    def _begin(self, row: OwnerRequest) -> None:
        task = asyncio.create_task(self._do(row))
        self._tasks[row.pk] = task
        task.add_done_callback(lambda done: self._forget(row.pk, done))

    def _forget(self, pk: int, task: asyncio.Task[None]) -> None:
        if self._tasks.get(pk) is task:
            del self._tasks[pk]
        if not task.cancelled() and (error := task.exception()):
            log.error("request %s to the owner of the GPU ended in a fault", pk, exc_info=error)

    async def _do(self, row: OwnerRequest) -> None:
        if not await self._move(row.pk, (RequestState(row.state),), state=RequestState.DOING):
            return  # withdrawn meanwhile
        try:
            request = as_request(row, now=self._now())
            if request.kind is RequestKind.USE:
                await self._lend(row.pk, request)
                return
            await self._serve(request)
        except GPUError as error:
            await self._end(row.pk, state=RequestState.FAILED, **error_fields(error))
        except Exception as error:  # a fault here: who asked is told, and waits no longer
            log.error("request %s to the owner of the GPU ended in a fault", row.pk, exc_info=error)
            told = error_fields(GPUError(say("gpu.owner_failed", error=f"{type(error).__name__}: {error}")))
            await self._end(row.pk, state=RequestState.FAILED, **told)
        else:
            await self._end(row.pk, state=RequestState.DONE)

    async def _lend(self, pk: int, request: Request) -> None:
        """Hold the model until it is given back (then this is cancelled) or taken back (then `use` raises)."""
        async with self._use(request):
            if await self._move(pk, (RequestState.DOING,), state=RequestState.GRANTED):
                await asyncio.get_running_loop().create_future()

    async def _end(self, pk: int, **fields: Any) -> None:
        """Written also when the GPU is given back at this moment: what was done need not be done again."""
        await asyncio.shield(asyncio.ensure_future(self._move(pk, LIVE, finished_at=self._now(), **fields)))

    async def _move(self, pk: int, states: Sequence[RequestState], **fields: Any) -> bool:
        """Whether the row was in one of the states and has the fields now; waits for a database that refuses."""
        rows, troubled = OwnerRequest.objects.filter(pk=pk, state__in=states), False
        while True:
            try:
                return bool(await self._database.run(lambda: rows.update(**fields)))
            except DatabaseTrouble as error:
                if not troubled:
                    log.warning("the answer to a request to the GPU cannot be written yet: %s", error)
                troubled = True
            await self._sleep(self._poll_s)


class _Caller:
    """When it was heard and how long it waits, by the monotonic clock: a wall clock that is set ends nothing."""

    def __init__(self, row: OwnerRequest, *, clock: float, now: datetime) -> None:
        self.seen_at = row.seen_at
        self.heard = clock - max(0.0, (now - row.seen_at).total_seconds())
        self.ends = clock + (row.deadline_at - now).total_seconds()


def _fail(pk: int, error: GPUError, now: datetime) -> None:
    fields = error_fields(error)
    OwnerRequest.objects.filter(pk=pk, state__in=LIVE).update(state=RequestState.FAILED, finished_at=now, **fields)


def _delete_old(machine: str, now: datetime) -> None:
    OwnerRequest.objects.filter(machine=machine, state__in=FINAL, asked_at__lt=now - KEPT).delete()
