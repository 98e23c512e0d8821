"""What owners tell in rows and are asked through them: committed quickly, with both ends in one loop."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.utils import timezone

from gpu.database import DatabaseThread
from gpu.kernel_lock import Holder
from gpu.machine.owner_client import OwnerClient
from gpu.machine.ownership import machine_name
from gpu.machine.request_server import RequestServer
from gpu.models import GPUState, OwnerRequest
from gpu.types import ExecutionMode, GPUResourceStatus, ModelState, Request, RequestKind, VRAMInfo, as_json

MACHINE = "desk-7"
VLM = "qwen2.5vl:7b"
POLL_S = 0.002

COMMITTED = pytest.mark.django_db(transaction=True)  # what other threads and processes are to see must be

CARD = VRAMInfo(uuid="GPU-1", name="A card", total_mb=24_000, used_mb=1000, free_mb=23_000)
STATUS = GPUResourceStatus(
    vram=CARD,
    vlm_state=ModelState.UNLOADED,
    vlm_model=VLM,
    clip_device="cpu",
    execution_mode=ExecutionMode.IDLE,
    degraded=False,
    degraded_reason="",
)
LOAD = Request(kind=RequestKind.LOAD, model=VLM, deadline_s=60, asked_by="zoe")
USE = Request(kind=RequestKind.USE, model=VLM, deadline_s=60, asked_by="zoe")


def tell(*, age_s: float = 0.0, **fields: Any) -> GPUState:
    """What an owner told so long ago."""
    now = timezone.now() - timedelta(seconds=age_s)
    columns = {
        "machine": machine_name(),
        "owner": "run loop",
        "owner_pid": os.getpid(),
        "owner_since": now,
        "heartbeat_at": now,
        "revision": 3,
        "mode": "recording",
        "vlm_state": "loaded",
        "vlm_model": "qwen2.5vl:7b",
        "clip_device": "cpu",
        "degraded": False,
        "vram": [as_json(STATUS)["vram"]],
        **fields,
    }
    return GPUState.objects.create(**columns)


class Office:
    """One end and the other: `serve` and `lend` are what a manager would do; the clock stands until it is moved."""

    def __init__(self, database: DatabaseThread) -> None:
        self.database = database
        self.seconds = 0.0
        self.clock_set_by_s = 0.0
        self.owner: Holder | None = Holder(pid=4711, name="run loop", since=datetime.now(UTC))
        self.served: list[Request] = []
        self.lent: list[Request] = []
        self.given_back = 0
        self.serve: Callable[[Request], Any] = self._serve
        self.before_lending: Callable[[Request], Any] | None = None
        self.take_back: asyncio.Event = asyncio.Event()
        self.error_of_taking: Exception | None = None

    async def _serve(self, request: Request) -> None:
        self.served.append(request)

    @asynccontextmanager
    async def lend(self, request: Request) -> AsyncIterator[None]:
        """Cancels its body when the model is to be taken back, as the manager does."""
        if self.before_lending is not None:
            await self.before_lending(request)
        self.lent.append(request)
        try:
            async with asyncio.timeout(None) as scope:
                taker = asyncio.create_task(self._take(scope))
                try:
                    yield
                finally:
                    taker.cancel()
        except TimeoutError:
            assert self.error_of_taking is not None
            raise self.error_of_taking from None
        finally:
            self.given_back += 1

    async def _take(self, scope: asyncio.Timeout) -> None:
        await self.take_back.wait()
        scope.reschedule(asyncio.get_running_loop().time())

    def now(self) -> datetime:
        return datetime.now(UTC) + timedelta(seconds=self.seconds + self.clock_set_by_s)

    def remote(self, **options: Any) -> OwnerClient:
        settings = {
            "poll_s": POLL_S,
            "clock": lambda: self.seconds,
            "now": self.now,
            "holder": lambda: self.owner,
            **options,
        }
        return OwnerClient(MACHINE, self.database, **settings)

    def box(self) -> RequestServer:
        """What serves the requests of an owner."""
        return RequestServer(
            MACHINE,
            self.database,
            serve=lambda request: self.serve(request),
            use=self.lend,
            poll_s=POLL_S,
            clock=lambda: self.seconds,
            now=self.now,
        )

    @asynccontextmanager
    async def open(self) -> AsyncIterator[RequestServer]:
        """It is served inside the block."""
        box = self.box()
        running = asyncio.create_task(box.run())
        try:
            yield box
        finally:
            running.cancel()
            await asyncio.gather(running, return_exceptions=True)

    async def rows(self) -> list[OwnerRequest]:
        return await self.database.run(lambda: list(OwnerRequest.objects.order_by("id")))

    async def until(self, condition: Callable[[list[OwnerRequest]], Any], *, within_s: float = 60.0) -> None:
        """Wait until the rows are so."""
        async with asyncio.timeout(within_s):
            while not condition(await self.rows()):
                await asyncio.sleep(POLL_S)
