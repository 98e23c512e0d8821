"""Looking at the desktop: a frame, its window, and what is read on it, within the limits of the run (S2.2 to S2.7)."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from concurrent.futures import TimeoutError as FutureTimeout
from dataclasses import dataclass, replace
from typing import Any

from django.utils.module_loading import import_string
from django.utils.translation import gettext as _

from execution.desktop.base import Desktop, DesktopLost
from execution.desktop.capture import settle
from execution.perception.analyzer import ScreenAnalyzer
from execution.types import Box, ScreenState, Window

log = logging.getLogger(__name__)

WindowProvider = Callable[[], Mapping[str, Any] | None]
PROVIDER_TIMEOUT_S = 1.0


@dataclass(slots=True)
class Flags:
    """What one run asks of perception (S2.2)."""

    enable_ocr: bool = True
    enable_ui_detection: bool = True
    analyze_timeout_ms: int = 8000


class Eyes:
    """Observes one desktop for one run. `degraded`: an analysis took too long; it is lifted from outside."""

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
        self._provider = window_provider
        self._warn = warn or (lambda kind, message: log.warning("%s: %s", kind, message))
        self._last: ScreenState | None = None
        self._asker = ThreadPoolExecutor(1, thread_name_prefix="window-info") if window_provider else None

    def observe(self) -> ScreenState:
        """The desktop as it is now. Raises DesktopLost."""
        began = time.perf_counter()
        frame = self.desktop.grab()
        window = self._window()
        captured = (time.perf_counter() - began) * 1000
        ocr, ui = self.flags.enable_ocr, self.flags.enable_ui_detection
        if self.degraded:
            ocr = ui = False
        state = self.analyzer.analyze(frame, window, ocr=ocr, ui=ui, previous=self._last)
        state = replace(
            state,
            timings=replace(state.timings, capture_ms=captured),
            degraded=state.degraded or (self.degraded and not state.cache_hit),
        )
        self._judge(state)
        self._last = state
        return state

    def settled(self, *, settle_ms: int, timeout_ms: int) -> ScreenState:
        """The desktop once it has stood still for `settle_ms`, at the latest after `timeout_ms` (S1.20)."""
        settle(self.desktop, settle_ms=settle_ms, timeout_ms=timeout_ms)
        return self.observe()

    def lift(self) -> None:
        self.degraded, self.degraded_reason = False, ""

    def _judge(self, state: ScreenState) -> None:
        """The slow step itself is whole; those after it are degraded (S2.4)."""
        took, limit = state.timings.analyze_ms, self.flags.analyze_timeout_ms
        if took > limit and not self.degraded:
            self.degraded = True
            self.degraded_reason = _("An analysis took %(took)d ms; the limit is %(limit)d ms.") % {
                "took": took,
                "limit": limit,
            }

    def _window(self) -> Window | None:
        if self._provider is None or self._asker is None:
            return self.desktop.window()
        try:
            info = self._asker.submit(self._provider).result(PROVIDER_TIMEOUT_S)
            return window_from(info)
        except DesktopLost:
            raise
        except FutureTimeout:
            self._warn("window_info_provider", _("The window info provider did not answer within 1 s."))
        except Exception as error:  # noqa: BLE001  a deployment's own code: whatever it raises costs a warning (S2.7)
            self._warn("window_info_provider", _("The window info provider failed: %(error)r") % {"error": error})
        return None


def window_from(info: Mapping[str, Any] | None) -> Window | None:
    """A provider's answer as a Window; ValueError when it is neither None nor of S2.7's shape."""
    if info is None:
        return None
    if not isinstance(info, Mapping) or not isinstance(info.get("title", ""), str):
        raise ValueError(f"expected a dict with title and app_name, got {type(info).__name__}")
    sides = [int(v) for name in ("x", "y", "width", "height") if isinstance(v := info.get(name), int | float)]
    box = Box(*sides) if len(sides) == 4 else None
    return Window(title=info.get("title", ""), app_name=str(info.get("app_name", "")), box=box)


def load_provider(provider: str | WindowProvider | None) -> WindowProvider | None:
    """A provider given as a callable or as a dotted path; ImportError says which path is wrong."""
    return import_string(provider) if isinstance(provider, str) and provider else provider or None
