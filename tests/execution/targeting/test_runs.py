"""Where a text stands as words (S5.3): whole words, in one line or wrapped, and how far they are the same."""

from __future__ import annotations

import pytest

from execution.perception.scene import scene_of
from execution.targeting.runs import Alike, alike, core, runs_of
from tests.execution.perception.drawing import Canvas


def found(text: str, *lines: str | tuple[str, int, int]) -> list[tuple[Alike, str]]:
    canvas = Canvas(600, 300)
    for number, line in enumerate(lines):
        canvas.text(*(line if isinstance(line, tuple) else (line, 40, 40 + 40 * number)))
    runs = runs_of(text, scene_of(canvas.state()))
    return [(level, " ".join(word.text for word in words)) for level, words in runs]


def test_a_value_in_a_sentence_is_its_words_alone() -> None:
    assert found("Ana Costa", "Open the record of Ana Costa now") == [(Alike.EXACT, "Ana Costa")]


@pytest.mark.parametrize(("text", "line"), [("Ana", "Anabel Costa"), ("1001", "A-10012"), ("28", "2 8 lines")])
def test_a_part_of_a_word_or_of_a_number_is_not_the_text(text: str, line: str) -> None:
    assert found(text, line) == []


def test_each_place_is_told_once_and_as_like_as_it_is() -> None:
    assert found("Save", "Save", "SAVE") == [(Alike.EXACT, "Save"), (Alike.LETTERS, "SAVE")]


def test_what_is_wrapped_is_found_over_both_lines() -> None:
    assert found("Emergency department", ("Emergency", 40, 40), ("department", 40, 58)) == [
        (Alike.EXACT, "Emergency department")
    ]
    assert found("Emergency department", ("Emergency", 40, 40), ("department", 40, 140)) == []


@pytest.mark.parametrize(
    ("one", "other", "level"),
    [
        ("Éric  B.", "Éric B.", Alike.EXACT),
        ("Éric B.", "eric b", Alike.LETTERS),
        ("Il0", "1lO", Alike.CONFUSED),
        ("IPv4", "IPv6", Alike.NO),
        ("", "", Alike.NO),
    ],
)
def test_how_far_two_texts_are_the_same(one: str, other: str, level: Alike) -> None:
    assert alike(one, other) is alike(other, one) is level


def test_a_lone_sign_at_an_end_is_a_picture_that_was_read() -> None:
    assert core("+ New patient ›") == "New patient"
    assert core("3 results") == "3 results"
    assert core("x") == "x"
