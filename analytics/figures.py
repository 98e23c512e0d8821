"""Sums over a period: whole weeks of steps from the sums by week, the other whole days from those by day, what is over
at both ends from those by hour, and of an hour that an end tears in two from its rows.

Only zones that are off by a part of an hour tear any. Of a torn hour whose rows were pruned there is the sum alone: all
of it is counted where the period begins in it, nothing where the period ends in it.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise
from typing import Any

from django.db import models
from django.db.models import F, IntegerField, Q, QuerySet, Sum, Value

from analytics.rollups import BEGINNING, HOUR, WEEK_DAYS, Family, hour_of, is_full_hour, sealed_on

Sums = Counter[str]


@dataclass(frozen=True, slots=True)
class Span:
    """From a moment to another one."""

    begin: datetime
    end: datetime

    @property
    def first_hour(self) -> int:
        """The first one that is in it as a whole."""
        return -((BEGINNING - self.begin) // HOUR)

    @property
    def torn(self) -> list[Span]:
        """What is in it of hours that are not in it as a whole."""
        whole = BEGINNING + self.first_hour * HOUR, BEGINNING + hour_of(self.end) * HOUR
        if whole[0] > whole[1]:
            return [self]
        ends = Span(self.begin, whole[0]), Span(whole[1], self.end)
        return [one for one in ends if one.begin < one.end]

    def parts(self, family: Family) -> list[tuple[type[models.Model], Q]]:
        """Which sums of which table: together the span but for what is torn, nothing twice."""
        whole = self._whole(family)
        if is_full_hour(self.begin):
            return whole
        return [*whole, (family.hours, _all_there_is(family, hour_of(self.begin)))]

    def _whole(self, family: Family) -> list[tuple[type[models.Model], Q]]:
        first, last = self.first_hour, hour_of(self.end)
        day, until = -(-first // 24), last // 24
        if day >= until:
            return [(family.hours, Q(hour__gte=first, hour__lt=last))]
        hours = Q(hour__gte=first, hour__lt=day * 24) | Q(hour__gte=until * 24, hour__lt=last)
        week, over = -(-day // WEEK_DAYS), until // WEEK_DAYS
        if family.weeks is None or week >= over:
            return [(family.hours, hours), (family.days, Q(day__gte=day, day__lt=until))]
        days = Q(day__gte=day, day__lt=week * WEEK_DAYS) | Q(day__gte=over * WEEK_DAYS, day__lt=until)
        weeks = Q(week__gte=week, week__lt=over)
        return [(family.hours, hours), (family.days, days), (family.weeks, weeks)]


def summed(
    family: Family, spans: Sequence[Span], by: Sequence[str], names: Sequence[str] = (), **where: Any
) -> list[dict[tuple[Any, ...], Sums]]:
    """Of each span the sums by those columns, all of them unless `names` says which; `where` columns have one value.

    One query, and one more where hours are torn.
    """
    wanted = names or family.names
    parts: list[QuerySet[Any, Any]] = []
    for number, span in enumerate(spans):
        for table, part in span.parts(family):
            rows = table._default_manager.filter(part, **where).annotate(span=Value(number, IntegerField()))
            parts.append(rows.order_by().values("span", *by).annotate(**_totals(wanted)))
    found: list[dict[tuple[Any, ...], Sums]] = [{} for _span in spans]
    for row in parts[0].union(*parts[1:], all=True):
        place = found[row["span"]].setdefault(tuple(row[name] for name in by), Counter())
        for name in wanted:
            place[name] += row[f"sum_{name}"] or 0
    for number, key, given in _of_rows(family, spans, by, where):
        place = found[number].setdefault(key, Counter())
        for name in wanted:
            place[name] += given[name]
    return found


def by_bar(
    family: Family, bounds: Sequence[datetime], by: Sequence[str], names: Sequence[str], **where: Any
) -> dict[tuple[Any, ...], list[Sums]]:
    """Of each key its sums between one bound and the next; one query, and one more where hours are torn."""
    edges = [hour_of(bound) for bound in bounds]
    torn = {hour_of(bound) for bound in bounds if not is_full_hour(bound)}
    broken = {edge // 24 for edge in edges if edge % 24 or edge in torn}
    inside = Q(day__gte=-(-edges[0] // 24), day__lt=edges[-1] // 24) & ~Q(day__in=broken)
    # each hour by its name: so the index finds them, where for many ranges all hours of a year are looked through
    inner = {hour for day in broken for hour in range(day * 24, day * 24 + 24) if edges[0] <= hour < edges[-1]}
    ends = Q(hour__in=sorted(inner - torn))
    for hour in sorted(inner & torn):
        ends |= _all_there_is(family, hour)
    totals = {f"sum_{name}": Sum(name) for name in names}
    days = family.days._default_manager.filter(inside, **where).order_by()
    hours = family.hours._default_manager.filter(ends, **where).order_by()
    rows = (
        days.values(*by, begins=F("day") * 24)
        .annotate(**totals)
        .union(hours.values(*by, begins=F("hour")).annotate(**totals), all=True)
    )
    found: dict[tuple[Any, ...], list[Sums]] = {}

    def bars_of(key: tuple[Any, ...]) -> list[Sums]:
        if key not in found:  # a year has many rows, and few keys
            found[key] = [Counter() for _bound in bounds[1:]]
        return found[key]

    for row in rows:
        key = tuple(row[name] for name in by)
        bar = bars_of(key)[bisect_right(edges, row["begins"]) - 1]
        for name in names:
            bar[name] += row[f"sum_{name}"] or 0
    for number, key, given in _of_rows(family, [Span(*ends) for ends in pairwise(bounds)], by, where):
        for name in names:
            bars_of(key)[number][name] += given[name]
    return found


def _all_there_is(family: Family, hour: int) -> Q:
    """Sums of a torn hour whose rows were pruned."""
    return Q(hour=hour) & sealed_on(family, hour // 24)


def _of_rows(
    family: Family, spans: Sequence[Span], by: Sequence[str], where: Mapping[str, Any]
) -> Iterator[tuple[int, tuple[Any, ...], dict[str, int]]]:
    """What each row in a torn hour gives: the number of its span, its key, the sums that it is part of.

    Each piece is asked for by itself and by its moments alone: so the index by moments finds it.
    """
    needed = sorted({family.at, *family.keys, *family.reads})
    parts: list[QuerySet[Any, Any]] = [
        family.rows._default_manager.filter(
            ~sealed_on(family, hour_of(piece.begin) // 24),
            **{f"{family.at}__gte": piece.begin, f"{family.at}__lt": piece.end},
        )
        .order_by()
        .annotate(span=Value(number, IntegerField()))
        .values_list(*needed, "span", named=True)
        for number, span in enumerate(spans)
        for piece in span.torn
    ]
    if not parts:
        return
    for row in parts[0].union(*parts[1:], all=True):
        if all(getattr(row, name) == value for name, value in where.items()):
            yield row.span, tuple(getattr(row, name) for name in by), family.gives(row)


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
