"""The double of an OpenAI-compatible server answers as LM Studio does, to a client that is not ours (S4.1)."""

from __future__ import annotations

import json
from collections.abc import Iterator

import httpx
import pytest

from tests.doubles.conftest import PNG, image
from tests.doubles.openai import OpenAIServer, openai_server

MODEL = "qwen2.5-vl-7b"
SAY = [{"role": "user", "content": "What is there?"}]


@pytest.fixture
def server() -> Iterator[OpenAIServer]:
    with openai_server(MODEL) as made:
        yield made


@pytest.fixture
def client(server: OpenAIServer) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=server.url, trust_env=False, timeout=10) as made:
        yield made


def ask(client: httpx.Client, **more: object) -> list[str]:
    said = client.post("/chat/completions", json={"model": MODEL, "messages": SAY, "stream": True, **more})
    assert said.headers["content-type"] == "text/event-stream"
    return [line for line in said.text.splitlines() if line]


def test_an_answer_is_events_with_the_reason_the_count_and_the_end_in_events_of_their_own(client: httpx.Client) -> None:
    *parts, ended, comment, used, done = ask(client, stream_options={"include_usage": True})
    said = [json.loads(part.removeprefix("data: "))["choices"][0] for part in [*parts, ended]]
    assert [part["delta"].get("content") for part in said] == ["Hello", " there.", None]
    assert [part["finish_reason"] for part in said] == [None, None, "stop"]
    assert json.loads(used.removeprefix("data: "))["usage"] == {"prompt_tokens": 3, "completion_tokens": 2}
    assert comment.startswith(":") and done == "data: [DONE]"


def test_tokens_are_counted_only_for_who_asks(client: httpx.Client) -> None:
    assert not any("usage" in line for line in ask(client))


def test_pictures_come_as_data_addresses_and_no_others(server: OpenAIServer, client: httpx.Client) -> None:
    def with_picture(url: str) -> int:
        parts = [{"type": "text", "text": "x"}, {"type": "image_url", "image_url": {"url": url}}]
        said = {"model": MODEL, "messages": [{"role": "user", "content": parts}], "stream": True}
        return client.post("/chat/completions", json=said).status_code

    assert with_picture(f"data:image/png;base64,{image()}") == 200
    assert server.asks[-1].images == [PNG]
    assert with_picture("http://127.0.0.1/picture.png") == 400
    assert with_picture(f"data:image/png;base64,{image(PNG[:-4])}") == 400


def test_refusals_have_a_status_and_a_message(client: httpx.Client) -> None:
    missing = client.post("/chat/completions", json={"model": "nobody", "messages": SAY})
    assert (missing.status_code, missing.json()["error"]["code"]) == (404, "model_not_found")
    long = client.post(
        "/chat/completions", json={"model": MODEL, "messages": [{"role": "user", "content": "w " * 9000}]}
    )
    assert long.status_code == 400 and "context length of only 8192" in long.json()["error"]["message"]
    assert client.get("/other").json() == {"error": "Unexpected endpoint or method. (GET /v1/other)"}
