"""The memory of the GPUs over time, thinned out for a chart."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.utils import timezone

from gpu.models import GPUSample

MOST_MINUTES = 24 * 60
POINTS = 300


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
