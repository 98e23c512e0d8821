"""References in the database. S2.10: vectors are stored with the id of the model that made them."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from django.conf import settings as settings_of_django
from django.db import DatabaseError

from execution.choices import ExecutionState
from execution.matching import Reading
from execution.models import Execution, ReferenceReading, ReferenceVector, Robot
from execution.record.journal import Journal
from execution.record.reference_store import DatabaseReferences, references_for
from execution.running.runner import Runner
from execution.types import Box, Element, ElementRole, Embedding, Size, TextLine
from sentences.said import from_json
from tests.doubles.scripted import ScriptedDesktop
from tests.factories import make_picture, make_published
from tests.support.scripted import analyzer, queue, screens
from workflows.models import WorkflowVersion
from workflows.pictures import PictureStore

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


# --- a run comes by its references ------------------------------------------------------------------------------------
NAMES = ("one", "two")


@pytest.fixture
def version(settings: Any, tmp_path: Path) -> WorkflowVersion:
    """A line of two pages; the first was taught with a picture."""
    settings.DATA_DIR = tmp_path
    nodes = [
        {"node_id": name, "name": name, "texts": [f"Page {name}"], "is_entry": name == "one", "is_end": name == "two"}
        for name in NAMES
    ]
    nodes[0]["picture"] = make_picture(width=900, height=600).digest
    target = {"target_id": "go", "label": "Go on", "text": "Go on", "role": "button"}
    edge = {
        "edge_id": "e", "source": "one", "destination": "two", "action_type": "click", "target": target,
        "settle_ms": 20, "settle_timeout_ms": 500,
    }  # fmt: skip
    return make_published(nodes=nodes, edges=[edge], variables=[])


def run(version: WorkflowVersion) -> list[str]:
    """One automatic run by a run loop on a scripted desktop; what it said."""
    desktop, said = ScriptedDesktop(screens(*NAMES)), list[str]()
    execution = queue(version)
    Runner(desktop=desktop, analyzer=analyzer(desktop), out=said.append, once=True).run()
    execution.refresh_from_db()
    assert execution.state == ExecutionState.COMPLETED, said
    return [text for text in said if "taught screens" in text]


@pytest.mark.django_db(transaction=True)
def test_a_run_reads_its_taught_screens_once_before_it_begins(version):
    """S2.10: from the stored reference pictures; the next run has them."""
    assert run(version) == ["Reading the taught screens: 0 of 1", "Reading the taught screens: 1 of 1"]
    assert [texts["texts"][0][0] for texts in ReferenceReading.objects.values_list("reading", flat=True)] == [
        "Page one"
    ]
    assert run(version) == []


@pytest.mark.django_db(transaction=True)
def test_a_taught_screen_that_cannot_be_had_costs_a_warning_and_no_run(version):
    """S1.21."""
    shutil.rmtree(settings_of_django.DATA_DIR / "pictures")
    run(version)
    assert "1 of 1 taught screens" in from_json(Robot.objects.get().warnings["references"]["message"])
    assert ReferenceReading.objects.count() == 0


@pytest.mark.django_db(transaction=True)
def test_a_run_without_reading_reads_no_taught_screens(version):
    execution = queue(version)
    type(execution).objects.filter(pk=execution.pk).update(enable_ocr=False)
    journal = Journal(Execution.objects.by_id(execution.execution_id), version.spec())
    found = references_for(
        journal, analyzer=analyzer(ScriptedDesktop(screens(*NAMES))), pictures=PictureStore(), tell=print,
        leave=lambda: False,
    )  # fmt: skip
    assert (found["one"].reading, found["one"].problem) == (None, "")
