"""What the owner of the GPU tells everybody: its state now, what happened, the memory over time (S3.8, S3.9).

A slow database is told the newest state and never the ones between; one that refuses costs a line in the log.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, Final

from django.db import Error as DatabaseTrouble
from django.db import transaction
from django.utils import timezone

from gpu.choices import GPUEventKind
from gpu.database import DatabaseThread
from gpu.kernel_lock import Holder
from gpu.machine.ownership import told_name
from gpu.models import GPUEvent, GPUSample, GPUState, ModelUse
from gpu.signals import gpu_told
from gpu.types import GPUResourceStatus, ManagerDetails, as_json
from sentences.said import say

log = logging.getLogger(__name__)

HEARTBEAT_S: Final = 3.0
SAMPLE_EVERY: Final = timedelta(seconds=10)
JUMP_MB: Final = 100
TIDY_EVERY: Final = timedelta(hours=1)
MOST_UNWRITTEN: Final = 1000  # events, while the database refuses
EVENTS_KEPT: Final = timedelta(days=7)
MOST_EVENTS: Final = 5000
SAMPLES_KEPT: Final = timedelta(days=1)
USES_KEPT: Final = timedelta(days=400)  # what a report of their use covers at most


def write_state(machine: str, owner: Holder, picture: Mapping[str, Any], now: datetime) -> None:
    """The newest state, and a sign of life; the revision counts up where something is different."""
    row = GPUState.objects.filter(machine=machine).first() or GPUState(machine=machine)
    said = {**picture, "owner": owner.name[:200], "owner_pid": owner.pid, "owner_since": owner.since}
    if row.pk is None or any(getattr(row, name) != value for name, value in said.items()):
        row.revision += 1
    for name, value in said.items():
        setattr(row, name, value)
    row.heartbeat_at = now
    row.save()


def write_goodbye(machine: str, owner: Holder, picture: Mapping[str, Any], now: datetime) -> None:
    """The last state, and that nobody owns the GPU; another owner that has told of itself already stays."""
    row = GPUState.objects.filter(machine=machine).first()
    if row is not None and (row.owner_pid, row.owner_since) not in ((owner.pid, owner.since), (None, None)):
        return
    write_state(machine, owner, picture, now)
    GPUState.objects.filter(machine=machine).update(owner="", owner_pid=None, owner_since=None)


def write_events(events: Iterable[Mapping[str, Any]]) -> None:
    rows = GPUEvent.objects.bulk_create([GPUEvent(**event) for event in events])
    if rows:
        transaction.on_commit(lambda: gpu_told.send(sender=GPUEvent, events=rows), robust=True)


def write_samples(machine: str, gpus: Sequence[Mapping[str, Any]], now: datetime) -> None:
    """`gpus` as VRAMInfo tells them."""
    GPUSample.objects.bulk_create(
        [
            GPUSample(machine=machine, gpu=gpu["uuid"], at=now, used_mb=gpu["used_mb"], total_mb=gpu["total_mb"])
            for gpu in gpus
        ]
    )


def delete_old(machine: str, now: datetime) -> None:
    """Events of more than a week or beyond the newest thousands, samples of more than a day, uses of another year."""
    events = GPUEvent.objects.filter(machine=machine)
    events.filter(at__lt=now - EVENTS_KEPT).delete()
    oldest_kept = events.order_by("-id").values_list("id", flat=True)[MOST_EVENTS - 1 : MOST_EVENTS].first()
    if oldest_kept is not None:
        events.filter(id__lt=oldest_kept).delete()
    GPUSample.objects.filter(machine=machine, at__lt=now - SAMPLES_KEPT).delete()
    ModelUse.objects.filter(at__lt=now - USES_KEPT).delete()


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
        told = say("gpu.owned", owner=told_name(owner.name), pid=owner.pid)
        self._note(GPUEventKind.OWNER_CHANGED, told, self._details().status)

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
        told = say("gpu.not_owned", owner=told_name(owner.name), pid=owner.pid)
        self._note(GPUEventKind.OWNER_CHANGED, told, details.status)
        picture = _picture(details)

        def write() -> None:
            write_goodbye(self._machine, owner, picture, now)

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
            write_state(self._machine, owner, picture, now)
            write_samples(self._machine, samples, now)
            if tidy:
                delete_old(self._machine, now)

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
                write_events(events)
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
