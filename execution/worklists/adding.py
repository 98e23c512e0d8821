"""Rows of a list: what a run is given of them, and how they come in, each once by its reference (S12.3, S12.4)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import F
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from execution.exceptions import BadRows, BadWorklist
from execution.models import WorkItem, Worklist
from execution.models.worklist import NEVER_DUE, WorklistEventKind, WorklistState
from execution.record.secret_values import secret_names
from execution.worklists.intake.cells import Row, Source, Table, seen
from execution.worklists.intake.checking import REFERENCE_JOINED, GoodRow, check
from execution.worklists.intake.heads import NONE, Column
from execution.worklists.intake.preview import Choices, preview
from sentences.said import say, worded
from workflows.graph import GraphSpec

AT_ONCE = 1000  # rows that are written, or asked about, in one statement
MOST_ROWS = 100_000
MOST_NAMED = 100  # refused rows that an answer names


@dataclass(frozen=True, slots=True, kw_only=True)
class NewRow:
    """A row that is to come in; without a reference its key columns make one, or else its number.

    `data` is what people see, by column. `variables` are those that a run takes in another form, such as a date that
    the column shows as 28/11/2026; the others are taken from their columns.
    """

    data: Mapping[str, str]
    variables: Mapping[str, str] = field(default_factory=dict)
    reference: str = ""
    priority: int = 0
    not_before: datetime | None = None
    due: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Added:
    """What came of rows that were to come in: numbers by reference, and what was refused and why.

    `known` are references that the list had already: the same call, asked again, adds nothing.
    """

    numbers: Mapping[str, int] = field(default_factory=dict)
    known: Mapping[str, int] = field(default_factory=dict)
    refused: Sequence[Mapping[str, Any]] = ()


def variables_of(mapping: Mapping[str, str], data: Mapping[str, Any]) -> dict[str, str]:
    """The run's variables, of a row's columns."""
    return {name: str(data[column]) for name, column in mapping.items() if data.get(column) not in (None, "")}


def check_mapping(graph: GraphSpec, mapping: Mapping[str, str], columns: Sequence[str]) -> None:
    """Raises BadWorklist where a column is given to no variable, to a secret one, or is none of the list."""
    asked, secret = {v.name: v for v in graph.asked}, secret_names(graph.variables)
    for name, column in mapping.items():
        if name not in asked:
            raise BadWorklist(_("The workflow has no variable “%(name)s”.") % {"name": name})
        if name in secret:
            raise BadWorklist(
                _("“%(name)s” is secret: no list holds it. Save it in the vault.") % {"name": asked[name].label or name}
            )
        if column not in columns:
            raise BadWorklist(_("The list has no column “%(name)s”.") % {"name": column})


def add_rows(worklist: Worklist, rows: Iterable[NewRow], *, atomic: bool = True) -> Added:
    """Check all rows as those of a file, then keep them; `atomic`: none where one is bad. Raises BadRows, BadWorklist.

    A reference that the list has is not added again and is no fault. Call it within the action that records it.
    """
    given = list(rows)
    if len(given) > MOST_ROWS:
        raise BadWorklist(_("At most %(n)d rows come in at once.") % {"n": MOST_ROWS})
    good, refused = _checked(worklist, given)
    if refused and atomic:
        raise BadRows(words_of_bad(len({row["row"] for row in refused})), refused[:MOST_NAMED])
    return replace(keep_rows(worklist, good), refused=refused)


def words_of_bad(n: int) -> str:
    return ngettext("%(n)d row is not as it must be.", "%(n)d rows are not as they must be.", n) % {"n": n}


def _checked(worklist: Worklist, given: Sequence[NewRow]) -> tuple[list[NewRow], list[dict[str, Any]]]:
    """The good rows with the values that their runs get, and what is bad, a cell each."""
    slots = _slots(worklist)
    references = {place: _reference(worklist, row) for place, row in enumerate(given, 1)}
    unknown = {place: name for place, row in enumerate(given, 1) if (name := _unknown_column(worklist, row))}
    table = Table(
        source=Source(kind="rows"),
        rows=[
            Row(place, (*(seen(str(row.data.get(column, ""))) for column, _variable in slots), references[place]))
            for place, row in enumerate(given, 1)
            if place not in unknown
        ],
    )
    graph = worklist.at_version().spec()
    mapping = {index: variable for index, (_column, variable) in enumerate(slots) if variable}
    found = preview(table, graph.asked, Choices(head=NONE, mapping=mapping, keys=(len(slots),))).plan
    heads = (*(column for column, _variable in slots), _("Reference"))
    columns = tuple(Column(index=index, head=head) for index, head in enumerate(heads))
    checked = check(table, replace(found, columns=columns, needs_reference=bool(worklist.keys)), graph)
    if checked.refused:
        raise BadWorklist(worded(checked.refused[0]))
    good = [_ready(worklist, given[row.number - 1], row) for row in checked.rows]
    refused = [
        *(_bad(n, references[n], name, "", say("intake.no_such_column", name=name)) for n, name in unknown.items()),
        *(_bad(cell.row, references[cell.row], cell.head, cell.value, cell.reason) for cell in checked.bad),
        *(_bad(row.number, "", "", "", say("intake.empty_row")) for row in table.rows if row.is_blank),
    ]  # fmt: skip
    return good, sorted(refused, key=lambda bad: bad["row"])


def _slots(worklist: Worklist) -> list[tuple[str, str]]:
    """Each column of the list with its variable; twice where two variables are taken from it."""
    taken: dict[str, list[str]] = {}
    for variable, column in worklist.mapping.items():
        taken.setdefault(column, []).append(variable)
    return [(column, variable) for column in worklist.columns for variable in taken.get(column, [""])]


def _ready(worklist: Worklist, given: NewRow, row: GoodRow) -> NewRow:
    variables = {**otherwise(row.values, variables_of(worklist.mapping, given.data)), **given.variables}
    return replace(given, reference=row.reference, variables=variables)


def otherwise(values: Mapping[str, str], shown: Mapping[str, str]) -> dict[str, str]:
    """The values that a run takes in another form than its columns show."""
    return {name: value for name, value in values.items() if value and value != shown.get(name)}


def _bad(place: int, reference: str, column: str, value: str, reason: str) -> dict[str, Any]:
    return {"row": place, "reference": reference, "column": column, "value": value, "reason": worded(reason)}


def _unknown_column(worklist: Worklist, row: NewRow) -> str:
    return next((name for name in row.data if name not in worklist.columns), "")


def _reference(worklist: Worklist, row: NewRow) -> str:
    if row.reference.strip():
        return row.reference.strip()
    return REFERENCE_JOINED.join(str(row.data.get(column, "")).strip() for column in worklist.keys).strip(
        REFERENCE_JOINED
    )


def keep_rows(worklist: Worklist, rows: Sequence[NewRow]) -> Added:
    """Keep rows that were checked, all of them at once; those whose reference the list has are not added again."""
    with transaction.atomic():
        numbers, known = _keep(worklist, [(row.reference, row) for row in rows])
    return Added(numbers=numbers, known=known)


def _keep(worklist: Worklist, rows: Sequence[tuple[str, NewRow]]) -> tuple[dict[str, int], dict[str, int]]:
    """Numbered after one another; numbers are taken first, so that who adds at the same moment comes after."""
    Worklist.objects.filter(pk=worklist.pk).update(next_number=F("next_number"))  # from here on nobody else adds
    worklist.refresh_from_db()
    known = _known(worklist, [reference for reference, _row in rows if reference])
    fresh = [(reference, row) for reference, row in rows if reference not in known]
    first = worklist.next_number
    items = [
        WorkItem(
            worklist=worklist,
            number=number,
            reference=reference or f"#{number}",
            data=dict(row.data),
            variables=dict(row.variables),
            priority=row.priority,
            not_before=row.not_before,
            due=row.due or NEVER_DUE,
        )
        for number, (reference, row) in enumerate(fresh, first)
    ]
    if not items:
        return {}, known
    WorkItem.objects.bulk_create(items, batch_size=AT_ONCE)
    Worklist.objects.filter(pk=worklist.pk).update(next_number=first + len(items))
    worklist.next_number = first + len(items)
    worklist.tell(WorklistEventKind.ADDED, {"n": len(items), "first": first, "last": first + len(items) - 1})
    if worklist.state == WorklistState.FINISHED:  # there is something to do again, once somebody starts it
        worklist.move(WorklistState.READY, among=[WorklistState.FINISHED], ended_at=None)
    return {item.reference: item.number for item in items}, known


def _known(worklist: Worklist, references: Sequence[str]) -> dict[str, int]:
    found: dict[str, int] = {}
    for begin in range(0, len(references), AT_ONCE):
        some = worklist.items.filter(reference__in=references[begin : begin + AT_ONCE])
        found.update(some.values_list("reference", "number"))
    return found
