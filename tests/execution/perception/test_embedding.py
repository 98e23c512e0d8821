from __future__ import annotations

import numpy as np
import pytest

from execution.perception.embedding import BuiltinEmbedder, ModelsDiffer, cosine
from execution.types import Box, Embedding
from tests.execution.perception.drawing import Canvas


def window(title: str, *, menu: bool = False, dark: bool = False) -> np.ndarray:
    canvas = Canvas(1280, 800, background=(20, 20, 20) if dark else (245, 245, 245))
    canvas.draw.rectangle((100, 60, 1100, 700), fill=(60, 60, 60) if dark else (255, 255, 255), outline=(90, 90, 90))
    canvas.draw.rectangle((100, 60, 1100, 84), fill=(90, 120, 190))
    canvas.text(title, 540, 64)
    for row in range(9):
        canvas.text(f"Line of text number {row}", 130, 130 + 40 * row)
    if menu:
        canvas.draw.rectangle((100, 110, 320, 420), fill=(230, 230, 230), outline=(90, 90, 90))
        for row in range(8):
            canvas.text(f"Menu entry {row}", 120, 120 + 36 * row)
    return canvas.pixels


@pytest.fixture
def embedder() -> BuiltinEmbedder:
    return BuiltinEmbedder()


def test_the_vector_is_of_unit_length_and_the_same_every_time(embedder):
    """S2.10."""
    one, other = embedder.embed(window("A")), embedder.embed(window("A"))
    assert one.model == embedder.model_id == "builtin-1"
    assert one.vector.dtype == np.float32
    assert np.linalg.norm(one.vector) == pytest.approx(1, abs=1e-5)
    assert np.array_equal(one.vector, other.vector)


def test_a_small_change_is_nearer_than_a_menu_and_a_menu_nearer_than_another_screen(embedder):
    base = embedder.embed(window("Notes"))
    typed, menu = embedder.embed(window("Notes *")), embedder.embed(window("Notes", menu=True))
    dialog = Canvas(1280, 800, background=(200, 200, 200))
    dialog.button("Yes", Box(500, 400, 120, 40))
    other = embedder.embed(dialog.pixels)
    assert cosine(base, typed) > 0.99
    assert cosine(base, typed) > cosine(base, menu) > cosine(base, other)
    assert cosine(base, other) < 0.6


def test_colour_does_not_count(embedder):
    picture = window("Notes")
    grey = np.repeat(picture.mean(axis=2, keepdims=True).astype(np.uint8), 3, axis=2)
    assert cosine(embedder.embed(picture), embedder.embed(grey)) > 0.97


def test_a_picture_of_one_colour_is_like_nothing(embedder):
    blank = embedder.embed(np.full((100, 100, 3), 128, np.uint8))
    assert cosine(blank, embedder.embed(window("Notes"))) == 0.0


def test_vectors_of_two_models_are_never_compared(embedder):
    """S2.10."""
    one = embedder.embed(window("Notes"))
    with pytest.raises(ModelsDiffer, match=r"builtin-1.*clip"):
        cosine(one, Embedding(model="clip", vector=one.vector))
