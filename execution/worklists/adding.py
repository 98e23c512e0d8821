"""Rows of a list: what a run is given of them, and how they come in, each once by its reference (S12.3, S12.4)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import F
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from execution.actions.start import check_variables
from execution.exceptions import BadRows, BadVariable, BadWorklist, MissingVariable
from execution.models import WorkItem, Worklist
from execution.models.worklist import NEVER_DUE, WorklistEventKind, WorklistState
from execution.record.secret_values import secret_names
from workflows.graph import GraphSpec

AT_ONCE = 1000  # rows that are written, or asked about, in one statement
LONGEST_REFERENCE = 200
MOST_ROWS = 100_000
MOST_NAMED = 100  # refused rows that an answer names
_JOINT = " · "


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
    """Check all rows, then keep them; `atomic`: none where one of them is bad. Raises BadRows and BadWorklist.

    A reference that the list has is not added again and is no fault. Call it within the action that records it.
    """
    given = list(rows)
    if len(given) > MOST_ROWS:
        raise BadWorklist(_("At most %(n)d rows come in at once.") % {"n": MOST_ROWS})
    graph = worklist.at_version().spec()
    good, refused = _checked(worklist, graph, given)
    if refused and atomic:
        words = ngettext("%(n)d row is not as it must be.", "%(n)d rows are not as they must be.", len(refused))
        raise BadRows(words % {"n": len(refused)}, refused[:MOST_NAMED])
    with transaction.atomic():
        numbers, known = _keep(worklist, good)
    return Added(numbers=numbers, known=known, refused=refused)


def _checked(
    worklist: Worklist, graph: GraphSpec, rows: Sequence[NewRow]
) -> tuple[list[tuple[str, NewRow]], list[dict[str, Any]]]:
    good: list[tuple[str, NewRow]] = []
    refused: list[dict[str, Any]] = []
    seen: dict[str, int] = {}
    for place, row in enumerate(rows, 1):
        reference = _reference(worklist, row)
        problem = _problem(worklist, graph, row)
        if not problem and len(reference) > LONGEST_REFERENCE:
            problem = _("Its reference is longer than %(n)d characters.") % {"n": LONGEST_REFERENCE}
        if not problem and reference and reference in seen:
            problem = _("It has the reference of row %(n)d.") % {"n": seen[reference]}
        if problem:
            refused.append({"row": place, "reference": reference, "reason": problem})
            continue
        seen[reference] = place
        good.append((reference, row))
    return good, refused


def _problem(worklist: Worklist, graph: GraphSpec, row: NewRow) -> str:
    if unknown := [name for name in row.data if name not in worklist.columns]:
        return _("The list has no column “%(name)s”.") % {"name": unknown[0]}
    try:
        check_variables(graph, {**variables_of(worklist.mapping, row.data), **row.variables})
    except (MissingVariable, BadVariable) as error:
        return str(error)
    return ""


def _reference(worklist: Worklist, row: NewRow) -> str:
    if row.reference.strip():
        return row.reference.strip()
    return _JOINT.join(str(row.data.get(column, "")).strip() for column in worklist.keys).strip(_JOINT)


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
