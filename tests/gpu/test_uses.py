"""Each attempt at an answer is a row, and no answer depends on it (S4.4, S1.21)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from django.db import OperationalError

from gpu.choices import ProviderName, UseOutcome
from gpu.exceptions import AnswerBroken, UnknownModel
from gpu.model_manager import ModelManager
from gpu.models import CatalogueModel, ModelUse
from gpu.runtime import Runtime
from gpu.types import ExecutionMode, Purpose
from tests.gpu.fake_models import FakeGPU, FakeServer, machine

FIELDS = {
    "purpose": Purpose.TARGET, "model": "qwen2.5vl:7b", "outcome": UseOutcome.FAILED, "seconds": 1.5,
    "error": "AnswerTimeout", "attempt": 2, "instead_of": "a:1b", "tokens_in": 10, "tokens_out": 3, "load_seconds": 0.5,
    "execution_id": "exec_1", "step": 4, "provider": ProviderName.OLLAMA,
}  # fmt: skip


@pytest.mark.django_db
def test_all_of_a_use_is_kept() -> None:
    ModelUse(**FIELDS).keep()
    row = ModelUse.objects.get()
    assert {name: getattr(row, name) for name in FIELDS} == FIELDS
    assert row.at is not None
    assert str(row) == "qwen2.5vl:7b failed"


@pytest.mark.django_db
def test_a_database_that_refuses_costs_a_line_in_the_log(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """S1.21"""

    def locked(use: ModelUse) -> None:
        raise OperationalError("database is locked")

    monkeypatch.setattr(ModelUse, "save", locked)
    ModelUse(**FIELDS).keep()
    assert "the use of a model could not be kept: database is locked" in caplog.text


# --- with the rows of the catalogue and of the uses -----------------------------------------------------------------
class Machine:
    def read(self) -> Any:
        return machine()


@pytest.fixture
def runtime() -> Iterator[Runtime]:
    runtime = Runtime("test-uses")
    yield runtime
    runtime.close()


@pytest.fixture
def server() -> FakeServer:
    return FakeServer("qwen2.5:7b", "qwen2.5:1.5b")


@pytest.fixture
def models(transactional_db: None, runtime: Runtime, server: FakeServer) -> Iterator[ModelManager]:
    manager = ModelManager(FakeGPU(server, runtime), monitor=Machine())
    yield manager
    manager.close()


def test_each_attempt_is_a_row(models: ModelManager, server: FakeServer) -> None:
    """S4.4"""
    server.will("qwen2.5:7b", AnswerBroken("500"), AnswerBroken("500"))
    assert models.generate_response_sync("Why?", ()).model == "qwen2-5-1-5b"
    models.runtime.run(models._background.end())
    kept = ModelUse.objects.order_by("pk").values_list("model", "outcome", "error", "attempt", "instead_of")
    assert list(kept) == [
        ("qwen2.5:7b", "failed", "AnswerBroken", 1, ""),
        ("qwen2.5:7b", "failed", "AnswerBroken", 2, ""),
        ("qwen2.5:1.5b", "answered", "", 3, "qwen2.5:7b"),
    ]


def test_a_model_is_held_by_hand_until_the_choice_is_free_again(models: ModelManager, server: FakeServer) -> None:
    """S4.5: it is kept in the database, for every process and after a restart."""
    assert models.switch_model_sync("qwen2-5-1-5b") == "qwen2-5-1-5b"
    assert CatalogueModel.objects.get(held=True).key == "qwen2-5-1-5b"
    assert models.generate_response_sync("Why?", ()).model == "qwen2-5-1-5b"
    assert models.get_current_model_status_sync().held == "qwen2-5-1-5b"
    assert models.switch_model_sync("auto") == "auto"
    assert models.generate_response_sync("Why?", ()).model == "qwen2-5-7b"
    with pytest.raises(UnknownModel):
        models.switch_model_sync("nobody")


def test_the_mode_of_the_process_that_owns_the_gpu_counts(models: ModelManager) -> None:
    """S4.5: the page's own process owns nothing, and is in no mode."""
    from django.utils import timezone

    from gpu.machine.ownership import Ownership, machine_name
    from gpu.machine.status import gpu_folder
    from gpu.models import GPUState

    lock = Ownership(gpu_folder())
    assert lock.hold("a run loop")
    try:
        GPUState.objects.create(
            machine=machine_name(), owner="a run loop", owner_pid=1, heartbeat_at=timezone.now(), mode="autopilot",
            vlm_state="unloaded", clip_device="cpu", degraded=False,
        )  # fmt: skip
        assert models.get_current_model_status_sync().mode is ExecutionMode.AUTOPILOT
    finally:
        lock.release()
    assert models.get_current_model_status_sync().mode is ExecutionMode.IDLE, "whoever said so has gone"


def test_a_database_that_is_away_leaves_the_catalogue_of_before(
    models: ModelManager, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    models.get_current_model_status_sync()

    def locked() -> Any:
        raise OperationalError("database is locked")

    monkeypatch.setattr(models._observer, "_read_rows", locked)
    assert models.generate_response_sync("Why?", ()).text == "Yes."
    assert "the catalogue of models is that of before: database is locked" in caplog.text
