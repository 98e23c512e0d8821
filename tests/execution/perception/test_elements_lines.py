"""What readers cut or run together is put right before elements are looked for (S2.9)."""

from __future__ import annotations

import numpy as np

from execution.perception.elements.grid import Grid
from execution.perception.elements.lines import cut_at_frames, joined
from execution.types import Box, Size, TextLine

BLANK = np.zeros((200, 600), np.uint8)


def line(text: str, x: int, width: int, *, y: int = 20, height: int = 16) -> TextLine:
    return TextLine(text=text, box=Box(x, y, width, height))


def test_letters_that_were_read_one_by_one_are_a_word():
    made = joined(BLANK, [line("M", 20, 12), line("o", 34, 9), line("is", 45, 14)])
    assert [(t.text, t.box) for t in made] == [("Mois", Box(20, 20, 39, 16))]


def test_two_words_near_each_other_are_a_line_and_far_ones_are_two():
    near = joined(BLANK, [line("Nom", 20, 30), line("du client", 54, 60)])
    far = joined(BLANK, [line("Nom", 20, 30), line("Prénom", 70, 60)])
    assert [t.text for t in near] == ["Nom du client"]
    assert [t.text for t in far] == ["Nom", "Prénom"]


def test_words_at_other_heights_or_beyond_a_border_stay_apart():
    edges = BLANK.copy()
    edges[10:50, 52] = 255
    assert len(joined(edges, [line("Nom", 20, 30), line("Prénom", 54, 60)])) == 2
    assert len(joined(BLANK, [line("Nom", 20, 30), line("Prénom", 54, 60, y=28)])) == 2


def test_a_line_over_two_buttons_is_cut_between_its_words():
    made = cut_at_frames([line("Enregistrer Annuler", 64, 190)], [Box(178, 10, 90, 34), Box(60, 10, 110, 34)])
    assert [t.text for t in made] == ["Enregistrer", "Annuler"]
    assert made[0].box.right <= 174 <= 178 <= made[1].box.x + 8


def test_a_line_is_not_cut_within_a_word():
    text = line("Anticonstitutionnellement", 64, 200)
    assert cut_at_frames([text], [Box(150, 10, 90, 34)])[0].text == text.text


def test_a_box_that_reaches_over_the_border_is_drawn_in():
    made = cut_at_frames([line("OK", 58, 110, y=8, height=40)], [Box(60, 10, 106, 34)])
    assert made[0].box == Box(62, 12, 102, 30)


def test_a_point_is_in_the_box_that_covers_it_and_in_no_other():
    grid = Grid(Size(600, 200), [Box(10, 10, 101, 15), Box(10, 30, 50, 15)])
    asked = np.array(
        [[20, 15, 2, 2], [110, 15, 0, 0], [111, 15, 0, 0], [12, 31, 10, 10], [300, 100, 9, 9], [900, 900, 2, 2]]
    )
    assert grid.around_centres(asked).tolist() == [0, 0, -1, 1, -1, -1]
