"""How often a run loop that has nothing to do looks whether there is something: together they ask the database as often
as a few of them would.
"""

from __future__ import annotations

import time

from execution.models import Robot

AS_MANY = 5  # robots look as often as one alone
MOST_S = 2.0
COUNT_EVERY_S = 10.0


class Pace:
    """Of one run loop; `every_s` is how long a robot that is alone waits."""

    def __init__(self, every_s: float) -> None:
        self.every_s = every_s
        self._robots, self._counted_at = 0, -COUNT_EVERY_S

    def pause_s(self) -> float:
        """What to wait until the next look. Raises what the database does where it is away."""
        now = time.monotonic()
        if now - self._counted_at >= COUNT_EVERY_S:
            self._robots, self._counted_at = Robot.objects.at_work().count(), now
        return min(max(self.every_s, MOST_S), self.every_s * max(1.0, self._robots / AS_MANY))
