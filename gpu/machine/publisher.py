"""What the owner of the GPU tells everybody: its state now, what happened, the memory over time (S3.8, S3.9).

A slow database is told the newest state and never the ones between; one that refuses costs a line in the log.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections import deque
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from typing import Any, Final

from django.db import Error as DatabaseTrouble
from django.db import transaction
from django.utils import timezone

from gpu.choices import GPUEventKind
from gpu.database import DatabaseThread
from gpu.kernel_lock import Holder
from gpu.machine import state_rows
from gpu.types import GPUResourceStatus, ManagerDetails, as_json
from sentences.said import say

log = logging.getLogger(__name__)

HEARTBEAT_S: Final = 3.0
SAMPLE_EVERY: Final = timedelta(seconds=10)
JUMP_MB: Final = 100
TIDY_EVERY: Final = timedelta(hours=1)
MOST_UNWRITTEN: Final = 1000  # events, while the database refuses


class Publisher:
    """Tells while this process is the owner, from `open` to `shut`; what it hears otherwise is not told."""

    def __init__(
        self,
        machine: str,
        database: DatabaseThread,
        details: Callable[[], ManagerDetails],
        *,
        heartbeat_s: float = HEARTBEAT_S,
        now: Callable[[], datetime] = timezone.now,
    ) -> None:
        self._machine, self._database, self._details = machine, database, details
        self._heartbeat_s, self._now = heartbeat_s, now
        self._owner: Holder | None = None
        self._events: deque[dict[str, Any]] = deque(maxlen=MOST_UNWRITTEN)
        self._sampled: dict[str, tuple[datetime, int]] = {}
        self._tidied_at: datetime | None = None
        self._troubled = False
        self._wake: Callable[[], object] = lambda: None

    def open(self, owner: Holder) -> None:
        """This process owns the GPU from now on; `run` is to be started."""
        self._owner = owner
        self._note(
            GPUEventKind.OWNER_CHANGED, say("gpu.owned", owner=owner.name, pid=owner.pid), self._details().status
        )

    def hear(self, kind: str, text: str, status: GPUResourceStatus) -> None:
        """From any thread: keep what happened, and tell the state anew."""
        if self._owner is not None:
            self._note(kind, text, status)
            self._wake()

    def stir(self) -> None:
        """From any thread: what is told beside the events has changed, such as the queue; tell it anew."""
        self._wake()

    async def run(self) -> None:
        """Tell at every change, and a sign of life every few seconds; ends when it is shut."""
        owner, changed, loop = self._owner, asyncio.Event(), asyncio.get_running_loop()
        wake = self._wake = lambda: loop.call_soon_threadsafe(changed.set)
        try:
            while owner is not None and self._owner is owner:
                changed.clear()
                await self._turn(owner)
                # not wait_for: before Python 3.12 it loses a cancellation that comes together with a change
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(self._heartbeat_s):
                        await changed.wait()
        finally:
            if self._wake is wake:  # the next one may have begun
                self._wake = lambda: None

    def shut(self) -> None:
        """Tell the rest, and that nobody owns the GPU now; returns at once, the database thread does it."""
        owner, self._owner = self._owner, None
        if owner is None:
            return
        details, now = self._details(), self._now()
        self._note(GPUEventKind.OWNER_CHANGED, say("gpu.not_owned", owner=owner.name, pid=owner.pid), details.status)
        picture = _picture(details)

        def write() -> None:
            state_rows.write_goodbye(self._machine, owner, picture, now)

        self._database.submit(lambda: self._carefully(write))
        self._wake()

    # --- parts ------------------------------------------------------------------------------------------------------
    async def _turn(self, owner: Holder) -> None:
        """A fault in what tells costs no more than what is not told: the next turn tries again."""
        try:
            await self._database.run(self._work(owner))
        except Exception:  # the edge of a task: whatever it is, the next turn may go well
            log.exception("what the GPU does is not told")

    def _note(self, kind: str, text: str, status: GPUResourceStatus) -> None:
        said = {"machine": self._machine, "at": self._now(), "kind": kind, "text": text, "status": as_json(status)}
        self._events.append(said)

    def _work(self, owner: Holder) -> Callable[[], None]:
        now, picture = self._now(), _picture(self._details())
        samples = self._samples(picture["vram"], now)
        tidy = self._tidied_at is None or now - self._tidied_at >= TIDY_EVERY
        if tidy:
            self._tidied_at = now

        def write() -> None:
            if self._owner is not owner:
                return  # it was given back while this waited for the database
            state_rows.write_state(self._machine, owner, picture, now)
            state_rows.write_samples(self._machine, samples, now)
            if tidy:
                state_rows.delete_old(self._machine, now)

        return lambda: self._carefully(write)

    def _samples(self, gpus: Sequence[dict[str, Any]], now: datetime) -> list[dict[str, Any]]:
        """The GPUs whose memory is worth a sample: the last one is old, or it jumped."""
        due = []
        for gpu in gpus:
            at, used = self._sampled.get(gpu["uuid"], (None, 0))
            if at is None or now - at >= SAMPLE_EVERY or abs(gpu["used_mb"] - used) > JUMP_MB:
                self._sampled[gpu["uuid"]] = (now, gpu["used_mb"])
                due.append(gpu)
        return due

    def _carefully(self, write: Callable[[], None]) -> None:
        """In the database thread: write it and the events until now, or say once that it cannot be written."""
        events = list(self._events)
        try:
            with transaction.atomic():
                state_rows.write_events(events)
                write()
        except DatabaseTrouble as error:
            if not self._troubled:
                log.warning("what the GPU does cannot be told: %s", error)
            self._troubled = True
            return
        self._troubled = False
        for event in events:
            if self._events and self._events[0] is event:  # it may have been pushed out meanwhile
                self._events.popleft()


def _picture(details: ManagerDetails) -> dict[str, Any]:
    status = details.status
    return {
        "mode": status.execution_mode.value,
        "vlm_state": status.vlm_state.value,
        "vlm_model": status.vlm_model,
        "clip_device": status.clip_device,
        "degraded": status.degraded,
        "degraded_reason": status.degraded_reason,
        "degraded_since": details.degraded_since,
        "queue_length": status.queue_length,
        "last_vlm_request": status.last_vlm_request,
        "vram": as_json(details.vram),
        "residents": as_json(details.residents),
        "queue": as_json(details.queue),
    }
