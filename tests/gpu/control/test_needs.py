from __future__ import annotations

from typing import Any

import pytest
from django.db import OperationalError

from gpu.choices import ProviderName
from gpu.control.residency import Needs
from gpu.models import CatalogueModel, LearnedNeed
from gpu.runtime import DatabaseThread
from tests.gpu.rows import COMMITTED, VLM

pytestmark = COMMITTED


async def test_what_was_learned_is_known_to_the_next_process(database: DatabaseThread) -> None:
    """A.9.3"""
    assert await Needs(database).learned("sha256:1", 8192) is None
    await Needs(database).learn("sha256:1", 8192, name=VLM, need_mb=6100)
    assert await Needs(database).learned("sha256:1", 8192) == 6100


async def test_another_context_and_another_digest_are_other_needs(database: DatabaseThread) -> None:
    needs = Needs(database)
    await needs.learn("sha256:1", 8192, name=VLM, need_mb=6100)
    await needs.learn("sha256:1", 32768, name=VLM, need_mb=9000)
    assert await needs.learned("sha256:1", 8192) == 6100
    assert await needs.learned("sha256:1", 32768) == 9000
    assert await needs.learned("sha256:2", 8192) is None


async def test_the_largest_that_was_seen_is_kept(database: DatabaseThread) -> None:
    for need_mb in (6100, 6400, 5900):
        await Needs(database).learn("sha256:1", 8192, name=VLM, need_mb=need_mb)
    assert await Needs(database).learned("sha256:1", 8192) == 6400
    kept = await database.run(lambda: list(LearnedNeed.objects.values_list("name", "need_mb")))
    assert kept == [(VLM, 6400)]


async def test_a_database_that_refuses_costs_a_line_and_no_load(
    database: DatabaseThread, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async def locked(work: Any) -> Any:
        raise OperationalError("database is locked")

    needs = Needs(database)
    monkeypatch.setattr(database, "run", locked)
    assert await needs.learned("sha256:1", 8192) is None
    await needs.learn("sha256:1", 8192, name=VLM, need_mb=6100)
    assert await needs.learned("sha256:1", 8192) == 6100  # this process knows it
    assert caplog.text.count("database is locked") == 3


async def test_what_the_catalogue_says_is_of_the_models_of_ollama_alone(database: DatabaseThread) -> None:
    rows = CatalogueModel.objects
    made = {"ram_mb": 1, "context_length": 4096}
    await database.run(lambda: rows.create(key="a", name="tiny", vram_mb=900, **made))
    await database.run(lambda: rows.create(key="b", name="far", provider=ProviderName.OPENAI, vram_mb=900, **made))
    needs = Needs(database)
    assert [await needs.declared(name) for name in ("tiny:latest", "far:latest")] == [900, None]
    assert await Needs().declared("tiny:latest") is None
