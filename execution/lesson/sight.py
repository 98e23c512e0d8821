"""The desktop while somebody teaches on it: every picture as it comes, and its reading as soon as it is still.

One thread grabs, one reads; whoever acts asks for what was read of what shows now, and waits for it where it must.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from typing import Protocol

from execution.desktop.base import Desktop
from execution.desktop.capture import Carets, changed_box
from execution.perception.analyzer import ScreenAnalyzer
from execution.types import Frame, ScreenState

log = logging.getLogger(__name__)

SETTLE_S = 0.18  # still for so long is still
MOST_MOVING_S = 2.5  # then it is read as it moves: a clock with hands, a film
_CLOSE_S, _CLOSE_EVERY_S = 0.6, 0.012  # after an act its effect is to be seen at once
_LIVELY_S, _LIVELY_EVERY_S = 2.0, 0.04
_CALM_EVERY_S = 0.1


class Looks(Protocol):
    """What a recorder asks of the eyes."""

    def current(self) -> ScreenState | None:
        """What was read of what shows now; None while it is not read."""

    def wait(self, timeout_s: float) -> ScreenState | None:
        """The same, waited for at most so long."""

    def newest(self) -> Frame:
        """The last picture, read or not."""

    def stirred(self) -> None:
        """Something was done on the desktop: what was read is of the past."""

    def effect(self, timeout_s: float) -> None:
        """Wait until what was done shows, at most so long: its picture comes before what is kept of it."""


class Sight:
    """Grabs and reads one desktop until it is stopped. `on_frame` and `on_read` are called in its own threads."""

    def __init__(
        self,
        desktop: Desktop,
        analyzer: ScreenAnalyzer,
        *,
        on_frame: Callable[[Frame], None] = lambda frame: None,
        on_read: Callable[[ScreenState], None] = lambda state: None,
        on_problem: Callable[[Exception], None] = lambda problem: None,
    ) -> None:
        self._desktop, self._analyzer = desktop, analyzer
        self._on_frame, self._on_read, self._on_problem = on_frame, on_read, on_problem
        self._changed = threading.Condition()
        self._closer, self._stop = threading.Event(), threading.Event()
        self._newest: Frame | None = None
        self._generation, self._read_generation = 0, -1
        self._state: ScreenState | None = None
        self._moved_at = self._stirred_at = self._still_at = self._shown_at = time.monotonic()
        self._threads = [
            threading.Thread(target=self._guarded, args=(run,), name=f"lesson-{name}", daemon=True)
            for name, run in (("watch", self._watch), ("read", self._read))
        ]

    def start(self) -> None:
        for thread in self._threads:
            thread.start()

    def stop(self) -> None:
        self._stop.set()
        self._closer.set()
        with self._changed:
            self._changed.notify_all()
        for thread in self._threads:
            thread.join()

    # --- what whoever acts asks -------------------------------------------------------------------------------------
    def current(self) -> ScreenState | None:
        with self._changed:
            return self._state if self._read_generation == self._generation else None

    def wait(self, timeout_s: float) -> ScreenState | None:
        with self._changed:
            self._changed.wait_for(lambda: self._read_generation == self._generation or self._stop.is_set(), timeout_s)
        return self.current()

    def newest(self) -> Frame:
        with self._changed:
            self._changed.wait_for(lambda: self._newest is not None or self._stop.is_set(), 5.0)
            return self._newest if self._newest is not None else self._desktop.grab()

    def stirred(self) -> None:
        with self._changed:
            self._generation += 1
            self._stirred_at = self._still_at = time.monotonic()
            self._changed.notify_all()
        self._closer.set()

    def effect(self, timeout_s: float) -> None:
        with self._changed:
            self._changed.wait_for(lambda: self._shown_at > self._stirred_at or self._stop.is_set(), timeout_s)

    # --- the two threads --------------------------------------------------------------------------------------------
    def _guarded(self, run: Callable[[], None]) -> None:
        try:
            run()
        except Exception as problem:  # noqa: BLE001  a desktop that went away, told to whoever teaches there
            if not self._stop.is_set():
                self._on_problem(problem)

    def _watch(self) -> None:
        carets = Carets()
        while not self._stop.is_set():
            frame, before = self._desktop.grab(), self._newest
            box = changed_box(before, frame) if before is not None else None
            moved = before is None or (box is not None and not carets.explain(before, frame, box=box))
            with self._changed:
                self._newest = frame
                if time.monotonic() - max(self._moved_at, self._stirred_at) >= SETTLE_S:
                    self._still_at = time.monotonic()
                if moved:
                    self._generation += 1
                    self._moved_at = time.monotonic()
                    self._changed.notify_all()
            if before is None or box is not None:
                self._on_frame(frame)
            if moved:
                with self._changed:
                    self._shown_at = time.monotonic()
                    self._changed.notify_all()
            self._closer.wait(self._pause_s())
            self._closer.clear()

    def _pause_s(self) -> float:
        now = time.monotonic()
        if now - self._stirred_at < _CLOSE_S:
            return _CLOSE_EVERY_S
        return _LIVELY_EVERY_S if now - self._moved_at < _LIVELY_S else _CALM_EVERY_S

    def _read(self) -> None:
        while not self._stop.is_set():
            frame, generation = self._still()
            if frame is None:
                continue
            state = self._analyzer.analyze(frame, self._desktop.window())
            with self._changed:
                if generation != self._generation and not self._is_restless():
                    continue  # it has changed while it was read: what is there now is read
                self._state, self._read_generation = state, self._generation
                self._changed.notify_all()
            self._on_read(state)

    def _still(self) -> tuple[Frame | None, int]:
        """The picture that is to be read next, once it is still."""
        with self._changed:
            if self._newest is None or self._read_generation == self._generation:
                self._changed.wait(0.5)
                return None, 0
            calm = time.monotonic() - max(self._moved_at, self._stirred_at)
            if calm < SETTLE_S and not self._is_restless():
                self._changed.wait(SETTLE_S - calm)
                return None, 0
            return self._newest, self._generation

    def _is_restless(self) -> bool:
        """Whether it has not been still for so long that it will not be."""
        return time.monotonic() - self._still_at > MOST_MOVING_S
