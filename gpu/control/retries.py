"""Trying again: a few times, later and later, never what cannot succeed; and leaving alone what fails again and again
(A.9.5, A.9.7).
"""

from __future__ import annotations

import asyncio
import random

from gpu.exceptions import VLMUnavailable


class Retries:
    def __init__(self, *, most: int, pause_s: float, until: float) -> None:
        self._most, self._pause_s, self.until = most, pause_s, until
        self._failed = 0

    async def again(self, error: VLMUnavailable) -> bool:
        """Whether to try once more after that failure; waits before it."""
        self._failed += 1
        # doubled after each try, and never the same for two who try at once
        pause_s = self._pause_s * 2.0 ** (self._failed - 1) * random.uniform(0.5, 1.5)  # noqa: S311
        over = asyncio.get_running_loop().time() + pause_s >= self.until
        if not error.passing or self._failed >= self._most or over:
            return False
        await asyncio.sleep(pause_s)
        return True


class Breaker:
    """Open after so many failures in a row. Half open, one request tries: it closes by success, opens by failure."""

    def __init__(self, *, failures_until_open: int, open_s: float) -> None:
        self._until_open, self._open_s = failures_until_open, open_s
        self._failures = 0
        self._opened_at: float | None = None
        self.problem = ""

    def refuses(self, now: float) -> bool:
        return self._opened_at is not None and now < self._opened_at + self._open_s

    def again_in_s(self, now: float) -> float:
        return 0.0 if self._opened_at is None else max(0.0, self._opened_at + self._open_s - now)

    def failed(self, now: float, problem: str) -> None:
        self._failures += 1
        self.problem = problem
        if self._failures >= self._until_open:
            self._opened_at = now

    def probe_succeeded(self) -> None:
        """It talks again: the next request may try, and is the one that counts."""
        if self._opened_at is not None:
            self._opened_at = None
            self._failures = self._until_open - 1
        self.problem = ""

    def succeeded(self) -> None:
        self._failures, self._opened_at, self.problem = 0, None, ""
