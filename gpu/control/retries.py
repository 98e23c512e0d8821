"""Trying again: a few times, later and later, and never what cannot succeed (A.9.5)."""

from __future__ import annotations

import asyncio
import random

from gpu.exceptions import VLMUnavailable


class Retries:
    """At most `most` tries, until the loop's time `until`."""

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
