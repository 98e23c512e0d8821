"""A server that fails again and again is left alone for a while (A.9.7)."""

from __future__ import annotations


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
