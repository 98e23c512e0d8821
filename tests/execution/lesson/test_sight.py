"""The eyes of a lesson on what never stands still (S6.1)."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import replace
from itertools import count
from typing import Any
from unittest.mock import Mock

import numpy as np
import pytest

from execution.lesson import sight as module
from execution.lesson.sight import Sight
from execution.types import Frame, ScreenState, Window
from tests.doubles.scripted import ScriptedDesktop
from tests.support.scripted import analyzer, screens

WAIT_S = 60.0


class Moving:
    """A desktop on which something is elsewhere at every look."""

    def __init__(self) -> None:
        self.still = ScriptedDesktop(screens("film"))
        self._looks = count()

    def grab(self) -> Any:
        frame = self.still.grab()
        pixels = np.array(frame.pixels)
        at = 20 * (next(self._looks) % 20)
        pixels[500:540, at : at + 40] = 0, 0, 255
        return replace(frame, pixels=pixels, digest="")

    def window(self) -> Any:
        return self.still.window()


@pytest.fixture
def readings() -> list[ScreenState]:
    return []


@pytest.fixture
def sight(monkeypatch: pytest.MonkeyPatch, readings: list[ScreenState]) -> Iterator[Sight]:
    """Eyes that have read a moving screen once, and rest for ever if nobody asks."""
    monkeypatch.setattr(module, "MOST_MOVING_S", 0.0)
    monkeypatch.setattr(module, "REST_S", 1e6)
    desktop, read = Moving(), threading.Event()
    eyes: Any = analyzer(desktop.still)

    def on_read(state: ScreenState) -> None:
        readings.append(state)
        read.set()

    sight = Sight(Mock(grab=desktop.grab, window=desktop.window), eyes, on_read=on_read)
    sight.start()
    assert read.wait(WAIT_S)
    yield sight
    sight.stop()


def test_what_moves_is_not_read_again_and_again_while_nobody_waits(sight: Sight, readings: list[ScreenState]) -> None:
    shown = sight.newest()
    for _ in range(20):
        with sight._changed:
            assert sight._changed.wait_for(lambda last=shown: sight._newest is not last, WAIT_S)
        shown = sight.newest()
    assert len(readings) == 1


def test_whoever_waits_for_what_moves_has_it_read(sight: Sight) -> None:
    before = sight.newest()
    with sight._changed:
        assert sight._changed.wait_for(lambda: sight._newest is not before, WAIT_S)
    assert sight.wait(WAIT_S) is not None


def test_what_was_done_is_read_on_a_picture_that_was_begun_after_it() -> None:
    """However long one grab takes: who judges by what shows must not be given what showed before."""
    desktop, goes_on, stands = ScriptedDesktop(screens("one", "two")), threading.Event(), threading.Event()
    goes_on.set()
    begun: list[Frame] = []

    def grab() -> Frame:
        frame = desktop.grab()
        begun.append(frame)
        if not goes_on.is_set():
            stands.set()
            assert goes_on.wait(WAIT_S)
        return frame

    sight = Sight(Mock(grab=grab, window=desktop.window), analyzer(desktop))
    sight.start()
    try:
        assert sight.wait(WAIT_S) is not None
        goes_on.clear()
        assert stands.wait(WAIT_S)
        first = len(begun)
        sight.stirred()
        assert sight.wait(5 * module.SETTLE_S) is None
        goes_on.set()
        state = sight.wait(WAIT_S)
        assert state is not None
        assert any(state.frame is frame for frame in begun[first:])
    finally:
        goes_on.set()
        sight.stop()


def test_what_was_not_read_is_told_and_read_once_more_and_never_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """S2.13: of a reader that did not come back in time nothing is taught."""
    monkeypatch.setattr(module, "UNREAD_S", 0.0)
    desktop, kept, unread = ScriptedDesktop(screens("one")), list[ScreenState](), list[ScreenState]()
    eyes: Any = analyzer(desktop)
    read = eyes.analyze

    def slow_once(*asked: Any) -> ScreenState:
        state = read(*asked)
        return state if unread else replace(state, texts=(), text_method="", degraded=True, notes=("It hangs.",))

    monkeypatch.setattr(eyes, "analyze", slow_once)
    watched = Mock(grab=desktop.grab, window=desktop.window)
    sight = Sight(watched, eyes, on_read=kept.append, on_unread=unread.append)
    sight.start()
    try:
        state = sight.wait(WAIT_S)
    finally:
        sight.stop()
    assert state is not None and state.text_method
    assert [one.notes for one in unread] == [("It hangs.",)]
    assert all(one.text_method for one in kept)


def test_a_reading_that_is_under_way_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """S2.13: what reading takes counts against no wait."""
    desktop, reads, goes_on = ScriptedDesktop(screens("one")), threading.Event(), threading.Event()
    eyes: Any = analyzer(desktop)
    read = eyes.analyze

    def analyze(*asked: Any) -> ScreenState:
        reads.set()
        assert goes_on.wait(WAIT_S)
        return read(*asked)

    monkeypatch.setattr(eyes, "analyze", analyze)
    sight = Sight(Mock(grab=desktop.grab, window=desktop.window), eyes)
    sight.start()
    try:
        assert reads.wait(WAIT_S)
        threading.Timer(0.2, goes_on.set).start()
        assert sight.wait(0.0) is not None
    finally:
        goes_on.set()
        sight.stop()


@pytest.fixture
def menu() -> Iterator[tuple[Sight, ScriptedDesktop, list[str]]]:
    """Eyes that have read a screen, its desktop, and the title that its window is said to have."""
    desktop, title = ScriptedDesktop(screens("one", "two")), ["Menu"]
    window = Mock(side_effect=lambda: Window(title=title[0]))
    sight = Sight(Mock(grab=desktop.grab, window=window), analyzer(desktop))
    sight.start()
    try:
        assert sight.wait(WAIT_S) is not None
        yield sight, desktop, title
    finally:
        sight.stop()


@pytest.fixture
def opening(menu: tuple[Sight, ScriptedDesktop, list[str]]) -> tuple[Sight, ScriptedDesktop]:
    """The same once something was done, and another window is said to be there; what it shows has not come."""
    sight, desktop, title = menu
    title[0] = "Dialog"
    sight.stirred()
    return sight, desktop


def test_a_window_is_read_on_what_it_shows_and_not_on_the_picture_before_it(
    monkeypatch: pytest.MonkeyPatch, opening: tuple[Sight, ScriptedDesktop]
) -> None:
    """Else menu and dialog were one screen, which nobody sees again."""
    monkeypatch.setattr(module, "MOST_MOVING_S", WAIT_S)
    sight, desktop = opening
    assert sight.wait(5 * module.SETTLE_S) is None
    desktop.show("two")
    state = sight.wait(WAIT_S)
    assert state is not None
    assert state.window == Window(title="Dialog")
    assert [line.text for line in state.texts][:1] == ["Page two"]


def test_a_window_that_shows_nothing_else_is_read_after_a_while(opening: tuple[Sight, ScriptedDesktop]) -> None:
    """A title that nothing shows may change alone."""
    sight, _ = opening
    state = sight.wait(WAIT_S)
    assert state is not None
    assert (state.window, state.texts[0].text) == (Window(title="Dialog"), "Page one")


def test_what_keys_go_to_is_seen_anew(
    monkeypatch: pytest.MonkeyPatch, menu: tuple[Sight, ScriptedDesktop, list[str]]
) -> None:
    """A menu stays until its dialog has been made: what was read while it stood is not what the keys go to."""
    sight, desktop, _ = menu
    shown = sight.newest()
    monkeypatch.setattr(module, "_CALM_EVERY_S", WAIT_S)
    monkeypatch.setattr(module, "_LIVELY_S", 0.0)
    monkeypatch.setattr(module, "_CLOSE_S", 0.0)
    with sight._changed:  # after this picture the eyes rest
        assert sight._changed.wait_for(lambda: sight._newest is not shown, WAIT_S)
    desktop.show("two")
    state = sight.fresh(WAIT_S)
    assert state is not None
    assert state.texts[0].text == "Page two"


def test_keys_wait_for_what_the_window_shows_that_has_the_keyboard(
    monkeypatch: pytest.MonkeyPatch, menu: tuple[Sight, ScriptedDesktop, list[str]]
) -> None:
    monkeypatch.setattr(module, "MOST_MOVING_S", WAIT_S)
    sight, desktop, title = menu
    title[0] = "Dialog"
    assert sight.fresh(5 * module.SETTLE_S) is None
    desktop.show("two")
    state = sight.fresh(WAIT_S)
    assert state is not None
    assert (state.window, state.texts[0].text) == (Window(title="Dialog"), "Page two")
