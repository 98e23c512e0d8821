"""The one event loop of the GPU side of a process, in a thread of its own; everybody else's code crosses over here."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import threading
from collections.abc import AsyncGenerator, Awaitable, Callable, Coroutine, Iterator
from concurrent.futures import Future
from functools import wraps
from queue import SimpleQueue
from threading import Lock, Thread
from typing import Any, Concatenate, ParamSpec, Protocol, TypeVar

from django.db import Error, connections

from gpu.exceptions import GPUError

log = logging.getLogger(__name__)

T = TypeVar("T")
P = ParamSpec("P")
Work = Callable[[Callable[[T], None]], Coroutine[Any, Any, object]]  # puts what it makes, piece by piece

_END = object()


class Runtime:
    """Started with the first coroutine; a daemon, so that a load of minutes never keeps a process from ending."""

    def __init__(self, name: str = "gpu") -> None:
        self._name = name
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None

    @property
    def loop(self) -> asyncio.AbstractEventLoop:
        with self._lock:
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                self._thread = threading.Thread(target=self._loop.run_forever, name=self._name, daemon=True)
                self._thread.start()
            return self._loop

    @property
    def is_here(self) -> bool:
        try:
            return asyncio.get_running_loop() is self._loop
        except RuntimeError:
            return False

    def submit(self, coroutine: Coroutine[Any, Any, T]) -> Future[T]:
        """Have it done there; cancelling the future cancels it."""
        return asyncio.run_coroutine_threadsafe(coroutine, self.loop)

    def run(self, coroutine: Coroutine[Any, Any, T], *, timeout: float | None = None) -> T:
        """From code that is not asynchronous: its result. Raises GPUError where an event loop runs in this thread."""
        if _a_loop_runs_here():
            coroutine.close()
            raise GPUError("An event loop runs in this thread: await the coroutine instead.")
        future = self.submit(coroutine)
        try:
            return future.result(timeout)
        except BaseException:
            future.cancel()
            raise

    async def wait(self, coroutine: Coroutine[Any, Any, T]) -> T:
        """From any event loop: its result; whoever gives up waiting cancels it."""
        if self.is_here:
            return await coroutine
        return await asyncio.wrap_future(self.submit(coroutine))

    def iterate(self, work: Work[T]) -> Iterator[T]:
        """From code that is not asynchronous: what the work puts, one by one; leaving early cancels it, and waits."""
        if _a_loop_runs_here():
            raise GPUError("An event loop runs in this thread: iterate asynchronously instead.")
        parts: SimpleQueue[Any] = SimpleQueue()
        producing, part = _Producing(self.loop, work, parts.put), None
        try:
            while (part := parts.get()) is not _END:
                yield part
            producing.check()
        finally:
            if part is not _END:
                producing.cancel()
                while parts.get() is not _END:
                    pass

    async def stream(self, work: Work[T]) -> AsyncGenerator[T]:
        """From any event loop: what the work puts, one by one; leaving early cancels it, and waits for its end."""
        loop, parts = asyncio.get_running_loop(), asyncio.Queue[Any]()  # bounded by the length of an answer

        def put(part: Any) -> None:
            with contextlib.suppress(RuntimeError):  # whoever listened has gone with its loop
                loop.call_soon_threadsafe(parts.put_nowait, part)

        producing, part = _Producing(self.loop, work, put), None
        try:
            while (part := await parts.get()) is not _END:
                yield part
            producing.check()
        finally:
            if part is not _END:
                producing.cancel()
                while await parts.get() is not _END:
                    pass

    def close(self) -> None:
        """Cancel what is left and end the thread."""
        with self._lock:
            loop, thread, self._loop, self._thread = self._loop, self._thread, None, None
        if loop is None or thread is None:
            return
        asyncio.run_coroutine_threadsafe(_cancel_all(), loop).result()
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()


class HasRuntime(Protocol):
    runtime: Runtime


H = TypeVar("H", bound=HasRuntime)


def blocking(method: Callable[Concatenate[H, P], Coroutine[Any, Any, T]]) -> Callable[Concatenate[H, P], T]:
    """The same method for code that is not asynchronous. Raises GPUError where an event loop runs in the thread."""

    @wraps(method)
    def done(self: H, *args: P.args, **named: P.kwargs) -> T:
        return self.runtime.run(method(self, *args, **named))

    return done


def _a_loop_runs_here() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


class _Producing:
    """One task does all of the work, so that what it enters it also leaves; the end is put, too. From any thread."""

    def __init__(self, loop: asyncio.AbstractEventLoop, work: Work[Any], put: Callable[[Any], None]) -> None:
        self._loop, self._work, self._put = loop, work, put
        self._task: asyncio.Task[object] | None = None
        loop.call_soon_threadsafe(self._begin)

    def _begin(self) -> None:
        self._task = self._loop.create_task(self._work(self._put))
        self._task.add_done_callback(self._end)

    def _end(self, task: asyncio.Task[object]) -> None:
        if not task.cancelled():
            task.exception()  # nobody may be left to hear it
        self._put(_END)

    def cancel(self) -> None:
        with contextlib.suppress(RuntimeError):  # the loop has ended, and all work with it
            self._loop.call_soon_threadsafe(lambda: self._task and self._task.cancel())

    def check(self) -> None:
        """After its end: raise what it failed with."""
        if self._task is not None and not self._task.cancelled():
            self._task.result()


async def _cancel_all() -> None:
    others = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
    for task in others:
        task.cancel()
    await asyncio.gather(*others, return_exceptions=True)


class Background:
    def __init__(self) -> None:
        self._work: set[asyncio.Future[Any]] = set()

    def begin(self, work: Awaitable[Any]) -> asyncio.Future[Any]:
        future = asyncio.ensure_future(work)
        self._work.add(future)
        future.add_done_callback(self._over)
        return future

    async def end(self) -> None:
        """Return when all of it is over, what it began meanwhile included."""
        while self._work:
            await asyncio.gather(*self._work, return_exceptions=True)

    def _over(self, future: asyncio.Future[Any]) -> None:
        self._work.discard(future)
        if not future.cancelled() and (error := future.exception()) is not None:
            log.error("something in the background of the models failed", exc_info=error)


Queue = SimpleQueue[tuple[Future[Any], Callable[[], Any]] | None]


class DatabaseThread:
    """All work is done one after the other, in the order it was asked; the thread starts with the first."""

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


class Listeners:
    """`of` names in the log what they hear of. They are called one after the other, in the thread of who tells."""

    def __init__(self, of: str) -> None:
        self._of = of
        self._all: tuple[Callable[..., None], ...] = ()

    def add(self, listener: Callable[..., None]) -> None:
        self._all = (*self._all, listener)

    def remove(self, listener: Callable[..., None]) -> None:
        self._all = tuple(one for one in self._all if one != listener)

    def tell(self, *said: object) -> None:
        for listener in self._all:
            try:
                listener(*said)
            except Exception:  # other people's code: whatever it raises is its own
                log.exception("a listener of %s failed", self._of)
