"""Watching a desktop (S1.14) and waiting until it has come to rest (S1.20)."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from datetime import UTC, datetime
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from execution.desktop import capture as watching
from execution.desktop.base import DesktopLost
from execution.desktop.capture import ContinuousCapture, changed_box, settle
from execution.types import Box, Frame, pixels_digest
from tests.doubles.patient_record import patient_desktop
from tests.doubles.scripted import ScriptedDesktop
from tests.support.display import wait_until


@pytest.fixture
def desktop() -> ScriptedDesktop:
    return patient_desktop()


@pytest.fixture
def capture(desktop: ScriptedDesktop) -> Iterator[ContinuousCapture]:
    watching = ContinuousCapture(desktop, interval_ms=5)
    yield watching
    watching.stop()


def test_unchanged_frames_are_counted_and_not_kept_s1_14(desktop: ScriptedDesktop, capture: ContinuousCapture) -> None:
    capture.start()
    wait_until(lambda: capture.stats().total_captures >= 5)
    desktop.show("results")
    wait_until(lambda: len(capture.recent()) == 2)
    wait_until(lambda: capture.stats().unchanged_skipped >= 5)
    capture.stop()
    stats = capture.stats()
    assert stats.total_captures == stats.unchanged_skipped + 2
    assert stats.buffer_size == 2
    assert stats.memory_mb == pytest.approx(2 * 1280 * 800 * 3 / 1e6)
    assert stats.captures_per_second > 1
    assert stats.avg_capture_time_ms > 0


def test_the_buffer_holds_twenty_changed_frames_and_the_last_ten_are_at_hand_s1_14() -> None:
    desktop = _Pictures(np.full((40, 60, 3), number, np.uint8) for number in range(30))
    capture = ContinuousCapture(desktop, interval_ms=1).start()
    wait_until(lambda: capture.stats().total_captures >= 35)
    capture.stop()
    assert capture.stats().buffer_size == 20
    assert [int(frame.pixels[0, 0, 0]) for frame in capture.recent(10)] == list(range(20, 30))
    assert [int(frame.pixels[0, 0, 0]) for frame in capture.recent(3)] == [27, 28, 29]
    assert capture.recent(0) == []


def test_the_latest_is_the_newest_even_when_nothing_changed(capture: ContinuousCapture) -> None:
    assert capture.latest() is None
    capture.start()
    first = wait_until(capture.latest)
    wait_until(lambda: (latest := capture.latest()) is not None and latest.taken_at > first.taken_at)
    assert len(capture.recent()) == 1


def test_who_is_to_look_more_often_looks_at_once(desktop: ScriptedDesktop) -> None:
    """A run that begins waits for no frame that was due in an hour."""
    watching = ContinuousCapture(desktop, interval_ms=3_600_000).start()
    wait_until(lambda: watching.stats().total_captures == 1)
    watching.begin_anew(interval_ms=5)
    wait_until(lambda: watching.stats().total_captures >= 3)
    watching.look_every(3_600_000)
    watching.stop()
    assert not watching.running


def test_a_lost_desktop_ends_the_watch_and_is_raised_to_whoever_asks(
    desktop: ScriptedDesktop, capture: ContinuousCapture
) -> None:
    desktop.lose(after_calls=3)
    capture.start()
    wait_until(lambda: not capture.running)
    for asked in (capture.latest, capture.recent):
        with pytest.raises(DesktopLost):
            asked()
    assert capture.stats().total_captures == 3


def test_it_can_be_stopped_and_started_again(desktop: ScriptedDesktop, capture: ContinuousCapture) -> None:
    capture.start()
    assert capture.start() is capture
    assert sum("capture scripted" in thread.name for thread in threading.enumerate()) == 1
    capture.stop()
    assert not capture.running
    total = capture.stats().total_captures
    capture.start()
    wait_until(lambda: capture.stats().total_captures > total)


class _Pictures:
    """A desktop whose grabs are the given pictures, the last one for ever; each look takes no time."""

    name = "pictures"

    def __init__(self, pictures: object) -> None:
        self._pictures = iter(pictures)  # type: ignore[call-overload]
        self._shown: np.ndarray | None = None
        self.grabs = 0

    def grab(self) -> Frame:
        self._shown = next(self._pictures, self._shown)
        self.grabs += 1
        assert self._shown is not None
        return Frame(pixels=self._shown, taken_at=datetime.now(UTC), digest=pixels_digest(self._shown))


class _Time:
    """A clock that only moves when somebody waits."""

    def __init__(self) -> None:
        self.now = 100.0
        self.longest = 0.0

    def __call__(self) -> float:
        return self.now

    def pause(self, seconds: float) -> None:
        self.longest = max(self.longest, seconds)
        self.now += seconds


def _picture(*boxes: Box) -> np.ndarray:
    pixels = np.full((200, 300, 3), 240, np.uint8)
    for box in boxes:
        pixels[box.y : box.bottom, box.x : box.right] = 10
    return pixels


def _settled(pictures: object, **options: object) -> tuple[bool, float, _Time]:
    clock = _Time()
    result = settle(_Pictures(pictures), clock=clock, pause=clock.pause, **options)  # type: ignore[arg-type]
    return result.settled, result.waited_ms, clock


def _blinking(caret: Box, *, every: int) -> Iterator[np.ndarray]:
    on, off = _picture(caret), _picture()
    while True:
        yield from [on] * every
        yield from [off] * every


def test_a_still_screen_has_settled_after_the_settle_time_s1_20() -> None:
    settled, waited, clock = _settled([_picture()])
    assert settled
    assert 300 <= waited < 340
    assert clock.longest <= 0.02, "nothing waits longer than that between two looks"


def test_a_change_starts_the_time_anew_s1_20() -> None:
    pictures = [_picture()] * 10 + [_picture(Box(10, 10, 80, 30))]
    settled, waited, _ = _settled(pictures)
    assert settled
    assert 480 <= waited < 560


def test_a_screen_that_never_rests_is_given_back_as_unsettled() -> None:
    spinner = (_picture(Box(10 + number % 200, 10, 50, 50)) for number in range(10_000))
    settled, waited, _ = _settled(spinner, timeout_ms=1000)
    assert not settled
    assert 1000 <= waited < 1050


@pytest.mark.parametrize("every", [1, 3, 13, 26])
def test_a_blinking_caret_does_not_keep_it_from_settling_s1_20(every: int) -> None:
    settled, waited, _ = _settled(_blinking(Box(50, 50, 2, 20), every=every), settle_ms=600)
    assert settled
    assert waited < 600 + 20 * every + 60


def test_something_larger_that_blinks_does_keep_it_from_settling() -> None:
    settled, _, _ = _settled(_blinking(Box(50, 50, 60, 20), every=5), timeout_ms=2000)
    assert not settled


def test_a_thin_bar_that_grows_is_no_caret() -> None:
    bar = (_picture(Box(10, 100, 4 * number, 3)) for number in range(1, 60))
    settled, waited, _ = _settled(bar)
    assert settled
    assert waited > 59 * 20


def test_what_is_ignored_may_change() -> None:
    clock_box = Box(200, 0, 100, 40)
    pictures = (_picture(Box(210, 5, 10 + number % 50, 20)) for number in range(10_000))
    settled, waited, _ = _settled(pictures, ignore=[clock_box])
    assert settled
    assert waited < 340


def test_a_change_of_size_is_a_change_of_everything() -> None:
    small, large = _Pictures([np.zeros((10, 10, 3), np.uint8)]), _Pictures([np.zeros((20, 30, 3), np.uint8)])
    assert changed_box(small.grab(), large.grab()) == Box(0, 0, 30, 20)


@given(st.integers(0, 298), st.integers(0, 198), st.integers(1, 40), st.integers(0, 2), st.integers(1, 255))
def test_a_change_in_one_channel_is_told_to_the_pixel(x: int, y: int, width: int, channel: int, by: int) -> None:
    before = np.zeros((200, 300, 3), np.uint8)
    after = before.copy()
    after[y : y + 2, x : x + width, channel] = by
    frames = _Pictures([before, after])
    assert changed_box(frames.grab(), frames.grab()) == Box(x, y, min(width, 300 - x), min(2, 200 - y))


def test_a_lost_desktop_is_not_waited_for(desktop: ScriptedDesktop) -> None:
    desktop.lose(after_calls=2)
    clock = _Time()
    with pytest.raises(DesktopLost):
        settle(desktop, clock=clock, pause=clock.pause)


@pytest.mark.parametrize(("reading", "looked"), [(0.0, [0, 1, 2, 3]), (2.5, [0, 2.5, 5]), (10.0, [0, 10])])
def test_what_reading_takes_shortens_no_wait(
    monkeypatch: pytest.MonkeyPatch, reading: float, looked: list[float]
) -> None:
    """S2.13: the last look is begun when the time is over, however long the one before it took."""
    now = [0.0]
    monkeypatch.setattr(watching, "time", SimpleNamespace(monotonic=lambda: now[0]))
    seen = []
    for _look in watching.looks(3):
        seen.append(now[0])
        now[0] += reading or 1
    assert seen == looked
    assert len(list(watching.looks(0))) == 1
