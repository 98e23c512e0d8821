"""What is said, in which form, and what is dropped: A.5.12, A.5.13, A.5.16."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from tests.doubles.conftest import (
    ASKED,
    SCHEMA,
    THINKER,
    VLM,
    Asker,
    image,
    with_image,
)
from tests.doubles.ollama import (
    LOADED,
    OLD,
    Model,
    OllamaServer,
    Reply,
    Shape,
)

Make = Callable[..., tuple[OllamaServer, Asker]]


# --- format -----------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(("shape", "check"), [
    (Shape.VALID, lambda text: json.loads(text) == {"x": 1, "label": "ok"}),
    (Shape.VIOLATING, lambda text: "x" not in json.loads(text)),
    (Shape.FENCED, lambda text: text.startswith("```json") and text.endswith("```")),
    (Shape.PROSE, lambda text: text.startswith("Sure!")),
])  # fmt: skip
def test_a_format_is_kept_or_not_as_scripted(double: Make, shape: Shape, check: Callable[[str], bool]) -> None:
    """A.5.12"""
    ollama, ask = double()
    ollama.replies.append(Reply(shape=shape))
    said = ask.chat(format=SCHEMA)
    assert check(said["message"]["content"]) and said["done_reason"] == "stop"


def test_json_is_truncated_with_length_as_the_reason(double: Make) -> None:
    """A.5.12, A.4.6"""
    ollama, ask = double()
    ollama.replies.append(Reply(shape=Shape.TRUNCATED))
    said = ask.chat(format=SCHEMA)
    assert (said["done"], said["done_reason"]) == (True, "length")
    with pytest.raises(json.JSONDecodeError):
        json.loads(said["message"]["content"])


def test_num_predict_ends_an_answer_with_length(double: Make) -> None:
    """A.1"""
    ollama, ask = double()
    ollama.replies.append(Reply(content="One two three four"))
    said = ask.chat(options={"num_predict": 2})
    assert (said["message"]["content"], said["done_reason"]) == ("One two", "length")


def test_nothing_but_thinking_comes(double: Make) -> None:
    """A.5.12"""
    ollama, ask = double(Model(THINKER, capabilities=("completion", "vision", "thinking")))
    ollama.replies.append(Reply(shape=Shape.THINKING_ONLY))
    said = ask.chat(model=THINKER, format=SCHEMA)
    assert said["message"] == {"role": "assistant", "content": "", "thinking": "Let me see."}


def test_a_thinking_model_takes_two_passes_for_a_format(double: Make) -> None:
    """A.3"""
    ollama, ask = double(Model(THINKER, capabilities=("completion", "thinking")))
    ask.chat(model=THINKER, format="json")
    ask.chat(model=THINKER)
    assert [asked.passes for asked in ollama.asks] == [2, 1]


@pytest.mark.parametrize("value", ["yaml", 7, ["json"]])
def test_a_format_that_is_none_is_found_out_late(double: Make, value: Any) -> None:
    """A.1: 500, and the model has been loaded for it"""
    ollama, ask = double()
    response = ask.post("/api/chat", **ASKED, format=value)
    assert response.status_code == 500 and response.json()["error"].startswith("invalid format: ")
    assert ollama.models[VLM].state == LOADED and ask.chat()["done"]


# --- think ------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(("think", "thinks"), [({}, True), ({"think": True}, True), ({"think": "low"}, True),
                                               ({"think": False}, False)])  # fmt: skip
def test_a_thinking_model_thinks_unless_it_is_told_not_to(double: Make, think: dict[str, Any], thinks: bool) -> None:
    """A.5.13"""
    _ollama, ask = double(Model(THINKER, capabilities=("completion", "thinking")))
    assert ("thinking" in ask.chat(model=THINKER, **think)["message"]) is thinks


def test_another_model_refuses_to_think_and_accepts_not_to(double: Make) -> None:
    """A.5.13"""
    _ollama, ask = double()
    assert ask.chat(think=True) == {"error": f'"{VLM}" does not support thinking'}
    assert ask.chat(think=False)["done"]
    assert "invalid think value" in ask.chat(think="hard")["error"]


def test_a_model_without_the_capability_refuses(double: Make) -> None:
    """A.2"""
    _ollama, ask = double(Model("embedder:latest", capabilities=("embedding",)))
    assert ask.chat(model="embedder") == {"error": '"embedder" does not support chat'}


# --- history ----------------------------------------------------------------------------------------------------------
def talk(*words: int) -> list[dict[str, str]]:
    """A system message and turns of so many words."""
    turns = [{"role": "user" if at % 2 == 0 else "assistant", "content": "w " * n} for at, n in enumerate(words)]
    return [{"role": "system", "content": "Be short."}, *turns]


def test_the_oldest_messages_are_dropped_without_a_word_and_it_is_told_which(double: Make) -> None:
    """A.5.16"""
    ollama, ask = double()
    assert ask.chat(messages=talk(50, 50, 50, 50, 50), options={"num_ctx": 120})["done"]
    assert ollama.asks[-1].kept == [0, 4, 5]  # the system message, and what fits from the end
    assert ollama.asks[-1].prompt_tokens == 102


def test_an_image_counts_768_tokens(double: Make) -> None:
    """A.3"""
    ollama, ask = double()
    ask.post("/api/chat", **with_image(image()))
    assert ollama.asks[-1].prompt_tokens == 769


def test_without_truncation_a_long_conversation_is_refused(double: Make) -> None:
    """A.5.16"""
    _ollama, ask = double()
    response = ask.post(
        "/api/chat", model=VLM, messages=talk(90, 90), options={"num_ctx": 120}, truncate=False, stream=False
    )
    assert response.status_code == 400 and "longer than the context length" in response.json()["error"]


def test_the_context_depends_on_the_size_of_the_gpu(double: Make) -> None:
    """A.3"""
    for total_mb, context in ((12_000, 4096), (24_000, 32_768), (80_000, 128_000)):
        _ollama, ask = double(total_mb=total_mb)
        ask.load()
        assert ask.ps()[0]["context_length"] == context  # no more than the model was trained with


def test_old_servers_drop_messages_although_they_are_told_not_to(double: Make) -> None:
    """A.5.16: `truncate` came with 0.13, and unknown fields are ignored"""
    ollama, ask = double(profile=OLD)
    said = ask.chat(messages=talk(90, 90), options={"num_ctx": 120}, truncate=False)
    assert said["done"] and ollama.asks[-1].kept == [0, 2]
