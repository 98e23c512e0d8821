"""What becomes of the recogniser's columns, on a picture whose ink is known."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from execution.perception.ocr.engines import Recogniser
from execution.perception.ocr.recognition import Piece, read_lines

WIDE, HIGH = 96, 24
STEM, APART = 6, 4  # pixels of ink for a letter, and between two of them


def read(text: str, *, unsure: str = "", confidence: float = 0.0) -> Piece:
    """The one piece of a line in which each letter is a block of ink, read as `text` with one letter less surely."""
    crop = np.full((HIGH, WIDE, 3), 255, np.uint8)
    characters = ("", *sorted(set(text)))
    at = [4 + n * (STEM + APART) for n in range(len(text))]
    for x, letter in zip(at, text, strict=True):
        if letter != " ":
            crop[6:18, x : x + STEM] = 0

    def run(batches: Sequence[np.ndarray]) -> list[np.ndarray]:
        columns = batches[0].shape[3]
        scores = np.zeros((columns, len(characters)), np.float32)
        scores[:, 0] = 0.01
        for x, letter in zip(at, text, strict=True):
            column = round((x + STEM / 2) * 48 / HIGH)
            scores[column, characters.index(letter)] = confidence if letter == unsure else 1.0
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
