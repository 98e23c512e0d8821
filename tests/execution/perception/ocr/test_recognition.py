"""What becomes of the recogniser's columns, on a picture whose ink is known."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from execution.perception.ocr.engines import Recogniser
from execution.perception.ocr.recognition import Piece, read_lines

WIDE, HIGH = 96, 24
STEM, APART = 6, 4  # pixels of ink for a letter, and between two of them
SPACE = STEM + 2 * APART  # pixels between two words


def read(
    text: str, *, unsure: str = "", confidence: float = 0.0, or_else: str = "", ink: int = 0, away: int = 0
) -> Piece:
    """The one piece of a line in which each letter is a block of ink, read as `text` with one letter less surely.

    That one is `or_else` as far as it is not what was read, and drawn in another `ink`; the rest begins `away` from it.
    """
    crop = np.full((HIGH, WIDE, 3), 255, np.uint8)
    characters = ("", *sorted({*text, *or_else}))
    at = [4 + n * (STEM + APART) - (SPACE - away if n > 1 and away else 0) for n in range(len(text))]
    for x, letter in zip(at, text, strict=True):
        if letter != " ":
            crop[6:18, x : x + STEM] = ink if letter == unsure else 0

    def run(batches: Sequence[np.ndarray]) -> list[np.ndarray]:
        columns = batches[0].shape[3]
        scores = np.zeros((columns, len(characters)), np.float32)
        scores[:, 0] = 0.01
        for x, letter in zip(at, text, strict=True):
            column = round((x + STEM / 2) * 48 / HIGH)
            scores[column, characters.index(letter)] = confidence if letter == unsure else 1.0
            for other in or_else if letter == unsure else "":
                scores[column, characters.index(other)] = (1 - confidence) / len(or_else)
        return [scores]

    ((piece,),) = read_lines([crop], Recogniser(run, characters))
    return piece


@pytest.mark.parametrize(
    ("text", "letter", "confidence", "said", "beside"),
    [
        ("O pos", "O", 0.87, "pos", ("O", "")),
        ("pos O", "O", 0.87, "pos", ("", "O")),
        ("O pos", "O", 0.3, "pos", ("", "")),  # surely a picture
        ("O pos", "O", 0.99, "O pos", ("", "")),
    ],
)
def test_a_letter_that_may_be_a_picture_is_told_beside_the_text(
    text: str, letter: str, confidence: float, said: str, beside: tuple[str, str]
) -> None:
    piece = read(text, unsure=letter, confidence=confidence)
    assert (piece.text, piece.beside) == (said, beside)


@pytest.mark.parametrize(
    ("or_else", "ink", "away", "said", "beside"),
    [
        ("0", 0, 6, "O pos", ("", "")),  # whichever it is, it is a letter of the text
        ("o0", 0, 6, "O pos", ("", "")),
        ("C", 0, 6, "pos", ("O", "")),  # the ring of a radio button
        ("0", 110, 6, "pos", ("O", "")),  # in another ink
        ("0", 0, SPACE, "pos", ("O", "")),  # farther away than a blank
    ],
)
def test_a_letter_alone_is_one_of_its_text_where_only_what_is_drawn_alike_was_read(
    or_else: str, ink: int, away: int, said: str, beside: tuple[str, str]
) -> None:
    """S2.2: “O pos”, a blood group, is one text."""
    piece = read("O pos", unsure="O", confidence=0.85, or_else=or_else, ink=ink, away=away)
    assert (piece.text, piece.beside) == (said, beside)


def test_of_a_letter_of_its_text_it_is_told_that_nobody_can_say_which_one() -> None:
    """S6.12: such a value is asked about, for O and 0 are not the same."""
    piece = read("O pos", unsure="O", confidence=0.6, or_else="0", away=6)
    assert (piece.text, piece.beside) == ("O pos", ("O", ""))
