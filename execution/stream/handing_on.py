"""Handing on between a browser that acts on a desktop and the run loop that has it; nothing of it is kept.

What is decided here is who may: when it opens and, every other second, while it is open.
Codes it closes with: 4401 no login, 4403 no right, 4404 unknown, 4409 another has it, 4413 a message too long, 4429
more messages than the run loop keeps up with, 4500 come again. What is no message is answered by one of trouble.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from django.db import connections
from django.utils import translation

from execution.running.teach_line import HEAD, JSON, MOST, packed
from execution.stream.clients import Refused
from execution.stream.consumers import Application, Receive, Scope, Send, language_of, session_key_of
from execution.stream.hub import TRY_AGAIN
from gpu.local_socket import address, is_of_our_account
from sentences.said import say, worded
from workflows.parsing import json_object

log = logging.getLogger(__name__)

T = TypeVar("T")
Admit = Callable[[str, str], Path]  # the line for a session's key and what it wants to act on; raises Refused

UNKNOWN = 4404
TAKEN = 4409
TOO_LONG = 4413
TOO_MANY = 4429
CHECK_EVERY_S = 2.0
KNOCK_EVERY_S = 0.25  # at a run loop that does not listen yet
LARGEST = 256 * 1024  # characters of what a browser sends: a pasted text is the longest

MOST_WAITING = 64  # messages that the run loop has not taken: hands make some ten a second
REASONS = {TOO_LONG: "message too long", TOO_MANY: "too many messages wait"}  # daphne sends none: a message says it

_desk = ThreadPoolExecutor(2, "teach-desk")


def handing_on(admit: Admit, *, name: str) -> Application:
    """A socket of what its route calls `name`: one browser of it, until either end goes or the right is taken away."""

    async def serve(scope: Scope, receive: Receive, send: Send) -> None:
        await receive()  # websocket.connect
        await send({"type": "websocket.accept"})  # before refusing: a browser sees no code of a refused handshake
        of = scope["url_route"]["kwargs"][name]
        try:
            code = await _hand_on(scope, receive, send, partial(admit, session_key_of(scope), of), of)
        except Refused as refusal:
            code = refusal.code
        except Exception:  # the edge of a connection: its browser comes again
            log.exception("A socket that acts on a desktop broke off.")
            code = TRY_AGAIN
        with contextlib.suppress(Exception):  # each server has its own kind of error for a browser that has gone
            await send({"type": "websocket.close", "code": code, "reason": REASONS.get(code, "")})

    return serve


async def _hand_on(scope: Scope, receive: Receive, send: Send, admit: Callable[[], Path], of: str) -> int:
    """Return the code to close with. The browser is heard from the start, so that nothing waits unbounded."""
    heard: asyncio.Queue[bytes] = asyncio.Queue(MOST_WAITING)
    language = language_of(scope)
    hearing = asyncio.create_task(_hear(receive, heard, partial(_tell_trouble, send, language)))
    serving = asyncio.create_task(_serve(admit, partial(_talk, of=of, language=language, heard=heard, send=send)))
    return await _first_of(hearing, serving)


async def _serve(admit: Callable[[], Path], talk: Callable[[Path], Awaitable[int]]) -> int:
    """Return the code to close with, once the right is gone or the run loop's end of the line. Raises Refused."""
    line = await _in_desk(admit)
    return await _first_of(asyncio.create_task(_watch(admit)), asyncio.ensure_future(talk(line)))


async def _first_of(*tasks: asyncio.Future[int]) -> int:
    """Return the first task's code; the others are ended."""
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        return next(task for task in tasks if task.done()).result()
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _hear(receive: Receive, heard: asyncio.Queue[bytes], tell: Callable[[str], Awaitable[None]]) -> int:
    """Take in what the browser sends, until it goes or sends too much."""
    while (message := await receive())["type"] == "websocket.receive":
        text = message.get("text") or ""
        if len(text) > LARGEST:
            await tell(say("lesson.message_too_long", n=LARGEST // 1024))
            return TOO_LONG
        if not (parsed := json_object(text)):
            await tell(say("lesson.bad_message"))
        elif heard.full():
            await tell(say("lesson.too_many_messages"))
            return TOO_MANY
        else:
            heard.put_nowait(packed(parsed))
    return TRY_AGAIN


async def _tell_trouble(send: Send, language: str, said: str) -> None:
    with translation.override(language):
        await send({"type": "websocket.send", "text": json.dumps({"type": "trouble", "text": worded(said)})})


async def _talk(path: Path, *, of: str, language: str, heard: asyncio.Queue[bytes], send: Send) -> int:
    """Hand on until the run loop's end of the line goes."""
    reader, writer = await _knock(path)
    writing = asyncio.create_task(_write(writer, heard))
    try:
        writer.write(packed({"type": "hello", "of": of, "language": language}))
        while True:
            length, kind = HEAD.unpack(await reader.readexactly(HEAD.size))
            body = await reader.readexactly(length)
            told: dict[str, Any] = {"text": body.decode()} if kind == JSON else {"bytes": body}
            await send({"type": "websocket.send", **told})
    except (asyncio.IncompleteReadError, OSError) as error:
        log.debug("the run loop ended its line: %r", error)
        return TRY_AGAIN
    finally:
        writing.cancel()
        writer.close()


async def _write(writer: asyncio.StreamWriter, heard: asyncio.Queue[bytes]) -> None:
    while True:
        writer.write(await heard.get())
        await writer.drain()


async def _knock(path: Path) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """The line to the run loop, as soon as it listens."""
    while True:
        with contextlib.suppress(OSError):
            with address(path) as place:
                reader, writer = await asyncio.open_unix_connection(place, limit=MOST)
            line = writer.get_extra_info("socket")
            if line is None or is_of_our_account(line):
                return reader, writer
            writer.close()
        await asyncio.sleep(KNOCK_EVERY_S)


async def _watch(admit: Callable[[], Path]) -> int:
    """The code to close with, once the right is gone or it is over."""
    while True:
        await asyncio.sleep(CHECK_EVERY_S)
        try:
            await _in_desk(admit)
        except Refused as refusal:
            return refusal.code


async def _in_desk(ask: Callable[..., T], *args: Any) -> T:
    return await asyncio.get_running_loop().run_in_executor(_desk, _asked, ask, *args)


def _asked(ask: Callable[..., T], *args: Any) -> T:
    """Asked in a thread of the desk, on a connection of its own."""
    try:
        return ask(*args)
    finally:
        connections.close_all()
