"""Credits: how much a client may be sent before it has acknowledged what it got.

The server below a socket does not push back on slow readers (B.4), so the protocol has to.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable

MAX_BATCHES = 32
MAX_BYTES = 1024 * 1024
ACK_TIMEOUT_S = 30.0


class CreditWindow:
    """What was sent and not yet acknowledged; nothing more may be sent while there is no room."""

    def __init__(
        self, *, batches: int | None = None, octets: int | None = None, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._batches = MAX_BATCHES if batches is None else batches
        self._octets = MAX_BYTES if octets is None else octets
        self._clock = clock
        self._open: deque[tuple[int, int, bool]] = deque()  # (mark, size, awaited), marks rising
        self._size = 0
        self._since = clock()  # the last time that anything was acknowledged, or that nothing had to be

    @property
    def outstanding(self) -> int:
        return len(self._open)

    def has_room(self) -> bool:
        return len(self._open) < self._batches and self._size < self._octets

    def sent(self, mark: int, size: int, *, awaited: bool = True) -> None:
        """Take a credit. What is not `awaited` need not be acknowledged by itself: a later mark gives it back."""
        if not self._is_waiting():
            self._since = self._clock()
        self._open.append((mark, size, awaited))
        self._size += size

    def acknowledge(self, mark: int) -> bool:
        """Give back all up to `mark`; whether there was anything. A mark that was never sent gives back no more."""
        given_back = False
        while self._open and self._open[0][0] <= mark:
            self._size -= self._open.popleft()[1]
            given_back = True
        if given_back:
            self._since = self._clock()
        return given_back

    def is_overdue(self) -> bool:
        """Whether an acknowledgement is waited for and none came for too long."""
        return self._is_waiting() and self._clock() - self._since >= ACK_TIMEOUT_S

    def _is_waiting(self) -> bool:
        return any(awaited for _mark, _size, awaited in self._open) or not self.has_room()
