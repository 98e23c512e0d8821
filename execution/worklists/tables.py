"""Rows as CSV and as a workbook, a piece at a time, and no cell of them a formula (S7.4, S12.11)."""

from __future__ import annotations

import csv
import io
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from typing import Any

import xlsxwriter

FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "|", "%")
MARK = "\ufeff"  # by which a spreadsheet knows UTF-8
_PIECE = 64 * 1024
_LONGEST_CELL = 32_767  # characters that a workbook takes
_WIDTH = 18  # of a column, in characters: a date with its time is seen whole


def safe(value: Any) -> Any:
    """Texts that begin as formulas do get an apostrophe before them; numbers stay numbers."""
    if value is None:
        return ""
    if isinstance(value, str):
        return f"'{value}" if value.startswith(FORMULA) else value
    return value.isoformat() if hasattr(value, "isoformat") else value


def as_csv(names: Sequence[str], rows: Iterable[Sequence[Any]]) -> Iterator[str]:
    """With a head; what a spreadsheet would take for a formula is a text."""
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow([safe(name) for name in names])
    for number, row in enumerate(rows, 1):
        writer.writerow([safe(value) for value in row])
        if number % 200 == 0:
            yield out.getvalue()
            out.seek(0)
            out.truncate()
    yield out.getvalue()


def as_workbook(names: Sequence[str], rows: Iterable[Sequence[Any]], *, sheet: str = "") -> Iterator[bytes]:
    """With a head that stays in sight; texts are texts, whatever they begin with, and moments are dates.

    The file is made on the disk, as a workbook has no end before its last row, and is gone with the last piece.
    """
    with tempfile.TemporaryFile(prefix="surehand-results-") as file:
        with xlsxwriter.Workbook(file, {"constant_memory": True}) as book:
            page = book.add_worksheet(sheet[:31] or None)
            page.freeze_panes(1, 0)
            page.set_column(0, max(0, len(names) - 1), _WIDTH)
            bold, moment = book.add_format({"bold": True}), book.add_format({"num_format": "yyyy-mm-dd hh:mm:ss"})
            for column, name in enumerate(names):
                page.write_string(0, column, str(name)[:_LONGEST_CELL], bold)
            for number, row in enumerate(rows, 1):
                for column, value in enumerate(row):
                    _write(page, number, column, value, moment)
        file.seek(0)
        while piece := file.read(_PIECE):
            yield piece


def _write(page: Any, row: int, column: int, value: Any, moment: Any) -> None:
    if value is None or value == "":
        return
    if isinstance(value, bool):
        page.write_boolean(row, column, value)
    elif isinstance(value, int | float):
        page.write_number(row, column, value)
    elif isinstance(value, datetime):
        page.write_datetime(row, column, value.replace(tzinfo=None), moment)
    else:
        page.write_string(row, column, str(value)[:_LONGEST_CELL])
