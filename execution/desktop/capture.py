"""Watching a desktop: continuously in a thread of its own (S1.14), or until it has come to rest (S1.20)."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Self

import cv2
import numpy as np

from execution.desktop.base import Desktop
from execution.types import Box, Frame

BUFFER_FRAMES = 20
# Between two looks while waiting for a screen to settle; a grab itself takes some milliseconds.
LOOK_EVERY_S = 0.02
# A blinking caret is thin and not longer than a line of large text is high.
CARET_LENGTH, CARET_WIDTH = 40, 4


@dataclass(frozen=True, slots=True, kw_only=True)
class CaptureStats:
    """As S1.14 names them."""

    total_captures: int
    captures_per_second: float
    unchanged_skipped: int
    avg_capture_time_ms: float
    buffer_size: int
    memory_mb: float


class ContinuousCapture:
    """Takes a frame every `interval_ms` and keeps the last ones that differ from the one before.

    A problem of the desktop ends the thread and is raised to whoever asks for frames.
    """

    def __init__(
        self,
        desktop: Desktop,
        *,
        interval_ms: int = 500,
        buffer_frames: int = BUFFER_FRAMES,
        on_change: Callable[[Frame], None] | None = None,
    ) -> None:
        self._desktop = desktop
        self._interval_s = interval_ms / 1000
        self._on_change = on_change
        self._frames: deque[Frame] = deque(maxlen=buffer_frames)
        self._lock = threading.Lock()
        self._stop = False
        self._due = threading.Event()  # the next frame is wanted now, or none any more
        self._thread: threading.Thread | None = None
        self._problem: Exception | None = None
        self._latest: Frame | None = None
        self._total = self._unchanged = 0
        self._grab_s = 0.0
        self._running_s = 0.0
        self._started_at: float | None = None

    @property
    def running(self) -> bool:
        return self._thread is not None and self._thread.is_alive()

    def start(self) -> Self:
        """Begin to watch; once started, starting again changes nothing."""
        if self.running:
            return self
        self._stop = False
        self._problem = None
        self._started_at = time.monotonic()
        self._thread = threading.Thread(target=self._watch, name=f"capture {self._desktop.name}", daemon=True)
        self._thread.start()
        return self

    def stop(self, *, timeout: float = 15.0) -> None:
        """End the thread; what was seen stays at hand."""
        self._stop = True
        self._due.set()
        if self._thread is not None:
            self._thread.join(timeout)
            self._thread = None

    def begin_anew(self, *, interval_ms: int) -> None:
        """Count from here on, and look at once and then this often: another run begins."""
        with self._lock:
            self._total = self._unchanged = 0
            self._grab_s = self._running_s = 0.0
            self._frames.clear()
            self._latest = None
            if self._started_at is not None:
                self._started_at = time.monotonic()
        self.look_every(interval_ms)

    def look_every(self, interval_ms: int) -> None:
        """Look at once, and this often from now on."""
        self._interval_s = interval_ms / 1000
        self._due.set()

    def latest(self) -> Frame | None:
        """The newest frame, changed or not; None before the first. Raises what ended the watch."""
        with self._lock:
            self._raise_problem()
            return self._latest

    def recent(self, count: int = 10) -> list[Frame]:
        """The last changed frames, oldest first. Raises what ended the watch."""
        with self._lock:
            self._raise_problem()
            return list(self._frames)[-count:] if count > 0 else []

    def stats(self) -> CaptureStats:
        with self._lock:
            running_s = self._running_s
            if self._started_at is not None:
                running_s += time.monotonic() - self._started_at
            return CaptureStats(
                total_captures=self._total,
                captures_per_second=self._total / running_s if running_s else 0.0,
                unchanged_skipped=self._unchanged,
                avg_capture_time_ms=1000 * self._grab_s / self._total if self._total else 0.0,
                buffer_size=len(self._frames),
                memory_mb=sum(frame.pixels.nbytes for frame in self._frames) / 1e6,
            )

    def _watch(self) -> None:
        try:
            while not self._stop:
                self._due.clear()
                started = time.monotonic()
                frame = self._desktop.grab()
                took = time.monotonic() - started
                self._keep(frame, took=took)
                if not self._stop:
                    self._due.wait(max(0.0, self._interval_s - took))
        except Exception as problem:  # noqa: BLE001 - kept for whoever asks; nobody waits for this thread
            with self._lock:
                self._problem = problem
        finally:
            with self._lock:
                self._running_s += time.monotonic() - (self._started_at or time.monotonic())
                self._started_at = None

    def _keep(self, frame: Frame, *, took: float) -> None:
        with self._lock:
            changed = self._latest is None or frame.digest != self._latest.digest
            self._latest = frame
            self._total += 1
            self._grab_s += took
            if changed:
                self._frames.append(frame)
            else:
                self._unchanged += 1
        if changed and self._on_change:
            self._on_change(frame)

    def _raise_problem(self) -> None:
        if self._problem is not None:
            raise self._problem


@dataclass(frozen=True, slots=True, kw_only=True)
class SettleResult:
    """`settled` is False when the screen was still changing at the end of the time; `frame` is the last one."""

    frame: Frame
    settled: bool
    waited_ms: float


def looks(seconds: float) -> Iterator[None]:
    """A turn for each look of a wait. The last one is begun when the time is over, and there is at least one.

    Reading a screen may take longer than it is waited for: what it takes shortens no wait.
    """
    until = time.monotonic() + seconds
    is_last = seconds <= 0
    while True:
        yield
        if is_last:
            return
        is_last = time.monotonic() >= until


class Stillness:
    """How long a desktop has not changed; what lies in `ignore` and a blinking caret may change."""

    def __init__(
        self,
        desktop: Desktop,
        *,
        ignore: Sequence[Box] = (),
        clock: Callable[[], float] = time.monotonic,
        pause: Callable[[float], None] = time.sleep,
    ) -> None:
        self._desktop, self._ignore, self._clock, self._pause = desktop, ignore, clock, pause
        self._began = self._calm_since = clock()
        self._carets = Carets()
        self.frame = desktop.grab()

    def wait(self, *, settle_ms: int, timeout_ms: int) -> SettleResult:
        """Watch until nothing has changed for `settle_ms`, at most until `timeout_ms` after the beginning."""
        while True:
            looked = self._clock()
            waited = 1000 * (looked - self._began)
            if looked - self._calm_since >= settle_ms / 1000:
                return SettleResult(frame=self.frame, settled=True, waited_ms=waited)
            if waited >= timeout_ms:
                return SettleResult(frame=self.frame, settled=False, waited_ms=waited)
            self._pause(LOOK_EVERY_S)
            self.look()

    def look(self) -> None:
        before, self.frame = self.frame, self._desktop.grab()
        box = changed_box(before, self.frame, ignore=self._ignore)
        if box is not None and not self._carets.explain(before, self.frame, box=box):
            self._calm_since = self._clock()


def settle(
    desktop: Desktop,
    *,
    settle_ms: int = 300,
    timeout_ms: int = 5000,
    ignore: Sequence[Box] = (),
    clock: Callable[[], float] = time.monotonic,
    pause: Callable[[float], None] = time.sleep,
) -> SettleResult:
    """Watch until nothing has changed for `settle_ms`, at most `timeout_ms`."""
    return Stillness(desktop, ignore=ignore, clock=clock, pause=pause).wait(settle_ms=settle_ms, timeout_ms=timeout_ms)


def changed_box(before: Frame, after: Frame, *, ignore: Sequence[Box] = ()) -> Box | None:
    """The smallest box around all that differs; None where nothing does. Another size is a change of everything."""
    if before.size != after.size:
        return Box(0, 0, *after.size)
    if before.digest and before.digest == after.digest:
        return None
    difference = cv2.absdiff(before.pixels, after.pixels)
    for box in ignore:
        difference[max(0, box.y) : max(0, box.bottom), max(0, box.x) : max(0, box.right)] = 0
    rows, _columns, depth = difference.shape
    x, y, width, height = cv2.boundingRect(difference.reshape(rows, -1))  # the channels side by side: 2 ms, not 24
    left, right = x // depth, -(-(x + width) // depth)
    return Box(left, y, right - left, height) if width else None


@dataclass(slots=True)
class Carets:
    """Thin places that go back to a look they had before: something blinks there, nothing happens there."""

    looks: dict[Box, set[bytes]] = field(default_factory=dict)

    def explain(self, before: Frame, after: Frame, *, box: Box) -> bool:
        """Whether the change of `box` is a return to a look already seen; the first change never is."""
        if max(box.w, box.h) > CARET_LENGTH or min(box.w, box.h) > CARET_WIDTH:
            return False
        known = self.looks.setdefault(box, set())
        known.add(_look(before, box))
        look = _look(after, box)
        if look in known:
            return True
        known.add(look)
        return False


def _look(frame: Frame, box: Box) -> bytes:
    return np.ascontiguousarray(frame.crop(box)).tobytes()
