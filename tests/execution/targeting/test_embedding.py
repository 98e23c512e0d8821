"""The embedding before the marks. S5.3: `use_embedding_fallback`; S2.10: vectors of two models never meet."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from execution.perception.embedding import BuiltinEmbedder
from execution.targeting.embedding import EmbeddingAdviser, levelled
from execution.targeting.weighing import weigh
from execution.types import Box, Element, ElementRole, Embedding, ResolveStatus, RungResult, ScreenState
from tests.execution.perception.drawing import Pictures
from tests.execution.targeting.forms import FIELDS, FIND, PRINT, Form, context, taught
from workflows.graph import TargetSpec

FOUND, AMBIGUOUS, NOT_FOUND = ResolveStatus.FOUND, ResolveStatus.AMBIGUOUS, ResolveStatus.NOT_FOUND


@pytest.fixture(scope="module")
def embedder() -> BuiltinEmbedder:
    return BuiltinEmbedder()


@pytest.fixture
def store() -> Pictures:
    return Pictures()


@pytest.fixture
def icon(store: Pictures) -> TargetSpec:
    return taught(PRINT, store, label="Print")


class Changing:
    """An embedder whose model is another one from the second picture on."""

    def __init__(self) -> None:
        self.made = 0

    @property
    def model_id(self) -> str:
        return f"model-{self.made > 1}"

    def embed(self, pixels: np.ndarray) -> Embedding:
        self.made += 1
        return Embedding(model=self.model_id, vector=np.array([1.0, 0.0], np.float32))


class Alike:
    """An embedder for which all pictures are nearly the same, as CLIP's are, but those of one size."""

    model_id = "alike"

    def __init__(self, *likeness: float) -> None:
        self.likeness = [1.0, *likeness]

    def embed(self, pixels: np.ndarray) -> Embedding:
        x = self.likeness.pop(0)
        return Embedding(model=self.model_id, vector=np.array([x, (1 - x * x) ** 0.5], np.float32))


def find(target: TargetSpec, state: ScreenState, store: Pictures, embedder: Any) -> RungResult:
    asked = context(target, state, store)
    return EmbeddingAdviser(embedder)(asked, weigh(asked)).result


@pytest.mark.parametrize("form", [Form(), Form(dark=True), Form(dx=60, dy=40), Form(icons=(4, 3))])
def test_an_icon_is_found_in_any_theme_and_place(
    icon: TargetSpec, store: Pictures, embedder: BuiltinEmbedder, form: Form
) -> None:
    found = find(icon, form.state(), store, embedder)
    there = FIND if form.icons == (4, 3) else Box(PRINT.x + form.dx, PRINT.y + form.dy, PRINT.w, PRINT.h)
    assert (found.rung, found.status, found.candidates[0].box) == ("som_text_match", FOUND, there), found.note
    assert "by the embedding (builtin-2)" in found.note


@pytest.mark.parametrize("seed", range(5, 10))
def test_another_icon_in_its_place_does_not_stand_out(
    icon: TargetSpec, store: Pictures, embedder: BuiltinEmbedder, seed: int
) -> None:
    """The trap: the place and all around it are unchanged."""
    assert find(icon, Form(icons=(seed, 4)).state(), store, embedder).status is NOT_FOUND


def test_twins_do_not_stand_out(icon: TargetSpec, store: Pictures, embedder: BuiltinEmbedder) -> None:
    found = find(icon, Form(icons=(3, 3)).state(), store, embedder)
    assert found.status is not FOUND


@pytest.mark.parametrize(("likeness", "status"), [((0.99, 0.8, 0.8, 0.8), FOUND), ((0.83, 0.8, 0.8, 0.8), NOT_FOUND)])
def test_how_alike_the_others_are_is_the_measure(
    icon: TargetSpec, store: Pictures, likeness: tuple[float, ...], status: ResolveStatus
) -> None:
    """CLIP finds any two buttons alike: an absolute bound would take the nearest of them for the target."""
    state = Form().state()
    boxes = (PRINT, Box(200, 400, 24, 24), Box(300, 400, 24, 24), Box(400, 400, 24, 24))
    state = replace(state, elements=tuple(Element(box=b, role=ElementRole.ICON) for b in boxes))
    assert find(icon, state, store, Alike(*likeness)).status is status


def test_vectors_of_two_models_are_never_compared(icon: TargetSpec, store: Pictures) -> None:
    """S2.10"""
    found = find(icon, Form().state(), store, Changing())
    assert (found.status, found.note) == (NOT_FOUND, "the embedding model was changed meanwhile")


def test_a_field_is_not_told_by_what_it_looks_like(store: Pictures, embedder: BuiltinEmbedder) -> None:
    target = taught(FIELDS["Street"], store, label="Street")
    assert find(target, Form().state(), store, embedder).status is ResolveStatus.NOT_NEEDED


def test_a_target_without_a_picture_or_with_a_lost_one_is_told(
    icon: TargetSpec, store: Pictures, embedder: BuiltinEmbedder
) -> None:
    state = Form().state()
    assert find(replace(icon, picture=""), state, store, embedder).status is ResolveStatus.NOT_NEEDED
    lost = find(replace(icon, picture="0" * 64), state, store, embedder)
    assert (lost.status, "cannot be used" in lost.note) == (NOT_FOUND, True)


@pytest.mark.parametrize("shape", [(1, 1), (3, 3), (24, 24), (40, 2000), (900, 7)])
def test_a_crop_of_any_shape_is_brought_to_one_height(shape: tuple[int, int]) -> None:
    made = levelled(np.full((*shape, 3), 200, np.uint8))
    assert made.ndim == 3
    assert made.shape[0] <= 64
    assert made.shape[1] <= 1048
