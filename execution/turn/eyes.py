"""Looking at the desktop: a frame, its window, and what is read on it, within the limits of the run (S2.2 to S2.7)."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import cv2

from execution.desktop.base import Desktop, DesktopLost
from execution.desktop.capture import Stillness
from execution.desktop.window_providers import WindowProvider
from execution.perception.analyzer import ScreenAnalyzer
from execution.perception.ocr.base import in_reading_order
from execution.perception.watchdog import Guard, Hung, patience_s
from execution.turn.unchanged import Glance, Pictured, same_picture
from execution.types import Box, ScreenState, Window
from sentences.said import say
from workflows.graph import NormBox

log = logging.getLogger(__name__)

PROVIDER_TIMEOUT_S = 1.0
_CLOSER = 2  # times enlarged
AT_REST_MS = 60  # that a screen stands still before it is read; whether it stays so is seen while it is read


@dataclass(slots=True)
class Flags:
    """What one run asks of perception (S2.2)."""

    enable_ocr: bool = True
    enable_ui_detection: bool = True
    analyze_timeout_ms: int = 8000
    masks: tuple[NormBox, ...] = ()  # where a change does not matter, as fractions of the frame


class Eyes:
    """Observes one desktop for one run. `degraded`: an analysis took too long.

    Degraded, nothing is read anew: a screen that is known is given as it was read, of another one nothing but its look.
    It is over with a look at the whole that was in time (S2.13), or is lifted from outside.
    """

    def __init__(
        self,
        desktop: Desktop,
        analyzer: ScreenAnalyzer,
        flags: Flags,
        *,
        window_provider: WindowProvider | None = None,
        warn: Callable[[str, str], None] | None = None,
    ) -> None:
        self.desktop, self.analyzer, self.flags = desktop, analyzer, flags
        self.degraded = False
        self.degraded_reason = ""
        self.hides: Callable[[ScreenState], Sequence[NormBox]] = lambda state: self.flags.masks  # from models (S10.4)
        self.on_seen: Callable[[ScreenState], None] = lambda state: None
        self.last_read: ScreenState | None = None
        self.last_look: Pictured | None = None  # read or not
        self.looked_at = 0.0  # when the last picture was begun, by the monotonic clock
        self._looked_whole = False
        self._provider = window_provider
        self._warn = warn or (lambda kind, message: log.warning("%s: %s", kind, message))
        self._notes: tuple[str, ...] = ()
        self._asker = Guard("The window info provider")

    def observe(self, *, whole: bool = False) -> ScreenState:
        """The desktop as it is now; `whole`: read though an analysis took too long. Raises DesktopLost."""
        began = time.perf_counter()
        self.looked_at = time.monotonic()
        frame = self.desktop.grab()
        window = self._window()
        degraded, self._looked_whole = self.degraded and not whole, whole
        captured = (time.perf_counter() - began) * 1000
        state = self.analyzer.analyze(
            frame,
            window,
            ocr=self.flags.enable_ocr,
            ui=self.flags.enable_ui_detection,
            anew=not degraded,
            masks=self.flags.masks,
            hides=self.hides,
            patience=patience_s(self.flags.analyze_timeout_ms),
        )
        state = replace(
            state,
            timings=replace(state.timings, capture_ms=captured),
            degraded=state.degraded or degraded,
            notes=(*((self.degraded_reason,) if degraded else ()), *state.notes),
        )
        self._judge(state, whole=whole)
        self.last_read = self.last_look = state
        self.on_seen(state)
        return state

    def glance(self) -> Glance:
        """The desktop's pixels and its focused window, nothing read. Raises DesktopLost."""
        self.looked_at = time.monotonic()
        seen = Glance(frame=self.desktop.grab(), window=self._window())
        self.last_look = seen
        return seen

    def closer(self, box: Box, state: ScreenState) -> str:
        """What is read in a box of the screen when its picture is enlarged; "" without a reader."""
        reader = self.analyzer.reader
        if reader is None:
            return ""
        part = state.frame.crop(box.grown(max(4, box.h // 3), state.frame.size))
        large = cv2.resize(part, None, fx=_CLOSER, fy=_CLOSER, interpolation=cv2.INTER_CUBIC)
        lines = [line for line in reader.read(large) if _CLOSER * box.h / 3 < line.box.h]
        return " ".join(line.text for line in in_reading_order(lines))

    def settled(
        self, *, settle_ms: int, timeout_ms: int, enough: Callable[[ScreenState], bool] | None = None
    ) -> ScreenState:
        """The desktop once it has stood still for `settle_ms`, at the latest after `timeout_ms` (S1.20).

        It is read as soon as it comes to rest, while one waits: mostly it stays so. `enough` tells of that first look
        that nothing else need be waited for.
        """
        stillness = Stillness(self.desktop)
        rest = stillness.wait(settle_ms=min(settle_ms, AT_REST_MS), timeout_ms=timeout_ms)
        state = self.observe()
        if not rest.settled or (enough is not None and enough(state)):
            return state
        stillness.look()
        stillness.wait(settle_ms=settle_ms, timeout_ms=timeout_ms)
        return state if same_picture(state, self.glance()) else self.observe()

    def lift(self) -> None:
        self.degraded, self.degraded_reason = False, ""

    def is_to_be_whole(self, state: ScreenState) -> bool:
        """Whether less was seen than may be seen by now: such a look denies nothing (S2.13)."""
        return state.degraded and self.degraded and not self._looked_whole

    def _judge(self, state: ScreenState, *, whole: bool) -> None:
        """The slow step itself is whole; those after it are degraded (S2.4). What fails is told once each time."""
        for note in state.notes:
            if note not in (*self._notes, self.degraded_reason):
                self._warn("perception", note)
        self._notes = state.notes
        took, limit = state.timings.analyze_ms, self.flags.analyze_timeout_ms
        if whole and took <= limit and not (state.degraded or state.cache_hit):
            self.lift()
        elif took > limit and not self.degraded:
            self.degraded = True
            self.degraded_reason = say("turn.analysis_slow", took=took, limit=limit)

    def _window(self) -> Window | None:
        if self._provider is None:
            return self.desktop.window()
        try:
            return window_from(self._asker.run(self._provider, limit_s=PROVIDER_TIMEOUT_S))
        except DesktopLost:
            raise
        except Hung as hung:
            if hung.seconds:  # else it hangs since an earlier step, which has been told
                self._warn("window_info_provider", say("turn.window_provider_slow"))
        except Exception as error:  # noqa: BLE001  a deployment's own code: whatever it raises costs a warning (S2.7)
            self._warn("window_info_provider", say("turn.window_provider_failed", error=repr(error)))
        return None


def window_from(info: Mapping[str, Any] | None) -> Window | None:
    """A provider's answer as a Window; ValueError when it is neither None nor of S2.7's shape."""
    if info is None:
        return None
    if not isinstance(info, Mapping) or not isinstance(info.get("title", ""), str):
        raise ValueError(f"expected a dict with title and app_name, got {type(info).__name__}")
    sides = [int(v) for name in ("x", "y", "width", "height") if isinstance(v := info.get(name), int | float)]
    box = Box(*sides) if len(sides) == 4 else None
    return Window(title=info.get("title", ""), app_name=str(info.get("app_name") or ""), box=box)
