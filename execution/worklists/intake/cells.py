"""A table as a person sees it: rows of cells, each the text that stands in it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import NamedTuple

from workflows.exceptions import DomainError

UNSEEN = " \t\r\n\v\f\u00a0\u2007\u202f\u200b\ufeff"  # around a text nobody sees these


class Unreadable(DomainError):
    """The file is refused as a whole; the message says why and what helps."""

    status_code = 422
    code = "unreadable_file"


class Cell(str):
    """The text that a cell shows, with what its file knows besides.

    `moment` is the date that it holds, `plain` its number without signs that only order it ("1 234,50 €" is 1234,50),
    `unfollowed` a number format that could not be followed, `problem` why it has no value, as a sentence.
    """

    __slots__ = ("moment", "plain", "problem", "unfollowed")

    moment: datetime | None
    plain: str
    problem: str
    unfollowed: str

    def __new__(
        cls, text: str, *, moment: datetime | None = None, plain: str = "", unfollowed: str = "", problem: str = ""
    ) -> Cell:
        self = super().__new__(cls, text)
        self.moment, self.plain, self.unfollowed, self.problem = moment, plain, unfollowed, problem
        return self

    def __reduce__(self) -> tuple[type[str], tuple[str]]:
        return str, (str(self),)


class Row(NamedTuple):
    """`number` is the row's in the file, as a spreadsheet counts them."""

    number: int
    cells: Sequence[str]

    def at(self, index: int) -> str:
        return self.cells[index] if index < len(self.cells) else ""

    @property
    def is_blank(self) -> bool:
        return not any(self.cells) and not any(isinstance(cell, Cell) and cell.problem for cell in self.cells)


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """How the file was read: each of these can be chosen otherwise."""

    kind: str  # text or workbook
    encoding: str = ""
    delimiter: str = ""
    sheet: str = ""
    sheets: tuple[str, ...] = ()
    is_encoding_sure: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """`hidden_rows` and `hidden_columns` (from 0) are those that a person does not see, `merged` the cells (row, column
    from 0) that a larger one covers, with its name."""

    source: Source
    rows: Sequence[Row]
    hidden_rows: frozenset[int] = frozenset()
    hidden_columns: frozenset[int] = frozenset()
    merged: Mapping[tuple[int, int], str] = field(default_factory=dict)

    @property
    def width(self) -> int:
        return max((len(row.cells) for row in self.rows), default=0)


def letter(index: int) -> str:
    """The name of a column, counted from 0, in a spreadsheet: A, B, … Z, AA."""
    name, number = "", index + 1
    while number:
        number, left = divmod(number - 1, 26)
        name = chr(ord("A") + left) + name
    return name


def index_of(letters: str) -> int:
    """The other way round. Raises ValueError."""
    number = 0
    for one in letters.strip().upper():
        if not "A" <= one <= "Z":
            raise ValueError(letters)
        number = number * 26 + ord(one) - ord("A") + 1
    if not number:
        raise ValueError(letters)
    return number - 1


def seen(text: str) -> str:
    """The text without what nobody sees around it."""
    return text.strip(UNSEEN)
