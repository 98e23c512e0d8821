"""Figures as CSV and JSON, a line at a time: memory stays flat however many rows there are (S7.4)."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from django.core.serializers.json import DjangoJSONEncoder
from django.db.models import Model, Q, QuerySet

from analytics.models import RunMetric, StepMetric
from execution.worklists.tables import as_csv

PAGE = 2000
KINDS = {"csv": "text/csv; charset=utf-8", "json": "application/json"}


def columns_of(model: type[Model]) -> list[str]:
    return [field.name for field in model._meta.concrete_fields if field.name != "id"]


def as_json(names: Sequence[str], rows: Iterator[Sequence[Any]]) -> Iterator[str]:
    """A list with an object a row."""
    before = "["
    for row in rows:
        yield before + json.dumps(dict(zip(names, row, strict=True)), cls=DjangoJSONEncoder)
        before = ",\n"
    yield "[]" if before == "[" else "]"


def newest_first(found: QuerySet[Any], at: str, names: Sequence[str]) -> Iterator[Sequence[Any]]:
    """All rows in pages, each from where the last one ended: nothing is held open between them."""
    place: Q | None = None
    while True:
        here = found if place is None else found.filter(place)
        page = list(here.order_by(f"-{at}", "-pk").values_list(at, "pk", *names)[:PAGE])
        for _at, _pk, *row in page:
            yield row
        if len(page) < PAGE:
            return
        last_at, last_pk = page[-1][0], page[-1][1]
        place = Q(**{f"{at}__lte": last_at}) & ~Q(**{at: last_at, "pk__gte": last_pk})


WHAT: dict[str, tuple[type[Model], str]] = {"runs": (RunMetric, "ended_at"), "steps": (StepMetric, "started_at")}


def lines_of(what: str, kind: str, found: QuerySet[Any]) -> Iterator[str]:
    model, at = WHAT[what]
    names = columns_of(model)
    return (as_csv if kind == "csv" else as_json)(names, newest_first(found, at, names))
