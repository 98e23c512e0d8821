"""Calling other people's code so that this side comes back, whatever that side does.

A call that hangs cannot be ended, only given up: its thread is left to it, and it is not asked again until it has
returned. Code that hangs while it holds the interpreter's lock stops every thread and is beyond help from here.
"""

from __future__ import annotations

import atexit
import queue
import threading
import time
import weakref
from collections.abc import Callable
from typing import Any, TypeVar, cast

T = TypeVar("T")

# An analysis that takes twice the limit after which a run goes degraded does not come back (S2.4); the bounds are for
# limits that a test or the profiling preset sets (999 999 ms: S2.2 bids never to degrade, not to wait 33 minutes).
LEAST_S = 10.0
MOST_S = 120.0

# A thread that comes back from a native library while the interpreter goes down aborts the process.
AT_EXIT_S = 5.0
_hanging: weakref.WeakSet[_Call] = weakref.WeakSet()


class Hung(TimeoutError):
    """A call has not come back in its time, or an earlier one has not yet; `seconds` is how long was waited."""

    def __init__(self, message: str, *, seconds: float) -> None:
        super().__init__(message)
        self.seconds = seconds


def patience_s(analyze_timeout_ms: float) -> float:
    """How long one part of an analysis is waited for, in seconds, in a run whose limit that is."""
    return min(MOST_S, max(LEAST_S, 2 * analyze_timeout_ms / 1000))


class Guard:
    """Runs calls one at a time in a thread of its own; a hop costs some hundredths of a millisecond."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._calls: queue.SimpleQueue[_Call | None] = queue.SimpleQueue()
        self._given_up: _Call | None = None
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None

    @property
    def hangs(self) -> bool:
        """True while a call that was given up still runs."""
        return self._given_up is not None and not self._given_up.returned

    def run(self, function: Callable[[], T], *, limit_s: float) -> T:
        """What the function returns or raises; Hung after `limit_s`, and at once while an earlier call hangs."""
        with self._lock:
            if self.hangs:
                raise Hung(f"{self.name} is still busy with an earlier call", seconds=0)
            self._given_up = None
            self._start()
            call = _Call(function)
            self._calls.put(call)
            if not call.done.acquire(timeout=limit_s):
                self._given_up = call
                _hanging.add(call)
                raise Hung(f"{self.name} did not come back within {limit_s:g} s", seconds=limit_s)
        if call.error is not None:
            raise call.error
        return cast("T", call.result)

    def _start(self) -> None:
        if self._thread is None:
            # A daemon, so that what hangs does not keep the process from ending; it ends with its guard.
            self._thread = threading.Thread(target=_serve, args=(self._calls,), name=self.name, daemon=True)
            self._thread.start()
            weakref.finalize(self, self._calls.put, None)


class _Call:
    """One call and what came of it; `done` is released when it has returned."""

    __slots__ = ("__weakref__", "done", "error", "function", "result", "returned")

    def __init__(self, function: Callable[[], Any]) -> None:
        self.function: Callable[[], Any] | None = function
        self.result: Any = None
        self.error: BaseException | None = None
        self.returned = False
        self.done = threading.Lock()
        self.done.acquire()

    def carry_out(self) -> None:
        assert self.function is not None
        try:
            self.result = self.function()
        except BaseException as error:  # noqa: BLE001  raised again where the call was made
            self.error = error
        self.function = None  # the picture it holds is large
        self.returned = True
        self.done.release()


def wait_for_the_hanging(timeout_s: float = AT_EXIT_S) -> bool:
    """Give calls that were given up a last chance to return, all together `timeout_s`; whether all have."""
    end = time.monotonic() + timeout_s
    return all(call.returned or call.done.acquire(timeout=max(0.0, end - time.monotonic())) for call in list(_hanging))


atexit.register(wait_for_the_hanging)


def _serve(calls: queue.SimpleQueue[_Call | None]) -> None:
    while (call := calls.get()) is not None:
        call.carry_out()
        del call
