"""HTTP to servers of models: bounded in bytes and time, no proxy, no redirect; every failure is a VLMUnavailable.

Ollama and OpenAI-compatible servers differ in what they say, not in how a connection breaks: that is dealt with here.
"""

from __future__ import annotations

import asyncio
import ipaddress
import json
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import aclosing
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

import httpx
from django.core.exceptions import ImproperlyConfigured

from gpu.exceptions import AnswerBroken, AnswerTimeout, ServerAway, VLMUnavailable
from sentences.said import say

MAX_BODY = 16 * 1024 * 1024  # /api/show tells a model's licence and template; nothing else comes near it
MAX_LINE = 1024 * 1024
MAX_ERROR = 64 * 1024

Refusal = Callable[[int, bytes, Mapping[str, str]], VLMUnavailable]


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerTimeouts:
    """How long an answer may take, in seconds: until its first part, between two parts, as a whole.

    The whole counts the time of a slow listener too: nobody holds a GPU by not listening.
    """

    first_s: float
    silence_s: float
    whole_s: float


class ServerConnection:
    """One server. `who` names it in messages, with its address; a key never shows in them."""

    def __init__(
        self,
        url: str,
        *,
        who: str,
        connect_timeout_s: float,
        headers: Mapping[str, str] | None = None,
        transport: httpx.AsyncBaseTransport | None = None,
    ) -> None:
        self.url = _shown(url)
        self.who = say("server.at", who=who, url=self.url)
        self._connect_s = connect_timeout_s
        # the proxy of the environment must not see what goes to loopback; a redirect could lead anywhere (T10)
        self._client = httpx.AsyncClient(
            base_url=url,
            trust_env=False,
            follow_redirects=False,
            verify=urlsplit(url).scheme == "https",  # certificates are read only for those who show one
            headers={"Accept-Encoding": "identity", **(headers or {})},
            limits=httpx.Limits(max_connections=None),
            transport=transport,
        )

    async def aclose(self) -> None:
        await self._client.aclose()

    async def ask(
        self,
        method: str,
        path: str,
        *,
        limit_s: float,
        refusal: Refusal,
        body: Mapping[str, Any] | None = None,
        late: Callable[[str], VLMUnavailable] = AnswerTimeout,
    ) -> dict[str, Any]:
        """The JSON object that answers within the limit. A refusal by status is what `refusal` makes of it."""
        try:
            async with asyncio.timeout(limit_s), self._send(method, path, body) as response:
                if not response.is_success:
                    raise refusal(response.status_code, await _read(response, MAX_ERROR), response.headers)
                raw = await _read(response, MAX_BODY + 1)
        except TimeoutError as error:
            raise late(say("server.late", who=self.who, what=path, n=limit_s)) from error
        except httpx.HTTPError as error:
            raise self._unreachable(error) from error
        if len(raw) > MAX_BODY:
            raise self.stranger(path)
        return self._object(raw, path)

    async def lines(
        self, path: str, body: Mapping[str, Any], *, patience: AnswerTimeouts, max_bytes: int, refusal: Refusal
    ) -> AsyncGenerator[str]:
        """The lines of a streamed answer, without their ends and without empty ones."""
        end = asyncio.get_running_loop().time() + patience.whole_s
        begun = False
        try:
            async with aclosing(self._lines(path, body, max_bytes=max_bytes, refusal=refusal)) as lines:
                while True:
                    limit_s = patience.silence_s if begun else patience.first_s
                    line = await self._next(lines, limit_s=limit_s, end=end)
                    if line is None:
                        return
                    begun = True
                    yield line
        except httpx.HTTPError as error:
            if not begun:
                raise self._unreachable(error) from error
            raise AnswerBroken(say("server.broke_off_answer", who=self.who, error=_words(error))) from error

    async def _next(self, lines: AsyncGenerator[str], *, limit_s: float, end: float) -> str | None:
        """The next line, None at the end. The limits stand around each wait, never around what a caller does."""
        loop = asyncio.get_running_loop()
        silent_at = loop.time() + limit_s
        try:
            async with asyncio.timeout_at(min(silent_at, end)):
                return await anext(lines, None)
        except TimeoutError as error:
            if end <= silent_at:
                raise AnswerTimeout(say("server.no_end_in_time", who=self.who)) from error
            raise AnswerTimeout(say("server.silent", who=self.who, n=limit_s)) from error

    async def _lines(
        self, path: str, body: Mapping[str, Any], *, max_bytes: int, refusal: Refusal
    ) -> AsyncGenerator[str]:
        async with self._send("POST", path, body) as response:
            if not response.is_success:
                raise refusal(response.status_code, await _read(response, MAX_ERROR), response.headers)
            rest, total = b"", 0
            async for piece in response.aiter_bytes():
                total += len(piece)
                *whole, rest = (rest + piece).split(b"\n")
                if total > max_bytes or len(rest) > MAX_LINE:
                    raise AnswerBroken(say("server.endless", who=self.who, n=total))
                for line in whole:
                    if text := self._text(line):
                        yield text
            if text := self._text(rest):
                yield text

    def _send(self, method: str, path: str, body: Mapping[str, Any] | None) -> Any:
        timeout = httpx.Timeout(None, connect=self._connect_s)  # how long an answer may take is not httpx's to say
        return self._client.stream(method, path, json=body, timeout=timeout, extensions={"trace": _watch_connections})

    def _text(self, line: bytes) -> str:
        """A line of whole characters: it is decoded only where it ends."""
        try:
            return line.decode().strip()
        except UnicodeDecodeError as error:
            raise AnswerBroken(say("server.no_text", who=self.who)) from error

    def _object(self, raw: bytes, path: str) -> dict[str, Any]:
        try:
            said = json.loads(raw)
        except (ValueError, RecursionError) as error:
            raise self.stranger(path) from error
        if not isinstance(said, dict):
            raise self.stranger(path)
        return said

    def stranger(self, path: str) -> ServerAway:
        return ServerAway(say("server.stranger", what=path, url=self.url))

    def _unreachable(self, error: httpx.HTTPError) -> ServerAway:
        return ServerAway(say("server.unreachable", who=self.who, error=_words(error)))


def is_forbidden(address: str) -> bool:
    """Whether nothing is ever asked there: link-local addresses, among them those that clouds tell secrets at (T10)."""
    found = ipaddress.ip_address(address.partition("%")[0])
    mapped = getattr(found, "ipv4_mapped", None)
    return (mapped or found).is_link_local


async def _watch_connections(event: str, told: Mapping[str, Any]) -> None:
    """Look where a connection has led, whatever the name was resolved to, before anything is sent on it."""
    if event != "connection.connect_tcp.complete":
        return
    stream = told["return_value"]
    peer = stream.get_extra_info("server_addr")
    if peer and is_forbidden(str(peer[0])):
        await stream.aclose()
        raise ServerAway(say("server.link_local"), passing=False)


def _shown(url: str) -> str:
    """The address as it may be shown: without a name and a password in it."""
    try:
        parts = urlsplit(url)
        parts.port  # noqa: B018 - an impossible one raises
        httpx.URL(url)
    except (ValueError, httpx.InvalidURL) as error:
        raise ImproperlyConfigured(
            "The address of a server of models cannot be read: write http://HOST:PORT."
        ) from error
    return parts._replace(netloc=parts.netloc.rpartition("@")[2]).geturl()


async def _read(response: httpx.Response, limit: int) -> bytes:
    raw = bytearray()
    async for piece in response.aiter_bytes():
        raw += piece
        if len(raw) >= limit:
            break
    return bytes(raw[:limit])


def _words(error: httpx.HTTPError) -> str:
    return str(error) or type(error).__name__
