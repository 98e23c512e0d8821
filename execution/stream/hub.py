"""One hub a process: reads the event table once per wake-up for all sockets, and hands each what it may be sent.

It lives from the first socket to the last. All it holds for a client is its credits and a small outbox; what a client
has not been sent yet stays in the database.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, TypeVar

from django.db import Error, connections
from django.utils import timezone

from execution.stream import queries, sessions
from execution.stream.clients import Client, Refused, RunClient, RunsClient
from execution.stream.tail import Tail
from gpu.pages.board import news_of_gpu

log = logging.getLogger(__name__)

T = TypeVar("T")
C = TypeVar("C", bound=Client)

TICK_S = 0.25  # pictures; also how late a timer may be
RUNS_EVERY_S = 0.1  # rows are latest-wins: a busy run need not be told at each of its events
SESSIONS_EVERY_S = 2.0
UNCHECKED_S = 30.0  # nobody watches longer than this without having been checked
RETRY_S = 1.0

UNKNOWN_RUN = 4404
TOO_SLOW = 4408
TRY_AGAIN = 4500  # a server lets no application close with 1011; daphne raises, and the socket would stay open


@dataclass(frozen=True, slots=True)
class StreamHealth:
    """Who follows runs in this process, and how old the newest event was when it was handed to the last of them."""

    sockets: int
    lag_s: float


class Hub:
    """Serves the sockets of one event loop, in that loop; all reading is done in its two threads.

    It starts with the first socket that knocks.
    """

    def __init__(self) -> None:
        self.loop = asyncio.get_running_loop()
        self.is_stopped = False
        self._task: asyncio.Task[None] | None = None
        self._clients: set[Client] = set()
        self._opening = 0
        self._woken = asyncio.Event()
        self._reader = ThreadPoolExecutor(1, "stream-reader")
        self._desk = ThreadPoolExecutor(1, "stream-desk")  # so that a storm of new sockets does not delay events
        self._tail = Tail(self._nudge)
        self._timers: dict[str, float] = {}
        self._has_stirred = False  # something has changed that followers of all runs have not been told
        self._robots: dict[int, tuple[str, str]] = {}
        self._known_runs = queries.KnownRuns()
        self._lag_s = 0.0
        self._checked_at = time.monotonic()

    # --- sockets ----------------------------------------------------------------------------------------------------
    async def open_run(self, *, session_key: str, execution_id: str, after: int | None, language: str) -> RunClient:
        """Follow a run from `after` on, or from a snapshot. Raises Refused."""
        with self._admitting():
            pk = await self._in(self._desk, _admit_to_run, session_key, execution_id)
            return self._add(
                RunClient(pk=pk, cursor=after, language=language, session_key=session_key, wake=self._woken.set)
            )

    async def open_runs(self, *, session_key: str, language: str) -> RunsClient:
        """Follow all runs. Raises Refused."""
        with self._admitting():
            may_answer = await self._in(self._desk, _admit_to_runs, session_key)
            return self._add(
                RunsClient(language=language, may_answer=may_answer, session_key=session_key, wake=self._woken.set)
            )

    def health(self) -> StreamHealth:
        return StreamHealth(len(self._clients), self._lag_s if self._clients else 0.0)

    def leave(self, client: Client) -> None:
        self._clients.discard(client)
        self._stop_when_empty()

    @contextmanager
    def _admitting(self) -> Iterator[None]:
        if self._task is None:
            self._task = self.loop.create_task(self._follow(), name="stream-hub")
            self._tail.start()
        self._opening += 1
        try:
            yield
        finally:
            self._opening -= 1
            self._stop_when_empty()

    def _add(self, client: C) -> C:
        self._clients.add(client)
        for timer in ("runs", "robots", "pictures"):
            self._timers.pop(timer, None)  # a new client waits for none of them
        self._woken.set()
        return client

    def _stop_when_empty(self) -> None:
        if self._clients or self._opening or self.is_stopped or self._task is None:
            return
        self.is_stopped = True
        self._tail.stop()
        self._task.cancel()
        for executor in (self._reader, self._desk):
            executor.submit(connections.close_all)
            executor.shutdown(wait=False)

    def _of(self, kind: type[T]) -> list[T]:
        return [client for client in self._clients if isinstance(client, kind)]

    # --- the one task -----------------------------------------------------------------------------------------------
    def _nudge(self) -> None:
        """Called by the tail, from its thread."""
        try:
            self.loop.call_soon_threadsafe(self._woken.set)
        except RuntimeError:  # the loop was closed with sockets open
            self._tail.stop()

    async def _follow(self) -> None:
        is_troubled = False
        while True:
            await self._wait()
            try:
                await self._turn()
                is_troubled = False
            except Exception:  # the one task of all browsers: it tries again, whatever it was
                level = logging.WARNING if is_troubled else logging.ERROR
                log.log(level, "The stream could not be read; it tries again.", exc_info=not is_troubled)
                is_troubled = True
                self._close_unchecked()
                await asyncio.sleep(RETRY_S)
                self._woken.set()

    async def _wait(self) -> None:
        """Until there may be news, or the next timer is due."""
        try:
            async with asyncio.timeout(RUNS_EVERY_S if self._has_stirred else TICK_S):
                await self._woken.wait()
        except TimeoutError:
            return

    async def _turn(self) -> None:
        if self._woken.is_set():
            self._woken.clear()
            self._has_stirred = True
            await self._tell_events()
        if self._is_due("runs", RUNS_EVERY_S):
            await self._tell_runs()
        if self._is_due("sessions", SESSIONS_EVERY_S):
            await self._check_sessions()
        if self._is_due("pictures", TICK_S):
            await self._tell_pictures()
            for client in self._clients:
                if client.is_overdue():
                    client.close(TOO_SLOW)

    async def _tell_events(self) -> None:
        """Hand out what is new until everybody who has room for it is up to date."""
        behind = [client for client in self._of(RunClient) if client.has_room()]
        while behind:
            wanted: dict[int, set[int | None]] = defaultdict(set)
            for client in behind:
                wanted[client.pk].add(client.cursor)
            languages = {client.language for client in behind}
            readings = await self._in(self._reader, queries.read, wanted, languages)
            behind = [client for client in behind if self._hand(client, readings.get(client.pk))]

    def _hand(self, client: RunClient, reading: queries.RunReading | None) -> bool:
        """Give a client its news; whether there is more and room for it."""
        if reading is None:
            client.close(UNKNOWN_RUN)
            return False
        if reading.snapshot and client.cursor in reading.stale:
            client.give_snapshot(reading.snapshot)
        elif client.cursor is not None:
            events = reading.after(client.cursor)
            client.give(events)
            if events and events[-1].at > client.since:  # what was there before is no news
                self._lag_s = max(0.0, (timezone.now() - events[-1].at).total_seconds())
            if any(event.is_state for event in events):
                self._timers.pop("robots", None)  # it may have gone to a desktop, or left one
        return client.has_room() and client.is_behind(reading.head)

    async def _tell_runs(self) -> None:
        clients = self._of(RunsClient)
        new = [client for client in clients if client.is_new]
        if new or (clients and self._has_stirred):
            languages = {client.language for client in clients}
            gpu = await self._in(self._reader, news_of_gpu, languages)  # first: what raises here may not lose rows
            news = await self._in(self._reader, queries.news_of_runs, self._known_runs, languages, bool(new))
            self._known_runs = news.known
            for client in clients:
                client.offer(news.rows(client.language, everything=client.is_new), news.attention)
                client.offer_gpu(gpu.text(client.language))
                client.is_new = False
        self._has_stirred = False
        for client in clients:
            client.flush()  # what waited for credits

    async def _check_sessions(self) -> None:
        refused = await self._in(self._reader, sessions.refusals, {client.session_key for client in self._clients})
        self._checked_at = time.monotonic()
        for client in self._clients:
            if client.session_key in refused:
                client.close(refused[client.session_key])
        runs = self._of(RunsClient)
        if runs:
            operators = await self._in(self._reader, sessions.operators, {client.session_key for client in runs})
            for client in runs:
                client.may_answer = client.session_key in operators

    def _close_unchecked(self) -> None:
        """A database that cannot be asked does not keep doors open."""
        if time.monotonic() - self._checked_at > UNCHECKED_S:
            for client in self._clients:
                client.close(TRY_AGAIN)

    async def _tell_pictures(self) -> None:
        clients = self._of(RunClient)
        if clients and self._is_due("robots", SESSIONS_EVERY_S):
            self._robots = await self._in(self._reader, queries.robots, {client.pk for client in clients})
        if not clients or not self._robots:
            return
        names = {robot for _execution_id, robot in self._robots.values()}
        taken = await self._in(self._reader, queries.pictures, names)
        for client in clients:
            execution_id, robot = self._robots.get(client.pk, ("", ""))
            if robot in taken:
                client.give_frame(execution_id, taken[robot])

    def _is_due(self, name: str, every: float) -> bool:
        now = time.monotonic()
        if now < self._timers.get(name, 0):
            return False
        self._timers[name] = now + every
        return True

    async def _in(self, executor: ThreadPoolExecutor, read: Callable[..., T], *args: Any) -> T:
        return await self.loop.run_in_executor(executor, _reading, read, *args)


def _reading(read: Callable[..., T], *args: Any) -> T:
    """Read in this thread, on its own connections; one that failed is not used again."""
    try:
        return read(*args)
    except Error:
        connections.close_all()
        raise


def _admit(session_key: str) -> None:
    if code := sessions.refusals([session_key]).get(session_key):
        raise Refused(code)


def _admit_to_runs(session_key: str) -> bool:
    """Whether the session may also answer. Raises Refused."""
    _admit(session_key)
    return session_key in sessions.operators([session_key])


def _admit_to_run(session_key: str, execution_id: str) -> int:
    _admit(session_key)
    pk = queries.find(execution_id)
    if pk is None:
        raise Refused(UNKNOWN_RUN)
    return pk


_hub: Hub | None = None


def get_hub() -> Hub:
    """The hub of the running event loop; made with the first socket, and anew after the last one left."""
    global _hub
    if _hub is None or _hub.is_stopped or _hub.loop is not asyncio.get_running_loop():
        _hub = Hub()
    return _hub


def stream_health() -> StreamHealth:
    """Of this process, from any thread; nobody follows where there is no hub."""
    return _hub.health() if _hub is not None and not _hub.is_stopped else StreamHealth(0, 0.0)
