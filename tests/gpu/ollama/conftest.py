from __future__ import annotations

import asyncio
import io
import struct
import time
import zlib
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from typing import Any

import pytest
from PIL import Image

from gpu.config import GPUResourceConfig
from gpu.ollama import OllamaManager
from gpu.types import ChatMessage, Chunk
from tests.doubles.ollama import Model, OllamaServer, ollama_server

VLM = "qwen2.5vl:7b"
THINKER = "qwen3-vl:8b"
SCHEMA = {"type": "object", "properties": {"mark": {"type": "integer"}}, "required": ["mark"]}
SAY = (ChatMessage(role="user", content="What is there?"),)


def png(width: int = 8, height: int = 8, form: str = "PNG") -> bytes:
    written = io.BytesIO()
    Image.new("RGB", (width, height), "teal").save(written, form)
    return written.getvalue()


def head_of(width: int, height: int) -> bytes:
    """A PNG that says how large it is, and has nothing in it to decode."""
    head = b"IHDR" + struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + struct.pack(">I", 13) + head + struct.pack(">I", zlib.crc32(head)) + b"\0\0\0\0IDAT"


class Hours:
    """The time of the running loop, which a test lets pass: no limit of the client is waited for."""

    def __init__(self) -> None:
        self._ahead = 0.0
        loop = asyncio.get_running_loop()
        loop.time = lambda: time.monotonic() + self._ahead  # type: ignore[method-assign]

    async def pass_by(self, seconds: float) -> None:
        """What has begun comes to where it waits; then it is later, and what is due happens."""
        await self._rounds()
        self._ahead += seconds
        await self._rounds()

    async def _rounds(self) -> None:
        for _ in range(10):
            await asyncio.sleep(0)


@dataclass(frozen=True)
class Stage:
    """A double, our client of it, and the hours of the client."""

    ollama: OllamaServer
    client: OllamaManager
    hours: Hours

    async def until(self, what: Callable[[], Any]) -> None:
        await asyncio.to_thread(self.ollama.wait_for, what)

    async def let(self, seconds: float) -> None:
        """Time passes for the client and then for the server."""
        await self.hours.pass_by(seconds)
        await asyncio.to_thread(self.ollama.advance, seconds)

    async def chat(self, messages: Sequence[ChatMessage] = SAY, *, model: str = VLM, **more: Any) -> list[Chunk]:
        return [chunk async for chunk in self.client.chat(model, messages, **more)]

    async def say(self, *args: Any, **more: Any) -> str:
        return "".join(chunk.text for chunk in await self.chat(*args, **more))

    async def answer(self, *, model: str = VLM, pictures: Sequence[bytes] = (), prompt: str = "Which mark?") -> str:
        return (await self.client.answer(model, prompt=prompt, pictures=pictures, schema=SCHEMA)).text

    @property
    def asked(self) -> dict[str, Any]:
        """The body of the last load, unload or question."""
        return self.ollama.asks[-1].body


Make = Callable[..., Stage]


@pytest.fixture
async def stage() -> AsyncIterator[Make]:
    """`stage(Model(...), ...)`: without models the server has a VLM; `config` holds what is set otherwise."""
    async with AsyncExitStack() as stack:

        def make(
            *models: Model, config: dict[str, Any] | None = None, cloud_allowed: Any = None, **fields: Any
        ) -> Stage:
            server = stack.enter_context(ollama_server(*(models or (Model(VLM),)), **fields))
            settings = GPUResourceConfig(**{"ollama_url": server.url, "vlm_model": VLM, **(config or {})})

            async def allowed(model: str) -> bool:
                return bool(cloud_allowed and cloud_allowed(model))

            client = OllamaManager(settings, cloud_allowed=allowed)
            stack.push_async_callback(client.aclose)
            return Stage(server, client, Hours())

        yield make
