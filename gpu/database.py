"""The database from the loop of the GPU side: one thread, so that a locked file never stops the loop."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import Future
from queue import SimpleQueue
from threading import Lock, Thread
from typing import Any, TypeVar

from django.db import Error, connections

T = TypeVar("T")

Queue = SimpleQueue[tuple[Future[Any], Callable[[], Any]] | None]


class DatabaseThread:
    """All work is done one after the other, in the order it was asked; the thread starts with the first.

    A daemon, and no executor: those take no work any more when a process says goodbye at its end.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._queue: Queue | None = None
        self._thread: Thread | None = None

    async def run(self, work: Callable[[], T]) -> T:
        """What `work` returns or raises; it is done also when the caller gives up."""
        return await asyncio.wrap_future(self.submit(work))

    def submit(self, work: Callable[[], T]) -> Future[T]:
        """Have it done, from any thread."""
        future: Future[T] = Future()
        future.set_running_or_notify_cancel()  # who gives up waiting takes nothing back
        with self._lock:
            if self._queue is None:
                self._queue = SimpleQueue()
                self._thread = Thread(target=_serve, args=(self._queue,), name="gpu-rows", daemon=True)
                self._thread.start()
            self._queue.put((future, work))
        return future

    def close(self) -> None:
        with self._lock:
            queue, thread, self._queue, self._thread = self._queue, self._thread, None, None
        if queue is not None and thread is not None:
            queue.put(None)
            thread.join()


def _serve(queue: Queue) -> None:
    """The connection stays open in between, for opening it takes longer than most work; after an error it goes."""
    try:
        while (asked := queue.get()) is not None:
            future, work = asked
            for connection in connections.all(initialized_only=True):
                connection.close_at = None  # CONN_MAX_AGE is about requests
            try:
                future.set_result(work())
            except BaseException as error:  # noqa: BLE001  it is the asker's
                if isinstance(error, Error):
                    connections.close_all()
                future.set_exception(error)
    finally:
        connections.close_all()
