"""What only an OpenAI-compatible server has: a key, an address with a path, loads when it is asked (S4.1, T10)."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack
from typing import Any

import httpx
import pytest
from django.core.exceptions import ImproperlyConfigured

from gpu.config import GPUResourceConfig
from gpu.exceptions import (
    AnswerBroken,
    AnswerTimeout,
    CloudModelRefused,
    LoadFailed,
    ModelMissing,
    OutOfMemory,
    PromptTooLarge,
    ServerAway,
)
from gpu.openai import OpenAICompatibleProvider
from gpu.types import ChatMessage
from tests.doubles.ollama import Fault, Kind, Model, Reply, ollama_server
from tests.doubles.openai import CHAT, OpenAIServer, openai_server
from tests.gpu.ollama.conftest import Hours

MODEL, KEY = "qwen2.5-vl-7b", "sk-very-secret"
SAY = (ChatMessage(role="user", content="What is there?"),)

Scene = tuple[OpenAIServer, OpenAICompatibleProvider]
Make = Callable[..., Scene]


@pytest.fixture
async def scene() -> AsyncIterator[Make]:
    async with AsyncExitStack() as stack:

        def make(*, key: str = KEY, url: str = "", **fields: Any) -> Scene:
            server = stack.enter_context(openai_server(MODEL, **{"key": KEY, **fields}))
            provider = OpenAICompatibleProvider(url or server.url, key, config=GPUResourceConfig())
            stack.push_async_callback(provider.aclose)
            return server, provider

        yield make


async def say(provider: OpenAICompatibleProvider, **more: Any) -> str:
    asked = {"context_length": 8192, "max_tokens": 100, **more}
    return "".join([chunk.text async for chunk in provider.chat(MODEL, SAY, **asked)])


@pytest.mark.security
async def test_a_key_that_is_refused_is_in_no_message_and_no_log(scene: Make, caplog: pytest.LogCaptureFixture) -> None:
    """The server repeats it, and we do not."""
    _server, provider = scene(key="sk-wrong-one")
    with caplog.at_level(logging.DEBUG):
        for ask in (lambda: say(provider), provider.list_models):
            with pytest.raises(
                ServerAway, match=r"refuses the key \(401\): Incorrect API key provided: ….*RPA_OPENAI_KEY"
            ) as caught:
                await ask()
            assert "sk-wrong-one" not in f"{caught.value!r} {provider!r}" and not caught.value.passing
    assert "sk-wrong-one" not in caplog.text


@pytest.mark.security
async def test_an_error_in_the_middle_does_not_repeat_the_key_either(scene: Make) -> None:
    server, provider = scene()
    server.faults.append(Fault(kind=Kind.BODY, path=CHAT, text=f'data: {{"error": {{"message": "bad {KEY}"}}}}\n\n'))
    with pytest.raises(AnswerBroken, match="bad …") as caught:
        await say(provider)
    assert KEY not in str(caught.value)


@pytest.mark.parametrize("key", ["clé", "two\nlines", "tab\t"])
def test_a_key_that_cannot_be_sent_is_a_mistake_in_the_settings(key: str) -> None:
    with pytest.raises(ImproperlyConfigured, match="RPA_OPENAI_KEY") as caught:
        OpenAICompatibleProvider("http://127.0.0.1:1234", key, config=GPUResourceConfig())
    assert key not in str(caught.value)


@pytest.mark.parametrize("path", ["", "/", "/v1", "/v1/"])
async def test_the_address_may_be_written_with_its_path_or_without(scene: Make, path: str) -> None:
    server, _ = scene()
    provider = OpenAICompatibleProvider(server.url.removesuffix("/v1") + path, KEY, config=GPUResourceConfig())
    assert [model.name for model in await provider.list_models()] == [MODEL]
    assert await say(provider)
    assert set(server.log) == {"/v1/models", CHAT}
    await provider.aclose()


def test_the_settings_give_it_and_without_an_address_there_is_none(settings: Any) -> None:
    settings.RPA_OPENAI_URL, settings.RPA_OPENAI_KEY = "", KEY
    assert OpenAICompatibleProvider.from_settings(GPUResourceConfig()) is None
    settings.RPA_OPENAI_URL = "http://localhost:1234"
    made = OpenAICompatibleProvider.from_settings(GPUResourceConfig())
    assert made is not None and made.is_here


@pytest.mark.parametrize("url", ["http://localhost:1", "http://127.0.0.1:1/v1", "http://[::1]:1"])
def test_only_loopback_is_this_machine(url: str) -> None:
    assert OpenAICompatibleProvider(url, config=GPUResourceConfig()).is_here
    far = OpenAICompatibleProvider(url.replace("localhost", "localhost.example").replace("127.0.0.1", "127.0.0.1.eu")
                                   .replace("[::1]", "[fd00::1]"), config=GPUResourceConfig())  # fmt: skip
    assert not far.is_here


async def test_a_model_is_loaded_when_it_is_first_asked_and_that_may_take_minutes(scene: Make) -> None:
    server, provider = scene(load_s=200)
    hours = Hours()
    asking = asyncio.ensure_future(say(provider))
    await asyncio.to_thread(server.wait_for, lambda: server.asks)
    await hours.pass_by(200)
    assert not asking.done()
    await asyncio.to_thread(server.advance, 200)
    assert await asking == "Hello there."


async def test_a_load_that_does_not_end_is_given_up(scene: Make) -> None:
    server, provider = scene(load_s=10_000)
    hours = Hours()
    asking = asyncio.ensure_future(say(provider))
    await asyncio.to_thread(server.wait_for, lambda: server.asks)
    await hours.pass_by(301)
    with pytest.raises(AnswerTimeout):
        await asking
    await asyncio.to_thread(server.wait_for, lambda: server.hung_up == 1)


@pytest.mark.parametrize(
    ("status", "text", "error"),
    [
        (404, 'Failed to load model "x". Error: insufficient system resources.', OutOfMemory),
        (400, 'Failed to load model "x". Error: exit code 1.', LoadFailed),
        (400, "No models loaded. Please load a model in the developer page.", LoadFailed),
        (400, "Trying to keep the first 9000 tokens, loaded with context length of only 4096 tokens", PromptTooLarge),
    ],
)
async def test_what_lm_studio_says_is_understood_under_any_status(
    scene: Make, status: int, text: str, error: type[Exception]
) -> None:
    server, provider = scene()
    server.faults.append(Fault(kind=Kind.ERROR, path=CHAT, status=status, text=text))
    with pytest.raises(error, match=text[:15]):
        await say(provider)


def events(*parts: str) -> str:
    return "".join(f"data: {part}\n\n" for part in parts)


SAID = '{"choices": [{"delta": {"content": "yes"}}]}'
STOP = '{"choices": [{"delta": {}, "finish_reason": "stop"}]}'
USED = '{"choices": [], "usage": {"prompt_tokens": 7, "completion_tokens": 1}}'


@pytest.mark.parametrize(
    "body",
    [
        events(SAID, STOP, USED, "[DONE]"),
        events(SAID, USED.replace("[]", '[{"delta": {}, "finish_reason": "stop"}]')),
        events(SAID, STOP, USED),  # no [DONE]: the reason of the end was told
        ": ping\n\nevent: message\nid: 3\n" + events(SAID, STOP, USED, "[DONE]"),
        events(SAID, STOP, USED, "[DONE]").replace("\n", "\r\n").replace("data: ", "data:"),
        events(SAID, STOP, USED, "[DONE]", '{"error": {"message": "late"}}'),
    ],
)
async def test_all_forms_of_an_end_are_read(scene: Make, body: str) -> None:
    server, provider = scene()
    server.faults.append(Fault(kind=Kind.BODY, path=CHAT, text=body, content_type="text/event-stream"))
    *parts, last = [chunk async for chunk in provider.chat(MODEL, SAY, context_length=8192, max_tokens=9)]
    assert [part.text for part in parts] == ["yes"]
    assert (last.done, last.done_reason, last.tokens_in, last.tokens_out) == (True, "stop", 7, 1)


@pytest.mark.parametrize(
    "body",
    [
        events(SAID),
        events(SAID, "[DONE]"),
        events(SAID, "oops"),
        events(SAID, "[1]"),
        events(SAID, '{"error": {"message": "it broke"}}'),
        events("[DONE]"),
        ": ping\n\n",
    ],
)
async def test_an_answer_whose_end_was_not_told_is_none(scene: Make, body: str) -> None:
    server, provider = scene()
    server.faults.append(Fault(kind=Kind.BODY, path=CHAT, text=body, content_type="text/event-stream"))
    with pytest.raises(AnswerBroken):
        await say(provider)


async def test_an_endpoint_that_is_none_is_a_stranger(scene: Make) -> None:
    """LM Studio answers paths that it does not know with 200 and an error."""
    server, _ = scene()
    provider = OpenAICompatibleProvider(server.url + "/other", KEY, config=GPUResourceConfig())
    with pytest.raises(ServerAway):
        await provider.list_models()
    with pytest.raises(ServerAway):
        await say(provider)
    await provider.aclose()


async def test_the_question_is_fixed_in_all_that_could_change_the_answer(scene: Make) -> None:
    server, provider = scene()
    server.replies.append(Reply(content="yes"))
    await say(provider)
    body = server.asks[-1].body
    assert (body["temperature"], body["seed"], body["max_tokens"], body["stream"]) == (0, 0, 100, True)


@pytest.mark.parametrize("thinks", [(), ("thinking",)])
async def test_the_path_of_ollama_that_speaks_as_openai_does_works_too(thinks: tuple[str, ...]) -> None:
    """Its events tell no count of tokens, and its thinking has another name."""
    with ollama_server(Model(MODEL, capabilities=("completion", *thinks))) as ollama:
        provider = OpenAICompatibleProvider(ollama.url, config=GPUResourceConfig())
        assert [model.name for model in await provider.list_models()] == [MODEL]
        assert await say(provider) == "Hello there."
        with pytest.raises(ModelMissing):
            ollama.models.clear()
            await say(provider)
        await provider.aclose()


@pytest.mark.security
async def test_a_server_on_another_machine_is_asked_only_where_an_admin_allowed_the_model() -> None:
    """T9: of such a server its address tells; Ollama tells it of each model."""
    sent: list[str] = []

    def far(request: httpx.Request) -> httpx.Response:
        sent.append(str(request.url))
        return httpx.Response(200, text=events(SAID, STOP, "[DONE]"))

    transport = httpx.MockTransport(far)
    url, config = "http://models.example/v1", GPUResourceConfig()
    provider = OpenAICompatibleProvider(url, KEY, config=config, transport=transport)
    with pytest.raises(CloudModelRefused, match="runs on another machine"):
        await say(provider)
    assert sent == []

    async def is_allowed(model: str) -> bool:
        return model == MODEL

    allowed = OpenAICompatibleProvider(url, KEY, config=config, transport=transport, cloud_allowed=is_allowed)
    assert await say(allowed) == "yes"
    assert sent == ["http://models.example/v1/chat/completions"]
