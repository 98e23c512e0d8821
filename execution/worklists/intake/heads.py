"""Which row is the head, and the columns under it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice

from execution.worklists.intake.cells import Cell, Row, Table, letter
from execution.worklists.intake.dates import is_date

NONE = 0  # for the number of the head's row: the file has none
_LOOKED_AT = 50  # rows that tell how wide a full row is
_NUMBER = re.compile(r"[-+]?[\d\s.,\u00a0\u202f]*\d[\d\s.,\u00a0\u202f]*\s*[%€$£]?")


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """`index` counts from 0, `head` is the text above it and may be empty or that of another column too."""

    index: int
    head: str
    is_repeated: bool = False
    is_hidden: bool = False

    @property
    def letter(self) -> str:
        return letter(self.index)

    @property
    def name(self) -> str:
        """What no other column of the file is called."""
        if not self.head:
            return self.letter
        return f"{self.head} ({self.letter})" if self.is_repeated else self.head


def head_row(table: Table) -> int:
    """The number of the row that names the columns, NONE where data begin at once.

    Above it may stand a title: it is the first row at least half as full as most are. Numbers and
    dates name nothing.
    """
    rows = [row for row in islice(table.rows, _LOOKED_AT) if not row.is_blank]
    if not rows:
        return NONE
    widths = Counter(_filled(row) for row in rows)
    usual = max(widths.items(), key=lambda item: (item[1], item[0]))[0]
    for row, following in zip(rows, [*rows[1:], rows[-1]], strict=True):
        is_title = 2 * _filled(row) == usual and following.number > row.number + 1
        if 2 * _filled(row) >= usual and not is_title:
            return NONE if len(rows) > 1 and _holds_data(row) else row.number
    return NONE


def columns(table: Table, head: int) -> tuple[Column, ...]:
    """Those that have a head or a cell below it."""
    names: Sequence[str] = next((row.cells for row in table.rows if row.number == head), ())
    names = [name.replace("\n", " ") for name in names]
    used = {index for index, name in enumerate(names) if name}
    for row in table.rows:
        if row.number > head and not used.issuperset(range(len(row.cells))):
            used.update(index for index, cell in enumerate(row.cells) if cell)
    counts = Counter(name.casefold() for name in names if name)
    found = []
    for index in sorted(used):
        name = names[index] if index < len(names) else ""
        found.append(
            Column(
                index=index,
                head=name,
                is_repeated=counts[name.casefold()] > 1,
                is_hidden=index in table.hidden_columns,
            )
        )
    return tuple(found)


def below(table: Table, head: int, *, hidden: bool) -> list[Row]:
    """The rows of data: below the head, without blank ones, and without hidden ones if these are not wanted."""
    return [
        row
        for row in table.rows
        if row.number > head and not row.is_blank and (hidden or row.number not in table.hidden_rows)
    ]


def _filled(row: Row) -> int:
    return sum(bool(cell) for cell in row.cells)


def _holds_data(row: Row) -> bool:
    return any(
        (isinstance(cell, Cell) and cell.moment is not None) or _NUMBER.fullmatch(cell) is not None or is_date(cell)
        for cell in row.cells
        if cell
    )
