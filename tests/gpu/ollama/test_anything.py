"""Whatever a server says, there is an answer or a VLMUnavailable, and never another error (A.5)."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Coroutine, Sequence
from datetime import datetime
from typing import Any

import httpx
from hypothesis import given
from hypothesis import strategies as st

from gpu.config import GPUResourceConfig
from gpu.exceptions import VLMUnavailable
from gpu.ollama import OllamaManager
from gpu.openai import OpenAICompatibleProvider
from gpu.types import Chunk
from tests.gpu.ollama.conftest import SAY, SCHEMA, VLM

SHORT = st.text(max_size=12)
SCALARS = st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), SHORT)
NAMES = st.sampled_from([
    "models", "name", "model", "size", "size_vram", "digest", "expires_at", "context_length", "capabilities", "version",
    "message", "content", "thinking", "done", "done_reason", "error", "prompt_eval_count", "eval_count",
    "load_duration", "model_info", "remote_host", "choices", "delta", "usage", "finish_reason", "data", "id",
])  # fmt: skip
SAID = st.recursive(
    st.one_of(SCALARS, st.just(True), st.just("stop"), st.just("2318-01-01T00:00:00"), st.just("\ud800")),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(NAMES, inner, max_size=4)),
)
BODIES = st.one_of(
    st.binary(max_size=200),
    st.lists(SAID, max_size=4).map(lambda lines: "\n".join(json.dumps(line) for line in lines).encode()),
    st.lists(SAID, max_size=4).map(lambda lines: "".join(f"data: {json.dumps(line)}\n\n" for line in lines).encode()),
)
STATUSES = st.sampled_from([200, 200, 200, 200, 204, 302, 400, 401, 403, 404, 405, 429, 499, 500, 502, 503, 599])


class Pieces(httpx.AsyncByteStream):
    def __init__(self, body: bytes, size: int) -> None:
        self._body, self._size = body, size

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for at in range(0, len(self._body), self._size):
            yield self._body[at : at + self._size]


def transport(status: int, body: bytes, *, size: int = 64, spared: Sequence[str] = ()) -> httpx.MockTransport:
    """Answers all paths with that; the spared ones as they should be, so that what comes after them is reached."""
    good = {"/api/show": {"capabilities": []}, "/api/version": {"version": "0.33.0"}}

    def answer(request: httpx.Request) -> httpx.Response:
        if request.url.path in spared:
            return httpx.Response(200, json=good[request.url.path])
        return httpx.Response(status, stream=Pieces(body, size))

    return httpx.MockTransport(answer)


def outcome(asking: Coroutine[Any, Any, Any]) -> Any:
    try:
        return asyncio.run(asking)
    except VLMUnavailable as error:
        refused = error
    assert str(refused).isprintable() and len(str(refused)) < 700
    return refused


CONFIG = GPUResourceConfig(ollama_url="http://127.0.0.1:9")


@given(status=STATUSES, body=BODIES)
def test_lists_cards_and_loads(status: int, body: bytes) -> None:
    client = OllamaManager(CONFIG, transport=transport(status, body))
    asks = (client.health, client.list_models, client.loaded_models, lambda: client.show(VLM),
            lambda: client.load_model(VLM), lambda: client.unload_model(VLM))  # fmt: skip
    for ask in asks:
        found = outcome(ask())
        assert status < 300 or isinstance(found, VLMUnavailable)
        for entry in found if isinstance(found, tuple) else ():
            moment = getattr(entry, "expires_at", None)
            assert moment is None or (isinstance(moment, datetime) and moment.tzinfo)
            assert entry.name.encode() and entry.size_mb >= 0


@given(status=STATUSES, body=BODIES, schema=st.sampled_from([None, SCHEMA]))
def test_answers_of_both_kinds_of_servers(status: int, body: bytes, schema: dict[str, Any] | None) -> None:
    async def ollama() -> list[Chunk]:
        client = OllamaManager(CONFIG, transport=transport(status, body, spared=("/api/show", "/api/version")))
        return [chunk async for chunk in client.chat(VLM, SAY, schema=schema)]

    async def openai() -> list[Chunk]:
        provider = OpenAICompatibleProvider("http://127.0.0.1:9", config=CONFIG, transport=transport(status, body))
        return [part async for part in provider.chat(VLM, SAY, context_length=8192, max_tokens=9, schema=schema)]

    for ask in (ollama, openai):
        said = outcome(ask())
        if isinstance(said, list):
            assert status < 300 and [chunk.done for chunk in said] == [False] * (len(said) - 1) + [True]
            assert "".join(chunk.text for chunk in said).strip().encode()


WORDS = st.lists(st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=8), min_size=1, max_size=6)


@given(words=WORDS, size=st.integers(1, 50))
def test_an_answer_is_the_same_however_it_is_cut_into_pieces(words: list[str], size: int) -> None:
    """A.5.11"""
    lines = [{"message": {"content": word}, "done": False} for word in words]
    lines.append({"message": {"content": ""}, "done": True, "done_reason": "stop"})
    body = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines).encode()
    spared = ("/api/show", "/api/version")

    async def ask() -> str:
        client = OllamaManager(CONFIG, transport=transport(200, body, size=size, spared=spared))
        return "".join([chunk.text async for chunk in client.chat(VLM, SAY)])

    said = outcome(ask())
    assert said == "".join(words) or not "".join(words).strip()
