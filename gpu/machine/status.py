"""What the owner of the GPU tells everybody in rows, and what is last known of it (S3.8, S3.9)."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any, Final

from django.conf import settings
from django.db import Error as DatabaseTrouble
from django.db import transaction
from django.utils import timezone

from gpu.choices import GPUEventKind
from gpu.exceptions import GPUError
from gpu.kernel_lock import Holder
from gpu.machine.ownership import Ownership, error_fields, machine_name, told_name
from gpu.models import GPUEvent, GPUSample, GPUState, ModelUse
from gpu.runtime import DatabaseThread
from gpu.signals import gpu_told
from gpu.types import GPUResourceStatus, ManagerDetails, Request, RequestKind, as_json
from sentences.said import say, told_by, worded

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
        GPUSample(machine=machine, gpu=gpu["uuid"], at=now, used_mb=gpu["used_mb"], total_mb=gpu["total_mb"])
        for gpu in gpus
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

    def refused(self, request: Request, error: GPUError) -> None:
        """Of another process. What a person asked in vain is told here, a use of a model with its run."""
        if self._owner is not None and request.kind is not RequestKind.USE:
            asked = {"request": request, **error_fields(error)}
            self._note(GPUEventKind.REQUEST_FAILED, told_by(error), asked)
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
        write = partial(write_goodbye, self._machine, owner, _picture(details), now)
        self._database.submit(lambda: self._carefully(write))
        self._wake()

    # --- parts ------------------------------------------------------------------------------------------------------
    async def _turn(self, owner: Holder) -> None:
        """A fault in what tells costs no more than what is not told: the next turn tries again."""
        try:
            await self._database.run(self._work(owner))
        except Exception:  # the edge of a task: whatever it is, the next turn may go well
            log.exception("what the GPU does is not told")

    def _note(self, kind: str, text: str, status: GPUResourceStatus | Mapping[str, Any]) -> None:
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
    """The columns of `GPUState`."""
    status = details.status
    same = ("vlm_state", "vlm_model", "clip_device", "degraded", "degraded_reason", "queue_length", "last_vlm_request")
    return {
        **{name: getattr(status, name) for name in same},
        **{name: as_json(getattr(details, name)) for name in ("vram", "residents", "queue")},
        "mode": status.execution_mode,
        "degraded_since": details.degraded_since,
    }


# Three signs of life of the owner that did not come.
STALE_AFTER_S: Final = 10.0
MOST_MINUTES: Final = 24 * 60
POINTS: Final = 300


NOBODY: Final = {"owner": "", "owner_pid": None, "owner_since": None}
SAME: Final = (
    "vlm_state", "vlm_model", "clip_device", "degraded", "degraded_since", "queue_length", "last_vlm_request",
    "revision", *NOBODY,
)  # fmt: skip


def last_known_status(machine: str = "") -> dict[str, Any] | None:
    """GPUResourceStatus in what JSON knows, as the owner said it last, and who said it when; None when none has ever
    said anything. One query, nothing slow is asked.

    Nobody owns the GPU where `owner` is empty. `owner_died`: the process that said it has ended without giving the GPU
    back. `fresh`: its last sign of life is no older than ten seconds.
    """
    row = GPUState.objects.filter(machine=machine or machine_name()).first()
    if row is None:
        return None
    age_s = (timezone.now() - row.heartbeat_at).total_seconds()
    died = bool(row.owner) and row.machine == machine_name() and Ownership(gpu_folder()).holder() is None
    return {
        **as_json({name: getattr(row, name) for name in SAME}),
        "vram": row.vram[0] if row.vram else None,
        "execution_mode": row.mode,
        "degraded_reason": worded(row.degraded_reason),
        "at": row.heartbeat_at.isoformat(),
        "age_s": round(age_s, 1),
        "fresh": age_s < STALE_AFTER_S and not died,
        "owner_died": died,
        **(NOBODY if died else {}),
    }


def nothing_known() -> dict[str, Any]:
    """What stands beside a status of one's own while no owner of the GPU has ever said anything."""
    unknown = dict.fromkeys(("at", "age_s", "degraded_since"))
    return {**unknown, "fresh": False, "revision": 0, "owner_died": False, **NOBODY}


def gpu_folder() -> Path:
    return Path(settings.DATA_DIR) / "gpu"


def memory_over_time(machine: str, *, since: datetime, points: int = POINTS) -> list[dict[str, Any]]:
    """Of each GPU the highest use within each of `points` equal spans: {uuid, total_mb, points: [[unix s, MB], …]}."""
    span = max((timezone.now() - since).total_seconds() / points, 0.001)
    gpus: dict[str, dict[str, Any]] = {}
    rows = GPUSample.objects.filter(machine=machine, at__gte=since).order_by("at")
    for gpu, at, used, total in rows.values_list("gpu", "at", "used_mb", "total_mb"):
        line = gpus.setdefault(gpu, {"uuid": gpu, "total_mb": total, "points": [], "slot": None})
        slot = int((at - since).total_seconds() / span)
        if slot == line["slot"]:
            line["points"][-1][1] = max(line["points"][-1][1], used)
        else:
            line["points"].append([round(at.timestamp(), 1), used])
        line["slot"], line["total_mb"] = slot, total
    for line in gpus.values():
        del line["slot"]
    return list(gpus.values())
