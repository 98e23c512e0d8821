"""A server that speaks as OpenAI's does, over real HTTP, as LM Studio is one: models loaded when they are asked.

    with openai_server("qwen2.5-vl-7b", key="sk-1") as server:
        server.replies.append(Reply(content="done", end=End.RESET))  # replies and faults are those of the other double
        server.faults.append(Fault(kind=Kind.PROXY, path="/v1/models"))

Time stands still until `advance`; with `hurry` it runs by itself while a request waits.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from tests.doubles.ollama import faults
from tests.doubles.ollama.asks import Ask, body_of
from tests.doubles.ollama.clock import VirtualClock
from tests.doubles.ollama.door import Door
from tests.doubles.ollama.errors import Refusal
from tests.doubles.ollama.faults import Fault, Kind
from tests.doubles.ollama.framing import OpenAIFraming
from tests.doubles.ollama.generation import Generation
from tests.doubles.ollama.history import tokens
from tests.doubles.ollama.images import decoded, is_whole
from tests.doubles.ollama.models import Model
from tests.doubles.ollama.profiles import NEW
from tests.doubles.ollama.replies import Reply
from tests.doubles.ollama.wire import Exchange

MODELS, CHAT = "/v1/models", "/v1/chat/completions"
DATA = "data:image/"


class Framing(OpenAIFraming):
    """Thinking has a field of its own, tokens are counted in a part of their own, errors are events."""

    def said(self, content: str, thinking: str = "", *, done: bool = False) -> dict[str, Any]:
        delta = {"role": "assistant", "content": content} | ({"reasoning_content": thinking} if thinking else {})
        part = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": self.ask.model}
        return part | {"choices": [{"index": 0, "delta": {} if done else delta, "finish_reason": None}]}

    def final(self, reason: str, tokens: int, content: str = "", thinking: str = "") -> dict[str, Any]:
        part = self.said("", done=True)
        part["choices"][0]["finish_reason"] = reason
        self.usage = {"prompt_tokens": self.ask.prompt_tokens, "completion_tokens": tokens}
        return part

    def line(self, value: dict[str, Any]) -> bytes:
        return (b"event: error\n" if "error" in value else b"") + super().line(value)

    def last(self) -> bytes:
        asked = (self.ask.body.get("stream_options") or {}).get("include_usage")
        counted = super().line({"object": "chat.completion.chunk", "choices": [], "usage": self.usage})
        return b": still here\n\n" + (counted if asked else b"") + super().last()

    def error(self, text: str, **more: str) -> dict[str, Any]:
        return {"error": {"message": text, "type": "server_error", "code": more.get("code")}}


class OpenAIServer:
    def __init__(
        self, *models: str, key: str = "", context_length: int = 8192, load_s: float = 0.0, hurry: bool = False
    ) -> None:
        self.changed = threading.Condition()
        self.clock = VirtualClock()
        self.models = {name: Model(name, capabilities=("completion", "vision")) for name in models}
        self.key, self.context_length, self.load_s, self.hurry = key, context_length, load_s, hurry
        self.loaded: set[str] = set()
        self.replies: deque[Reply] = deque()
        self.reply = Reply()
        self.faults: list[Fault] = []
        self.log: list[str] = []
        self.asks: list[Ask] = []
        self.hung_up = 0
        self._door = Door(self._serve, self._hung_up)
        self._port = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._port}/v1"

    def start(self) -> None:
        self._port = self._door.open(self._port)

    def stop(self) -> None:
        """Killed: open connections are reset, new ones refused."""
        self._door.shut()

    def close(self) -> None:
        self._door.close()

    def advance(self, seconds: float) -> None:
        with self.changed:
            self.clock.advance(seconds)

    def wait_for(self, what: Callable[[], Any], timeout: float = 30) -> None:
        with self.changed:
            assert self.changed.wait_for(what, timeout), f"it did not happen; log: {self.log}"

    # --- serving ----------------------------------------------------------------------------------------------------
    def _serve(self, exchange: Exchange) -> None:
        with self.changed:
            self.log.append(exchange.path)
            fault = next((one for one in self.faults if one.path in ("", exchange.path)), None)
            if fault is not None and fault.kind is not Kind.GZIP:
                self.faults.remove(fault)
                faults.answer(fault, exchange)
            else:
                exchange.packed = fault is not None
                self._answer(exchange)
            self.changed.notify_all()
        self._run()

    def _answer(self, exchange: Exchange) -> None:
        sent = exchange.headers.get("authorization", "")
        if self.key and sent != f"Bearer {self.key}":
            exchange.json(401, {"error": {"message": f"Incorrect API key provided: {sent[7:]}."}})
        elif exchange.path == MODELS:
            exchange.json(200, {"object": "list", "data": [{"id": name, "object": "model"} for name in self.models]})
        elif exchange.path == CHAT:
            self._chat(exchange)
        else:
            exchange.json(200, {"error": f"Unexpected endpoint or method. ({exchange.method} {exchange.path})"})

    def _chat(self, exchange: Exchange) -> None:
        try:
            ask = ask_of(body_of(exchange.body))
            self.asks.append(ask)
            model = self.models.get(ask.model)
            if model is None:
                raise Refusal(404, f'Model "{ask.model}" not found', code="model_not_found")
            ask.prompt_tokens = sum(tokens(message) for message in ask.messages)
            if ask.prompt_tokens > self.context_length:
                raise Refusal(400, f"the model is loaded with context length of only {self.context_length} tokens, "
                                   "which is not enough")  # fmt: skip
        except Refusal as refusal:
            exchange.json(refusal.status, {"error": {"message": refusal.text, "code": refusal.more.get("code")}})
            return
        generation = Generation(
            self.replies.popleft() if self.replies else self.reply, ask, Framing(ask, model, self.clock), exchange,
            self.clock, NEW, over=lambda end: None,
        )  # fmt: skip
        exchange.on_hangup = generation.stop
        wait_s = 0.0 if ask.model in self.loaded else self.load_s
        self.loaded.add(ask.model)
        self.clock.call_later(wait_s, generation.start) if wait_s else generation.start()

    def _hung_up(self, exchange: Exchange) -> None:
        with self.changed:
            self.hung_up += 1
            exchange.on_hangup()
            self.changed.notify_all()

    def _run(self) -> None:
        with self.changed:
            due = self.clock.next_due() if self.hurry else None
            if due is not None:
                self.clock.advance_to(due)
                self._door.loop.call_soon(self._run)


def ask_of(body: dict[str, Any]) -> Ask:
    """The request in the terms of the other double: plain texts, pictures apart."""
    messages: list[dict[str, Any]] = []
    images: list[bytes] = []
    for message in body.get("messages") or []:
        content = message.get("content")
        parts = content if isinstance(content, list) else [{"type": "text", "text": content}]
        found = [_picture(part["image_url"]["url"]) for part in parts if part["type"] == "image_url"]
        images += found
        text = "".join(part["text"] for part in parts if part["type"] == "text")
        messages.append({"role": message["role"], "content": text, "images": found})
    if not messages:
        raise Refusal(400, "'messages' is required")
    form = body.get("response_format") or {}
    return Ask(
        path=CHAT, body=body, model=str(body.get("model", "")), messages=messages, images=images, empty=False,
        keep_alive_s=None, think=None, format=(form.get("json_schema") or {}).get("schema"),
        options={"num_predict": body["max_tokens"]} if "max_tokens" in body else {},
        stream=bool(body.get("stream")),
    )  # fmt: skip


def _picture(url: str) -> bytes:
    kind, _, encoded = url.partition(";base64,")
    if not kind.startswith(DATA) or not encoded:
        raise Refusal(400, "Invalid url: only base64 encoded pictures are taken")
    (image,) = decoded([encoded])
    if not is_whole(image):
        raise Refusal(400, "Failed to load image or audio file")
    return image


@contextmanager
def openai_server(*models: str, **fields: Any) -> Iterator[OpenAIServer]:
    """A server on a free port of loopback, until the block ends."""
    server = OpenAIServer(*models, **fields)
    server.start()
    try:
        yield server
    finally:
        server.close()
