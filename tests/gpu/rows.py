"""What owners tell in rows, and are asked over their socket: both ends in one loop."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone

from gpu.exceptions import GPUError
from gpu.kernel_lock import Holder
from gpu.machine.ownership import OwnerClient, RequestServer, machine_name
from gpu.models import GPUState
from gpu.types import ExecutionMode, GPUResourceStatus, ModelState, Request, RequestKind, VRAMInfo, as_json

MACHINE = "desk-7"
VLM = "qwen2.5vl:7b"
LOOK_EVERY_S = 0.002

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

    def __init__(self, path: Path) -> None:
        self.path = path
        self.seconds = 0.0
        self.owner: Holder | None = Holder(pid=4711, name="run loop", since=datetime.now(UTC))
        self.served: list[Request] = []
        self.lent: list[Request] = []
        self.refused: list[tuple[Request, GPUError]] = []
        self.given_back = 0
        self.serve: Callable[[Request], Any] = self.serve_at_once
        self.before_lending: Callable[[Request], Any] | None = None
        self.take_back: asyncio.Event = asyncio.Event()
        self.error_of_taking: Exception | None = None

    async def serve_at_once(self, request: Request) -> None:
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

    def client(self, **options: Any) -> OwnerClient:
        settings = {"clock": lambda: self.seconds, "holder": lambda: self.owner, "look_every_s": LOOK_EVERY_S}
        return OwnerClient(self.path, **{**settings, **options})

    @asynccontextmanager
    async def open(self) -> AsyncIterator[None]:
        """It is served inside the block."""
        server = RequestServer(
            self.path,
            serve=lambda request: self.serve(request),
            use=self.lend,
            failed=lambda request, error: self.refused.append((request, error)),
        )
        running = asyncio.create_task(server.run())
        try:
            yield
        finally:
            running.cancel()
            await asyncio.gather(running, return_exceptions=True)


async def until(condition: Callable[[], Any], *, within_s: float = 60.0) -> None:
    async with asyncio.timeout(within_s):
        while not condition():
            await asyncio.sleep(LOOK_EVERY_S)
