"""Text with a delimiter: CSV, TSV, and what was copied from a spreadsheet."""

from __future__ import annotations

import csv
import io
import re
import sys
from collections import Counter
from collections.abc import Iterator
from itertools import islice
from typing import Literal, NamedTuple

from execution.worklists.intake.cells import UNSEEN, Row, Source, Table, Unreadable, seen
from execution.worklists.intake.encodings import Text
from sentences.said import say

DELIMITERS = ("\t", ";", ",", "|")  # where two divide a text equally well, the first: a comma is often part of a number
ALONE = "none"  # one column
_SAMPLE = 200  # rows that tell the delimiter
_SAID_FIRST = re.compile(r"sep=(.)\r?\n", re.IGNORECASE)  # Excel's own line before the head
_BREAKS = re.compile(r"\r\n?")


class _Way(NamedTuple):
    """A way to read the text: with a delimiter, and with quotation marks as such or as letters."""

    delimiter: str
    quoting: Literal[0, 3]


def table_of(text: Text, delimiter: str = "") -> Table:
    """The rows of a text; without a `delimiter` that is found. Raises Unreadable."""
    body = text.text
    if said := _SAID_FIRST.match(body):
        body, delimiter = body[said.end() :], delimiter or said[1]
    if not body.strip(UNSEEN + "".join(DELIMITERS)):
        raise Unreadable(say("intake.empty"))
    way = _found(body, (delimiter,) if delimiter else (*DELIMITERS, ALONE))
    rows = [Row(number, cells) for number, cells in enumerate(_records(body, way), 1)]
    while rows and rows[-1].is_blank:
        rows.pop()
    source = Source(kind="text", encoding=text.encoding, delimiter=way.delimiter, is_encoding_sure=text.is_sure)
    return Table(source=source, rows=rows)


def _found(body: str, delimiters: tuple[str, ...]) -> _Way:
    """The way that divides most rows into as many cells as each other; quotation marks that never close are letters."""
    ways = [_Way(delimiter, csv.QUOTE_MINIMAL) for delimiter in delimiters]
    best = max(ways, key=lambda way: (_evenness(body, way), -ways.index(way)))
    try:
        for _cells in _records(body, best):
            pass
    except Unreadable:
        plain = best._replace(quoting=csv.QUOTE_NONE)
        if _evenness(body, plain) < 1:
            raise
        return plain
    return best


def _evenness(body: str, way: _Way) -> float:
    """The share of rows with as many cells as most have, 0 where that is one; ALONE is better than nothing."""
    if way.delimiter == ALONE:
        return sys.float_info.min
    widths: Counter[int] = Counter()
    failures = 0
    try:
        for cells in islice(_records(body, way), _SAMPLE):
            widths[len(cells)] += any(cells)
    except Unreadable:
        failures = 1
    width, count = max(widths.items(), key=lambda item: (item[1], item[0]), default=(0, 0))
    return count / (widths.total() + failures) if width > 1 and count else 0


def _records(body: str, way: _Way) -> Iterator[list[str]]:
    """The cells of each row. Raises Unreadable with the row in which a quotation mark goes wrong."""
    if way.delimiter == ALONE:
        yield from ([seen(line)] for line in body.splitlines())
        return
    reader = csv.reader(io.StringIO(body, newline=""), delimiter=way.delimiter, quoting=way.quoting, strict=True)
    number = 0
    try:
        for cells in reader:
            number += 1
            yield [_cell(cell) for cell in cells]
    except csv.Error as error:
        if "field limit" in str(error):
            raise Unreadable(say("intake.cell_too_long", row=number + 1)) from error
        raise Unreadable(say("intake.quotation_mark", row=number + 1)) from error


def _cell(text: str) -> str:
    text = seen(text)
    return _BREAKS.sub("\n", text) if "\r" in text else text
