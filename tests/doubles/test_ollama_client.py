"""The official Python client works against the double: we do not only talk to ourselves (A.1)."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import ollama as official
import pytest

from tests.doubles.conftest import VLM
from tests.doubles.ollama import NEW, OLD, End, Model, OllamaServer, Profile, Reply, Settings

Make = Callable[..., OllamaServer]
SAY = [{"role": "user", "content": "What is there?"}]


@pytest.fixture(params=[NEW, OLD], ids=lambda profile: profile.name)
def server(request: pytest.FixtureRequest, double: Make) -> OllamaServer:
    profile: Profile = request.param
    thinker = Model("thinker:8b", capabilities=("completion", "thinking"))
    return double(Model(VLM), thinker, profile=profile, settings=Settings(max_queue=9))


@pytest.fixture
def client(server: OllamaServer) -> Iterator[official.Client]:
    made = official.Client(server.url, trust_env=False, timeout=10)
    yield made
    made.close()


def test_it_lists_and_shows(client: official.Client) -> None:
    listed = client.list().models
    assert [model.model for model in listed] == [VLM, "thinker:8b"]
    assert listed[0].modified_at is not None and listed[0].size == 4000 * 1024 * 1024
    shown = client.show(VLM)
    assert shown.capabilities == ["completion", "vision"] and shown.modelinfo["qwen25vl.context_length"] == 128_000


def test_it_loads_and_sees_what_is_loaded_and_unloads(client: official.Client, server: OllamaServer) -> None:
    assert client.generate(model=VLM).done_reason == "load"
    loaded = client.ps().models[0]
    assert (loaded.model, loaded.size_vram) == (VLM, loaded.size)
    assert loaded.expires_at is not None and (loaded.expires_at - server.clock.wall()).total_seconds() < 301
    assert client.generate(model=VLM, keep_alive=0).done_reason == "unload"
    assert list(client.ps().models) == []


def test_forever_is_a_time_it_can_read(client: official.Client) -> None:
    client.generate(model=VLM, keep_alive=-1)
    assert client.ps().models[0].expires_at.year == 2318  # type: ignore[union-attr]


def test_it_chats_as_a_stream(client: official.Client, server: OllamaServer) -> None:
    server.replies.append(Reply(content="Größe: 5 €", every=7))
    parts = list(client.chat(model=VLM, messages=SAY, stream=True))
    assert "".join(part.message.content or "" for part in parts) == "Größe: 5 €"
    assert parts[-1].done and parts[-1].done_reason == "stop"


def test_it_thinks(client: official.Client) -> None:
    said = client.chat(model="thinker:8b", messages=SAY)
    assert (said.message.thinking, said.message.content) == ("Let me see.", "Hello there.")


def test_it_keeps_to_a_format(client: official.Client) -> None:
    schema = {"type": "object", "properties": {"x": {"type": "integer"}}, "required": ["x"]}
    assert client.chat(model=VLM, messages=SAY, format=schema).message.content == '{"x": 1}'


def test_it_generates_as_a_stream(client: official.Client) -> None:
    parts = list(client.generate(model=VLM, prompt="Say it.", stream=True))
    assert "".join(part.response for part in parts) == "Hello there."


def test_it_raises_the_servers_words(client: official.Client, server: OllamaServer) -> None:
    with pytest.raises(official.ResponseError, match="model 'nobody' not found") as caught:
        client.chat(model="nobody", messages=SAY)
    assert caught.value.status_code == 404
    server.replies.append(Reply(end=End.ERROR, error="it broke"))
    with pytest.raises(official.ResponseError, match="it broke"):
        list(client.chat(model=VLM, messages=SAY, stream=True))
    server.stop()
    with pytest.raises(ConnectionError, match="Failed to connect to Ollama"):
        client.list()


async def test_its_async_twin_works_too(server: OllamaServer) -> None:
    client = official.AsyncClient(server.url, trust_env=False)
    parts = [part async for part in await client.chat(model=VLM, messages=SAY, stream=True)]
    assert parts[-1].done
    await client.close()
