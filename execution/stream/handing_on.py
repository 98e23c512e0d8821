"""Handing on between a browser that acts on a desktop and the run loop that has it; nothing of it is kept.

What is decided here is who may: when it opens and, every other second, while it is open.
Codes it closes with: 4401 no login, 4403 no right, 4404 unknown, 4409 another has it, 4500 come again.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from django.db import connections

from execution.running.local_socket import address, is_of_our_account
from execution.running.teach_line import HEAD, JSON, MOST, packed
from execution.stream.clients import Refused
from execution.stream.consumers import Application, Receive, Scope, Send, language_of, parsed_message, session_key_of
from execution.stream.hub import TRY_AGAIN

log = logging.getLogger(__name__)

T = TypeVar("T")
Admit = Callable[[str, str], Path]  # the line for a session's key and what it wants to act on; raises Refused

UNKNOWN = 4404
TAKEN = 4409
CHECK_EVERY_S = 2.0
KNOCK_EVERY_S = 0.25  # at a run loop that does not listen yet
LARGEST = 256 * 1024  # bytes of what a browser sends: a pasted text is the longest

_desk = ThreadPoolExecutor(2, "teach-desk")


def handing_on(admit: Admit, *, name: str) -> Application:
    """A socket of what its route calls `name`: one browser of it, until either end goes or the right is taken away."""

    async def serve(scope: Scope, receive: Receive, send: Send) -> None:
        await receive()  # websocket.connect
        await send({"type": "websocket.accept"})  # before refusing: a browser sees no code of a refused handshake
        of = scope["url_route"]["kwargs"][name]
        try:
            key = session_key_of(scope)
            line = await _in_desk(admit, key, of)
            code = await _hand_on(scope, receive, send, partial(admit, key, of), line, of)
        except Refused as refusal:
            code = refusal.code
        except Exception:  # the edge of a connection: its browser comes again
            log.exception("A socket that acts on a desktop broke off.")
            code = TRY_AGAIN
        with contextlib.suppress(Exception):  # each server has its own kind of error for a browser that has gone
            await send({"type": "websocket.close", "code": code})

    return serve


async def _hand_on(scope: Scope, receive: Receive, send: Send, admit: Callable[[], Path], line: Path, of: str) -> int:
    """The code to close with."""
    heard: asyncio.Queue[bytes] = asyncio.Queue()
    watching = asyncio.create_task(_watch(admit))
    hearing = asyncio.create_task(_hear(receive, heard))
    talking = asyncio.create_task(_talk(line, of, language_of(scope), heard, send))
    tasks = (watching, hearing, talking)
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        return watching.result() if watching.done() else TRY_AGAIN
    finally:
        for task in tasks:
            task.cancel()
        for outcome in await asyncio.gather(*tasks, return_exceptions=True):
            if isinstance(outcome, Exception):
                log.debug("a browser's line ended: %r", outcome)


async def _hear(receive: Receive, heard: asyncio.Queue[bytes]) -> None:
    """What the browser sends, until it goes; what is too long or no message is passed over."""
    while (message := await receive())["type"] == "websocket.receive":
        text = message.get("text") or ""
        if len(text) <= LARGEST and (parsed := parsed_message(text, most=LARGEST)):
            heard.put_nowait(packed(parsed))


async def _talk(path: Path, of: str, language: str, heard: asyncio.Queue[bytes], send: Send) -> None:
    """Until the run loop's end of the line goes."""
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
