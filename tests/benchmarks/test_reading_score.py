"""The scoring of readings: what is counted as wrong, missed and too much."""

from __future__ import annotations

import pytest

from benchmarks.reading import compare
from benchmarks.screens.corpus import TrueText
from execution.types import Box, TextLine


def truth(text: str, x: int = 0, y: int = 0) -> TrueText:
    return TrueText(text=text, box=Box(x, y, 10 * len(text), 20))


def read(text: str, x: int = 0, y: int = 0) -> TextLine:
    return TextLine(text=text, box=Box(x, y, 10 * len(text), 20))


def test_a_right_reading_has_no_errors():
    counts, differences = compare([truth("Où êtes-vous ?")], [read("Où êtes-vous ?")])
    assert (counts.edits, counts.recall, differences) == (0, 1.0, [])


def test_a_lost_accent_is_an_error_and_a_typewriter_quote_is_none():
    counts, _ = compare([truth("L’été")], [read("L'ete")])
    assert (counts.edits, counts.chars, counts.recall) == (2, 5, 0.0)


def test_a_line_that_was_missed_counts_with_all_its_characters():
    counts, _ = compare([truth("Save"), truth("Cancel", y=100)], [read("Save")])
    assert counts.edits == 6
    assert counts.recall == pytest.approx(0.5)


def test_what_is_read_where_there_is_nothing_is_counted_apart():
    counts, _ = compare([truth("Save")], [read("Save"), read("Q", x=300)])
    assert (counts.edits, counts.spurious) == (0, 1)


def test_lines_cut_otherwise_than_the_truth_are_compared_as_one_text():
    counts, _ = compare([truth("Name: Ana")], [read("Name:"), read("Ana", x=60)])
    assert counts.edits == 0
    counts, _ = compare([truth("File"), truth("Edit", x=50)], [TextLine(text="File Edit", box=Box(0, 0, 90, 20))])
    assert counts.edits == 0
