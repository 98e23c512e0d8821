"""Asking the vision-language model about a picture: what is sent, which answers are none (S3.2, RELIABILITY.md A)."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Iterator
from typing import Any

import httpx
import pytest

from gpu.config import GPUResourceConfig
from gpu.exceptions import CloudModelRefused, VLMUnavailable
from gpu.ollama import OllamaManager

VLM = "qwen2.5vl:7b"
SCHEMA = {"type": "object", "properties": {"mark": {"type": "integer"}}}
PICTURE = b"\x89PNG picture"
GOOD = {"response": '{"mark": 3}', "done": True, "done_reason": "stop"}

Ask = Callable[..., str]


class Server:
    def __init__(self) -> None:
        self.answer: httpx.Response | Exception = httpx.Response(200, json=GOOD)
        self.about: dict[str, Any] = {}
        self.asked: dict[str, Any] = {}

    def __call__(self, request: httpx.Request) -> httpx.Response:
        if request.url.path == "/api/show":
            return httpx.Response(200, json=self.about)
        self.asked = json.loads(request.content)
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


@pytest.fixture
def server() -> Server:
    return Server()


@pytest.fixture
def ask(server: Server) -> Iterator[Ask]:
    ollama = OllamaManager(GPUResourceConfig(ollama_url="http://127.0.0.1:9", vlm_model=VLM))
    ollama.close()
    ollama._client = httpx.Client(transport=httpx.MockTransport(server), base_url="http://127.0.0.1:9")
    yield lambda model=VLM: ollama.answer(model, prompt="Which mark?", pictures=[PICTURE], schema=SCHEMA)
    ollama.close()


def test_the_picture_goes_as_plain_base64_with_the_schema_and_one_fixed_set_of_options(
    ask: Ask, server: Server
) -> None:
    """A.1: no data URI; A.3: other options would load the model anew; A.4.7: an answer has an end."""
    assert ask() == '{"mark": 3}'
    assert base64.b64decode(server.asked["images"][0], validate=True) == PICTURE
    assert (server.asked["format"], server.asked["stream"], server.asked["think"]) == (SCHEMA, False, False)
    first = server.asked["options"]
    ask()
    assert server.asked["options"] == first
    assert first["num_predict"] > 0 and first["num_ctx"] > 0


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (httpx.Response(200, json={**GOOD, "done": False}), "no end was told"),
        (httpx.Response(200, json={"response": '{"mark": 3}'}), "no end was told"),
        (httpx.Response(200, json={**GOOD, "done_reason": "length"}), "did not come to an end"),
        (httpx.Response(200, json={"error": "model runner has unexpectedly stopped"}), "unexpectedly stopped"),
        (httpx.Response(200, text="<html>Bad gateway</html>"), "is no Ollama"),
        (httpx.Response(200, text=""), "is no Ollama"),
        (httpx.Response(502, text="<html>Bad gateway</html>"), "Bad gateway"),
        (httpx.Response(503, json={"error": "server busy, please try again."}), "server busy"),
        (httpx.Response(404, json={"error": "model 'x' not found"}), "not found"),
        (httpx.ReadTimeout("slow"), "did not answer"),
        (httpx.ConnectError("refused"), "cannot be reached"),
    ],
)
def test_what_is_no_whole_answer_is_unavailable_with_the_reason(
    ask: Ask, server: Server, answer: httpx.Response | Exception, said: str
) -> None:
    """A.4.5, A.4.6: a stream that ended without `done`, or was cut, is no answer."""
    server.answer = answer
    with pytest.raises(VLMUnavailable, match=said):
        ask()


def test_a_picture_never_goes_to_a_model_in_a_cloud(ask: Ask, server: Server) -> None:
    """T9: screens do not leave this machine."""
    with pytest.raises(CloudModelRefused):
        ask("big:480b-cloud")
    server.about = {"remote_host": "https://elsewhere.example"}
    with pytest.raises(CloudModelRefused):
        ask()
    assert server.asked == {}
