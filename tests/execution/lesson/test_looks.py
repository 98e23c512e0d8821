"""What is kept of a place that a teacher says to be read: by its label, or by where it stands (S6.12)."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from django.utils import timezone

from execution.lesson.looks import Seen, seen_there
from execution.lesson.screens import Known
from execution.turn import looking
from execution.types import Box, Frame, Point, Resolution, ResolveStatus, ScreenState, Suggestion, TextLine
from execution.verification.places_of_values import at_label, in_box
from workflows.graph import EdgeSpec
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


RESULTS = (
    ("Test", 40, 100), ("Result", 300, 100), ("Unit", 460, 100),
    ("Sodium", 40, 140), ("139", 300, 140), ("mmol/l", 460, 140),
    ("Potassium", 40, 180), ("4.1", 300, 180), ("mmol/l", 460, 180),
    ("Chloride", 40, 220), ("102", 300, 220), ("mmol/l", 460, 220),
)  # fmt: skip


def later(lines: tuple[tuple[str, int, int], ...], **values: str) -> tuple[tuple[str, int, int], ...]:
    """The same a day later, elsewhere on the screen."""
    return tuple((values.get(text, text), x + 25, y + 55) for text, x, y in lines)


def read_later(seen: Seen, shown: ScreenState) -> str:
    """By a run, whose target, if there is one, is where its text stands."""
    edge = EdgeSpec(
        edge_id="read", source="a", destination="a", action_type="read_value", params=seen.params, target=seen.target
    )
    anchor = None
    if seen.target is not None:
        box = next(line.box for line in shown.texts if line.text == seen.target.text)
        anchor = Resolution(status=ResolveStatus.FOUND, box=box, point=box.center)
    found = looking.resolve(edge, anchor, shown, {})
    assert found.status is ResolveStatus.FOUND, found.message
    assert found.box is not None
    return in_box(found.box, shown).text


@pytest.mark.parametrize("lines", [RESULTS, RESULTS[3:]], ids=["with heads", "without heads"])
def test_a_value_in_a_table_without_colons_is_read_in_the_row_that_was_shown(
    tmp_path: Path, lines: tuple[tuple[str, int, int], ...]
) -> None:
    seen = read(screen(*lines), tmp_path, Point(310, 189))
    assert (seen.name, seen.value) == ("potassium", "4.1")
    assert read_later(seen, screen(*later(lines, **{"4.1": "5.7", "139": "141"}))) == "5.7"


def test_a_label_in_capitals_is_nobody(tmp_path: Path) -> None:
    seen = read(screen(("Blood Pressure", 40, 100), ("120/80", 300, 100)), tmp_path, Point(310, 109))
    assert (seen.name, seen.value) == ("blood_pressure", "120/80")


def test_a_value_below_its_label_is_read_there_whatever_stands_right_of_it(tmp_path: Path) -> None:
    lines = (("Admitted", 40, 100), ("Ward", 300, 100), ("21/11/2026", 40, 130), ("Emergency", 300, 130))
    seen = read(screen(*lines), tmp_path, Point(60, 139))
    assert (seen.name, seen.value) == ("admitted", "21/11/2026")
    assert read_later(seen, screen(*later(lines, **{"21/11/2026": "22/11/2026"}))) == "22/11/2026"


def test_a_box_around_the_value_in_its_line_reads_the_value(tmp_path: Path) -> None:
    """The label before it ends with a colon and stands twice: it is read by its place."""
    lines = (("Order list", 100, 90), ("No: A-1001", 100, 170), ("No: B-2002", 100, 210))
    shown = screen(*lines)
    seen = read(shown, tmp_path, Point(160, 179), Box(134, 166, 60, 26))
    assert seen.value == "A-1001"
    assert read_later(seen, screen(*later(lines, **{"No: A-1001": "No: C-3003"}))) == "C-3003"


def test_what_could_not_be_read_by_a_run_is_said_while_teaching(tmp_path: Path) -> None:
    """A box that cuts a value: the next one may be longer."""
    with pytest.raises(ValueError, match=r"cuts .*A-1001"):
        read(
            screen(("List", 100, 90), ("A-1001 to B-2002", 100, 170)),
            tmp_path,
            Point(120, 179),
            Box(98, 166, 60, 26),
        )


def test_a_place_is_known_by_nothing_that_is_another_one_s_next_time(tmp_path: Path) -> None:
    """S9.6 asks whose record it is of what acts; what is read beside a text may be anybody."""
    lines = (("Doctor", 40, 100), ("Dr Rossi", 90, 124), ("Seen by", 40, 170), ("Dr Evans", 90, 194))
    seen = read(screen(*lines), tmp_path, Point(100, 133))
    assert seen.value == "Dr Rossi"
    assert seen.target is not None
    assert "Seen by" in [near.text for near in seen.target.neighbours]
    assert not any("Dr" in near.text for near in (*seen.target.neighbours, *seen.target.around))


def test_what_is_kept_is_the_value_behind_its_label_and_not_the_line(tmp_path: Path) -> None:
    """The second look, too, is at the label: the box of the value lies within its line."""
    line = "Total due 45.00"
    seen = read(screen(("Bill", 100, 90), (line, 100, 170)), tmp_path, Point(100 + 9 * len(line) - 8, 179))
    assert (seen.name, seen.value, seen.target) == ("total_due", "45.00", None)
    now = screen(("Bill", 80, 60), ("Total due 61.50", 80, 140))
    edge = EdgeSpec(edge_id="r", source="a", destination="a", action_type="read_value", params=seen.params)
    found = looking.resolve(edge, None, now, {})
    eyes = SimpleNamespace(observe=lambda: now, closer=lambda box, state: "61.50")
    hidden = SimpleNamespace(text=str, places=lambda state: ())
    hold = SimpleNamespace(check=lambda: None, journal=SimpleNamespace(hidden=hidden))
    suggestion = Suggestion(edge=edge, node_id="a", sentence="", params=seen.params, resolution=found)
    done = looking.perform(eyes, suggestion, hold, {})  # type: ignore[arg-type]
    assert done.output is not None, done.message
    assert done.output.text == "61.50"


def test_in_a_dense_list_the_line_under_the_point_is_read_and_not_a_shorter_one_beside(tmp_path: Path) -> None:
    """Lines stand closer than a hand is sure: one that is nearly pointed at is another person's value."""
    rows = (("Blood group", "AB neg"), ("Telephone", "071 2204 6675"), ("Diet", "low"))
    lines = [
        one
        for row, (label, value) in enumerate(rows)
        for one in ((label, 40, 90 + 19 * row), (value, 240, 90 + 19 * row))
    ]
    for y in (111, 118, 125):
        assert read(screen(*lines), tmp_path, Point(250, y)).value == "071 2204 6675"
