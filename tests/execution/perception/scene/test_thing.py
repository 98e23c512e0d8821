"""A thing says what its words say, and where they stand."""

from __future__ import annotations

from execution.perception.elements.layout import union
from execution.perception.scene import PlacedWord, Source, Thing
from execution.types import Box


def test_its_text_and_its_caption_are_its_words() -> None:
    words = (PlacedWord("Save", Box(20, 12, 30, 14)), PlacedWord("as", Box(56, 13, 12, 12)))
    thing = Thing(Box(10, 5, 80, 30), "button", Source.ELEMENT, words)
    assert (thing.text, thing.caption) == ("Save as", Box(20, 12, 48, 14))


def test_without_words_there_is_no_caption() -> None:
    thing = Thing(Box(10, 5, 80, 30), "picture", Source.INK)
    assert (thing.text, thing.caption) == ("", None)


def test_the_box_around_several() -> None:
    assert union(iter([Box(10, 10, 5, 5), Box(2, 12, 4, 20), Box(11, 9, 1, 1)])) == Box(2, 9, 13, 23)
