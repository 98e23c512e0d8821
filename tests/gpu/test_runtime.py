"""The one event loop of a process, and the ways into it from other code (S3.1)."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator

import pytest

from gpu.exceptions import GPUError
from gpu.runtime import Runtime


@pytest.fixture
def runtime() -> Iterator[Runtime]:
    one = Runtime("test")
    yield one
    one.close()


async def where() -> str:
    return threading.current_thread().name


class Numbers:
    def __init__(self) -> None:
        self.closed = threading.Event()

    async def count(self, put: Callable[[int], None]) -> None:
        try:
            for number in range(1000):
                put(number)
                await asyncio.sleep(0)
        finally:
            self.closed.set()


def test_sync_code_has_it_done_in_one_thread_that_is_not_its_own(runtime: Runtime) -> None:
    """No event loop is made for a call."""
    assert {runtime.run(where()) for _ in range(3)} == {"test"}


async def test_another_event_loop_awaits_it(runtime: Runtime) -> None:
    assert await runtime.wait(where()) == "test"


def test_in_its_own_loop_it_is_simply_awaited(runtime: Runtime) -> None:
    async def outer() -> tuple[bool, str]:
        return runtime.is_here, await runtime.wait(where())

    assert runtime.run(outer()) == (True, "test")
    assert not runtime.is_here


async def test_blocking_an_event_loop_is_refused(runtime: Runtime) -> None:
    with pytest.raises(GPUError, match="await the coroutine"):
        runtime.run(where())


async def test_who_gives_up_waiting_cancels_it(runtime: Runtime) -> None:
    begun, ended = threading.Event(), threading.Event()

    async def endless() -> None:
        begun.set()
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()

    task = asyncio.create_task(runtime.wait(endless()))
    assert await asyncio.to_thread(begun.wait, 10)
    task.cancel()
    assert await asyncio.to_thread(ended.wait, 10)


def test_a_limit_ends_what_takes_too_long(runtime: Runtime) -> None:
    async def endless() -> None:
        await asyncio.Event().wait()

    with pytest.raises(TimeoutError):
        runtime.run(endless(), timeout=0.01)


def test_items_come_one_by_one_and_leaving_early_closes_their_source(runtime: Runtime) -> None:
    numbers = Numbers()
    items = runtime.iterate(numbers.count)
    assert [next(items), next(items)] == [0, 1]
    items.close()  # type: ignore[attr-defined]
    assert numbers.closed.is_set()


async def test_another_event_loop_gets_items_too(runtime: Runtime) -> None:
    numbers = Numbers()
    assert sum([number async for number in runtime.stream(numbers.count)]) == 499_500
    assert numbers.closed.is_set()


@pytest.mark.parametrize("shown", [0, 3])
def test_what_was_put_before_an_error_comes_before_it(runtime: Runtime, shown: int) -> None:
    async def fails(put: Callable[[int], None]) -> None:
        for number in range(shown):
            put(number)
        raise ValueError("no")

    async def gathered() -> None:
        async for number in runtime.stream(fails):
            told.append(number)

    told: list[int] = []
    with pytest.raises(ValueError, match="no"):
        told.extend(runtime.iterate(fails))
    with pytest.raises(ValueError, match="no"):
        asyncio.run(gathered())
    assert told[-shown:] == list(range(shown)) if shown else not told


async def test_who_leaves_waits_until_the_work_has_cleaned_up(runtime: Runtime) -> None:
    cleaned = threading.Event()

    async def slow_to_end(put: Callable[[int], None]) -> None:
        put(1)
        try:
            await asyncio.Event().wait()
        finally:
            await asyncio.sleep(0.01)
            cleaned.set()

    items = runtime.stream(slow_to_end)
    assert await anext(items) == 1
    await items.aclose()
    assert cleaned.is_set()


def test_closing_cancels_what_is_left_and_the_next_one_begins_anew() -> None:
    runtime, ended = Runtime("test"), threading.Event()

    async def endless() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()

    future = runtime.submit(endless())
    runtime.run(asyncio.sleep(0))
    runtime.close()
    assert ended.is_set()
    assert future.cancelled()
    assert runtime.run(where()) == "test"
    runtime.close()
    runtime.close()  # a second time nothing happens
