"""A nudge from whoever wrote an event to the web processes that follow them: "look". Redis carries it, if any.

What there is to see is in the database alone: a nudge that is lost costs latency and nothing else, so Redis may be away
at any time. Whoever writes never waits for it; whoever listens is told that it is away, and looks by the clock until it
is back. This is the one place that speaks to Redis.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from typing import Any

from django.conf import settings

log = logging.getLogger(__name__)

CHANNEL = "surehand.events"
PATIENCE_S = 1.0  # with a Redis that does not answer
RETRY_S = 1.0


class Away(Exception):
    """There is no speaking to Redis now."""


def are_sent() -> bool:
    """Whether this installation has a Redis."""
    return bool(settings.REDIS_URL)


def state() -> str:
    """How Redis was when this process last spoke to it, for those who watch over it; it is not asked anew."""
    if not are_sent():
        return "not configured"
    return {None: "not asked yet", True: "away", False: "ok"}[_is_away]


def nudge() -> None:
    """Say that there are new events; for after the commit. Returns at once, whatever Redis is like."""
    if are_sent():
        _sender.send()


@contextmanager
def heard() -> Iterator[Callable[[float], bool]]:
    """Listen: gives what waits for the next nudge up to so many seconds and says whether one came.

    Raises Away where Redis is not there, and from that waiting as soon as it has gone.
    """
    with ExitStack() as stack:
        with _speaking():
            line = stack.enter_context(closing(_redis().pubsub(ignore_subscribe_messages=True)))
            line.subscribe(CHANNEL)

        def wait(seconds: float) -> bool:
            with _speaking():
                return line.get_message(timeout=seconds) is not None

        yield wait


class _Sender:
    """One thread a process that sends; what comes while it is busy is one nudge."""

    def __init__(self) -> None:
        self._due = threading.Event()
        self._begin = threading.Lock()
        self._thread: threading.Thread | None = None

    def send(self) -> None:
        self._due.set()
        with self._begin:
            if self._thread is None or not self._thread.is_alive():
                self._thread = threading.Thread(target=self._run, name="nudges", daemon=True)
                self._thread.start()

    def _run(self) -> None:
        client = None
        rest = threading.Event()
        while self._due.wait():
            self._due.clear()
            try:
                with _speaking():
                    client = client or _redis()
                    client.publish(CHANNEL, b"")
            except Away:
                rest.wait(RETRY_S)  # what is written meanwhile is seen without a nudge


_sender = _Sender()
_is_away: bool | None = None  # None: nobody has spoken to it yet


@contextmanager
def _speaking() -> Iterator[None]:
    """Raises Away for whatever Redis' client raises; people are told once, and once more when it is back."""
    global _is_away

    try:
        yield
    except Exception as error:  # no list: an odd address or answer raises what Python's own calls do
        if not _is_away:
            log.warning("Redis is away (%s): what is new is seen a moment later until it is back.", _told(error))
        _is_away = True
        raise Away from error
    if _is_away:
        log.warning("Redis is back.")
    _is_away = False


def _told(error: Exception) -> str:
    """An error in words that hold no password: what a server answers, or Python says of an address, may repeat it."""
    from redis import AuthenticationError, ConnectionError, TimeoutError

    is_of_the_line = isinstance(error, (ConnectionError, TimeoutError, OSError))
    return str(error) if is_of_the_line and not isinstance(error, AuthenticationError) else type(error).__name__


def _redis() -> Any:
    """A client that tries once: whoever asks knows what to do without it."""
    from redis import Redis
    from redis.backoff import NoBackoff
    from redis.retry import Retry

    return Redis.from_url(
        settings.REDIS_URL,
        socket_connect_timeout=PATIENCE_S,
        socket_timeout=PATIENCE_S,
        retry=Retry(NoBackoff(), 0),
    )
