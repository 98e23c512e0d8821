"""Sums by day and, of steps, by week, kept in the transaction that writes the rows they are sums of (S7.6).

A row that is written anew takes back what it gave before, so order and lateness do not matter, and a crash leaves
either both or neither. What a row gives is said once, here: keeping and making again cannot disagree.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import Any

from django.db import IntegrityError, connection, models, transaction
from django.db.models import F, Max, Min, Q, Sum
from django.utils import timezone

from analytics.models import RunDay, RunMetric, Sealed, StepDay, StepMetric, StepWeek
from execution.choices import ExecutionState, Verified

FIRST_DAY = date(1970, 1, 1)
WEEK_DAYS = 7
MILLION = 1_000_000
WITHIN_S = (10, 30, 60, 180, 600, 1800, 7200)  # the columns of RunDay that say how many took so long at most

Key = tuple[Any, ...]
Sums = Counter[str]


def number_of(day: date) -> int:
    return (day - FIRST_DAY).days


def day_of(at: datetime) -> int:
    """By the installation's clock, whoever looks and from where."""
    return number_of(timezone.localdate(at, timezone.get_default_timezone()))


def first_moment_of(day: int) -> datetime:
    return datetime.combine(FIRST_DAY + timedelta(day), time.min, tzinfo=timezone.get_default_timezone())


def _of_step(row: StepMetric) -> dict[str, int]:
    return {
        "steps": 1,
        "succeeded": row.success,
        "done": int(bool((row.success and row.edge_id) or row.wrong)),  # what was wrong was done, well or not
        "unverified": int(bool(row.success and row.edge_id and row.verified != Verified.YES)),
        "retries": row.retries,
        "degraded": row.degraded,
        "wrong": row.wrong,
        "robot_us": round(max(0.0, row.total_ms - row.waited_ms) * 1000),
        "waited_us": round(row.waited_ms * 1000),
        "resolve_us": round(row.resolve_ms * 1000),
        "score_millionths": round(row.score * MILLION),
        "recognised": int(row.confidence > 0),
        "confidence_millionths": round(row.confidence * MILLION),
    }


def _of_run(row: RunMetric) -> dict[str, int]:
    completed = row.state == ExecutionState.COMPLETED
    return {
        "runs": 1,
        "alone": int(completed and not row.helped),
        "helped": int(completed and bool(row.helped)),
        "failed": int(row.state == ExecutionState.FAILED),
        "stopped": int(row.state == ExecutionState.STOPPED),
        "steps": row.steps,
        "took_us": round(row.seconds * MILLION),
        "waited_us": round(row.waited_ms * 1000),
        "suggestions": row.suggestions,
        "accepted": row.accepted,
        "wrong": row.wrong,
        **{f"within_{most}s": int(row.seconds <= most) for most in WITHIN_S},
    }


@dataclass(frozen=True, slots=True, kw_only=True)
class Family:
    """Rows and the tables of their sums; weeks only where days are many."""

    rows: type[models.Model]
    at: str
    keys: tuple[str, ...]
    gives: Callable[[Any], dict[str, int]]
    reads: tuple[str, ...]  # the columns that `gives` looks at
    days: type[models.Model]
    weeks: type[models.Model] | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """What is summed."""
        return tuple(field.name for field in self.days._meta.fields if type(field) is models.BigIntegerField)

    def collect(self, rows: Iterable[Any], sign: int = 1, into: dict[Key, Sums] | None = None) -> dict[Key, Sums]:
        """What rows give, by day and key."""
        sums = {} if into is None else into
        for row in rows:
            key = (day_of(getattr(row, self.at)), *(getattr(row, name) for name in self.keys))
            place = sums.setdefault(key, Counter())
            for name, value in self.gives(row).items():
                place[name] += sign * value
        return sums

    def tables(self, by_day: dict[Key, Sums]) -> Iterator[tuple[type[models.Model], str, dict[Key, Sums]]]:
        """The same for each table."""
        yield self.days, "day", by_day
        if self.weeks:
            by_week: dict[Key, Sums] = {}
            for (day, *key), sums in by_day.items():
                by_week.setdefault((day // WEEK_DAYS, *key), Counter()).update(sums)
            yield self.weeks, "week", by_week


STEPS = Family(
    rows=StepMetric,
    at="started_at",
    keys=("workflow_id", "node_id", "edge_id", "rung"),
    gives=_of_step,
    reads=(
        *("success", "verified", "retries", "degraded", "wrong"),
        *("total_ms", "waited_ms", "resolve_ms", "score", "confidence"),
    ),
    days=StepDay,
    weeks=StepWeek,
)
RUNS = Family(
    rows=RunMetric,
    at="ended_at",
    keys=("workflow_id", "version"),
    gives=_of_run,
    reads=("helped", "state", "steps", "seconds", "waited_ms", "suggestions", "accepted", "wrong"),
    days=RunDay,
)
FAMILIES = (STEPS, RUNS)


def replace(family: Family, gone: Iterable[Any], come: Iterable[Any]) -> None:
    """Take back what rows gave and add what others give; call inside the transaction that writes them."""
    if not transaction.get_connection().in_atomic_block:
        raise RuntimeError("Sums are kept in the transaction of their rows.")
    changed = family.collect(come, into=family.collect(gone, sign=-1))
    for table, unit, places in family.tables(changed):
        for key in sorted(places):  # the same order everywhere: two writers never wait for each other in a circle
            if any(places[key].values()):
                _add(table, dict(zip((unit, *family.keys), key, strict=True)), places[key])


def _add(table: type[models.Model], where: dict[str, Any], sums: Sums) -> None:
    rows = table._default_manager.filter(**where)
    more = {name: F(name) + value for name, value in sums.items() if value}
    if rows.update(**more):
        return
    try:
        with transaction.atomic():
            table._default_manager.create(**where, **sums)
    except IntegrityError:  # somebody else made it in between
        rows.update(**more)


def make_day(family: Family, day: int) -> None:
    """The sums of a day again from their rows, in a transaction. Rows may be written meanwhile."""
    with transaction.atomic(), held_still(family):
        _make_day(family, day)


def _make_day(family: Family, day: int) -> None:
    sealed = sealed_on(family, day)
    bounds = {f"{family.at}__gte": first_moment_of(day), f"{family.at}__lt": first_moment_of(day + 1)}
    rows = family.rows._default_manager.filter(~sealed, **bounds)
    family.days._default_manager.filter(~sealed, day=day).delete()
    needed = sorted({family.at, *family.keys, *family.reads})
    summed = family.collect(rows.order_by().values_list(*needed, named=True).iterator(5000))
    _create(family, family.days, "day", summed)
    if family.weeks:
        _make_week(family, family.weeks, day // WEEK_DAYS)


def _make_week(family: Family, table: type[models.Model], week: int) -> None:
    """What its days add up to, those that are sealed as well."""
    first = week * WEEK_DAYS
    days = family.days._default_manager.filter(day__gte=first, day__lt=first + WEEK_DAYS).order_by()
    summed = days.values_list(*family.keys).annotate(*(Sum(name) for name in family.names))
    table._default_manager.filter(week=week).delete()
    many = len(family.keys)
    places = {(week, *row[:many]): Counter(dict(zip(family.names, row[many:], strict=True))) for row in summed}
    _create(family, table, "week", places)


def _create(family: Family, table: type[models.Model], unit: str, places: dict[Key, Sums]) -> None:
    made = [table(**dict(zip((unit, *family.keys), key, strict=True)), **sums) for key, sums in places.items()]
    table._default_manager.bulk_create(made, batch_size=500)


def days_of(family: Family) -> list[int]:
    """Every day that has rows or sums, and of each week that has sums one day."""
    found = set(family.days._default_manager.values_list("day", flat=True).distinct())
    if family.weeks:
        found |= {week * WEEK_DAYS for week in family.weeks._default_manager.values_list("week", flat=True).distinct()}
    ends = family.rows._default_manager.aggregate(first=Min(family.at), last=Max(family.at))
    if ends["first"] is not None:
        found |= set(range(day_of(ends["first"]), day_of(ends["last"]) + 1))
    return sorted(found)


@contextmanager
def held_still(family: Family) -> Iterator[None]:
    """Nobody else writes these rows until the transaction ends; SQLite lets one write at a time anyway."""
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute(f"LOCK TABLE {family.rows._meta.db_table} IN SHARE ROW EXCLUSIVE MODE")
    yield


def sealed_on(family: Family, day: int) -> Q:
    """Those of workflows whose rows of that day were pruned: their sums are all that there is. Runs stay."""
    if family is not STEPS:
        return Q(pk__in=[])
    return Q(workflow_id__in=Sealed.objects.filter(day__gt=day).values("workflow_id"))


def is_sealed(workflow_id: str, at: datetime) -> bool:
    """Whether the metrics of that day were pruned: what comes late for it changes nothing."""
    return Sealed.objects.filter(workflow_id=workflow_id, day__gt=day_of(at)).exists()
