"""Workbooks (.xlsx): each cell as its number format shows it, in one pass over the sheet."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any
from xml.etree.ElementTree import Element, ParseError

from openpyxl import load_workbook
from openpyxl.styles.numbers import BUILTIN_FORMATS
from openpyxl.utils import column_index_from_string
from openpyxl.utils.exceptions import InvalidFileException
from openpyxl.worksheet._reader import FORMULA_TAG, WorkSheetParser
from openpyxl.xml.constants import SHEET_MAIN_NS
from openpyxl.xml.functions import fromstring

from execution.worklists.intake.cells import Cell, Row, Source, Table, Unreadable, letter, seen
from execution.worklists.intake.habits import Habits
from execution.worklists.intake.shown import shown, text_shown
from sentences.said import say

OLD = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
MOST_UNPACKED = 1024**3  # bytes: a hundred thousand rows of ten cells are some 60 MB
MOST_COLUMNS = 500
MOST_KEPT = 100_000  # numbers whose looks are remembered: most columns repeat themselves
_ENCRYPTED = "EncryptedPackage".encode("utf-16-le")
_NOT_SUPPORTED_PARTS = {"xl/workbook.bin": "intake.binary_workbook", "mimetype": "intake.other_spreadsheet"}
_WITHOUT_FORM = frozenset({5, 6, 7, 8, 41, 42, 43, 44})  # currencies: which one is the machine's own
_Broken = (zipfile.BadZipFile, InvalidFileException, ParseError, KeyError, ValueError, OSError, IndexError, TypeError)


def table_of(data: bytes, habits: Habits, sheet: str = "") -> Table:
    """The rows of a sheet, the first that shows if none is named. Raises Unreadable."""
    _refuse_others(data)
    try:
        return _read(data, habits, sheet)
    except _Broken as error:
        raise Unreadable(say("intake.damaged_workbook")) from error


def _refuse_others(data: bytes) -> None:
    if data.startswith(OLD):
        raise Unreadable(say("intake.locked_workbook" if _ENCRYPTED in data else "intake.old_workbook"))
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as packed:
            names = packed.namelist()
            size = sum(entry.file_size for entry in packed.infolist())
    except (zipfile.BadZipFile, ValueError, OSError, NotImplementedError) as error:
        raise Unreadable(say("intake.damaged_workbook")) from error
    if said := next((said for name, said in _NOT_SUPPORTED_PARTS.items() if name in names), ""):
        raise Unreadable(say(said))
    if "[Content_Types].xml" not in names:
        raise Unreadable(say("intake.no_workbook"))
    if size > MOST_UNPACKED:
        raise Unreadable(say("intake.too_large", limit=MOST_UNPACKED // 1024**2))


def _read(data: bytes, habits: Habits, sheet: str) -> Table:
    book: Any = load_workbook(io.BytesIO(data), read_only=True, data_only=True, keep_links=False)
    sheets = {found.title: found for found in book.worksheets}
    seen_sheets = tuple(name for name, found in sheets.items() if found.sheet_state == "visible")
    chosen = sheets.get(sheet) if sheet else next((sheets[name] for name in seen_sheets), None)
    if chosen is None:
        raise Unreadable(say("intake.no_sheet", name=sheet or "–"))
    with chosen._get_source() as file:
        reader = _Sheet(file, book, chosen._shared_strings, habits)
        rows = [row for row in reader.rows() if not row.is_blank]
    if not rows:
        raise Unreadable(say("intake.empty_sheet", name=chosen.title))
    return Table(
        source=Source(kind="workbook", sheet=chosen.title, sheets=seen_sheets),
        rows=rows,
        hidden_rows=reader.hidden_rows(),
        hidden_columns=reader.hidden_columns(),
        merged=reader.covered({row.number for row in rows}),
    )


def _codes(book: Any) -> list[tuple[str, bool]]:
    """For each style of the book its number format, and whether that is the machine's own."""
    codes = []
    for style in book._cell_styles:
        number = style.numFmtId
        code = BUILTIN_FORMATS.get(number, "General") if number < 164 else book._number_formats[number - 164]
        codes.append((code, number in _WITHOUT_FORM))
    return codes


def _awaits_calculation(book: Any) -> bool:
    """True if the book says that its formulas are still to be computed; openpyxl says so of a book that is silent."""
    name = next(name for name in book._archive.namelist() if name.endswith("workbook.xml"))
    return any(
        _is_true(element.get("fullCalcOnLoad"))
        for element in fromstring(book._archive.read(name)).iter(f"{{{SHEET_MAIN_NS}}}calcPr")
    )


class _Sheet(WorkSheetParser):  # type: ignore[misc]  # openpyxl has no types
    """Openpyxl's own reader of a sheet, that makes of each cell what it shows, and leaves out what no cell needs."""

    def __init__(self, file: Any, book: Any, strings: Any, habits: Habits) -> None:
        """A book says itself if its formulas are still to be computed: then none of their values counts."""
        super().__init__(file, strings, data_only=True, epoch=book.epoch)
        self._codes, self._habits = _codes(book), habits
        self._is_stale = _awaits_calculation(book)
        self._numbers: dict[tuple[Any, int], str] = {}

    def rows(self) -> Iterator[Row]:
        for number, found in self.parse():
            cells = [""] * (found[-1][0] + 1) if found else []
            for index, text in found:
                if index < len(cells):
                    cells[index] = text
            while cells and not cells[-1] and not isinstance(cells[-1], Cell):
                cells.pop()
            if len(cells) > MOST_COLUMNS:
                raise Unreadable(say("intake.too_many_columns", limit=MOST_COLUMNS))
            yield Row(number, cells)

    def parse_cell(self, element: Element) -> tuple[int, str]:
        """The place of a cell in its row, and what it shows."""
        cell = super().parse_cell(element)
        value, kind = cell["value"], cell["data_type"]
        place = cell["column"] - 1
        if element.find(FORMULA_TAG) is not None and (self._is_stale or (value is None and kind != "str")):
            return place, Cell("", problem=say("intake.formula_without_value"))
        if value is None or value == "":
            return place, ""
        if kind == "s":
            return place, self._text(value, cell["style_id"])
        if kind == "n":
            return place, self._number(value, cell["style_id"])
        return place, self._other(value, kind)

    def _text(self, value: Any, style: int) -> str:
        code = self._codes[style][0] if style else "General"
        return seen(value if code in ("General", "@") else text_shown(value, code)).replace("\r\n", "\n")

    def _number(self, value: Any, style: int) -> str:
        key = (value, style)
        if key not in self._numbers:
            if len(self._numbers) >= MOST_KEPT:
                self._numbers.clear()
            self._numbers[key] = self._shown(value, style)
        return self._numbers[key]

    def _shown(self, value: Any, style: int) -> str:
        code, is_machines = self._codes[style] if style else ("General", False)
        text = shown(value, code, self._habits, self.epoch)
        if not is_machines:
            return text
        plain = text.plain if isinstance(text, Cell) else text
        return Cell(text, plain=plain, unfollowed=code)

    def _other(self, value: Any, kind: str) -> str:
        if kind == "b":
            return self._habits.truth[0 if value else 1]
        if kind == "d" and isinstance(value, datetime):
            return Cell(f"{value:%Y-%m-%d}", moment=value)
        if kind == "e":
            return Cell(str(value), problem=say("intake.error_value", text=value))
        return seen(str(value))

    def parse_formatting(self, element: Element) -> None:
        """Colours and the like: no cell shows another text because of them."""

    def parse_extensions(self, element: Element) -> None:
        """What only other programs read."""

    # --- what a person does not see ---------------------------------------------------------------------------
    def hidden_rows(self) -> frozenset[int]:
        return frozenset(int(number) for number, row in self.row_dimensions.items() if _is_true(row.get("hidden")))

    def hidden_columns(self) -> frozenset[int]:
        """From 0."""
        spans = [column for column in self.column_dimensions.values() if _is_true(column.get("hidden"))]
        return frozenset(
            index
            for span in spans
            for index in range(column_index_from_string(span["index"]) - 1, min(int(span["max"]), MOST_COLUMNS))
        )

    def covered(self, numbers: set[int]) -> Mapping[tuple[int, int], str]:
        """The cells, in rows of these numbers, that a larger one covers; with its name, such as A2."""
        found: dict[tuple[int, int], str] = {}
        for one in self.merged_cells.mergeCell if self.merged_cells else ():
            left, top, right, bottom = one.bounds
            for row in numbers.intersection(range(top, bottom + 1)):
                for column in range(left, min(right, MOST_COLUMNS) + 1):
                    if (row, column) != (top, left):
                        found[row, column - 1] = f"{letter(left - 1)}{top}"
        return found


def _is_true(flag: str | None) -> bool:
    return flag in ("1", "true")
