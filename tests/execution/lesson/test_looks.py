"""What is kept of a place that a teacher says to be read: by its label, or by where it stands (S6.12)."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from django.utils import timezone

from execution.lesson.looks import Seen, seen_there
from execution.lesson.screens import Known
from execution.types import Box, Frame, Point, ScreenState, TextLine
from execution.verification.places_of_values import at_label
from workflows.pictures import PictureStore


def screen(*lines: tuple[str, int, int]) -> ScreenState:
    frame = Frame(pixels=np.full((600, 900, 3), 240, np.uint8), taken_at=timezone.now())
    texts = tuple(TextLine(text=text, box=Box(x, y, 9 * len(text), 18), confidence=0.95) for text, x, y in lines)
    return ScreenState(frame=frame, texts=texts, text_method="t")


def read(shown: ScreenState, folder: Path, point: Point, box: Box | None = None, **values: str) -> Seen:
    store, known = PictureStore(folder), Known(values=values)
    return seen_there(
        "read_value", shown, point=point, box=box, name="", value_kind="text", known=known, store=store
    )  # fmt: skip


@pytest.mark.parametrize(
    ("line", "name", "label", "value"),
    [
        ("Numéro de la demande : T-2041", "numero_de_la_demande", "Numéro de la demande", "T-2041"),
        ("Total: 45.00 EUR", "total", "Total", "45.00 EUR"),
        ("Answered by: Dr Rossi, ward 3", "answered_by", "Answered by", "Dr Rossi, ward 3"),
    ],
)
def test_of_a_line_that_says_its_own_label_the_value_is_read(
    tmp_path: Path, line: str, name: str, label: str, value: str
) -> None:
    """Wherever it is clicked; and where a box is drawn around the value alone."""
    shown = screen(("Sheet", 100, 90), (line, 100, 170), ("Back to the list", 110, 240))
    width = 9 * len(value)
    drawn = Box(100 + 9 * len(line) - width - 2, 166, width + 6, 26)
    for point, box in ((Point(110, 179), None), (Point(drawn.right - 8, 179), None), (drawn.center, drawn)):
        seen = read(shown, tmp_path, point, box)
        assert (seen.name, seen.params["label"], seen.value) == (name, label, value)
        assert "box" not in seen.params
        assert seen.target is None
        other = screen(("Sheet", 80, 60), (line.replace(value, "Z-9"), 80, 140))
        assert at_label(seen.params["label"], other).text == "Z-9"


@pytest.mark.parametrize("line", ["Begun at 14:02", "14:02 h", "Sent to the ward", "Note:"])
def test_of_any_other_line_all_is_read(tmp_path: Path, line: str) -> None:
    shown = screen(("Sheet", 100, 90), (line, 100, 170))
    assert read(shown, tmp_path, Point(110, 179)).value == line


def test_what_stands_twice_behind_its_label_is_read_by_its_place(tmp_path: Path) -> None:
    """The label alone would be asked about in every run."""
    shown = screen(("Sums", 100, 90), ("Total: 45", 100, 170), ("Total: 12", 100, 210))
    seen = read(shown, tmp_path, Point(110, 179))
    assert seen.value == "Total: 45"
    assert "label" not in seen.params


@pytest.mark.parametrize(
    "lines", [(("Adams, Grace", 40, 100), ("Ward 3", 300, 100)), (("Adams, Grace: Ward 3", 40, 100),)]
)
def test_whose_value_it_is_is_a_variable_or_no_label(tmp_path: Path, lines: tuple[tuple[str, int, int], ...]) -> None:
    """S6.12: a value beside a name would be read beside that name in every run."""
    shown = screen(("Wards", 40, 60), *lines)
    point = Point(310 if len(lines) > 1 else 170, 108)
    told = read(shown, tmp_path, point, patient="Adams, Grace")
    assert (told.params["label"], told.name) == ("{{patient}}", "value")
    other = read(shown, tmp_path, point)
    assert "Adams" not in other.params.get("label", "")
    assert "adams" not in other.name


HEADED = (
    ("Patient", 40, 100), ("Written on", 300, 100), ("Ward", 560, 100),
    ("Carter, Helen", 40, 140), ("19/11/2026", 300, 140), ("Ward 3", 560, 140),
    ("Adams, Grace", 40, 180), ("21/11/2026", 300, 180), ("Ward 7", 560, 180),
)  # fmt: skip


def row_at(shown: ScreenState, folder: Path, box: Box | None = None, **values: str) -> dict[str, str]:
    store, known = PictureStore(folder), Known(values=values)
    point = Point(60, 188)
    seen = seen_there("must_see_row", shown, point=point, box=box, name="", value_kind="text", known=known, store=store)
    return seen.params


def test_what_a_row_must_have_is_told_with_what_heads_its_columns(tmp_path: Path) -> None:
    """S5.9: what is data of the run; where nothing is, what was pointed at."""
    values = {"patient": "Adams, Grace", "day": "21/11/2026"}
    assert row_at(screen(*HEADED), tmp_path, **values) == {
        "text": "{{patient}}\n{{day}}",
        "columns": "Patient\nWritten on",
    }
    assert row_at(screen(*HEADED), tmp_path, day="21/11/2026") == {"text": "{{day}}", "columns": "Written on"}
    assert row_at(screen(*HEADED), tmp_path) == {"text": "Adams, Grace", "columns": "Patient"}
    assert row_at(screen(*HEADED[3:]), tmp_path, **values) == {"text": "{{patient}}\n{{day}}"}
    unheaded = (("Adams, Grace", 40, 100), ("Ward", 300, 100), ("Carter, Helen", 40, 140), ("Ward 3", 300, 140))
    below = (("Brown, Miriam", 40, 180), ("Ward 7", 300, 180))
    told = row_at(screen(*unheaded, *below), tmp_path, patient="Adams, Grace")
    assert told == {"text": "Brown, Miriam"}, "a name that is data heads nothing"
