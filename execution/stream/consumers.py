"""The sockets of the stream: `/ws/executions/<execution_id>/?after=seq` and `/ws/runs/`.

What a run's socket says, and what it is answered:
  {"type": "snapshot", "seq", "execution", "prompt", "steps"}   {"type": "ack", "seq"}: welcome, not waited for
  {"type": "events", "batch", "events": [{"seq", "kind", "at", "payload"}]}   {"type": "ack", "seq": the last one's}
  {"type": "frame", "url", "taken_at"}   {"type": "frame_ack"}, once it is loaded
What the socket of all runs says: {"type": "runs", "runs": [row], "batch"}, {"type": "attention", "count", "batch"} and
{"type": "gpu", "mark", "banner": null or {"title", "text"}, "event": null or {"kind", "at", "machine", "message"},
"batch"}, answered by {"type": "ack", "batch"}.
`mark` differs whenever there is something new to see of the GPU; `event` is the newest that happened there, of kind
`resource_changed`, `mode_changed`, `idle_unload` or `owner_changed`. A run at work on that machine has each
`resource_changed` and `idle_unload` among its own events.
Codes they close with: 4400 not an acknowledgement, 4401 no login, 4403 no permission, 4404 unknown run, 4408 nothing
acknowledged for too long, 4500 trouble here: come again.

Decisions come in by HTTP. This is plain ASGI: channels' own consumers make a trip to the one database thread of the
process for every message, and subscribe to a channel layer that is not needed here.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import Any
from urllib.parse import parse_qs

from django.conf import settings
from django.http import HttpRequest
from django.utils import translation

from execution.stream.clients import Client, Refused
from execution.stream.hub import TRY_AGAIN, Hub, get_hub
from execution.stream.sessions import NOT_LOGGED_IN
from workflows.parsing import json_object, whole_number

log = logging.getLogger(__name__)

BAD_MESSAGE = 4400
MAX_MESSAGE = 1024  # an acknowledgement is 30 characters

Scope = dict[str, Any]
Receive = Callable[[], Awaitable[dict[str, Any]]]
Send = Callable[[dict[str, Any]], Awaitable[None]]
Application = Callable[[Scope, Receive, Send], Awaitable[None]]
Opener = Callable[[Hub, Scope, str], Awaitable[Client]]


def socket(opener: Opener) -> Application:
    """An ASGI application that serves the client which `opener` makes."""

    async def serve(scope: Scope, receive: Receive, send: Send) -> None:
        await receive()  # websocket.connect
        await send({"type": "websocket.accept"})  # before refusing: a browser sees no code of a refused handshake
        hub = get_hub()
        try:
            client = await opener(hub, scope, session_key_of(scope))
        except Refused as refusal:
            await send({"type": "websocket.close", "code": refusal.code})
            return
        except Exception:  # the edge of a connection: its browser comes again, and no other is touched
            log.exception("A socket could not be opened.")
            await send({"type": "websocket.close", "code": TRY_AGAIN})
            return
        await _serve(hub, client, receive, send)

    return serve


@socket
async def run_socket(hub: Hub, scope: Scope, session_key: str) -> Client:
    """One run: its events from `after` on, or a snapshot and what follows it."""
    asked = parse_qs(scope["query_string"].decode("latin1")).get("after", [""])[-1]
    after = whole_number(asked)
    if asked and after is None:
        raise Refused(BAD_MESSAGE)
    execution_id = scope["url_route"]["kwargs"]["execution_id"]
    return await hub.open_run(
        session_key=session_key,
        execution_id=execution_id,
        after=after,
        language=language_of(scope),
    )


@socket
async def runs_socket(hub: Hub, scope: Scope, session_key: str) -> Client:
    """All runs: the rows that change, how many need a person, and what every page says of the GPU."""
    return await hub.open_runs(session_key=session_key, language=language_of(scope))


async def no_socket(scope: Scope, receive: Receive, send: Send) -> None:
    """For paths that are no socket."""
    await receive()
    await send({"type": "websocket.close"})


async def _serve(hub: Hub, client: Client, receive: Receive, send: Send) -> None:
    sending = asyncio.create_task(_send_all(client, send))
    hearing = asyncio.create_task(_hear_all(client, receive))
    try:
        await asyncio.wait({sending, hearing}, return_when=asyncio.FIRST_COMPLETED)
    finally:
        hub.leave(client)
        for task in (sending, hearing):
            task.cancel()
        for outcome in await asyncio.gather(sending, hearing, return_exceptions=True):
            if isinstance(outcome, Exception):
                log.error("A socket of the stream broke off.", exc_info=outcome)


async def _send_all(client: Client, send: Send) -> None:
    try:
        while isinstance(item := await client.next(), str):
            await send({"type": "websocket.send", "text": item})
        await send({"type": "websocket.close", "code": item})
    except Exception as error:  # noqa: BLE001  each server has its own kind of error for a client that has gone
        log.debug("A browser went away: %s", error)


async def _hear_all(client: Client, receive: Receive) -> None:
    """Until the client goes; anything but an acknowledgement ends it."""
    while (message := await receive())["type"] == "websocket.receive":
        text = message.get("text") or ""
        if len(text) > MAX_MESSAGE or not client.heard(json_object(text)):
            client.close(BAD_MESSAGE)
            await asyncio.Event().wait()  # the other task closes the socket, and with it this one


def session_key_of(scope: Scope) -> str:
    key = scope["cookies"].get(settings.SESSION_COOKIE_NAME, "")
    if not key:
        raise Refused(NOT_LOGGED_IN)
    return key


def language_of(scope: Scope) -> str:
    """The language of the pages beside this socket, by the rules of LocaleMiddleware."""
    request = HttpRequest()
    request.COOKIES = scope["cookies"]
    accepted = dict(scope["headers"]).get(b"accept-language", b"")
    request.META["HTTP_ACCEPT_LANGUAGE"] = accepted.decode("latin1")
    return translation.get_language_from_request(request)
