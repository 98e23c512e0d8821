"""What a thing without a name is called in the list of steps: a sentence that people can read (S6.11)."""

from __future__ import annotations

import numpy as np
import pytest
from django.utils import timezone, translation

from execution.lesson.holding import question_of
from execution.lesson.places import in_words
from execution.lesson.screens import Known
from execution.lesson.understanding import Understood, understand
from execution.types import Box, Element, ElementRole, Frame, ScreenState, TextLine
from sentences.said import from_json

ICON = Box(200, 100, 24, 24)


def screen(*lines: tuple[str, int, int]) -> ScreenState:
    frame = Frame(pixels=np.full((600, 900, 3), 240, np.uint8), taken_at=timezone.now())
    texts = tuple(TextLine(text=text, box=Box(x, y, 8 * len(text), 16)) for text, x, y in lines)
    return ScreenState(frame=frame, texts=texts, elements=(Element(role=ElementRole.ICON, box=ICON),), text_method="t")


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ([("Attachments:", 90, 104)], "small picture right of Attachments"),
        ([("Attachments", 180, 60)], "small picture below Attachments"),
        ([("Attachments", 240, 104)], "small picture left of Attachments"),
        ([("Attachments", 180, 160)], "small picture above Attachments"),
        ([("Far away", 600, 500)], "small picture at the top left"),
        ([("LEFÈVRE Marie", 80, 104), ("Attachments", 180, 60)], "small picture below Attachments"),
        ([("12", 180, 104), ("Attachments", 180, 60)], "small picture below Attachments"),
        ([], "small picture at the top left"),
    ],
)
def test_a_thing_without_a_name_is_called_by_what_stands_nearest(lines: list[tuple[str, int, int]], said: str) -> None:
    assert in_words(ICON, "icon", screen(*lines)) == said


def test_it_is_called_so_in_the_language_of_whoever_teaches() -> None:
    with translation.override("fr"):
        found = understand(screen(("Pièces jointes :", 70, 104)), ICON.center, known=Known())
        assert found.label == "petite image à droite de Pièces jointes"
        assert found.said
    assert in_words(Box(800, 550, 20, 20), "", screen()) == "place on the screen at the bottom right"


def test_of_places_without_a_name_it_is_asked_by_how_many_look_alike() -> None:
    box = Box(800, 550, 20, 20)
    found = Understood(
        box=box, point=box.center, role="", text="", named_by=None, alike=(box, Box(400, 550, 20, 20)), near="place"
    )
    asked = question_of(found, {}, done=False)["text"]
    assert from_json(asked) == "2 places look like this one. What says that it is this one?"
