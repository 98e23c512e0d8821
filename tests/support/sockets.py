"""A browser's end of the stream, in the test's own process."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import Any

from channels.testing import WebsocketCommunicator
from django.conf import settings
from django.db import connections
from django.test import Client

HOST = "localhost"
ORIGIN = f"http://{HOST}"
PATIENCE_S = 30.0  # a bound, not a pace: everything is awaited


def session_of(user: Any) -> str:
    """The session key of a fresh login."""
    client = Client()
    client.force_login(user)
    return client.cookies[settings.SESSION_COOKIE_NAME].value


def in_thread(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Awaitable[Any]:
    """Run it as another process would: on a connection of its own, which is closed after it."""

    def call() -> Any:
        try:
            return function(*args, **kwargs)
        finally:
            connections.close_all()

    return asyncio.to_thread(call)


class Closed(AssertionError):
    """The server closed the socket; `code` says why."""

    def __init__(self, code: int | None) -> None:
        super().__init__(f"closed with {code}")
        self.code = code


class Socket(WebsocketCommunicator):
    """A socket of the real ASGI application; `session_key` is the cookie it comes with."""

    def __init__(
        self, path: str, *, session_key: str = "", origin: str | None = ORIGIN, host: str = HOST, language: str = ""
    ) -> None:
        from rpa_site.asgi import application

        headers = [(b"host", host.encode())]
        if origin is not None:
            headers.append((b"origin", origin.encode()))
        if session_key:
            headers.append((b"cookie", f"{settings.SESSION_COOKIE_NAME}={session_key}".encode()))
        if language:
            headers.append((b"accept-language", language.encode()))
        super().__init__(application, path, headers)
        self.seen: list[dict[str, Any]] = []

    async def __aenter__(self) -> Socket:
        connected, code = await self.connect(timeout=PATIENCE_S)
        if not connected:
            raise Closed(code)
        return self

    async def __aexit__(self, *error: object) -> None:
        await self.disconnect(timeout=PATIENCE_S)

    async def hear(self) -> dict[str, Any]:
        """The next message; raises Closed when the server closed the socket instead."""
        output = await self.receive_output(timeout=PATIENCE_S)
        if output["type"] == "websocket.close":
            raise Closed(output.get("code"))
        message = json.loads(output["text"])
        self.seen.append(message)
        return message

    async def hear_until(self, condition: Callable[[dict[str, Any]], Any]) -> dict[str, Any]:
        """Messages up to the first that fits; each is acknowledged, as a browser does."""
        async with asyncio.timeout(PATIENCE_S):
            while True:
                message = await self.hear()
                await self.acknowledge(message)
                if condition(message):
                    return message

    async def acknowledge(self, message: dict[str, Any]) -> None:
        match message["type"]:
            case "snapshot":
                await self.send_json_to({"type": "ack", "seq": message["seq"]})
            case "events":
                await self.send_json_to({"type": "ack", "seq": message["events"][-1]["seq"]})
            case "runs" | "attention":
                await self.send_json_to({"type": "ack", "batch": message["batch"]})
            case "frame":
                await self.send_json_to({"type": "frame_ack"})

    async def seqs_until(self, last: int) -> list[int]:
        """The numbers of the events that come, in the order they come, up to `last`."""
        found: list[int] = []
        while not found or found[-1] < last:
            message = await self.hear_until(lambda m: m["type"] == "events")
            found += [event["seq"] for event in message["events"]]
        return found

    async def close_code(self) -> int | None:
        """The code that the server closes with; whatever it says before that is heard and acknowledged."""
        try:
            await self.hear_until(lambda message: False)
        except Closed as closed:
            return closed.code
        raise AssertionError("unreachable")
