"""Asking the process that owns the GPU, from one that does not: through a row, in which it answers (S3.1).

The asker keeps its own deadline and watches whether anybody holds the GPU at all, so nothing of the owner's fate makes
it wait for ever. An owner that dies is followed by another one that finds the row and answers it.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import KW_ONLY, dataclass
from datetime import datetime, timedelta
from typing import Any, Final
from uuid import UUID, uuid4

from django.db import Error as DatabaseTrouble
from django.utils import timezone

from gpu.choices import RequestState
from gpu.database import DatabaseThread
from gpu.exceptions import DeadlinePassed, GPUError, OwnedElsewhere, OwnerGone
from gpu.kernel_lock import Holder
from gpu.machine.request_rows import FINAL, LIVE, as_error
from gpu.models import OwnerRequest
from gpu.types import Request, as_json
from sentences.said import say, to_json

log = logging.getLogger(__name__)

POLL_S: Final = 0.03
GONE_S: Final = 1.0  # twice what a process that wants the GPU takes to notice that it is free
LEASE_S: Final = 10.0


@dataclass(slots=True)
class OwnerClient:
    """`holder` says who holds the GPU now (Ownership.holder); without a sign of life for `lease_s` an asker is gone."""

    machine: str
    database: DatabaseThread
    _: KW_ONLY
    holder: Callable[[], Holder | None]
    lease_s: float = LEASE_S
    gone_s: float = GONE_S
    poll_s: float = POLL_S
    clock: Callable[[], float] = time.monotonic
    now: Callable[[], datetime] = timezone.now
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep

    async def ask(self, request: Request) -> None:
        """Return when it is done. Raises what the owner met, DeadlinePassed, OwnerGone when nobody owns the GPU any
        more, and OwnedElsewhere when the owner does not answer; the request is withdrawn then.
        """
        call = _OwnerCall(self, request)
        try:
            await call.send()
            await call.until(RequestState.DONE)
        finally:
            await call.close()

    @asynccontextmanager
    async def use(self, request: Request) -> AsyncIterator[None]:
        """Inside, the model is loaded and stays so. Raises as `ask` does.

        The body is cancelled, as asyncio.timeout does it, when the owner takes the model back (GpuBusy) or the time is
        over (DeadlinePassed). An owner that dies does not end the use: the next one takes it over.
        """
        call = _OwnerCall(self, request)
        try:
            await call.send()
            await call.until(RequestState.GRANTED)
            async with call.watched():
                yield
        finally:
            await call.close()


class _OwnerCall:
    """One row of ours, from the asking to the end; `until` and `watched` give the sign of life."""

    def __init__(self, remote: OwnerClient, request: Request) -> None:
        self._remote, self._request = remote, request
        self._ends_at = remote.clock() + request.deadline_s
        self._uuid = uuid4()
        self._ended = True  # nothing is there to be withdrawn yet
        self._lost_at: float | None = None  # since when nobody holds the GPU
        self._unheard_at = self._seen_at = remote.clock()

    async def send(self) -> None:
        now, asked = self._remote.now(), self._request
        fields = {
            "uuid": self._uuid,
            "machine": self._remote.machine,
            "kind": asked.kind.value,
            "request": as_json(asked),
            "asked_by": asked.asked_by[:200],
            "asked_at": now,
            "seen_at": now,
            "deadline_at": now + timedelta(seconds=asked.deadline_s),
        }
        self._ended = False
        try:
            await self._remote.database.run(lambda: OwnerRequest.objects.create(**fields))
        except DatabaseTrouble as error:
            raise OwnedElsewhere(say("gpu.owner_not_asked", owner=self._owner(), error=error)) from error

    async def until(self, wanted: RequestState) -> None:
        while (row := await self._look())["state"] != wanted:
            if row["state"] in FINAL:
                self._ended = True
                raise as_error(row["error"], row["answer"])
            self._check(waiting=row["state"] == RequestState.WAITING)
            await self._remote.sleep(self._remote.poll_s)
        self._ended = wanted in FINAL

    @asynccontextmanager
    async def watched(self) -> AsyncIterator[None]:
        taken: list[GPUError] = []
        watcher: asyncio.Task[None] | None = None
        try:
            async with asyncio.timeout(None) as scope:
                watcher = asyncio.create_task(self._watch(taken, scope))
                yield
        except TimeoutError:
            if not taken:
                raise
            raise taken[0] from None
        except GPUError as error:
            if reason := await self._taken():  # it broke off because the model was taken away
                raise reason from error
            raise
        finally:
            if watcher is not None:
                watcher.cancel()

    async def close(self) -> None:
        if self._ended:
            return
        self._ended = True
        await asyncio.shield(asyncio.ensure_future(self._withdraw()))

    # --- parts ------------------------------------------------------------------------------------------------------
    async def _look(self) -> Mapping[str, Any]:
        """The row, or the state it was in last while the database refuses; signs of life in passing."""
        now = self._remote.clock()
        sign = self._remote.now() if now - self._seen_at >= self._remote.lease_s / 4 else None
        try:
            row = await self._remote.database.run(lambda: _read(self._uuid, sign=sign))
        except DatabaseTrouble as error:
            log.debug("a request to the owner of the GPU could not be looked at: %s", error)
            return {"state": "", "error": "", "answer": {}}
        if sign is not None:
            self._seen_at = now
        return row

    def _check(self, *, waiting: bool) -> None:
        now = self._remote.clock()
        if now >= self._ends_at:
            raise self._late()
        self._lost_at = None if self._remote.holder() else (self._lost_at or now)
        if self._lost_at is not None and now - self._lost_at >= self._remote.gone_s:
            raise OwnerGone(say("gpu.owner_ended"))
        if not waiting or self._lost_at is not None:
            self._unheard_at = now
        elif now - self._unheard_at >= self._remote.lease_s:
            raise OwnedElsewhere(say("gpu.owner_silent", owner=self._owner(), what=self._what()))

    async def _watch(self, taken: list[GPUError], scope: asyncio.Timeout) -> None:
        while not (reason := await self._taken()):
            await self._remote.sleep(self._remote.poll_s)
        taken.append(reason)
        scope.reschedule(asyncio.get_running_loop().time())

    async def _taken(self) -> GPUError | None:
        """Why the model is no longer ours; None while it is."""
        row = await self._look()
        if row["state"] == RequestState.FAILED:
            self._ended = True
            return as_error(row["error"], row["answer"])
        return self._late() if self._remote.clock() >= self._ends_at else None

    async def _withdraw(self) -> None:
        """DONE when it was being used, else FAILED; a row that the owner has ended stays as it is."""
        now, row = self._remote.now(), OwnerRequest.objects.filter(uuid=self._uuid)
        error = {"error": "Withdrawn", "answer": {"message": to_json(say("gpu.withdrawn"))}}

        def work() -> None:
            if not row.filter(state=RequestState.GRANTED).update(state=RequestState.DONE, finished_at=now):
                row.filter(state__in=LIVE).update(state=RequestState.FAILED, finished_at=now, **error)

        try:
            await self._remote.database.run(work)
        except DatabaseTrouble as problem:  # the owner lets go of it without a sign of life
            log.warning("a request to the owner of the GPU could not be withdrawn: %s", problem)

    def _late(self) -> DeadlinePassed:
        n = self._request.deadline_s
        return DeadlinePassed(say("gpu.owner_late", what=self._what(), owner=self._owner(), n=n))

    def _what(self) -> str:
        asked = self._request
        return " ".join(part for part in (asked.kind.value, asked.model, asked.mode or "") if part)

    def _owner(self) -> str:
        holder = self._remote.holder()
        return holder.told if holder else say("gpu.the_owner")


def _read(uuid: UUID, *, sign: datetime | None) -> Mapping[str, Any]:
    row = OwnerRequest.objects.filter(uuid=uuid)
    if sign is not None:
        row.update(seen_at=sign)
    deleted = {"message": to_json(say("gpu.request_deleted"))}
    gone = {"state": RequestState.FAILED, "error": "OwnedElsewhere", "answer": deleted}
    return row.values("state", "error", "answer").first() or gone
