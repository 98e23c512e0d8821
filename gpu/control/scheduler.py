"""Who is next: one at a time, the more urgent first, each with its deadline (S3.11.13, A.9.4)."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from gpu.exceptions import DeadlinePassed, GpuBusy, GPUError
from gpu.runtime import Listeners
from gpu.types import ExecutionMode, Purpose, Request, RequestKind
from sentences.said import say

CHANGE_OF_MODE, BY_ITSELF = 0, 99
LEVELS = {purpose: level for level, purpose in enumerate(Purpose, start=1)}
PREEMPTS_UP_TO = LEVELS[Purpose.CLASSIFY]  # what is so urgent takes the turn from a chat
FIRST_GUESS_S = 1.0


@dataclass(eq=False)
class QueueEntry:
    """Somebody's request on its way. `error` says why its turn was taken from it."""

    request: Request
    level: int
    preempts: bool = False
    preemptible: bool = False
    loads: str = ""
    order: int = 0
    asked_at: datetime = field(default_factory=lambda: datetime.now(UTC))
    granted: asyncio.Future[None] = field(default_factory=lambda: asyncio.get_running_loop().create_future())
    error: GPUError | None = None
    end: Callable[[], None] | None = None
    began_at: float | None = None

    def preempt(self, error: GPUError) -> None:
        """Its turn is over, whatever it does with it."""
        if self.error is None:
            self.error = error
            self.on_preempted(self.end)

    def on_preempted(self, end: Callable[[], None] | None) -> None:
        """Have that called when its turn is taken from it, at once where it was already."""
        self.end = end
        if end is not None and self.error is not None:
            end()

    @classmethod
    def of(cls, request: Request, *, preemptible: bool = False) -> QueueEntry:
        level = CHANGE_OF_MODE if request.kind is RequestKind.MODE else LEVELS[request.purpose]
        preempts = level <= PREEMPTS_UP_TO and request.mode is not ExecutionMode.IDLE  # idle needs nothing of anybody
        return cls(request, level, preempts=preempts, preemptible=preemptible)

    def told(self) -> dict[str, Any]:
        request = self.request
        return {
            "kind": request.kind.value,
            "model": request.model,
            "mode": request.mode.value if request.mode else "",
            "purpose": request.purpose.value,
            "asked_by": request.asked_by,
            "state": "waiting" if self.began_at is None else "doing",
            "asked_at": self.asked_at.isoformat(),
        }


class Scheduler:
    """All of it runs in one loop, and by the loop's clock."""

    def __init__(self, *, max_waiting: int) -> None:
        self._max_waiting = max_waiting
        self._order = itertools.count()
        self._waiting: list[QueueEntry] = []
        self._current: QueueEntry | None = None
        self._usual_s = FIRST_GUESS_S
        self.granted = 0  # turns, so far
        self._listeners = Listeners("the queue for the GPU")

    @property
    def is_busy(self) -> bool:
        return self._current is not None or bool(self._waiting)

    @property
    def current(self) -> QueueEntry | None:
        return self._current

    def entries(self) -> tuple[QueueEntry, ...]:
        """The one whose turn it is, then those that wait, the next one first."""
        current = (self._current,) if self._current else ()
        return (*current, *self._waiting)

    @asynccontextmanager
    async def turn(self, entry: QueueEntry, *, deadline: float | None = None) -> AsyncIterator[QueueEntry]:
        """The only turn there is. Raises GpuBusy where too many wait, DeadlinePassed without ever having had it."""
        self._enter(entry)
        try:
            await self._until_granted(entry, deadline)
            yield entry
        finally:
            self.leave(entry)

    def leave(self, entry: QueueEntry) -> None:
        """Give the turn back, or stop waiting for it; a second time nothing happens."""
        if entry in self._waiting:
            self._waiting.remove(entry)
            self._tell(entry)
        if entry is self._current:
            now = asyncio.get_running_loop().time()
            self._usual_s += 0.3 * (now - (entry.began_at or now) - self._usual_s)
            self._current = None
            self._next()
            self._tell(entry)

    def on_change(self, listener: Callable[[], None]) -> None:
        """Hear of each request that has to wait, or does no longer, and of each turn that is over."""
        self._listeners.add(listener)

    def _tell(self, entry: QueueEntry) -> None:
        if entry.level != BY_ITSELF:
            self._listeners.tell()

    def _enter(self, entry: QueueEntry) -> None:
        entry.order = next(self._order)
        if _counts(entry) and len(others := [one for one in self._waiting if _counts(one)]) >= self._max_waiting:
            self._make_place(entry, others[-1])
        self._waiting.append(entry)
        self._waiting.sort(key=lambda one: (one.level, one.order))
        self._preempt_for(entry)
        self._next()
        if entry in self._waiting:
            self._tell(entry)

    @contextmanager
    def loading(self, entry: QueueEntry) -> Iterator[None]:
        """Its model is being loaded: whoever wants that one waits for it, for anew it would take longer."""
        entry.loads = entry.request.model
        try:
            yield
        finally:
            entry.loads = ""
        for waiting in self._waiting:
            self._preempt_for(waiting)

    def _preempt_for(self, entry: QueueEntry) -> None:
        current = self._current
        if current is None or not entry.preempts or not current.preemptible:
            return
        if not current.loads or current.loads != entry.request.model:
            words = say("gpu.more_urgent")
            current.preempt(GpuBusy(words, retry_after_s=self._usual_s))

    def _make_place(self, entry: QueueEntry, last: QueueEntry) -> None:
        """The last of those that wait goes for what is more urgent; otherwise the newcomer does."""
        if last.level <= entry.level:
            raise self._busy(say("gpu.queue_full"))
        self._waiting.remove(last)
        if not last.granted.done():
            last.granted.set_exception(self._busy(say("gpu.place_taken")))

    def _busy(self, why: str) -> GpuBusy:
        pause = max(1.0, self._usual_s * (1 + len(self._waiting)))
        return GpuBusy(say("gpu.busy", why=why, n=pause), retry_after_s=pause)

    async def _until_granted(self, entry: QueueEntry, deadline: float | None) -> None:
        try:
            async with asyncio.timeout_at(deadline) as limit:
                await entry.granted
        except TimeoutError:
            if not limit.expired():
                raise
            raise DeadlinePassed(say("gpu.busy_too_long")) from None

    def _next(self) -> None:
        while self._current is None and self._waiting:
            entry = self._waiting.pop(0)
            if not entry.granted.done():  # it may have given up, and not have had the time to leave
                self._current = entry
                self.granted += 1
                entry.began_at = asyncio.get_running_loop().time()
                entry.granted.set_result(None)


def _counts(entry: QueueEntry) -> bool:
    """A change of mode is never refused: there is one of a kind. What is done by itself waits for nobody."""
    return entry.level not in (CHANGE_OF_MODE, BY_ITSELF)
