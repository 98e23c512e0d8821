"""The desktop as it is now, for whoever watches the robot: captured all the time, and shown without what is hidden."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable

from django.conf import settings

from execution.desktop.base import Desktop
from execution.desktop.capture import CaptureStats, ContinuousCapture
from execution.models import Execution, Robot
from execution.record.redaction import NothingShown, Redaction
from execution.running import live_picture
from execution.types import Frame, ScreenState

log = logging.getLogger(__name__)


BETWEEN_RUNS_MS = 2000  # what a robot that waits looks like is shown, and nobody acts on it


class ShownCapture(ContinuousCapture):
    """Continuous capture that keeps the robot's live picture fresh: as often as its run wants, else now and then."""

    def __init__(self, desktop: Desktop, robot: Robot) -> None:
        super().__init__(desktop, interval_ms=self.between_runs_ms, on_change=self._show)
        self._robot = robot
        self.redaction: Redaction = NothingShown()
        self._newest: Frame | None = None
        self.in_hand = False  # whether a run is: nobody looks at what a desktop shows between runs
        self._writing = threading.Lock()  # the loop shows what it has read, beside the capture
        self.tells: Callable[[CaptureStats], None] = lambda stats: None  # with each heartbeat, while a run is at work

    @property
    def between_runs_ms(self) -> int:
        return max(BETWEEN_RUNS_MS, settings.RPA_CAPTURE_INTERVAL_MS)

    def rest(self) -> None:
        """No run is in hand any more."""
        self.in_hand, self.tells = False, lambda stats: None
        self.look_every(self.between_runs_ms)

    def show_as_read(self, state: ScreenState) -> None:
        """A screen was read: what could not be shown of it before may be shown now."""
        self.redaction.seen(state)
        if self.redaction.is_needed and self.running:
            self._show(state.frame)

    def unmasked(self) -> tuple[Frame, Redaction] | None:
        """The newest frame, and what of it nobody may see; None while no run is in hand."""
        newest = self._newest
        return (newest, self.redaction) if newest is not None and self.in_hand else None

    def _show(self, frame: Frame) -> None:
        self._newest = frame
        try:
            with self._writing:
                live_picture.write(self._robot.name, frame, self.redaction)
        except OSError as error:
            log.warning("the live picture could not be written: %s", error, extra={"desktop": self._robot.desktop})

    def follow(self, execution: Execution) -> None:
        """On or off, as the run wants it (S1.14)."""
        if execution.continuous_capture:
            self.start()
        elif self.running:
            self.stop()
