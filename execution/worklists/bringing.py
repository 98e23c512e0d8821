"""A file as rows of a list: how it is understood, what is bad, what comes in once a person said yes (S12.3)."""

from __future__ import annotations

import hashlib
from collections.abc import Container, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from django.utils.translation import get_language

from execution.models import Worklist
from execution.worklists.adding import MOST_ROWS, NewRow, otherwise
from execution.worklists.intake.cells import Table
from execution.worklists.intake.checking import Checked, Plan, check
from execution.worklists.intake.habits import habits_of
from execution.worklists.intake.preview import Choices, Preview, preview, read
from sentences.said import say


@dataclass(frozen=True, kw_only=True)
class Looked:
    """A file that was looked at for a list; nothing of it is kept.

    `columns` are those that its rows fill, by the index in the file; `grown` are variables with a column that the list
    does not give them yet.
    """

    table: Table
    preview: Preview
    plan: Plan
    checked: Checked
    columns: Mapping[int, str]
    grown: Mapping[str, str]
    digest: str

    @property
    def may_come_in(self) -> bool:
        """True if there are good rows and nothing is left open."""
        return bool(self.checked.rows) and not self.checked.refused and not self.preview.questions

    @cached_property
    def agreed(self) -> str:
        """What a person says yes to: this file, understood so, with these rows."""
        plan, good = self.plan, [row.number for row in self.checked.rows]
        columns = [sorted(one.items()) for one in (plan.mapping, plan.orders, self.columns)]
        told = (self.digest, self.table.source, plan.head, columns, plan.keys, plan.with_hidden, good)
        return hashlib.sha256(repr(told).encode()).hexdigest()

    def new_rows(self) -> list[NewRow]:
        """The good rows as the list keeps them: what people see, and what runs take in another form."""
        rows = {row.number: row for row in self.table.rows}
        column_of = {variable: self.columns[index] for index, variable in self.plan.mapping.items()}
        told = []
        for good in self.checked.rows:
            data = {column: str(rows[good.number].at(index)) for index, column in self.columns.items()}
            shown = {variable: data[column] for variable, column in column_of.items()}
            told.append(NewRow(data=data, variables=otherwise(good.values, shown), reference=good.reference))
        return told


def look_at(worklist: Worklist, data: bytes, choices: Choices, *, in_list: Container[str] = ()) -> Looked:
    """How the file is understood and what of it is bad. Raises Unreadable and NotPublished.

    `in_list` are references that count as bad, as the list has them already.
    """
    graph = worklist.at_version().spec()
    table = read(data, choices, habits=habits_of(get_language() or ""))
    found = preview(table, graph.asked, choices, remembered={c: v for v, c in worklist.mapping.items()})
    columns, grown = _filled(worklist, found.plan)
    places = {column: index for index, column in columns.items()}
    plan = replace(found.plan, keys=tuple(places[key] for key in worklist.keys if key in places))
    refused = [say("intake.key_missing", name=key) for key in worklist.keys if key not in places]
    if found.count > MOST_ROWS:
        refused.append(say("intake.too_many_rows", n=found.count, most=MOST_ROWS))
    checked = check(table, plan, graph, in_list=in_list) if not refused else Checked(refused=refused, count=found.count)
    return Looked(
        table=table,
        preview=found,
        plan=plan,
        checked=checked,
        columns=columns,
        grown=grown,
        digest=hashlib.sha256(data).hexdigest(),
    )


def _filled(worklist: Worklist, plan: Plan) -> tuple[dict[int, str], dict[str, str]]:
    """The list's column that each one of the file fills, and the variables that get a column only now.

    A column that no variable was chosen for fills the one of its name, unless that one gives a variable.
    """
    filled: dict[int, str] = {}
    grown: dict[str, str] = {}
    given = set(worklist.mapping.values())
    for index, variable in plan.mapping.items():
        column = worklist.mapping.get(variable)
        if column is None:
            column = grown[variable] = _free_name(plan.column_of[variable], {*filled.values(), *given, *grown.values()})
        filled[index] = column
    for one in plan.columns:
        if one.index not in filled and one.head in worklist.columns and one.head not in {*filled.values(), *given}:
            filled[one.index] = one.head
    return filled, grown


def _free_name(name: str, taken: Container[str]) -> str:
    unique, number = name, 1
    while unique in taken:
        number += 1
        unique = f"{name} {number}"
    return unique


def references_of(worklist: Worklist) -> frozenset[str]:
    """Those that the list has already."""
    return frozenset(worklist.items.values_list("reference", flat=True).iterator())


def grow(worklist: Worklist, grown: Mapping[str, str]) -> None:
    """Give the list columns for variables that had none; inside the transaction of the rows that fill them."""
    if not grown:
        return
    worklist = Worklist.objects.select_for_update().get(pk=worklist.pk)
    worklist.columns += [column for column in grown.values() if column not in worklist.columns]
    worklist.mapping = {**grown, **worklist.mapping}
    worklist.save(update_fields=["columns", "mapping"])
