"""What came of each row, as files: what came in, what was read, how it ended (S12.11)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from django.utils.translation import gettext

from execution.worklists.tables import MARK, as_csv, as_workbook
from sentences.said import worded

KINDS = {
    "csv": "text/csv; charset=utf-8",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
}
Result = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """The columns of a file of results.

    `columns` are those that came in, `values` the names of what is read, both in their order; `with_lines`: a row may
    have several lines, each one of a repetition. `zone` is that of the times, `state` words a state.
    """

    columns: Sequence[str]
    values: Sequence[str] = ()
    with_lines: bool = False
    zone: str = "UTC"
    state: Callable[[str], str] = str

    def heads(self) -> list[str]:
        """In the active language, each name once."""
        line = [gettext("Line")] if self.with_lines else []
        ends = [gettext("State"), gettext("Reason"), gettext("Attempts"), gettext("Started"), gettext("Ended")]
        names = [gettext("Number"), gettext("Reference"), *self.columns, *line, *self.values, *ends, gettext("Link")]
        return list(_each_once(names))

    def cells(self, result: Result) -> list[Any]:
        """The cells of a result: `number`, `reference`, `data` by column, `line`, `values` by name, `state`, `reason`,
        `attempts`, `started_at`, `ended_at`, `link`; what it lacks stays empty."""
        data, values = result.get("data") or {}, result.get("values") or {}
        line = [result.get("line") or ""] if self.with_lines else []
        return [
            result.get("number"),
            result.get("reference"),
            *(data.get(name) for name in self.columns),
            *line,
            *(values.get(name) for name in self.values),
            self.state(result.get("state") or ""),
            worded(result.get("reason") or ""),
            result.get("attempts"),
            self._moment(result.get("started_at")),
            self._moment(result.get("ended_at")),
            result.get("link"),
        ]

    def _moment(self, at: datetime | None) -> datetime | None:
        """As the clock on the wall shows it: a spreadsheet knows no zones."""
        return at.astimezone(ZoneInfo(self.zone)).replace(tzinfo=None, microsecond=0) if at else None


def _each_once(names: Iterable[str]) -> Iterator[str]:
    """A name that was there already gets a number: a column that came in may be called State."""
    seen: set[str] = set()
    for name in names:
        unique, number = name, 1
        while unique.casefold() in seen:
            number += 1
            unique = f"{name} {number}"
        seen.add(unique.casefold())
        yield unique


def csv_pieces(layout: Layout, results: Iterable[Result]) -> Iterator[str]:
    """The file as CSV, marked as UTF-8 so that a spreadsheet shows its accents."""
    yield MARK
    yield from as_csv(layout.heads(), map(layout.cells, results))


def workbook_pieces(layout: Layout, results: Iterable[Result], *, name: str = "") -> Iterator[bytes]:
    """The file as a workbook; numbers with leading zeros are texts there and stay as they are."""
    yield from as_workbook(layout.heads(), map(layout.cells, results), sheet=_sheet_name(name))


def _sheet_name(name: str) -> str:
    """The name without what no sheet may have in its name."""
    return "".join(letter for letter in name if letter not in "[]:*?/\\").strip(" '")[:31].strip(" '")
