"""What is last known of the GPU of a machine, as its owner told it: for /health, the pages and the API (S3.8)."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Any, Final, TypedDict

from django.conf import settings
from django.utils import timezone

from gpu.machine.ownership import Ownership, machine_name
from gpu.models import GPUSample, GPUState
from sentences.said import worded

# Three signs of life of the owner that did not come.
STALE_AFTER_S: Final = 10.0
MOST_MINUTES: Final = 24 * 60
POINTS: Final = 300


class KnownStatus(TypedDict):
    """GPUResourceStatus in what JSON knows, and who said it when; nobody owns the GPU where `owner` is empty.

    `owner_died`: the process that said it has ended without giving the GPU back. `fresh`: its last sign of life is no
    older than ten seconds.
    """

    vram: dict[str, Any] | None
    vlm_state: str
    vlm_model: str
    clip_device: str
    execution_mode: str
    degraded: bool
    degraded_reason: str
    degraded_since: str | None
    queue_length: int
    last_vlm_request: str | None
    at: str | None
    age_s: float | None
    fresh: bool
    revision: int
    owner: str
    owner_pid: int | None
    owner_since: str | None
    owner_died: bool


def last_known_status(machine: str = "") -> KnownStatus | None:
    """What the owner said last; None when none has ever said anything. One query, nothing slow is asked.

    Of another machine, `owner_died` is never known.
    """
    row = GPUState.objects.filter(machine=machine or machine_name()).first()
    if row is None:
        return None
    age_s = (timezone.now() - row.heartbeat_at).total_seconds()
    died = bool(row.owner) and row.machine == machine_name() and Ownership(gpu_folder()).holder() is None
    return {
        "vram": row.vram[0] if row.vram else None,
        "vlm_state": row.vlm_state,
        "vlm_model": row.vlm_model,
        "clip_device": row.clip_device,
        "execution_mode": row.mode,
        "degraded": row.degraded,
        "degraded_reason": worded(row.degraded_reason),
        "degraded_since": row.degraded_since.isoformat() if row.degraded_since else None,
        "queue_length": row.queue_length,
        "last_vlm_request": row.last_vlm_request.isoformat() if row.last_vlm_request else None,
        "at": row.heartbeat_at.isoformat(),
        "age_s": round(age_s, 1),
        "fresh": age_s < STALE_AFTER_S and not died,
        "revision": row.revision,
        "owner": "" if died else row.owner,
        "owner_pid": None if died else row.owner_pid,
        "owner_since": row.owner_since.isoformat() if row.owner_since and not died else None,
        "owner_died": died,
    }


def nothing_known() -> dict[str, Any]:
    """What stands beside a status of one's own while no owner of the GPU has ever said anything."""
    nobody = {"owner": "", "owner_pid": None, "owner_since": None, "owner_died": False, "degraded_since": None}
    return {"at": None, "age_s": None, "fresh": False, "revision": 0, **nobody}


def gpu_folder() -> Path:
    return Path(settings.DATA_DIR) / "gpu"


def memory_over_time(machine: str, *, since: datetime, points: int = POINTS) -> list[dict[str, Any]]:
    """Of each GPU the highest use within each of `points` equal spans: {uuid, total_mb, points: [[unix s, MB], …]}.

    The highest, because a peak of a second is what somebody looks for.
    """
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
