"""Words of a line and where each stands (S2.12)."""

from __future__ import annotations

import numpy as np
import pytest

from execution.perception.scene.lines import lines_of, spans_of, words_of
from execution.types import Box, Frame, TextLine, Word
from tests.execution.perception.drawing import DARK, LIGHT, Canvas, frame

BLANK = frame(np.full((100, 400, 3), 245, np.uint8))


def written(*words: str, gap: int = 6, background: tuple[int, int, int] = LIGHT) -> tuple[TextLine, Frame, list[Box]]:
    """Words side by side as one line, the screen they stand on, and where each is drawn."""
    canvas, x = Canvas(400, 100, background=background), 20
    boxes = list[Box]()
    for word in words:
        boxes.append(canvas.text(word, x, 40))
        x = boxes[-1].right + gap
    whole = Box(20, 38, boxes[-1].right - 20 + 2, 20)
    return TextLine(text=" ".join(words), box=whole), frame(canvas.pixels), boxes


class TestWordsOf:
    def test_they_stand_where_their_reader_placed_them(self) -> None:
        line = TextLine(text="Save as", box=Box(50, 20, 70, 14), words=(Word("Save", 2, 30), Word("as", 36, 68)))
        assert words_of(line, BLANK) == (("Save", Box(52, 20, 28, 14)), ("as", Box(86, 20, 32, 14)))

    @pytest.mark.parametrize("background", [LIGHT, DARK], ids=["light", "dark"])
    def test_else_where_the_ink_stands_between_the_widest_gaps(self, background: tuple[int, int, int]) -> None:
        line, screen, drawn = written("illicit", "WWW", "to", background=background)
        placed = words_of(line, screen)
        assert [word.text for word in placed] == ["illicit", "WWW", "to"]
        for word, box in zip(placed, drawn, strict=True):
            assert abs(word.box.x - box.x) <= 2
            assert abs(word.box.right - box.right) <= 2

    def test_a_ground_that_differs_from_line_to_line_is_no_ink(self) -> None:
        """A line on the edge of a field: every column holds the border above and the ground below it."""
        line, screen, drawn = written("Left", "Right", gap=40)
        pixels = screen.pixels.copy()
        pixels[line.box.y - 1, :] = 150
        placed = words_of(line, frame(pixels))
        assert len(placed) == 2
        assert placed[1].box.right <= drawn[1].right + 3

    def test_without_ink_they_take_the_part_of_their_letters(self) -> None:
        first, second = words_of(TextLine(text="aaaa bb", box=Box(10, 10, 70, 14)), BLANK)
        assert (first.box.x, second.box.right) == (10, 80)
        assert abs(first.box.w - 2 * second.box.w) <= 2
        assert first.box.right < second.box.x

    def test_a_line_at_the_edge_of_the_screen_is_cut_and_not_refused(self) -> None:
        line = TextLine(text="one two", box=Box(380, 90, 60, 20))
        assert [word.text for word in words_of(line, BLANK)] == ["one", "two"]

    def test_a_blank_line_has_none(self) -> None:
        assert words_of(TextLine(text="  ", box=Box(10, 10, 20, 10)), BLANK) == ()


def test_spans_say_which_letters_each_word_is_of_equal_words_too() -> None:
    line = TextLine(
        text="to be: to", box=Box(0, 0, 90, 14), words=(Word("to", 0, 20), Word("be:", 25, 60), Word("to", 65, 90))
    )
    assert spans_of(words_of(line, BLANK), line.text) == [(0, 2), (3, 6), (7, 9)]


class TestLinesOf:
    def read(self, *words: Word, height: int = 16) -> TextLine:
        text = " ".join(word.text for word in words)
        return TextLine(text=text, box=Box(100, 40, words[-1].right, height), words=words, confidence=0.9)

    def test_a_line_is_its_words(self) -> None:
        [line], pictures = lines_of([self.read(Word("Été", 0, 30), Word("2026", 36, 70))], BLANK)
        assert (line.text, line.box, line.sure) == ("Été 2026", Box(100, 40, 70, 16), 0.9)
        assert line.key == "ete2026"
        assert pictures == []

    @pytest.mark.parametrize(("texts", "kept", "signs"), [
        (("Next", "page", "»"), "Next page", [2]),
        (("<", "Back"), "Back", [0]),
        (("‹", "1", "›"), "1", [2, 0]),
        (("«", "‹", "Page"), "Page", [0, 1]),
        (("a", ">", "b"), "a > b", []),
        (("Total", "x"), "Total x", []),
        (("a", "=>"), "a =>", []),
    ])  # fmt: skip
    def test_a_lone_arrow_at_its_end_is_a_picture(self, texts: tuple[str, ...], kept: str, signs: list[int]) -> None:
        words = [Word(text, 40 * n, 40 * n + 30) for n, text in enumerate(texts)]
        [line], pictures = lines_of([self.read(*words)], BLANK)
        assert line.text == kept
        assert pictures == [Box(100 + 40 * n, 40, 30, 16) for n in signs]

    def test_an_arrow_alone_is_a_line(self) -> None:
        [line], pictures = lines_of([self.read(Word("→", 0, 12))], BLANK)
        assert (line.text, pictures) == ("→", [])

    @pytest.mark.parametrize(
        ("word", "height", "is_picture"),
        [
            (Word("O", 0, 26), 26, True),
            (Word("O,", 0, 26), 26, True),  # one letter and what else was seen in it
            (Word("O", 0, 14), 26, False),  # narrow, as a letter is
            (Word("O", 0, 18), 18, False),  # of the size of a text
            (Word("OK", 0, 26), 26, False),
        ],
    )
    def test_one_large_letter_is_a_picture(self, word: Word, height: int, is_picture: bool) -> None:
        lines, pictures = lines_of([self.read(word, height=height)], BLANK)
        assert (len(lines), len(pictures)) == ((0, 1) if is_picture else (1, 0))

    def test_a_large_letter_in_a_line_is_a_letter(self) -> None:
        [line], pictures = lines_of([self.read(Word("A", 0, 26), Word("B", 40, 66), height=26)], BLANK)
        assert (line.text, pictures) == ("A B", [])

    def test_nothing_was_read(self) -> None:
        assert lines_of([TextLine(text=" ", box=Box(0, 0, 9, 9))], BLANK) == ([], [])


@pytest.mark.parametrize(("text", "box"), [("  ", Box(20, 20, 90, 16)), ("Save", Box(20, -47, 90, 16))])
def test_a_line_without_words_and_one_beside_the_screen_break_nothing(text: str, box: Box) -> None:
    canvas = Canvas(200, 80)
    canvas.text("Save now", 20, 20)
    seen = words_of(TextLine(text=text, box=box), frame(canvas.pixels))
    assert [word.text for word in seen] == text.split()
