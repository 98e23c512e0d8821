from __future__ import annotations

import pytest

from execution.navigation.screen_words import ScreenWords, wanted
from execution.navigation.words import SAME, SEEN
from execution.types import Box, TextLine


def screen(*rows: str | tuple[str, int, int]) -> ScreenWords:
    lines = []
    for index, row in enumerate(rows):
        text, x, y = row if isinstance(row, tuple) else (row, 20, 20 + 40 * index)
        lines.append(TextLine(text=text, box=Box(x, y, 8 * len(text), 16)))
    return ScreenWords(lines)


@pytest.mark.parametrize("text", ["Save", "save", "Untitled 1", "Mousepad", "Préférences", "File"])
def test_a_text_is_seen_as_a_line_or_inside_one(text):
    assert screen("Save", "*Untitled 1 - Mousepad", "Mes preferences", "File Edit").seen(text) >= SEEN


@pytest.mark.parametrize("text", ["Sav", "Untitled 2", "pad", "", "..."])
def test_what_is_not_there_is_not_seen(text):
    assert screen("Save", "*Untitled 1 - Mousepad").seen(text) == 0.0


def test_a_text_that_the_reader_split_is_seen_over_its_pieces():
    assert screen(("Total", 20, 20), ("amount", 80, 21)).seen("Total amount") == 1.0


def test_pieces_that_stand_far_apart_or_on_two_rows_are_not_one_text():
    assert screen(("Total", 20, 20), ("amount", 600, 20)).seen("Total amount") == 0.0
    assert screen(("Total", 20, 20), ("amount", 80, 60)).seen("Total amount") == 0.0


def test_a_text_inside_a_denial_is_not_seen():
    """S5.2: "saved" is not what "could not be saved" says."""
    assert screen("The file was saved").seen("saved") == 1.0
    assert screen("The file was not saved").seen("saved") == 0.0
    assert screen("Le fichier n'a pas été enregistré").seen("enregistré") == 0.0
    assert screen("The file was not saved").seen("was not saved") == 1.0


def test_strictly_only_the_very_name_is_seen():
    there = screen("Patient: Marie Dupond")
    assert there.seen("Marie Dupont") >= SEEN
    assert there.seen("Marie Dupont", strict=True) == 0.0
    assert there.seen("Marie Dupond", strict=True) == 1.0


def test_whole_lines_and_parts_of_lines_are_told_apart():
    there = screen("Save", "Save As...", "Save All")
    assert [s.line.text for s in there.whole_lines("Save", minimum=SAME)] == ["Save"]
    parts = list(there.inside_lines("Save", minimum=SAME))
    assert [s.line.text for s in parts] == ["Save As...", "Save All"]
    assert all(not s.whole for s in parts)


def test_the_part_of_a_line_has_its_part_of_the_box():
    line = TextLine(text="File Edit View", box=Box(100, 10, 140, 16))
    (part,) = ScreenWords([line]).inside_lines("Edit", minimum=SAME)
    assert part.box == Box(150, 10, 40, 16)


def test_a_template_asks_for_its_filled_text_exactly():
    assert (wanted("Save", {}).text, wanted("Save", {}).exact) == ("Save", False)
    filled = wanted("Patient {{ name }}", {"name": "Ana"})
    assert (filled.text, filled.exact, filled.problem) == ("Patient Ana", True, "")
    assert "name has no value" in wanted("Patient {{name}}", {}).problem
