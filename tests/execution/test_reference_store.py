"""References in the database. S2.10: vectors are stored with the id of the model that made them."""

from __future__ import annotations

import numpy as np
import pytest
from django.db import DatabaseError

from execution.matching import Reading
from execution.models import ReferenceReading, ReferenceVector
from execution.reference_store import DatabaseReferences
from execution.types import Box, Element, ElementRole, Embedding, Size, TextLine

pytestmark = pytest.mark.django_db


def reading(picture: str = "a" * 64, maker: str = "rapidocr+builtin/1", text: str = "Né(e) le") -> Reading:
    return Reading(
        picture=picture, maker=maker, size=Size(1280, 800), texts=(TextLine(text=text, box=Box(10, 20, 60, 15)),),
        elements=(Element(box=Box(5, 5, 90, 30), role=ElementRole.BUTTON, text="Valider"),),
    )  # fmt: skip


def embedding(model: str = "builtin-2") -> Embedding:
    return Embedding(model=model, vector=np.array([0.6, 0.8], np.float32))


def test_a_reading_is_found_by_its_picture_and_maker():
    store = DatabaseReferences()
    store.keep_reading(reading())
    assert store.readings(["a" * 64, "b" * 64], "rapidocr+builtin/1") == {"a" * 64: reading()}
    assert store.readings(["a" * 64], "easyocr+builtin/1") == {}


def test_a_vector_is_found_by_its_picture_and_model():
    store = DatabaseReferences()
    store.keep_embedding("a" * 64, embedding())
    found = store.embeddings(["a" * 64], "builtin-2")["a" * 64]
    assert (found.model, found.vector.dtype) == ("builtin-2", np.float32)
    assert np.array_equal(found.vector, embedding().vector)
    assert store.embeddings(["a" * 64], "open_clip/ViT-B-32") == {}


def test_what_is_kept_again_takes_the_place_of_what_was():
    store = DatabaseReferences()
    for text in ("old", "new"):
        store.keep_reading(reading(text=text))
        store.keep_embedding("a" * 64, embedding())
    assert store.readings(["a" * 64], "rapidocr+builtin/1")["a" * 64].texts[0].text == "new"
    assert (ReferenceReading.objects.count(), ReferenceVector.objects.count()) == (1, 1)


def test_a_row_that_cannot_be_understood_counts_as_missing(caplog):
    ReferenceReading.objects.create(picture="a" * 64, maker="m", reading={"texts": "?"})
    assert DatabaseReferences().readings(["a" * 64], "m") == {}
    assert "is not used" in caplog.text


def test_a_thousand_pictures_are_asked_for_in_few_queries(django_assert_num_queries):
    store = DatabaseReferences()
    store.keep_reading(reading(picture=f"{7:064}"))
    with django_assert_num_queries(2):
        assert list(store.readings([f"{n:064}" for n in range(1000)], "rapidocr+builtin/1")) == [f"{7:064}"]


def test_a_database_that_takes_nothing_costs_the_keeping_and_not_the_run(monkeypatch, caplog):
    def refuse(**values: object) -> None:
        raise DatabaseError("the disk is full")

    monkeypatch.setattr(ReferenceReading.objects, "update_or_create", refuse)
    DatabaseReferences().keep_reading(reading())
    assert "could not be kept: the disk is full" in caplog.text
