from __future__ import annotations

import base64
import json
import socket
import struct
import zlib
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack
from typing import Any

import httpx
import pytest

from tests.doubles.ollama import LOADING, Model, OllamaServer, ollama_server

VLM = "qwen2.5vl:7b"
THINKER = "qwen3-vl:8b"
SCHEMA = {"type": "object", "properties": {"x": {"type": "integer"}, "label": {"enum": ["ok", "no"]}}}
ASKED = {"model": VLM, "messages": [{"role": "user", "content": "x"}]}


def chunk(kind: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


PNG = (
    b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 1, 1, 8, 0, 0, 0, 0))
    + chunk(b"IDAT", zlib.compress(b"\0\0")) + chunk(b"IEND", b"")
)  # fmt: skip


def image(data: bytes = PNG) -> str:
    return base64.b64encode(data).decode()


def with_image(encoded: str) -> dict[str, Any]:
    return {"model": VLM, "stream": False, "messages": [{"role": "user", "content": "x", "images": [encoded]}]}


A, B = "a:latest", "b:latest"


def loading(ollama: OllamaServer, name: str = VLM) -> None:
    ollama.wait_for(lambda: ollama.models[name].state == LOADING)


def busy(ollama: OllamaServer, name: str = VLM, refs: int = 1) -> None:
    ollama.wait_for(lambda: ollama.models[name].runner is not None and ollama.models[name].runner.refs == refs)


class Asker:
    """Asks a double over HTTP; `later` does it in a thread, for what waits until time passes."""

    def __init__(self, server: OllamaServer, threads: ThreadPoolExecutor) -> None:
        self.client = httpx.Client(base_url=server.url, trust_env=False, timeout=10)
        self._threads = threads

    def post(self, path: str, **body: Any) -> httpx.Response:
        return self.client.post(path, json=body)

    def hanging(self, path: str = "/api/generate", **body: Any) -> socket.socket:
        """A request whose answer nobody reads: closing the socket hangs up."""
        content = json.dumps(body).encode()
        asking = socket.create_connection((self.client.base_url.host, self.client.base_url.port or 80))
        head = f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(content)}\r\n\r\n"
        asking.sendall(head.encode() + content)
        return asking

    def load(self, model: str = VLM, **body: Any) -> dict[str, Any]:
        return dict(self.post("/api/generate", model=model, **body).json())

    def unload(self, model: str = VLM) -> dict[str, Any]:
        return self.load(model, keep_alive=0)

    def chat(self, text: str = "What is there?", *, model: str = VLM, **body: Any) -> dict[str, Any]:
        messages = body.pop("messages", [{"role": "user", "content": text}])
        return dict(self.post("/api/chat", model=model, messages=messages, stream=False, **body).json())

    def stream(self, **body: Any) -> list[dict[str, Any]]:
        said = {"model": VLM, "messages": [{"role": "user", "content": "x"}], **body}
        return [json.loads(line) for line in self.client.post("/api/chat", json=said).text.splitlines()]

    def ps(self) -> list[dict[str, Any]]:
        return list(self.client.get("/api/ps").json()["models"])

    def later(self, call: Callable[..., Any], *args: Any, **kwargs: Any) -> Future[Any]:
        return self._threads.submit(call, *args, **kwargs)


@pytest.fixture
def threads() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(12) as pool:
        yield pool


@pytest.fixture
def double(threads: ThreadPoolExecutor) -> Iterator[Callable[..., tuple[OllamaServer, Asker]]]:
    """`double(Model(...), ...)`: a server and somebody who asks it; without models it has a VLM."""
    with ExitStack() as stack:

        def make(*models: Model, **fields: Any) -> tuple[OllamaServer, Asker]:
            server = stack.enter_context(ollama_server(*(models or (Model(VLM),)), **fields))
            asker = Asker(server, threads)
            stack.callback(asker.client.close)
            return server, asker

        yield make
