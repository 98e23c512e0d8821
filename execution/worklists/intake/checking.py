"""Every cell checked before any row is kept: what is bad is named with its row, column, value and reason."""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, time
from unicodedata import category

from execution.worklists.intake.cells import Cell, Row, Table
from execution.worklists.intake.dates import Order, read_date
from execution.worklists.intake.heads import Column, below
from sentences.said import say
from workflows.choices import VariableKind
from workflows.graph import GraphSpec, VariableSpec
from workflows.secret_names import holds_secret, is_secret
from workflows.values import as_taken, is_missing, value_problem

LONGEST_REFERENCE = 200
REFERENCE_JOINED = " · "
_JOINERS = "\u200c\u200d"  # letters of some scripts stand joined or apart by these: they are no slip
_GROUPED = re.compile(r"[-+]?\d{1,3}(?:[ \u00a0\u202f]\d{3})+(?:[.,]\d+)?")
_BOTH_SIGNS = re.compile(r"[-+]?(?:\d{1,3}(?:,\d{3})+\.\d+|\d{1,3}(?:\.\d{3})+,\d+)")
_GAPS = re.compile(r"[ \u00a0\u202f]")
_SHOWS_TIME = re.compile(r"\d\s?[:h]\s?\d")
_STEP = 1000  # rows between two reports of progress


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What a person confirmed: `mapping` are columns (from 0) with their variables, `orders` those of day and month,
    `keys` the columns whose cells together are the row's reference, which may be left out unless `needs_reference`,
    `with_hidden` that hidden rows come in too."""

    head: int
    columns: tuple[Column, ...]
    mapping: Mapping[int, str]
    keys: tuple[int, ...] = ()
    orders: Mapping[int, Order] = field(default_factory=dict)
    with_hidden: bool = False
    needs_reference: bool = True

    @property
    def column_of(self) -> dict[str, str]:
        """The variables with the names of their columns."""
        names = {column.index: column.name for column in self.columns}
        return {variable: names[index] for index, variable in self.mapping.items()}

    def data_of(self, row: GoodRow) -> dict[str, str]:
        """The row's values by the names of their columns, as a list keeps them."""
        return {column: row.values[variable] for variable, column in self.column_of.items()}


@dataclass(frozen=True, slots=True, kw_only=True)
class GoodRow:
    """`number` is the row's in the file; `values` are those of variables, as a run is started with them."""

    number: int
    reference: str
    values: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class BadCell:
    """`column` is its letter, `head` the text above it, `reason` a sentence."""

    row: int
    column: str
    head: str
    value: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """`refused` says why no row at all may come in; `rows` are the good ones, `bad` the cells of the others."""

    rows: Sequence[GoodRow] = ()
    bad: Sequence[BadCell] = ()
    refused: Sequence[str] = ()
    count: int = 0

    @property
    def bad_rows(self) -> frozenset[int]:
        return frozenset(cell.row for cell in self.bad)


def check(
    table: Table,
    plan: Plan,
    graph: GraphSpec,
    *,
    in_list: Container[str] = (),
    on_progress: Callable[[int], None] = lambda count: None,
) -> Checked:
    """All rows of the table by the plan; `in_list` are references that the list has already.

    `on_progress` is told from time to time how many rows were checked; what it raises ends the work.
    """
    variables = {variable.name: variable for variable in graph.asked}
    if refused := list(_refusals(plan, variables)):
        return Checked(refused=refused)
    check_row = _Checker(table, plan, variables, graph.counting_variables, in_list).check
    rows = below(table, plan.head, hidden=plan.with_hidden)
    good: list[GoodRow] = []
    bad: list[BadCell] = []
    for done, row in enumerate(rows):
        if done % _STEP == 0:
            on_progress(done)
        found = check_row(row)
        if isinstance(found, GoodRow):
            good.append(found)
        else:
            bad += found
    on_progress(len(rows))
    return Checked(rows=good, bad=bad, count=len(rows))


def _refusals(plan: Plan, variables: Mapping[str, VariableSpec]) -> Iterable[str]:
    """Why the mapping itself cannot be."""
    chosen = list(plan.mapping.values())
    for name in dict.fromkeys(chosen):
        if name not in variables:
            yield say("intake.unknown_variable", name=name)
        elif holds_secret(variables[name]):
            yield say("intake.secret_column", name=variables[name].label or name)
        elif chosen.count(name) > 1:
            yield say("intake.mapped_twice", name=variables[name].label or name)
    for variable in variables.values():
        if variable.name not in chosen and not holds_secret(variable) and is_missing(variable, variable.default):
            yield say("intake.variable_without_column", name=variable.label or variable.name)
    for column in plan.columns:
        if column.index in {*plan.mapping, *plan.keys} and is_secret(column.head):
            yield say("intake.secret_column", name=column.head)
    known = {column.index for column in plan.columns}
    if unknown := sorted({*plan.mapping, *plan.keys} - known):
        yield say("intake.unknown_column", n=unknown[0] + 1)


class _Checker:
    def __init__(
        self,
        table: Table,
        plan: Plan,
        variables: Mapping[str, VariableSpec],
        counting: frozenset[str],
        in_list: Container[str],
    ) -> None:
        self.table, self.plan, self.in_list, self.counting = table, plan, in_list, counting
        self.columns = {column.index: column for column in plan.columns}
        self.variables = [(index, variables[name]) for index, name in sorted(plan.mapping.items())]
        self.used = sorted({*plan.mapping, *plan.keys})
        self.first_of: dict[str, int] = {}  # the row that has a reference
        self.known_good: dict[tuple[int, str], str] = {}  # what plain texts of a column become: most are there often

    def check(self, row: Row) -> GoodRow | list[BadCell]:
        bad: dict[int, str] = {}
        values: dict[str, str] = {}
        for index in self.used:
            if problem := self._cell_problem(row, index):
                bad[index] = problem
        for index, variable in self.variables:
            if index not in bad:
                value, problem = self._value(index, variable, row.at(index))
                values[variable.name] = value
                if problem:
                    bad[index] = problem
        reference = self._reference(row, bad)
        if not bad:
            return GoodRow(number=row.number, reference=reference, values=values)
        return [
            BadCell(
                row=row.number,
                column=self.columns[index].letter,
                head=self.columns[index].head,
                value=str(row.at(index)),
                reason=reason,
            )
            for index, reason in sorted(bad.items())
        ]

    def _cell_problem(self, row: Row, index: int) -> str:
        """Why a cell says nothing that could be read, whatever variable it is for."""
        cell = row.at(index)
        if isinstance(cell, Cell) and cell.problem:
            return cell.problem
        if not cell and self.table.merged and (whole := self.table.merged.get((row.number, index))):
            return say("intake.merged", cell=whole)
        if cell.isascii():
            return ""
        unseen = next((letter for letter in cell if category(letter) == "Cf" and letter not in _JOINERS), "")
        return say("intake.unseen_character", character=f"U+{ord(unseen):04X}") if unseen else ""

    def _value(self, index: int, variable: VariableSpec, cell: str) -> tuple[str, str]:
        """The value that the variable gets, and why it does not take it."""
        if not isinstance(cell, Cell) and (index, cell) in self.known_good:
            return self.known_good[index, cell], ""
        value, problem = self._read(index, variable, cell)
        if not problem and is_missing(variable, value or variable.default):
            problem = say("intake.missing")
        if not problem and value:
            problem = value_problem(variable, value, self.counting)
        if not problem and not isinstance(cell, Cell) and len(self.known_good) < 100_000:
            self.known_good[index, cell] = value
        return value, problem

    def _read(self, index: int, variable: VariableSpec, cell: str) -> tuple[str, str]:
        """The cell as its variable's kind is written."""
        if not cell:
            return "", ""
        if variable.kind == VariableKind.DATE:
            day = _day(cell, self.plan.orders.get(index))
            return (day.isoformat(), "") if isinstance(day, date) else ("", day)
        if variable.kind == VariableKind.NUMBER:
            return as_taken(variable, _number(cell)), ""
        return as_taken(variable, str(cell)), ""

    def _reference(self, row: Row, bad: dict[int, str]) -> str:
        """What tells the row from all others; why it does not goes to `bad`."""
        keys = self.plan.keys
        if not keys or any(index in bad for index in keys):
            return ""
        if not self.plan.needs_reference and not any(row.at(index) for index in keys):
            return ""
        for index in keys:
            if not row.at(index):
                bad[index] = say("intake.reference_missing")
        if any(index in bad for index in keys):
            return ""
        reference = REFERENCE_JOINED.join(str(row.at(index)) for index in keys)
        if len(reference) > LONGEST_REFERENCE:
            bad[keys[0]] = say("intake.reference_too_long", most=LONGEST_REFERENCE)
        elif reference in self.in_list:
            bad[keys[0]] = say("intake.reference_in_list", reference=reference)
        elif (first := self.first_of.setdefault(reference, row.number)) != row.number:
            bad[keys[0]] = say("intake.reference_twice", reference=reference, row=first)
        return reference


def _day(cell: str, order: Order | None) -> date | str:
    """The day in a cell, or why there is none."""
    if not isinstance(cell, Cell) or cell.moment is None:
        return read_date(cell, order)
    if cell.moment.time() != time.min and _SHOWS_TIME.search(cell):
        return say("intake.date_with_time", text=str(cell))
    return cell.moment.date()


def _number(cell: str) -> str:
    """A number without what only orders its digits; what can be read in two ways stays as it stands."""
    if isinstance(cell, Cell) and cell.plain:
        return cell.plain
    if _GROUPED.fullmatch(cell):
        return _GAPS.sub("", cell)
    if _BOTH_SIGNS.fullmatch(cell):
        return cell.replace("," if cell.rindex(".") > cell.rindex(",") else ".", "")
    return cell
