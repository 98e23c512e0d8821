"""The model manager with the real parts around it: the owner of the GPU, the client, a server over HTTP (S4)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import pytest

from gpu.catalogue import ModelEntry
from gpu.config import GPUResourceConfig
from gpu.conversation import Talk
from gpu.manager import GPUResourceManager
from gpu.model_manager import ModelManager
from gpu.models import ModelUse
from gpu.resources import ResourceMonitor
from gpu.types import ChatMessage
from tests.doubles.ollama import Fault, Kind, Model, OllamaServer, ollama_server
from tests.gpu.conftest import VLM, Ledger
from tests.gpu.fake_models import LIGHT, entry, rows_of

A, B = "a:7b", "b:3b"
CATALOGUE = (
    entry("a", "json", name=A, vram_mb=6000, ram_mb=100),
    entry("b", "json", name=B, tier=LIGHT, vram_mb=3000, ram_mb=100),
    entry("vlm", "vision", name=VLM, vram_mb=8000, ram_mb=100),
)


class Room(Ledger):
    def utilisation(self) -> dict[str, int]:
        return {}


class Stage:
    def __init__(self, ollama: OllamaServer, *catalogue: ModelEntry, **config: Any) -> None:
        given = {
            "ollama_url": ollama.url, "vlm_model": VLM, "retry_pause_s": 0.01, "vram_timeout_s": 0.3,
            "gone_timeout_s": 2.0, **config,
        }  # fmt: skip
        self.ollama, self.uses = ollama, list[ModelUse]()
        room = Room(ollama)
        self.gpu = GPUResourceManager(GPUResourceConfig(**given), vram=room)
        self.models = ModelManager(
            self.gpu, monitor=ResourceMonitor(vram=room), rows=rows_of(*(catalogue or CATALOGUE)), keep=self.uses.append
        )

    def ask(self, text: str = "Why?", conversation: Any = ()) -> Any:
        return self.models.generate_response_sync(text, conversation)

    @property
    def kept(self) -> list[tuple[str, str, str]]:
        self.gpu.runtime.run(self.models._background.end())
        return [(use.model, use.outcome.value, use.error) for use in self.uses]


@pytest.fixture
def ollama() -> Iterator[OllamaServer]:
    with ollama_server(Model(A, size_mb=6000), Model(B, size_mb=3000), Model(VLM, size_mb=8000)) as server:
        yield server


@pytest.fixture
def stage(ollama: OllamaServer) -> Iterator[Callable[..., Stage]]:
    with ExitStack() as stack:

        def make(*catalogue: ModelEntry, **config: Any) -> Stage:
            made = Stage(ollama, *catalogue, **config)
            stack.callback(made.gpu.close)
            stack.callback(made.models.close)
            return made

        yield make


def test_the_model_sees_every_message_that_was_sent(stage: Callable[..., Stage], ollama: OllamaServer) -> None:
    """S4.3: the server drops nothing behind our back; what is missing is what we left out, and know."""
    history = tuple(ChatMessage(role=("user", "assistant")[n % 2], content=f"{n} " + "word " * 600) for n in range(20))
    here = stage(*CATALOGUE[:2])
    answer = here.ask("And now?", Talk(system="You help.", history=history))
    asked = [ask for ask in ollama.asks if not ask.empty][-1]
    assert asked.kept == list(range(len(asked.messages)))
    assert asked.messages[0]["content"] == "You help."
    assert asked.messages[-1]["content"] == "And now?"
    dropped = answer.dropped["messages"]
    assert dropped
    assert [m["content"] for m in asked.messages[1:-1]] == [m.content for m in history[len(dropped) :]]
    assert ollama.models[A].reloads == 0
    assert here.kept == [(A, "answered", "")]


def test_scarce_memory_switches_by_itself_and_the_conversation_goes_on(
    stage: Callable[..., Stage], ollama: OllamaServer
) -> None:
    """S4.3, S4.4"""
    here = stage()
    said = [ChatMessage(role="user", content="Which step failed?")]
    first = here.ask("Which step failed?")
    assert first.model == "a"
    here.gpu.unload_model_sync(A)
    ollama.vram_free_mb = 4000  # some other program has taken the rest
    said.append(ChatMessage(role="assistant", content=first.text))
    second = here.ask("And why?", said)
    assert second.model == "b"
    asked = [ask for ask in ollama.asks if not ask.empty][-1]
    assert [m["content"] for m in asked.messages] == ["Which step failed?", "Hello there.", "And why?"]
    assert second.dropped == {}


def test_a_server_that_is_busy_unloading_is_not_taken_for_away(
    stage: Callable[..., Stage], ollama: OllamaServer
) -> None:
    """A.4.8"""
    here = stage()
    ollama.faults.append(Fault(kind=Kind.PROXY, path="/api/ps"))
    choice = here.models.select_best_model_sync(())
    assert choice.model.key == "a"
    assert ollama.faults == []
