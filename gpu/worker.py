"""One thread that does what is asked of the GPU, one after the other, in the order it was asked (S3.6, S3.11.13)."""

from __future__ import annotations

import logging
import queue
import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any

log = logging.getLogger(__name__)

Work = tuple["Future[Any]", Callable[[], Any]]


class Worker:
    """Started with the first request; a daemon, so that a load of minutes never keeps a process from ending."""

    def __init__(self, *, when_idle: Callable[[], None], look_every_s: float) -> None:
        self._when_idle, self._look_every_s = when_idle, look_every_s
        self._lock = threading.Lock()
        self._requests: queue.Queue[Work | None] = queue.Queue()
        self._thread: threading.Thread | None = None
        self._last: tuple[str | None, Future[Any]] | None = None
        self._open = 0

    @property
    def length(self) -> int:
        """How many requests wait or are being done."""
        return self._open

    def submit(self, key: str | None, work: Callable[[], Any]) -> Future[Any]:
        """Ask for `work`. Whoever asks for the same key right after shares the one that is not done; None: nobody."""
        with self._lock:
            if key is not None and self._last is not None and self._last[0] == key and not self._last[1].done():
                return self._last[1]
            future: Future[Any] = Future()
            self._last = (key, future)
            self._open += 1
            self._requests.put((future, work))
            if self._thread is None or not self._thread.is_alive():
                self._thread = threading.Thread(target=self._run, name="gpu", daemon=True)
                self._thread.start()
        return future

    def close(self) -> None:
        """End after what was asked so far."""
        with self._lock:
            thread, self._thread = self._thread, None
            if thread is not None:
                self._requests.put(None)
        if thread is not None:
            thread.join()

    def _run(self) -> None:
        while True:
            try:
                request = self._requests.get(timeout=self._look_every_s)
            except queue.Empty:
                self._look()
                continue
            if request is None:
                return
            self._do(*request)

    def _do(self, future: Future[Any], work: Callable[[], Any]) -> None:
        try:
            result = work()
        except BaseException as error:  # noqa: BLE001  it belongs to whoever asked
            self._done()
            future.set_exception(error)
        else:
            self._done()
            future.set_result(result)

    def _done(self) -> None:
        with self._lock:
            self._open -= 1

    def _look(self) -> None:
        try:
            self._when_idle()
        except Exception:
            log.exception("looking after the GPU failed")
