"""Sums over a period: whole weeks of steps from the sums by week, the other days from those by day."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from django.db import models
from django.db.models import IntegerField, Q, QuerySet, Sum, Value

from analytics.period import Period
from analytics.rollups import WEEK_DAYS, Family, number_of

Sums = Counter[str]


def summed(
    family: Family, periods: Sequence[Period], by: Sequence[str], names: Sequence[str] = (), **where: Any
) -> list[dict[tuple[Any, ...], Sums]]:
    """Of each period the sums by those columns, all of them unless `names` says which; `where` columns have one value.

    One query.
    """
    wanted = names or family.names
    parts: list[QuerySet[Any, Any]] = [
        table._default_manager.filter(part, **where)
        .annotate(period=Value(number, IntegerField()))
        .order_by()
        .values("period", *by)
        .annotate(**_totals(wanted))
        for number, period in enumerate(periods)
        for table, part in _parts(family, period)
    ]
    found: list[dict[tuple[Any, ...], Sums]] = [{} for _period in periods]
    for row in parts[0].union(*parts[1:], all=True):
        place = found[row["period"]].setdefault(tuple(row[name] for name in by), Counter())
        for name in wanted:
            place[name] += row[f"sum_{name}"] or 0
    return found


def _parts(family: Family, period: Period) -> Iterator[tuple[type[models.Model], Q]]:
    """Which sums of which table: together the period, nothing twice."""
    first, until = number_of(period.since), number_of(period.until)
    week, over = -(-first // WEEK_DAYS), until // WEEK_DAYS
    if family.weeks is None or week >= over:
        yield family.days, Q(day__gte=first, day__lt=until)
        return
    yield family.days, Q(day__gte=first, day__lt=week * WEEK_DAYS) | Q(day__gte=over * WEEK_DAYS, day__lt=until)
    yield family.weeks, Q(week__gte=week, week__lt=over)


def by_bar(
    family: Family, period: Period, by: Sequence[str], names: Sequence[str], **where: Any
) -> dict[tuple[Any, ...], list[Sums]]:
    """Of each key its sums in each bar of the period; one query."""
    first = number_of(period.since)
    days = family.days._default_manager.filter(day__gte=first, day__lt=number_of(period.until), **where)
    found: dict[tuple[Any, ...], list[Sums]] = {}
    for row in days.order_by().values(*by, "day").annotate(**_totals(names)):
        key = tuple(row[name] for name in by)
        if key not in found:  # a year has many rows, and few keys
            found[key] = [Counter() for _bar in period.bars]
        bar = found[key][(row["day"] - first) // period.days_a_bar]
        for name in names:
            bar[name] += row[f"sum_{name}"] or 0
    return found


def total(sums: dict[tuple[Any, ...], Sums]) -> Sums:
    return merged(sums.values())


def merged(many: Any) -> Sums:
    whole: Sums = Counter()
    for one in many:
        whole.update(one)
    return whole


def regrouped(sums: dict[tuple[Any, ...], Sums], *places: int) -> dict[tuple[Any, ...], Sums]:
    """The same by fewer columns, named by their place."""
    found: dict[tuple[Any, ...], Sums] = {}
    for key, one in sums.items():
        found.setdefault(tuple(key[place] for place in places), Counter()).update(one)
    return found


def share(part: int, whole: int) -> float | None:
    """In per cent; None of nothing."""
    return 100 * part / whole if whole else None


def _totals(names: Sequence[str]) -> dict[str, Sum]:
    return {f"sum_{name}": Sum(name) for name in names}
