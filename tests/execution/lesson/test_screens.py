"""S6.10: what a new screen is called and known by."""

from __future__ import annotations

import pytest

from execution.lesson.screens import Known, Placed, proposed_name
from execution.types import Box, Window
from tests.execution.perception.drawing import Canvas


@pytest.mark.parametrize(
    ("title", "name"),
    [
        ("/srv/notes/of a ward/note.txt - Mousepad", "note.txt - Mousepad"),
        (r"D:\notes\of a ward\note.txt - Notepad", "note.txt - Notepad"),
        ("~/note.txt - Geany", "note.txt - Geany"),
        ("Queue / Triage", "Queue / Triage"),
        ("Input/Output", "Input/Output"),
        ("Save As", "Save As"),
    ],
)
def test_a_screen_is_called_by_its_title_without_the_folders_of_its_document(title: str, name: str) -> None:
    canvas = Canvas(400, 200)
    state = canvas.state(window=Window(title=title, box=Box(0, 0, 400, 200)))
    assert proposed_name(state, Placed(node=None, why=""), Known(), ()) == name
