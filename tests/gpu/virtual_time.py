"""An event loop whose time stands still until nothing else is left to do, and then jumps to what is due next.

Whatever waits (asyncio.sleep, asyncio.timeout) waits by it: a day passes in a moment, and always in the same order.
"""

from __future__ import annotations

import asyncio
import selectors
from collections.abc import Callable, Coroutine
from typing import Any, Protocol, TypeVar

from gpu.runtime import Runtime

T = TypeVar("T")


class World(Protocol):
    """What else happens in that time."""

    def next_due(self) -> float | None: ...

    def advance_to(self, when: float) -> None: ...


class VirtualLoop(asyncio.SelectorEventLoop):
    def __init__(self, world: World) -> None:
        self.now = 0.0
        super().__init__(_Jumps(self, world))

    def time(self) -> float:
        return self.now


class _Jumps(selectors.SelectSelector):
    def __init__(self, loop: VirtualLoop, world: World) -> None:
        super().__init__()
        self._loop, self._world = loop, world

    def select(self, timeout: float | None = None) -> Any:
        events = super().select(0)
        if events or timeout == 0:
            return events
        due = self._world.next_due()
        mine = None if timeout is None else self._loop.now + timeout
        if due is None and mine is None:
            raise AssertionError("everybody waits for something that will never happen")
        self._loop.now = max(self._loop.now, min(one for one in (due, mine) if one is not None))
        self._world.advance_to(self._loop.now)
        return events


class RuntimeHere(Runtime):
    """The manager's loop is the one of the test."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        super().__init__()
        self._here = loop

    @property
    def loop(self) -> asyncio.AbstractEventLoop:
        return self._here

    @property
    def is_here(self) -> bool:
        return True

    def close(self) -> None:
        """The loop is the test's."""


def run(loop: VirtualLoop, work: Callable[[], Coroutine[Any, Any, T]]) -> T:
    """To its end, and whatever it left behind too."""
    try:
        return loop.run_until_complete(work())
    finally:
        left = asyncio.all_tasks(loop)
        for task in left:
            task.cancel()
        if left:
            loop.run_until_complete(asyncio.wait(left))
        loop.close()
