"""The one event loop of the GPU side of a process, in a thread of its own; everybody else's code crosses over here."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from concurrent.futures import Future
from functools import wraps
from typing import Any, Concatenate, ParamSpec, Protocol, TypeVar

from gpu.exceptions import GPUError

T = TypeVar("T")
P = ParamSpec("P")

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
        """The loop, running."""
        with self._lock:
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                self._thread = threading.Thread(target=self._loop.run_forever, name=self._name, daemon=True)
                self._thread.start()
            return self._loop

    @property
    def is_here(self) -> bool:
        """Whether the caller runs in this loop."""
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

    def iterate(self, items: AsyncIterator[T]) -> Iterator[T]:
        """From code that is not asynchronous: its items one by one; leaving early closes it."""
        fetching = _Fetching(items)
        try:
            while (item := self.run(fetching.next())) is not _END:
                yield item
        finally:
            self.run(fetching.close())

    async def stream(self, items: AsyncIterator[T]) -> AsyncIterator[T]:
        """From any event loop: its items one by one; leaving early closes it."""
        fetching = _Fetching(items)
        try:
            while (item := await self.wait(fetching.next())) is not _END:
                yield item
        finally:
            await asyncio.shield(asyncio.wrap_future(self.submit(fetching.close())))

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


class _Fetching:
    """Items fetched one by one. Closing waits for the fetch that was given up: it may still be cleaning up."""

    def __init__(self, items: AsyncIterator[Any]) -> None:
        self._items = items
        self._is_idle = asyncio.Event()
        self._is_idle.set()

    async def next(self) -> Any:
        self._is_idle.clear()
        try:
            return await anext(self._items, _END)
        finally:
            self._is_idle.set()

    async def close(self) -> None:
        await self._is_idle.wait()
        close = getattr(self._items, "aclose", None)
        if close is not None:
            await close()


async def _cancel_all() -> None:
    others = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
    for task in others:
        task.cancel()
    await asyncio.gather(*others, return_exceptions=True)
