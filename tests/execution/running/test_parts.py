"""Whom a run asks where the signs do not settle it, and how the GPU manager's model answers (S2.2, S5.3, S1.15)."""

from __future__ import annotations

from typing import Any

import cv2
import numpy as np
import pytest

from execution.perception.embedding import BuiltinEmbedder
from execution.running import parts
from execution.running.parts import ManagedVision, advisers
from execution.targeting.vision.model import VisionUnavailable
from execution.turn.eyes import Flags
from gpu import GPUResourceConfig, VLMUnavailable


class Manager:
    """A GPU manager that answers what it is told to, and keeps what it was asked."""

    def __init__(self, answer: str | Exception = "", *, model: str = "qwen2.5vl:7b") -> None:
        self.answer, self.asked = answer, []
        self.config = GPUResourceConfig(ollama_url="http://127.0.0.1:9" if model else "", vlm_model=model)

    def ask_vlm_sync(self, *arguments: Any, **named: Any) -> str:
        self.asked.append((*arguments, named))
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


def flags(*, ui: bool = True) -> Flags:
    return Flags(enable_ocr=True, enable_ui_detection=ui, analyze_timeout_ms=8000)


def names(found: tuple[Any, ...]) -> list[str]:
    return [type(one).__name__ for one in found]


@pytest.fixture
def manager(monkeypatch: pytest.MonkeyPatch) -> Manager:
    one = Manager()
    monkeypatch.setattr(parts, "get_gpu_resource_manager", lambda: one)
    return one


def test_a_manager_that_cannot_be_had_costs_one_warning_and_its_rung(monkeypatch: pytest.MonkeyPatch) -> None:
    """S1.21"""
    told: list[tuple[str, str]] = []

    def broken() -> Any:
        raise RuntimeError("no driver")

    monkeypatch.setattr(parts, "get_gpu_resource_manager", broken)
    rungs = advisers(BuiltinEmbedder(), flags(), warn=lambda kind, message: told.append((kind, message)))
    assert names(rungs) == ["EmbeddingAdviser"]
    assert told == [("gpu", "RuntimeError: no driver")]


@pytest.mark.parametrize("error", [RuntimeError("the event loop is closed"), OSError(28, "no room"), KeyError("x")])
def test_whatever_the_manager_raises_costs_this_rung_alone(manager: Manager, error: Exception) -> None:
    """S1.21"""
    manager.answer = error
    with pytest.raises(VisionUnavailable, match=type(error).__name__):
        ManagedVision(manager).ask(np.zeros((4, 4, 3), np.uint8), "?", {})


def test_the_model_is_asked_last(manager: Manager) -> None:
    assert names(advisers(BuiltinEmbedder(), flags())) == ["EmbeddingAdviser", "VisionAdviser"]


def test_without_a_model_it_is_not_asked(manager: Manager) -> None:
    manager.config = GPUResourceConfig()
    assert names(advisers(BuiltinEmbedder(), flags())) == ["EmbeddingAdviser"]


def test_the_embedding_can_be_switched_off(manager: Manager, settings: Any) -> None:
    settings.RPA_EMBEDDING_FALLBACK = False
    assert names(advisers(BuiltinEmbedder(), flags())) == ["VisionAdviser"]


def test_a_run_without_element_detection_sends_the_model_nothing(manager: Manager) -> None:
    """S2.2"""
    assert advisers(BuiltinEmbedder(), flags(ui=False)) == ()


def test_the_model_sees_the_picture_as_it_is() -> None:
    manager = Manager('{"mark": 1}')
    picture = np.random.default_rng(1).integers(0, 255, (40, 60, 3), np.uint8)
    assert ManagedVision(manager, execution_id="exec_1").ask(picture, "Which?", {"type": "object"}) == '{"mark": 1}'
    prompt, (png,), schema, named = manager.asked[0]
    assert (prompt, schema, named) == ("Which?", {"type": "object"}, {"execution_id": "exec_1"})
    assert np.array_equal(cv2.imdecode(np.frombuffer(png, np.uint8), cv2.IMREAD_COLOR), picture)


def test_a_model_that_cannot_be_had_is_a_reason_and_no_crash() -> None:
    vision = ManagedVision(Manager(VLMUnavailable("Ollama is away.")))
    with pytest.raises(VisionUnavailable, match="Ollama is away"):
        vision.ask(np.zeros((4, 4, 3), np.uint8), "Which?", {})
