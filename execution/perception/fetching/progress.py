"""How far a download is: one line that is written over on a terminal, plain lines elsewhere."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import IO, Any

_EVERY_S = 0.2
_PLAIN_STEP = 10  # percent between two plain lines
_PLAIN_EVERY_S = 10.0  # seconds, where the size is not known
_WIDTH = 78  # to write over a longer line
MB = 1_000_000


class Progress:
    """Tells of one download; `start` knows the size (0: unknown) and what was there already, both in bytes."""

    def __init__(self, label: str, out: IO[str] | Any, *, clock: Callable[[], float] = time.monotonic) -> None:
        self.label = label
        self._out = out
        self._clock = clock
        self._terminal = bool(getattr(out, "isatty", lambda: False)())
        self._total = self._done = self._before = 0
        self._begun = self._told_at = 0.0
        self._told_percent = -1

    def start(self, total: int, before: int) -> None:
        self._total, self._done, self._before = total, before, before
        self._begun = self._told_at = self._clock()
        self._told_percent = -1

    def advance(self, count: int) -> None:
        self._done += count
        now = self._clock()
        if self._terminal:
            if now - self._told_at >= _EVERY_S:
                self._write("\r" + self._line(now).ljust(_WIDTH))
                self._told_at = now
        elif self._worth_a_line(now):
            self._write(self._line(now) + "\n")
            self._told_at = now

    def finish(self) -> None:
        self._write(
            ("\r" if self._terminal else "") + self._line(self._clock()).ljust(78 if self._terminal else 0) + "\n"
        )

    def _worth_a_line(self, now: float) -> bool:
        if not self._total:
            return now - self._told_at >= _PLAIN_EVERY_S
        step = self._done * 100 // self._total // _PLAIN_STEP
        worth = step > self._told_percent and self._done < self._total
        self._told_percent = max(step, self._told_percent)
        return worth

    def _line(self, now: float) -> str:
        rate = (self._done - self._before) / max(now - self._begun, 1e-3) / MB
        size = f"{self._done / MB:.1f} MB"
        if self._total:
            size = f"{self._done / MB:.1f} of {self._total / MB:.1f} MB, {self._done * 100 // self._total} %"
        return f"{self.label}: {size}, {rate:.1f} MB/s"

    def _write(self, text: str) -> None:
        self._out.write(text)
        self._out.flush()
