"""Cells that a reader took for one line: cut behind a gap, and where a column begins in the rows beside."""

from __future__ import annotations

from dataclasses import replace

from execution.perception.elements.layout import union
from execution.perception.scene.cells import in_cells
from execution.types import TextLine
from tests.execution.perception.drawing import Canvas

Row = tuple[tuple[str, int], ...]


def cells(*rows: Row) -> list[str]:
    """What is cut of rows, each read as one line; `int` is where a text begins."""
    canvas, lines = Canvas(700, 300), list[TextLine]()
    for number, row in enumerate(rows):
        boxes = [canvas.text(text, x, 40 + 26 * number) for text, x in row]
        lines.append(TextLine(text=" ".join(text for text, _x in row), box=union(boxes)))
    return [cell.text for cell in in_cells(replace(canvas.state(), texts=tuple(lines))).texts]


def test_a_gap_wider_than_a_blank_begins_another_cell() -> None:
    assert cells((("Sodium", 40), ("139", 200), ("mmol/l", 300))) == ["Sodium", "139", "mmol/l"]


def test_the_words_of_a_sentence_stay_together() -> None:
    sentence = "The record of Ana Costa was saved at noon"
    assert cells(((sentence, 40),), (("No changes since then", 40),)) == [sentence, "No changes since then"]


def test_a_cell_right_behind_another_begins_where_its_column_does() -> None:
    """The widest label of a table leaves no gap to the value."""
    label = Canvas(700, 300).text("Potassium", 40, 40)
    column = label.right + round(0.3 * label.h)
    rows: list[Row] = [(("Sodium", 40), ("139", column)), (("Potassium", 40), ("4.1", column))]
    assert cells(*rows) == ["Sodium", "139", "Potassium", "4.1"]
    assert cells(rows[1]) == ["Potassium 4.1"]


def test_a_column_goes_on_from_row_to_row_where_none_leaves_a_gap() -> None:
    label = Canvas(700, 300).text("Potassium (jejune)", 40, 40)
    column = label.right + round(0.5 * label.h)
    wide = [(("Potassium (jejune)", 40), (value, column)) for value in ("4.1", "4.2", "4.3", "4.4", "4.5")]
    found = cells((("Sodium", 40), ("139", column)), *wide)
    assert found == ["Sodium", "139", *(text for row in wide for text, _x in row)]


def test_a_column_is_known_by_the_rows_that_were_read_in_cells() -> None:
    canvas = Canvas(700, 300)
    label = canvas.text("Potassium", 40, 66)
    column = label.right + round(0.3 * label.h)
    value = canvas.text("4.1", column, 66)
    canvas.text("Sodium", 40, 40), canvas.text("139", column, 40)
    state = canvas.state()
    joined = TextLine(text="Potassium 4.1", box=union((label, value)))
    others = [line for line in state.texts if line.text in ("Sodium", "139")]
    assert [cell.text for cell in in_cells(replace(state, texts=(*others, joined))).texts][-2:] == ["Potassium", "4.1"]
