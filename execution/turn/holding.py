"""Whether a run's loop may still go on with what takes long: waiting for a screen, going somewhere step by step."""

from __future__ import annotations

import threading
from collections.abc import Callable

from execution.choices import HALTS
from execution.navigation.hands import Stopped
from execution.record.journal import Journal


class Hold:
    """`may_act` raises LeaseLost when the run belongs to another loop."""

    def __init__(self, journal: Journal, *, leave: threading.Event, may_act: Callable[[], None]) -> None:
        self.journal, self.leave, self.may_act = journal, leave, may_act

    @property
    def about(self) -> str:
        """Whose act it is, by its id."""
        return self.journal.execution.execution_id

    def stopped(self) -> bool:
        """Whether a person asked for pause or stop, or the loop is to leave. Raises LeaseLost."""
        self.may_act()
        return self.leave.is_set() or self.journal.refresh().wish in HALTS

    def check(self) -> None:
        if self.stopped():
            raise Stopped

    def wait(self, seconds: float) -> None:
        """Let time pass, at once over when the loop is to leave."""
        self.leave.wait(seconds)
