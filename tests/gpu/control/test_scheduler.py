"""Turns: one at a time, the more urgent first, bounded, each with its deadline; no real time passes (S3.11.13)."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from functools import wraps
from typing import Any

import pytest

from gpu.control.scheduler import BY_ITSELF, QueueEntry, Scheduler
from gpu.exceptions import DeadlinePassed, GpuBusy
from gpu.types import ExecutionMode, Purpose, Request, RequestKind
from tests.gpu.virtual_time import VirtualLoop, run


class Nothing:
    def next_due(self) -> None:
        return None

    def advance_to(self, when: float) -> None:
        """Nothing else happens."""


class Turns:
    """Entries by name, each of which keeps its turn until it is let go."""

    def __init__(self, max_waiting: int = 4) -> None:
        self.scheduler = Scheduler(max_waiting=max_waiting)
        self.had: list[str] = []
        self.entries: dict[str, QueueEntry] = {}
        self._ends: dict[str, asyncio.Event] = {}

    async def begin(
        self,
        name: str,
        purpose: Purpose | ExecutionMode = Purpose.TARGET,
        *,
        deadline: float | None = None,
        **more: Any,
    ) -> asyncio.Task[None]:
        if isinstance(purpose, ExecutionMode):
            request = Request(kind=RequestKind.MODE, mode=purpose)
        else:
            request = Request(kind=RequestKind.USE, model="m", purpose=purpose)
        self.entries[name] = QueueEntry.of(request, **more)
        self._ends[name] = asyncio.Event()
        task = asyncio.create_task(self._have(name, deadline))
        await asyncio.sleep(0)
        return task

    async def end(self, name: str) -> None:
        self._ends[name].set()
        for _ in range(4):
            await asyncio.sleep(0)

    async def _have(self, name: str, deadline: float | None) -> None:
        async with self.scheduler.turn(self.entries[name], deadline=deadline):
            self.had.append(name)
            await self._ends[name].wait()


@pytest.fixture
def turns() -> Turns:
    return Turns()


def at_once(test: Callable[..., Coroutine[Any, Any, None]]) -> Callable[..., None]:
    """In a loop of its own, in which no real time passes."""

    @wraps(test)
    def inside(**given: Any) -> None:
        run(VirtualLoop(Nothing()), lambda: test(**given))

    return inside


@at_once
async def test_the_more_urgent_goes_first_and_equals_in_their_order(turns: Turns) -> None:
    await turns.begin("first")
    for name, purpose in (
        ("chat", Purpose.ASSISTANT), ("label", Purpose.CLASSIFY), ("one", Purpose.TARGET), ("two", Purpose.TARGET)
    ):  # fmt: skip
        await turns.begin(name, purpose)
    await turns.begin("mode", ExecutionMode.IDLE)
    for name in ("first", "mode", "one", "two", "label"):
        await turns.end(name)
    assert turns.had == ["first", "mode", "one", "two", "label", "chat"]


@at_once
async def test_one_at_a_time_and_the_rest_can_be_seen(turns: Turns) -> None:
    await turns.begin("a")
    await turns.begin("b")
    assert turns.had == ["a"]
    told = [entry.told() for entry in turns.scheduler.entries()]
    assert [one["state"] for one in told] == ["doing", "waiting"]
    assert {"kind", "model", "mode", "purpose", "asked_by", "state", "asked_at"} == told[0].keys()


@at_once
async def test_a_full_queue_refuses_with_the_time_to_wait(turns: Turns) -> None:
    """A.9.4"""
    for name in "abcde":
        await turns.begin(name)
    with pytest.raises(GpuBusy, match="too many wait") as caught:
        await (await turns.begin("f"))
    assert caught.value.retry_after_s >= 1


@at_once
async def test_what_is_more_urgent_takes_a_place_in_a_full_queue(turns: Turns) -> None:
    """S4.5: a run is never refused for chats."""
    await turns.begin("first")
    chats = [await turns.begin(f"chat {n}", Purpose.ASSISTANT) for n in range(4)]
    await turns.begin("run", Purpose.TARGET)
    with pytest.raises(GpuBusy, match="took the place"):
        await chats[-1]
    await turns.end("first")
    assert turns.had == ["first", "run"]


@at_once
async def test_a_change_of_mode_is_never_refused(turns: Turns) -> None:
    for name in "abcde":
        await turns.begin(name)
    await turns.begin("mode", ExecutionMode.AUTOPILOT)
    await turns.end("a")
    assert turns.had == ["a", "mode"]


@at_once
async def test_at_its_deadline_a_request_ends_without_having_run(turns: Turns) -> None:
    await turns.begin("first")
    late = await turns.begin("late", deadline=5.0)
    with pytest.raises(DeadlinePassed, match="nothing was done"):
        await late
    assert asyncio.get_running_loop().time() == 5.0
    await turns.end("first")
    assert turns.had == ["first"]
    assert not turns.scheduler.is_busy


@pytest.mark.parametrize("cancelled", ["first", "second"])
@at_once
async def test_who_gives_up_leaves_the_turn_to_the_next(turns: Turns, cancelled: str) -> None:
    """A.6: a grant that was not taken must not be counted."""
    tasks = {name: await turns.begin(name) for name in ("first", "second", "third")}
    tasks[cancelled].cancel()
    await turns.end("first")
    await turns.end("second")
    assert turns.had[-1] == "third"


@at_once
async def test_who_gives_up_in_the_moment_of_the_grant_does_not_keep_the_turn(turns: Turns) -> None:
    await turns.begin("first")
    second = await turns.begin("second")
    await turns.begin("third")
    turns._ends["first"].set()
    await asyncio.sleep(0)  # the first is ending
    second.cancel()
    await turns.end("third")
    assert turns.had[-1] == "third"


@at_once
async def test_a_turn_is_not_granted_to_who_has_just_given_up(turns: Turns) -> None:
    await turns.begin("first")
    second = await turns.begin("second")
    await turns.begin("third")
    second.cancel()
    turns.scheduler.leave(turns.entries["first"])  # before the second one could leave the queue
    await turns.end("third")
    assert turns.had == ["first", "third"]


@pytest.mark.parametrize(
    ("urgent", "cuts"),
    [
        (Purpose.TARGET, True),
        (Purpose.CLASSIFY, True),
        (ExecutionMode.AUTOPILOT, True),
        (ExecutionMode.IDLE, False),
        (Purpose.ASSISTANT, False),
        (Purpose.PRELOAD, False),
    ],
)
@at_once
async def test_a_run_or_a_change_of_mode_takes_the_turn_from_a_chat(
    turns: Turns, urgent: Purpose | ExecutionMode, cuts: bool
) -> None:
    """S4.5: idle needs nothing of anybody."""
    await turns.begin("chat", Purpose.ASSISTANT, preemptible=True)
    await turns.begin("urgent", urgent)
    assert isinstance(turns.entries["chat"].error, GpuBusy) is cuts


@at_once
async def test_what_a_run_does_is_taken_from_nobody(turns: Turns) -> None:
    await turns.begin("run", Purpose.TARGET)
    await turns.begin("mode", ExecutionMode.AUTOPILOT)
    assert turns.entries["run"].error is None


@at_once
async def test_what_is_done_by_itself_comes_last_and_counts_for_nobody(turns: Turns) -> None:
    tick = QueueEntry(Request(kind=RequestKind.CLIP_TO_CPU), BY_ITSELF)
    await turns.begin("first")
    waiting = asyncio.create_task(_once(turns, tick))
    await asyncio.sleep(0)
    for name in "abcd":
        await turns.begin(name)  # four may wait, and do
    for name in ("first", *"abcd"):
        await turns.end(name)
    await waiting
    assert turns.had == ["first", *"abcd", "tick"]


async def _once(turns: Turns, entry: QueueEntry) -> None:
    async with turns.scheduler.turn(entry):
        turns.had.append("tick")
