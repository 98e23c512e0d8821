"""The desktop while somebody teaches on it: every picture as it comes, and its reading as soon as it is still.

One thread grabs, one reads; whoever acts asks for what was read of what shows now, and waits for it where it must.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from execution.desktop.base import Desktop
from execution.desktop.capture import Carets, changed_box
from execution.perception.analyzer import ScreenAnalyzer
from execution.types import Frame, ScreenState, Window

log = logging.getLogger(__name__)

SETTLE_S = 0.18  # still for so long is still
MOST_MOVING_S = 2.5  # then it is read as it moves: a clock with hands, a film
UNREAD_S = 0.5  # before a picture that was not read is read once more
REST_S = 1.0  # between two readings of what moves that nobody waits for: pictures come first
_CLOSE_S, _CLOSE_EVERY_S = 0.6, 0.012  # after an act its effect is to be seen at once
_LIVELY_S, _LIVELY_EVERY_S = 2.0, 0.04
_CALM_EVERY_S = 0.1
WATCHES = "lesson-watch"  # the thread that grabs


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """What showed at a moment: the picture taken last before it, and what was read of it where it was read by then."""

    frame: Frame
    window: Window | None
    state: ScreenState | None = None


class Looks(Protocol):
    """What a recorder asks of the eyes."""

    def current(self) -> ScreenState | None:
        """What was read of what shows now; None while it is not read."""

    def wait(self, timeout_s: float) -> ScreenState | None:
        """The same, waited for at most so long."""

    def fresh(self, timeout_s: float) -> ScreenState | None:
        """The same, by a picture that was begun after the call, of the window that has the keyboard by then."""

    def newest(self) -> Frame:
        """The last picture, read or not."""

    def seen(self) -> Seen:
        """What shows at this moment; where somebody acts by hand, what they see."""

    def stirred(self) -> None:
        """Something was done on the desktop: what was read is of the past."""

    def effect(self, timeout_s: float) -> None:
        """Wait until what was done shows, at most so long: its picture comes before what is kept of it."""

    @property
    def is_reading(self) -> bool:
        """Whether a picture is being read at this moment: what that takes counts against no wait."""


class Sight:
    """Grabs and reads one desktop until it is stopped. `on_frame` and `on_read` are called in its own threads.

    `by_hand`: a person may act there as well, so which window each picture shows is known before it is asked.
    """

    def __init__(
        self,
        desktop: Desktop,
        analyzer: ScreenAnalyzer,
        *,
        on_frame: Callable[[Frame], None] = lambda frame: None,
        on_read: Callable[[ScreenState], None] = lambda state: None,
        on_unread: Callable[[ScreenState], None] = lambda state: None,
        on_problem: Callable[[Exception], None] = lambda problem: None,
        by_hand: bool = False,
    ) -> None:
        self._desktop, self._analyzer = desktop, analyzer
        self._on_frame, self._on_read, self._on_unread, self._on_problem = on_frame, on_read, on_unread, on_problem
        self._changed = threading.Condition()
        self._closer, self._stop = threading.Event(), threading.Event()
        self._newest: Frame | None = None
        self._by_hand, self._window = by_hand, None if not by_hand else desktop.window()
        self._generation, self._read_generation = 0, -1
        self._state: ScreenState | None = None
        self._moved_at = self._stirred_at = self._still_at = self._shown_at = time.monotonic()
        self._grabbed_at = self._stirred_at  # when the newest picture was begun
        self._read_at = -REST_S
        self._waiting, self.is_reading = 0, False  # how many wait for a reading, and whether there is one
        self._threads = [
            threading.Thread(target=self._guarded, args=(run,), name=name, daemon=True)
            for name, run in ((WATCHES, self._watch), ("lesson-read", self._read))
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
            self._waiting += 1
            self._changed.notify_all()
            if not self._changed.wait_for(self._is_read, timeout_s):
                self._changed.wait_for(lambda: self._is_read() or not self.is_reading)
            self._waiting -= 1
        return self.current()

    def _is_read(self) -> bool:
        return self._read_generation == self._generation or self._stop.is_set()

    def fresh(self, timeout_s: float) -> ScreenState | None:
        asked = time.monotonic()
        self._closer.set()
        with self._changed:
            self._changed.wait_for(lambda: self._grabbed_at >= asked or self._stop.is_set(), timeout_s)
        state = self.current()
        if state is not None and state.window != self._desktop.window():
            self.stirred()  # a dialog takes the keys before it is drawn
        return self.wait(max(0.0, asked + timeout_s - time.monotonic()))

    def newest(self) -> Frame:
        with self._changed:
            self._changed.wait_for(lambda: self._newest is not None or self._stop.is_set(), 5.0)
            return self._newest if self._newest is not None else self._desktop.grab()

    def seen(self) -> Seen:
        frame, state = self.newest(), self.current()
        if state is not None:
            return Seen(frame=state.frame, window=state.window, state=state)
        return Seen(frame=frame, window=self._window if self._by_hand else self._desktop.window())

    def touched(self) -> Seen:
        """What showed when a hand did something there: it may be of the past by now."""
        seen = self.seen()
        self.stirred()
        return seen

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
            began, before = time.monotonic(), self._newest
            frame = self._desktop.grab()
            box = changed_box(before, frame) if before is not None else None
            moved = before is None or (box is not None and not carets.explain(before, frame, box=box))
            window = self._desktop.window() if self._by_hand else None
            with self._changed:
                self._newest, self._window, self._grabbed_at = frame, window, began
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
        told: tuple[str, ...] | None = None  # why the last picture was not read
        while not self._stop.is_set():
            frame, generation = self._still()
            if frame is None:
                continue
            window = self._desktop.window()
            with self._changed:
                if self._is_early(window):
                    self._changed.wait(SETTLE_S)
                    continue
            self.is_reading = True
            try:
                state = self._analyzer.analyze(frame, window)
            finally:
                with self._changed:
                    self.is_reading = False
                    self._changed.notify_all()
            if self._analyzer.misses(state):
                if state.notes != told:
                    self._on_unread(state)
                told = state.notes
                self._stop.wait(UNREAD_S)
                continue  # it is nothing that may be kept (S2.13)
            told = None
            with self._changed:
                if generation != self._generation and not self._is_restless():
                    continue  # it has changed while it was read: what is there now is read
                self._state, self._read_generation, self._read_at = state, self._generation, time.monotonic()
                self._changed.notify_all()
            self._on_read(state)

    def _still(self) -> tuple[Frame | None, int]:
        """The picture that is to be read next, once it is still."""
        with self._changed:
            is_past = self._grabbed_at < self._stirred_at  # nobody has looked since something was done
            if self._newest is None or self._read_generation == self._generation or is_past:
                self._changed.wait(0.5)
                return None, 0
            calm = time.monotonic() - max(self._moved_at, self._stirred_at)
            if calm < SETTLE_S and not self._is_restless():
                self._changed.wait(SETTLE_S - calm)
                return None, 0
            rest = self._read_at + REST_S - time.monotonic()
            if rest > 0 and calm < SETTLE_S and not self._waiting:
                self._changed.wait(rest)
                return None, 0
            return self._newest, self._generation

    def _is_early(self, window: Window | None) -> bool:
        """Whether another window is said to be there and nothing new shows since something was done: what the picture
        shows is the window before it."""
        if self._state is None or window == self._state.window or self._shown_at > self._stirred_at:
            return False
        return time.monotonic() - self._stirred_at < MOST_MOVING_S

    def _is_restless(self) -> bool:
        """Whether it has not been still for so long that it will not be."""
        return time.monotonic() - self._still_at > MOST_MOVING_S
