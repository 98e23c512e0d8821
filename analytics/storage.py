"""What takes how much on the disk, how it grows, and when the disk is full at this rate."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path

from django.conf import settings
from django.db import DatabaseError, connection
from django.utils import timezone

from analytics.models import StorageDay
from workflows.models import Picture
from workflows.pictures import PictureStore

RATE_DAYS = 30
FOLDERS = ("models", "backups", "live", "static")
ELSEWHERE = "store"  # pictures that lie on no disk of this machine
TABLES = {
    "step_metrics": "figures", "step_days": "figures", "step_weeks": "figures", "run_metrics": "figures",
    "run_days": "figures", "resource_samples": "figures",
    "execution_step": "runs", "execution_execution": "runs", "execution_prompt": "runs", "execution_decision": "runs",
    "execution_executionevent": "events",
}  # fmt: skip
OLDEST_KEPT = 400


@dataclass(frozen=True, slots=True, kw_only=True)
class Forecast:
    """How fast it fills: bytes a day, and the day on which nothing is left; None where it does not grow."""

    a_day: float | None
    full_on: date | None


def measure() -> StorageDay:
    """Look at the disk now, and keep it as today's. Raises PictureAway."""
    parts = {name: sum(_sizes(Path(settings.DATA_DIR) / name)) for name in FOLDERS} | _pictures() | _database()
    disk = shutil.disk_usage(settings.DATA_DIR)
    found, _created = StorageDay.objects.update_or_create(
        day=today(),
        defaults={"parts": {k: v for k, v in parts.items() if v}, "free_bytes": disk.free, "total_bytes": disk.total},
    )
    StorageDay.objects.filter(day__lt=found.day - timedelta(days=OLDEST_KEPT)).delete()
    return found


def today() -> date:
    """The machine's own day, by which the disk is measured, whoever looks and from where."""
    return timezone.localdate(timezone=timezone.get_default_timezone())


def forecast(days: Sequence[StorageDay]) -> Forecast:
    """By the way that what is ours on this disk went over the last month: what others put there is not foreseen."""
    newest = max(days, key=lambda one: one.day, default=None)
    if newest is None:
        return Forecast(a_day=None, full_on=None)
    recent = [one for one in days if (newest.day - one.day).days <= RATE_DAYS]
    rate = slope([((one.day - newest.day).days, _here(one.parts)) for one in recent])
    if rate is None or rate <= 0:
        return Forecast(a_day=rate, full_on=None)
    left = newest.free_bytes / rate
    return Forecast(a_day=rate, full_on=newest.day + timedelta(days=int(left)) if left < 365 * 50 else None)


def _here(parts: Mapping[str, int]) -> int:
    return sum(size for name, size in parts.items() if name != ELSEWHERE)


def slope(points: Sequence[tuple[float, float]]) -> float | None:
    """The line through the points that misses them least; None of fewer than three days."""
    if len({x for x, _y in points}) < 3:
        return None
    mean_x = sum(x for x, _y in points) / len(points)
    mean_y = sum(y for _x, y in points) / len(points)
    return sum((x - mean_x) * (y - mean_y) for x, y in points) / sum((x - mean_x) ** 2 for x, _y in points)


def _sizes(folder: Path) -> Iterator[int]:
    """Of all files below; one that goes meanwhile takes nothing."""
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    yield from _sizes(Path(entry.path))
                else:
                    try:
                        yield entry.stat(follow_symlinks=False).st_size
                    except FileNotFoundError:
                        continue
    except (FileNotFoundError, NotADirectoryError):
        return


def _pictures() -> dict[str, int]:
    """Those that were taught apart; of a store elsewhere as a whole."""
    store = PictureStore()
    if not store.is_here:
        return {ELSEWHERE: sum(size for _digest, size in store.sizes())}
    digests, taught, others = set(Picture.objects.values_list("digest", flat=True)), 0, 0
    for digest, size in store.sizes():
        taught, others = (taught + size, others) if digest in digests else (taught, others + size)
    return {"taught": taught, "pictures": others}


def _database() -> dict[str, int]:
    """By what is in it where the database can tell, else as a whole."""
    whole = _whole_database()
    try:
        by_table = _by_table()
    except DatabaseError:
        return {"database": whole}
    parts: dict[str, int] = {}
    for table, size in by_table.items():
        name = TABLES.get(table, "database")
        parts[name] = parts.get(name, 0) + size
    parts["database"] = parts.get("database", 0) + max(0, whole - sum(by_table.values()))
    return parts


def _whole_database() -> int:
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute("SELECT pg_database_size(current_database())")
            return int(cursor.fetchone()[0])
        cursor.execute("SELECT page_count * page_size FROM pragma_page_count(), pragma_page_size()")
        return int(cursor.fetchone()[0])


def _by_table() -> dict[str, int]:
    """With the indexes of each. Raises DatabaseError where this SQLite was built without dbstat."""
    if connection.vendor == "postgresql":
        sql = "SELECT relname, pg_total_relation_size(relid) FROM pg_catalog.pg_statio_user_tables"
    else:
        sql = (
            "SELECT m.tbl_name, SUM(s.pgsize) FROM dbstat s JOIN sqlite_master m ON m.name = s.name "
            "WHERE s.aggregate = TRUE GROUP BY m.tbl_name"
        )
    with connection.cursor() as cursor:
        cursor.execute(sql)
        return {str(name): int(size) for name, size in cursor.fetchall()}
