"""The rows in which the owner of the GPU tells of itself: written by it alone, kept for a while."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, Final

from gpu.kernel_lock import Holder
from gpu.models import GPUEvent, GPUSample, GPUState, ModelUse

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
    GPUEvent.objects.bulk_create([GPUEvent(**event) for event in events])


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
