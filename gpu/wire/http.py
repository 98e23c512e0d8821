"""HTTP to servers of models: bounded in bytes and time, no proxy, no redirect; every failure is a VLMUnavailable.

What is common to both kinds of servers: an answer as it comes, checked before it counts (S4.1, A.4).
"""

from __future__ import annotations

import asyncio
import ipaddress
import json
import re
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import aclosing
from functools import partial
from typing import Any, ClassVar
from urllib.parse import urlsplit

import httpx
from django.core.exceptions import ImproperlyConfigured

from gpu.config import GPUResourceConfig
from gpu.exceptions import (
    AnswerBroken,
    AnswerTimeout,
    AnswerUnusable,
    GpuBusy,
    LoadFailed,
    ModelMissing,
    OutOfMemory,
    PromptTooLarge,
    RequestRefused,
    ServerAway,
    VLMUnavailable,
)
from gpu.types import ChatMessage, Chunk, CloudAllowed, ModelOnDisk
from gpu.wire.contents import AnswerBuffer, as_sent, max_bytes, without_control
from sentences.said import say

MAX_BODY = 16 * 1024 * 1024  # /api/show tells a model's licence and template; nothing else comes near it
MAX_LINE = 1024 * 1024
MAX_ERROR = 64 * 1024

Refusal = Callable[[int, bytes, Mapping[str, str]], VLMUnavailable]


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
        self,
        path: str,
        body: Mapping[str, Any],
        *,
        first_s: float,
        silence_s: float,
        whole_s: float,
        max_bytes: int,
        refusal: Refusal,
    ) -> AsyncGenerator[str]:
        """The lines of a streamed answer, without their ends and without empty ones.

        Until the first one, between two of them and as a whole it may take so long.
        """
        end = asyncio.get_running_loop().time() + whole_s
        begun = False
        try:
            async with aclosing(self._lines(path, body, max_bytes=max_bytes, refusal=refusal)) as lines:
                while True:
                    limit_s = silence_s if begun else first_s
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


class ModelServer:
    """One server, on the loop of `gpu.runtime`; every failure is a VLMUnavailable with the reason in words."""

    chat_path: ClassVar[str]
    _loads_s = 0.0  # what a question may take longer because it loads its model; else only its reading takes long

    def __init__(self, config: GPUResourceConfig, wire: ServerConnection, cloud_allowed: CloudAllowed) -> None:
        self.config, self._wire, self._cloud_allowed = config, wire, cloud_allowed

    async def aclose(self) -> None:
        await self._wire.aclose()

    async def list_models(self) -> tuple[ModelOnDisk, ...]:
        """What can be asked here."""
        raise NotImplementedError

    async def chat(
        self,
        model: str,
        messages: Sequence[ChatMessage],
        *,
        schema: Mapping[str, Any] | None = None,
        max_tokens: int | None = None,
        context_length: int | None = None,
    ) -> AsyncGenerator[Chunk]:
        """The answer as it comes; the last chunk is `done`. Raises where there is no whole answer (A.4).

        With a schema the answer is JSON after it, checked here too, else AnswerUnusable; without one it may be cut
        (`done_reason` “length”).
        """
        if not messages:
            raise ValueError("there is nothing to ask: no messages")
        await self.refuse_cloud(model)
        tokens, most = max_tokens or self.config.max_tokens, self.config.max_picture_megapixels
        context = await self._context(model, messages, context_length or self.config.num_ctx)
        said = [
            self._message(one.role, without_control(one.content), await as_sent(one.pictures, max_megapixels=most))
            for one in messages
        ]
        buffer = AnswerBuffer(model, max_tokens=tokens, context_length=context, schema=schema)
        lines = self._wire.lines(
            self.chat_path,
            {"model": model, "messages": said, "stream": True, **self._options(tokens, schema)},
            first_s=self._loads_s or self.config.answer_timeout_s,
            silence_s=self.config.silence_timeout_s,
            whole_s=self._loads_s + self.config.answer_timeout_s,
            max_bytes=max_bytes(tokens),
            refusal=partial(self._refused, what=self.chat_path, model=model),
        )
        async with aclosing(lines), aclosing(self._chunks(lines, model)) as chunks:
            async for chunk, thinking in chunks:
                buffer.add(chunk.text, thinking=thinking)
                if chunk.done:
                    buffer.check(chunk)
                    yield chunk
                    return
                if chunk.text:
                    yield chunk
        # the stream is over and nothing said that the answer was: it is none (A.4.5)
        raise AnswerBroken(say("answer.no_end", model=model))

    # --- of its kind ------------------------------------------------------------------------------------------------
    async def refuse_cloud(self, model: str) -> None:
        """Screens do not leave this machine (T9), unless an admin allowed it for that model: CloudModelRefused."""
        raise NotImplementedError

    async def _context(self, model: str, messages: Sequence[ChatMessage], context_length: int) -> int:
        """The context that the answer has; PromptTooLarge where the server would drop messages without a word."""
        raise NotImplementedError

    def _message(self, role: str, text: str, pictures: Sequence[bytes]) -> dict[str, Any]:
        raise NotImplementedError

    def _options(self, max_tokens: int, schema: Mapping[str, Any] | None) -> dict[str, Any]:
        raise NotImplementedError

    def _refused(self, status: int, raw: bytes, headers: Mapping[str, str], **about: Any) -> VLMUnavailable:
        raise NotImplementedError

    def _chunks(self, lines: AsyncGenerator[str], model: str) -> AsyncGenerator[tuple[Chunk, str]]:
        """The parts of the answer, and what the model thought beside each; the last one is `done`."""
        raise NotImplementedError


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


MAX_WORDS = 300  # of the server's own in a message: they may repeat what they were asked
BUSY_AGAIN_S = 2.0

_OUT_OF_MEMORY = re.compile(
    r"out of memory|\boom\b|requires more system memory|failed to allocate|unable to allocate|cudaMalloc failed"
    r"|ErrorOutOfDeviceMemory|insufficient (?:gpu |system |video )?(?:memory|resources)"
    r"|not enough (?:gpu |system |video )?memory",
    re.IGNORECASE,
)
_TOO_LONG = re.compile(
    r"longer than the context|exceeds? the (?:available |maximum )?context|context[ _]length[ _]exceeded"
    r"|maximum context length|greater than the context length|context length of only|input is too (?:large|long)",
    re.IGNORECASE,
)
_NOT_LOADED = re.compile(
    r"timed out waiting for .* to start|(?:error|failed|unable) (?:loading|to load) (?:the )?model"
    r"|no models? (?:is |are )?loaded",
    re.IGNORECASE,
)
_FAULT_OF_THE_REQUEST = re.compile(
    r"invalid format|does not support|not supported|missing data required|unknown format|failed to load image",
    re.IGNORECASE,
)
_REPEATS = re.compile(r"token repeat limit", re.IGNORECASE)


def words_of(raw: bytes, *, secret: str = "") -> str:
    """The server's own words_of without `secret`: on one line, at most 300 characters; of a page of HTML its text."""
    text = raw.decode(errors="replace")
    try:
        said = json.loads(text)
    except (ValueError, RecursionError):
        return clean(re.sub(r"<[^>]*>", " ", text), secret=secret)
    return error_text(said, secret=secret) if isinstance(said, dict) else ""


def error_text(said: Mapping[str, object], *, secret: str = "") -> str:
    """Of `{"error": "…"}`, or of `{"error": {"message": "…"}}`."""
    error = said.get("error")
    if isinstance(error, dict):
        error = error.get("message")
    return clean(error, secret=secret) if isinstance(error, str) else ""


def clean(text: str, *, secret: str = "") -> str:
    """Servers repeat a key that they refuse: it goes before anything is cut, so that no part of it stays."""
    text = text.replace(secret, "…") if secret else text
    plain = "".join(letter if letter.isprintable() else " " for letter in text[: 4 * MAX_WORDS])
    return " ".join(plain.split())[:MAX_WORDS]


def refusal_of(
    status: int, said: str, headers: Mapping[str, str], *, who: str, what: str, model: str = "", loading: bool = False
) -> VLMUnavailable:
    """The error for a refusal of the path `what` by `who`; `model` where it is about one."""
    reason = say("value.aside", what=said or say("gpu.no_reason"), aside=status)
    if status in (429, 503):
        return GpuBusy(say("server.busy", who=who, why=reason), retry_after_s=_retry_after(headers))
    if 300 <= status < 400:
        return ServerAway(say("server.redirects", who=who, what=what, status=status))
    if _OUT_OF_MEMORY.search(said) or _NOT_LOADED.search(said):  # LM Studio tells it under 400 and 404
        return failure_of(said, reason=reason, who=who, model=model, loading=loading)
    if status == 404 and model:
        return ModelMissing(say("server.lacks", who=who, model=model, why=reason))
    if status in (401, 403, 407):
        return ServerAway(say("server.asks_who", who=who, why=reason), passing=False)
    if status in (404, 405):
        return ServerAway(say("server.is_another", what=what, who=who, why=reason))
    if status in (408, 502, 504):
        return ServerAway(say("server.between", who=who, what=what, why=reason))
    if status >= 499:  # 499: Ollama's own word for a question that it gave up
        return failure_of(said, reason=reason, who=who, model=model, loading=loading)
    if _TOO_LONG.search(said):
        return PromptTooLarge(say("server.context_full", model=model, why=reason))
    return RequestRefused(say("server.refused", who=who, what=what, why=reason))


def failure_of(said: str, *, who: str, model: str, reason: str = "", loading: bool = False) -> VLMUnavailable:
    """The error for an error text of a server, under a 500 or in the middle of an answer."""
    reason = reason or said or say("gpu.no_reason")
    named = say("server.model", model=model) if model else who
    if _OUT_OF_MEMORY.search(said):
        return OutOfMemory(say("server.no_memory", who=who, what=named, why=reason))
    if _TOO_LONG.search(said):
        return PromptTooLarge(say("server.context_full", model=model, why=reason))
    if loading or _NOT_LOADED.search(said):
        return LoadFailed(say("server.not_loaded", who=who, model=model, why=reason))
    if _FAULT_OF_THE_REQUEST.search(said):
        return RequestRefused(say("server.refused_question", what=named, why=reason))
    if _REPEATS.search(said):
        return AnswerUnusable(say("server.in_circles", what=named, why=reason))
    return AnswerBroken(say("server.broke_off", what=named, why=reason))


def _retry_after(headers: Mapping[str, str]) -> float:
    """The header Retry-After in seconds, at most 60; a date there counts as none."""
    try:
        return min(60.0, max(0.0, float(headers.get("retry-after", ""))))
    except ValueError:
        return BUSY_AGAIN_S
