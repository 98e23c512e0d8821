"""A file as it was understood: each choice shown and changeable, each open question asked, before anything comes in."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from execution.language.days import day_said
from execution.worklists.intake import delimited
from execution.worklists.intake.cells import Cell, Row, Source, Table, Unreadable
from execution.worklists.intake.checking import Plan
from execution.worklists.intake.dates import Found, Order, find_order, read_date
from execution.worklists.intake.encodings import text_of
from execution.worklists.intake.habits import ENGLISH, Habits
from execution.worklists.intake.heads import Column, below, columns, head_row
from sentences.said import listed, say
from workflows.choices import VariableKind
from workflows.graph import VariableSpec
from workflows.secret import HIDDEN
from workflows.secret_names import holds_secret, is_secret

SHOWN_ROWS = 20

_WORKBOOKS = (b"PK\x03\x04", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1")  # how files of Excel begin, new and old


class About(StrEnum):
    """What a question is about."""

    ENCODING = "encoding"
    DATE_ORDER = "date_order"
    HIDDEN_ROWS = "hidden_rows"
    FORMAT = "format"
    WITHOUT_HEAD = "without_head"


@dataclass(frozen=True, slots=True, kw_only=True)
class Choices:
    """What a person said of the file; what is left out is found. `head` is the number of a row, 0 for none; `confirmed`
    are the questions that they have seen and leave as they are, by `Question.key`."""

    encoding: str = ""
    delimiter: str = ""
    sheet: str = ""
    head: int | None = None
    mapping: Mapping[int, str] | None = None
    keys: tuple[int, ...] = ()
    orders: Mapping[int, Order] = field(default_factory=dict)
    with_hidden: bool | None = None
    confirmed: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What the file leaves open: with nobody there to answer, it is refused."""

    about: About
    said: str
    column: int | None = None

    @property
    def key(self) -> str:
        return self.about if self.column is None else f"{self.about}:{self.column}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Preview:
    """`notes` say how something was read, `questions` what stays open; `plan` is what `checking` takes, once it is
    confirmed. `rows` are the first ones, `count` is of all."""

    source: Source
    plan: Plan
    rows: Sequence[Row]
    count: int
    notes: tuple[str, ...]
    questions: tuple[Question, ...]


def read(data: bytes, choices: Choices | None = None, *, habits: Habits = ENGLISH) -> Table:
    """The table in a file or in pasted text. Raises Unreadable.

    `habits` are those of the machine on which people see the file: a workbook does not say how decimals look.
    """
    choices = choices or Choices()
    if not data.strip(b" \t\r\n\0\xef\xbb\xbf\xff\xfe"):
        raise Unreadable(say("intake.empty"))
    if data.startswith(_WORKBOOKS):
        from execution.worklists.intake import workbook  # brings openpyxl, which a run loop never needs

        return workbook.table_of(data, habits, choices.sheet)
    return delimited.table_of(text_of(data, choices.encoding), choices.delimiter)


def preview(
    table: Table,
    variables: Sequence[VariableSpec],
    choices: Choices | None = None,
    *,
    remembered: Mapping[str, str] | None = None,
) -> Preview:
    """How the table is understood for these variables; `remembered` are heads with theirs from an earlier file."""
    choices = choices or Choices()
    head = head_row(table) if choices.head is None else choices.head
    found = columns(table, head)
    mapping = proposed(found, variables, remembered) if choices.mapping is None else choices.mapping
    rows = below(table, head, hidden=bool(choices.with_hidden))
    kinds = {variable.name: variable.kind for variable in variables}
    dates = {
        index: find_order(_cells(rows, index))
        for index, name in mapping.items()
        if kinds.get(name) == VariableKind.DATE
    }
    orders = {index: order for index, one in dates.items() if (order := choices.orders.get(index, one.order))}
    secret = [column for column in found if is_secret(column.head)]
    questions = [
        *_of_source(table.source, choices),
        *_of_hidden_rows(table, head, choices),
        *_of_columns(table, found, mapping, kinds, rows),
        *_of_dates(found, dates, choices),
    ]
    return Preview(
        source=table.source,
        plan=Plan(
            head=head,
            columns=found,
            mapping=mapping,
            keys=choices.keys,
            orders=orders,
            with_hidden=bool(choices.with_hidden),
        ),
        rows=_shown(rows[:SHOWN_ROWS], secret),
        count=len(rows),
        notes=(*_date_notes(found, dates, orders), *_hidden_columns(found), *_secret_columns(secret)),
        questions=tuple(question for question in questions if question.key not in choices.confirmed),
    )


def _cells(rows: Iterable[Row], index: int) -> Iterable[tuple[int, str]]:
    return ((row.number, cell) for row in rows if (cell := row.at(index)))


# --- what stays open -------------------------------------------------------------------------------------------
def _of_source(source: Source, choices: Choices) -> Iterable[Question]:
    if source.kind == "text" and not source.is_encoding_sure and not choices.encoding:
        yield Question(about=About.ENCODING, said=say("intake.ask_encoding", encoding=source.encoding))


def _of_hidden_rows(table: Table, head: int, choices: Choices) -> Iterable[Question]:
    hidden = [row.number for row in table.rows if row.number in table.hidden_rows and row.number > head]
    if hidden and choices.with_hidden is None:
        yield Question(about=About.HIDDEN_ROWS, said=say("intake.ask_hidden_rows", n=len(hidden), row=hidden[0]))


def _of_columns(
    table: Table, found: Sequence[Column], mapping: Mapping[int, str], kinds: Mapping[str, str], rows: Sequence[Row]
) -> Iterable[Question]:
    for column in found:
        if not column.head and column.index not in mapping and any(one.head for one in found):
            yield Question(
                about=About.WITHOUT_HEAD,
                said=say("intake.ask_column_without_head", column=column.letter),
                column=column.index,
            )
        if column.index in mapping and kinds.get(mapping[column.index]) != VariableKind.DATE:
            yield from _of_formats(column, rows)


def _of_formats(column: Column, rows: Sequence[Row]) -> Iterable[Question]:
    for number, cell in _cells(rows, column.index):
        if isinstance(cell, Cell) and cell.unfollowed:
            said = say("intake.ask_format", column=named(column), row=number, format=cell.unfollowed, text=str(cell))
            yield Question(about=About.FORMAT, said=said, column=column.index)
            return


def _of_dates(found: Sequence[Column], dates: Mapping[int, Found], choices: Choices) -> Iterable[Question]:
    for column in found:
        one = dates.get(column.index)
        if one is None or one.order or not one.is_needed or not one.example or column.index in choices.orders:
            continue
        row, text = one.example
        if one.against:
            other_row, other = one.against
            said = say(
                "intake.dates_contradict", column=named(column), row=row, text=text, other_row=other_row, other=other
            )
        else:
            said = say(
                "intake.ask_order", column=named(column), row=row, text=text, day_first=_read(text, Order.DAY_FIRST),
                month_first=_read(text, Order.MONTH_FIRST),
            )  # fmt: skip
        yield Question(about=About.DATE_ORDER, said=said, column=column.index)


# --- what is told ------------------------------------------------------------------------------------------------
def _date_notes(found: Sequence[Column], dates: Mapping[int, Found], orders: Mapping[int, Order]) -> Iterable[str]:
    for column in found:
        one, order = dates.get(column.index), orders.get(column.index)
        if one and order and one.example:
            row, text = one.example
            yield say("intake.date_read_as", column=named(column), row=row, text=text, day=_read(text, order))


def _hidden_columns(found: Sequence[Column]) -> Iterable[str]:
    hidden = [column.letter for column in found if column.is_hidden]
    if hidden:
        yield say("intake.hidden_columns", columns=", ".join(hidden))


def _secret_columns(secret: Sequence[Column]) -> Iterable[str]:
    if secret:
        yield say("intake.secret_columns", columns=listed(named(column) for column in secret))


def _shown(rows: Sequence[Row], secret: Sequence[Column]) -> list[Row]:
    """The rows without what looks like a secret: nobody needs to see it to choose columns."""
    places = {column.index for column in secret}
    if not places:
        return list(rows)
    return [
        Row(row.number, [HIDDEN if cell and at in places else cell for at, cell in enumerate(row.cells)])
        for row in rows
    ]


def _read(text: str, order: Order) -> str:
    day = read_date(text, order)
    return day if isinstance(day, str) else day_said(day)


def named(column: Column) -> str:
    """A column as people find it: its head, and its letter where that is none or another column's too."""
    if not column.head:
        return say("intake.column", letter=column.letter)
    if column.is_repeated:
        return say("intake.repeated_column", head=column.head, letter=column.letter)
    return say("value.quoted", text=column.head)


# --- which column is which variable: proposed by their names, chosen by a person ------------------------------------
_SEAM = re.compile(r"(?<=[a-z])(?=[A-Z])|[\W_]+")
_SMALL = frozenset({"a", "an", "d", "de", "des", "du", "l", "la", "le", "les", "no", "of", "the"})


def proposed(
    columns: Sequence[Column], variables: Sequence[VariableSpec], remembered: Mapping[str, str] | None = None
) -> dict[int, str]:
    """The variable of each column that has one, by the column's index.

    `remembered` are heads with their variables from an earlier file. Otherwise the names are the same, or all words of
    one are in the other; where two would fit, none is proposed. A secret is never a column (S12.4), and what is hidden
    or there twice is for a person to choose.
    """
    open_columns = [column for column in columns if column.head and not column.is_hidden and not column.is_repeated]
    takes = {variable.name: variable for variable in variables if not holds_secret(variable)}
    found: dict[int, str] = {}
    for column in open_columns:
        name = (remembered or {}).get(column.head, "")
        if name in takes and name not in found.values():
            found[column.index] = name
    for same in (_is_same, _is_within):
        left = [column for column in open_columns if column.index not in found]
        free = [variable for variable in takes.values() if variable.name not in found.values()]
        fits = [(column, variable) for column in left for variable in free if same(column.head, variable)]
        for column, variable in fits:
            if sum(one is column or other is variable for one, other in fits) == 1:
                found[column.index] = variable.name
    return found


def _words(text: str) -> tuple[str, ...]:
    plain = unicodedata.normalize("NFKD", _SEAM.sub(" ", text).casefold())
    return tuple("".join(letter for letter in plain if not unicodedata.combining(letter)).split())


def _is_same(head: str, variable: VariableSpec) -> bool:
    words = _words(head)
    return bool(words) and words in (_words(variable.name), _words(variable.label))


def _is_within(head: str, variable: VariableSpec) -> bool:
    """All words of one name, small ones aside, are in the other."""
    words = frozenset(_words(head)) - _SMALL
    for name in (variable.name, variable.label):
        others = frozenset(_words(name)) - _SMALL
        if words and others and (words <= others or others <= words):
            return True
    return False
