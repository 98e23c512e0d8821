"""Files and workflows that tests of the intake give."""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from openpyxl import Workbook

from workflows.graph import GraphSpec, VariableSpec

FILES = Path(__file__).parent / "files"


def graph(*variables: VariableSpec) -> GraphSpec:
    return GraphSpec(workflow_id="wf", name="Letters", learning_state="observation", variables=variables)


def text(name: str, **more: Any) -> VariableSpec:
    return VariableSpec(name=name, **more)


def workbook(rows: Sequence[Sequence[Any]], *, formats: Sequence[str] = ()) -> bytes:
    """A sheet of these rows as openpyxl writes it; below the head each column has its number format."""
    book = Workbook()
    sheet = book.active
    for row in rows:
        sheet.append(list(row))
    for column, code in enumerate(formats, 1):
        for row in range(2, len(rows) + 1):
            sheet.cell(row, column).number_format = code
    return saved(book)


def saved(book: Workbook) -> bytes:
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()
