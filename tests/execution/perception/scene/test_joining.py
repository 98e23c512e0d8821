"""Pieces that are one picture, and a picture with the caption below it (S2.12)."""

from __future__ import annotations

import pytest

from execution.perception.scene.scene import joined
from execution.perception.scene.thing import PlacedWord, Source, Thing
from execution.types import Box, ElementState


def picture(box: Box, *, kind: str = "picture", says: str = "", source: Source = Source.INK) -> Thing:
    words = tuple(PlacedWord(word, box) for word in says.split())
    return Thing(box, kind, source, words, sure=0.3)


def text(says: str, x: int, y: int, *, kind: str = "text", source: Source = Source.TEXT, height: int = 14) -> Thing:
    words, at = list[PlacedWord](), x
    for word in says.split():
        words.append(PlacedWord(word, Box(at, y, 8 * len(word), height)))
        at += 8 * len(word) + 6
    return Thing(Box(x, y, at - 6 - x, height), kind, source, tuple(words), sure=0.9)


class TestPieces:
    def test_pieces_that_touch_are_one_picture(self) -> None:
        pieces = [picture(Box(10, 10, 12, 20)), picture(Box(22, 10, 13, 20)), picture(Box(10, 30, 25, 9))]
        [whole] = joined(pieces)
        assert (whole.box, whole.kind) == (Box(10, 10, 25, 29), "icon")

    def test_pieces_apart_are_not(self) -> None:
        assert len(joined([picture(Box(10, 10, 12, 20)), picture(Box(25, 10, 12, 20))])) == 2

    def test_what_is_around_the_others_says_what_it_is(self) -> None:
        field = picture(Box(10, 10, 40, 40), kind="button", source=Source.ELEMENT)
        [whole] = joined([picture(Box(20, 20, 12, 12)), field, picture(Box(18, 34, 9, 9), says="x")])
        assert (whole.kind, whole.source, whole.box, whole.text) == ("button", Source.ELEMENT, field.box, "x")

    def test_a_row_of_pictures_side_by_side_stays_one_by_one(self) -> None:
        row = [picture(Box(10 + 60 * n, 10, 60, 60)) for n in range(4)]
        assert sorted(thing.box for thing in joined(row)) == [thing.box for thing in row]

    def test_two_pieces_that_are_large_together_are_two_pictures(self) -> None:
        assert len(joined([picture(Box(10, 10, 70, 40)), picture(Box(79, 10, 56, 40))])) == 2

    def test_a_chain_of_pieces_that_grows_too_large_falls_apart(self) -> None:
        chain = [picture(Box(10 + 40 * n, 10, 41, 41)) for n in range(4)]
        assert len(joined(chain)) == 4

    @pytest.mark.parametrize(
        "other",
        [
            picture(Box(16, 16, 60, 30), kind="button", says="OK"),
            picture(Box(16, 16, 60, 30), kind="menu_item"),
            picture(Box(16, 16, 160, 30), kind="button"),
            picture(Box(16, 16, 60, 3)),
        ],
        ids=["a button with a caption", "a menu item", "a wide button", "a line"],
    )
    def test_what_is_no_small_picture_is_joined_with_none(self, other: Thing) -> None:
        assert len(joined([picture(Box(10, 10, 12, 12)), other])) == 2

    def test_a_button_of_one_letter_is_a_piece(self) -> None:
        button = picture(Box(10, 10, 30, 30), kind="button", says="7", source=Source.ELEMENT)
        [whole] = joined([button, picture(Box(14, 14, 9, 9))])
        assert (whole.text, whole.kind) == ("7", "button")

    def test_no_word_is_lost(self) -> None:
        pieces = [picture(Box(10, 10 + 20 * n, 20, 20), kind="icon", says="+ -") for n in range(3)]
        [whole] = joined(pieces)
        assert whole.text == "+ - + - + -"

    def test_the_states_of_the_largest_piece_stay(self) -> None:
        box = Thing(Box(10, 10, 30, 30), "checkbox", Source.ELEMENT, states=frozenset({ElementState.CHECKED}))
        [whole] = joined([box, picture(Box(14, 14, 9, 9))])
        assert whole.states == {ElementState.CHECKED}


class TestCaptions:
    icon = picture(Box(100, 100, 32, 32), kind="icon")

    def test_an_icon_over_its_caption_is_one_thing(self) -> None:
        [whole] = joined([text("My files", 88, 136), self.icon])
        assert (whole.kind, whole.text, whole.picture) == ("icon", "My files", self.icon.box)
        assert whole.box == Box(88, 100, 62, 50)
        assert whole.sure == 0.9

    def test_the_nearer_line_is_its_caption(self) -> None:
        found = joined([text("Second", 92, 154), text("First", 96, 136), self.icon])
        assert {thing.text: thing.picture is not None for thing in found} == {"First": True, "Second": False}

    def test_a_caption_belongs_to_one_picture(self) -> None:
        stacked = [picture(Box(100, 92, 32, 20), kind="icon"), picture(Box(100, 114, 32, 18), kind="icon")]
        found = joined([*stacked, text("Trash", 96, 136)])
        assert len(found) == 2
        assert sum(thing.text == "Trash" for thing in found) == 1

    @pytest.mark.parametrize(
        "other",
        [
            text("Far below", 88, 170),
            text("Aside", 150, 136),
            text("Above", 96, 80),
            text("A sentence that is far wider than the picture over it", -86, 136),
            text("Value", 96, 136, source=Source.VALUE),
            text("Save", 96, 136, kind="button", source=Source.ELEMENT),
        ],
        ids=lambda thing: thing.text,
    )
    def test_what_is_no_caption_of_it_is_a_thing_of_its_own(self, other: Thing) -> None:
        assert len(joined([self.icon, other])) == 2

    @pytest.mark.parametrize(
        "other",
        [
            picture(Box(111, 122, 10, 10), kind="icon"),
            picture(Box(100, 100, 32, 32), kind="button", says="OK"),
            picture(Box(100, 100, 32, 32), kind="tab"),
            picture(Box(20, 100, 200, 32)),
        ],
        ids=["too small", "with words", "a tab", "too wide"],
    )
    def test_what_is_no_picture_takes_no_caption(self, other: Thing) -> None:
        assert len(joined([other, text("Below", 96, 136)])) == 2

    def test_a_link_or_a_menu_item_is_a_caption_too(self) -> None:
        for kind in ("link", "menu_item"):
            [whole] = joined([self.icon, text("Open", 100, 136, kind=kind, source=Source.ELEMENT)])
            assert whole.picture == self.icon.box
