"""A small patient-record program: search, results with two look-alike rows, record, note, saved.

The two results differ only in the year of birth: whoever takes the wrong one ends in the wrong record, and `memory`
tells.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from execution.types import Box, Point, Size
from tests.doubles.scripted import ScriptedDesktop
from tests.doubles.widgets import ACCENT, MUTED, Banner, Button, Field, Goto, ScriptedScreen, TableRow, TextLabel

APP = "Carnet"
COLUMNS = (300, 180, 220, 200)
FIRST = {"patient": "MARTIN Jeanne", "born": "12/03/1961", "number": "P-10482", "ward": "Cardiology"}
SECOND = {"patient": "MARTIN Jeanne", "born": "12/03/1967", "number": "P-10842", "ward": "Cardiology"}
THIRD = {"patient": "MARTINEAU Léa", "born": "30/11/1984", "number": "P-20017", "ward": "Radiology"}
ROWS = {"first row": FIRST, "second row": SECOND, "third row": THIRD}


def patient_desktop(*, size: Size = Size(1280, 800), effect_delay: int = 0, caret_blinks: int = 0) -> ScriptedDesktop:  # noqa: B008
    """The program at its search form; what was saved is in `memory["saved_for"]` and `memory["saved_note"]`."""
    screens = [_search(), _results(), _nothing_found(), _record(), _edit(), _saved()]
    return ScriptedDesktop(
        screens, name="scripted:patient", size=size, effect_delay=effect_delay, caret_blinks=caret_blinks
    )


def _head(text: str) -> tuple[TextLabel, ...]:
    return (
        TextLabel(text="Carnet", at=Point(60, 60), size=16, bold=True, color=ACCENT),
        TextLabel(text=text, at=Point(60, 96), size=24, bold=True),
    )


def _find(memory: Mapping[str, str]) -> str:
    wanted = memory.get("name", "").strip().upper()
    return "results" if wanted and "MARTIN JEANNE".startswith(wanted) else "nothing found"


def _open(patient: Mapping[str, str]) -> Callable[[Mapping[str, str]], Goto]:
    """The record of that patient, with the note that was saved for that patient."""

    def opened(memory: Mapping[str, str]) -> Goto:
        note = memory.get(f"note of {patient['number']}", "")
        return Goto(screen="record", remember={**patient, "last_note": note, "note": ""})

    return opened


def _save(memory: Mapping[str, str]) -> Goto:
    note, number = memory.get("note", ""), memory["number"]
    kept = {"saved_for": number, "saved_note": note, "last_note": note, f"note of {number}": note}
    return Goto(screen="saved", remember=kept)


def _search() -> ScriptedScreen:
    return ScriptedScreen(
        name="search",
        title="Patient search - Carnet",
        app_name=APP,
        widgets=[
            *_head("Patient search"),
            Field(name="name", label="Family name", box=Box(60, 190, 360, 36)),
            Field(name="birth", label="Date of birth (optional)", box=Box(460, 190, 220, 36)),
            Button(name="Search", box=Box(60, 260, 130, 38), primary=True),
            Button(name="Clear", box=Box(206, 260, 110, 38)),
        ],
        on={"Search": _find, "key:enter": _find, "Clear": Goto(remember={"name": "", "birth": ""})},
    )


def _results() -> ScriptedScreen:
    header = TableRow(
        name="header",
        box=Box(60, 170, 920, 38),
        widths=COLUMNS,
        header=True,
        cells=("Name", "Born", "File number", "Ward"),
    )
    rows = [
        TableRow(name=name, box=Box(60, 208 + 38 * number, 920, 38), widths=COLUMNS, cells=tuple(patient.values()))
        for number, (name, patient) in enumerate(ROWS.items())
    ]
    return ScriptedScreen(
        name="results",
        title="3 patients found - Carnet",
        app_name=APP,
        widgets=[
            *_head("3 patients found"),
            header,
            *rows,
            Button(name="New search", box=Box(60, 360, 150, 38)),
        ],
        on={
            **{name: _open(patient) for name, patient in ROWS.items()},
            "New search": "search",
            "key:esc": "search",
        },
    )


def _nothing_found() -> ScriptedScreen:
    return ScriptedScreen(
        name="nothing found",
        title="No patient found - Carnet",
        app_name=APP,
        widgets=[
            *_head("No patient found"),
            TextLabel(text="Nobody is registered under “{name}”.", at=Point(60, 150)),
            Button(name="New search", box=Box(60, 200, 150, 38)),
        ],
        on={"New search": "search", "key:esc": "search"},
    )


def _patient_lines() -> tuple[TextLabel, ...]:
    return (
        TextLabel(text="Born {born}", at=Point(60, 146)),
        TextLabel(text="File number {number}", at=Point(60, 174)),
        TextLabel(text="Ward {ward}", at=Point(60, 202)),
    )


def _record() -> ScriptedScreen:
    return ScriptedScreen(
        name="record",
        title="{patient} - Carnet",
        app_name=APP,
        widgets=[
            *_head("{patient}"),
            *_patient_lines(),
            TextLabel(text="Last note", at=Point(60, 250), bold=True),
            TextLabel(text="{last_note}", at=Point(60, 278), color=MUTED),
            Button(name="Edit note", box=Box(60, 420, 140, 38), primary=True),
            Button(name="Back to results", box=Box(216, 420, 170, 38)),
        ],
        on={"Edit note": "edit", "Back to results": "results", "key:esc": "results", "key:ctrl+e": "edit"},
    )


def _edit() -> ScriptedScreen:
    return ScriptedScreen(
        name="edit",
        title="Edit note: {patient} - Carnet",
        app_name=APP,
        widgets=[
            *_head("Edit note"),
            TextLabel(text="{patient}, born {born}, {number}", at=Point(60, 146)),
            Field(name="note", label="Note", box=Box(60, 220, 760, 150), lines=6),
            Button(name="Save note", box=Box(60, 400, 140, 38), primary=True),
            Button(name="Cancel", box=Box(216, 400, 110, 38)),
        ],
        on={"Save note": _save, "key:ctrl+s": _save, "Cancel": "record", "key:esc": "record"},
    )


def _saved() -> ScriptedScreen:
    return ScriptedScreen(
        name="saved",
        title="Note saved: {patient} - Carnet",
        app_name=APP,
        widgets=[
            Banner(text="The note was saved", box=Box(0, 34, 1280, 44)),
            TextLabel(text="{patient}", at=Point(60, 110), size=24, bold=True),
            *(TextLabel(text=label.text, at=Point(60, label.at.y + 12)) for label in _patient_lines()),
            TextLabel(text="Note", at=Point(60, 262), bold=True),
            TextLabel(text="{saved_note}", at=Point(60, 290)),
            Button(name="New search", box=Box(60, 420, 150, 38), primary=True),
        ],
        on={"New search": Goto(screen="search", remember={"name": "", "birth": "", "note": ""}), "key:esc": "record"},
    )
