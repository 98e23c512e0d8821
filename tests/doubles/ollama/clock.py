"""The time of the double: it stands still until somebody advances it."""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta


@dataclass(order=True)
class Timer:
    due: float
    order: int
    call: Callable[[], None] = field(compare=False)
    idle: bool = field(default=False, compare=False)  # a keep-alive that runs out: nobody waits for it
    cancelled: bool = field(default=False, compare=False)

    def cancel(self) -> None:
        self.cancelled = True


class VirtualClock:
    """Seconds since the start. Timers run in the order of their due times, at exactly those times, inside `advance`."""

    def __init__(self, start: datetime | None = None) -> None:
        self.start = start or datetime(2026, 3, 1, 8, 0, 0, 123456, tzinfo=UTC)
        self.now = 0.0
        self._timers: list[Timer] = []
        self._order = itertools.count()

    def wall(self, at: float | None = None) -> datetime:
        return self.start + timedelta(seconds=self.now if at is None else at)

    def call_later(self, seconds: float, call: Callable[[], None], *, idle: bool = False) -> Timer:
        timer = Timer(self.now + max(0.0, seconds), next(self._order), call, idle)
        heapq.heappush(self._timers, timer)
        return timer

    def next_due(self, *, work_only: bool = False) -> float | None:
        """When the next timer is due; `work_only` leaves out what only ends an idle time."""
        waiting = [timer.due for timer in self._timers if not timer.cancelled and not (work_only and timer.idle)]
        return min(waiting, default=None)

    def advance_to(self, when: float) -> None:
        while self._timers and self._timers[0].due <= when:
            timer = heapq.heappop(self._timers)
            if not timer.cancelled:
                self.now = max(self.now, timer.due)
                timer.call()
        self.now = max(self.now, when)

    def advance(self, seconds: float) -> None:
        self.advance_to(self.now + seconds)
