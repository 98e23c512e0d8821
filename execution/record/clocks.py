"""Clocks that jump: set by hand, by a time server, by a machine that slept. Durations come from the steady one."""

from __future__ import annotations

import time

from execution.record.patience import Patience

TOLERATED_S = 2.0  # a clock that is corrected little by little is none that jumps


class JumpWatch:
    """Tells how far the clock of this machine went astray since it was last asked."""

    def __init__(self) -> None:
        self._astray = _astray()

    def jumped_s(self) -> float:
        """Seconds, forward or (negative) back; 0 for what is too little to count."""
        now = _astray()
        jump = now - self._astray
        if abs(jump) <= TOLERATED_S:
            return 0.0  # not taken as the new measure: many small steps make a large one
        self._astray = now
        return jump


class RunMeter:
    """How long a run has lasted by the steady clock, on top of what run loops before this one measured (S1.12)."""

    def __init__(self, before_s: float) -> None:
        self._before_s, self._since = before_s, time.monotonic()

    def lasted_s(self) -> float:
        return self._before_s + time.monotonic() - self._since


class FairClock:
    """What of the time to answer nobody could use: jumps of the clock, and a database that took no answer."""

    def __init__(self, patience: Patience) -> None:
        self._jumps, self._patience, self._waited = JumpWatch(), patience, patience.waited_s

    def unfair_s(self) -> float:
        """Since it was last asked."""
        waited, self._waited = self._patience.waited_s - self._waited, self._patience.waited_s
        return self._jumps.jumped_s() + waited


def _astray() -> float:
    return time.time() - time.monotonic()
